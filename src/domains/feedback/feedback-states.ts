import { defineStateMachine } from '../../kernel/states.ts'

/** States of a feedback item. A duplicate cannot change its state, because its count was added to that of the original item. */
export const FEEDBACK_STATES = defineStateMachine({
  column: 'feedback.status',
  kind: 'feedback',
  noun: 'feedback',
  initial: 'new',
  moves: {
    new: ['triaged', 'planned', 'fixed', 'declined', 'duplicate'],
    triaged: ['planned', 'fixed', 'declined', 'duplicate'],
    planned: ['triaged', 'fixed', 'declined', 'duplicate'],
    fixed: ['new', 'triaged', 'planned', 'duplicate'],
    declined: ['new', 'triaged', 'planned', 'duplicate'],
    duplicate: [],
  },
})
