import { defineStateMachine } from '../../kernel/states.ts'

export const GROUP_STATES = defineStateMachine({
  column: 'managed_groups.status',
  kind: 'group',
  noun: 'group',
  initial: 'open',
  moves: {
    open: ['closed'],
    closed: ['open'],
  },
})

/** States of a group invitation. `sent`, `bounced` and `expired` are usually derived from the status of the email and the current time. */
export const GROUP_INVITE_STATES = defineStateMachine({
  column: 'group_invites.status',
  kind: 'groupInvite',
  noun: 'group invitation',
  initial: 'queued',
  moves: {
    queued: ['sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked'],
    sent: ['queued', 'bounced', 'accepted', 'declined', 'expired', 'revoked'],
    bounced: ['revoked'],
    accepted: [],
    declined: [],
    expired: ['revoked'],
    revoked: [],
  },
})
