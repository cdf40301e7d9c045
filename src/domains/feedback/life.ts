import { states } from '../../kernel/states.ts'
import type { Status } from './tables.ts'

/** Whatever was decided can be decided again; only a duplicate is one for good, since its count lives on in the other. */
export const FEEDBACK_STATES = states<Status>({
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
