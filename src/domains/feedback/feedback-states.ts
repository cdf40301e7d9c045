import { defineStates } from '../../kernel/states.ts'

/** States of a feedback item. Any status can be changed again, except duplicate, because its count was moved to the other item. */
export const FEEDBACK_STATES = defineStates({
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
