import { defineStateMachine } from '../../kernel/states.ts'

export const SESSION_STATES = defineStateMachine({
  column: 'sessions.status',
  kind: 'session',
  noun: 'session',
  initial: 'draft',
  moves: {
    draft: ['scheduled', 'cancelled'],
    scheduled: ['draft', 'cancelled'],
    cancelled: [],
  },
})

export const ENROLMENT_STATES = defineStateMachine({
  column: 'session_enrolments.status',
  kind: 'sessionEnrolment',
  noun: 'enrolment',
  initial: 'enrolled',
  moves: {
    enrolled: ['cancelled'],
    waitlisted: ['enrolled', 'cancelled'],
    cancelled: ['enrolled', 'waitlisted'],
  },
})

export const SPEAKER_STATES = defineStateMachine({
  column: 'speakers.status',
  kind: 'speaker',
  noun: 'speaker',
  initial: 'prospect',
  moves: {
    prospect: ['invited', 'confirmed', 'declined', 'withdrawn'],
    invited: ['confirmed', 'declined', 'withdrawn'],
    confirmed: ['withdrawn'],
    declined: ['invited'],
    withdrawn: ['invited'],
  },
})
