import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a registration. A cancelled registration can be reinstated. */
export const PARTICIPANT_STATES = defineStateMachine({
  column: 'participants.status',
  kind: 'participant',
  noun: 'registration',
  initial: 'incomplete',
  moves: {
    incomplete: ['complete', 'waitlisted', 'cancelled'],
    complete: ['cancelled', 'waitlisted'],
    waitlisted: ['complete', 'incomplete', 'cancelled'],
    cancelled: ['complete'],
  },
})

export const WAITLIST_ENTRY_STATES = defineStateMachine({
  column: 'waitlist_entries.status',
  kind: 'waitlistEntry',
  noun: 'waiting list entry',
  initial: 'waiting',
  moves: {
    waiting: ['offered', 'promoted', 'removed'],
    offered: ['waiting', 'promoted', 'removed'],
    promoted: [],
    removed: [],
  },
  announced: { promoted: 'waitlist.promoted' },
})

export const INVITE_LIST_STATES = defineStateMachine({
  column: 'invite_list_entries.status',
  kind: 'inviteListEntry',
  noun: 'invitation',
  initial: 'invited',
  moves: {
    invited: ['opened', 'registered', 'declined', 'removed'],
    opened: ['registered', 'declined', 'removed'],
    registered: ['removed'],
    declined: ['opened', 'registered', 'removed'],
    removed: ['invited', 'registered'],
  },
})
