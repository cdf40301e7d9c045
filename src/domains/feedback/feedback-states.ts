import { defineStateMachine } from '../../kernel/states.ts'

/** States of a feedback item. Every state can be left again except duplicate, because the item it duplicates has taken over its count. */
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
