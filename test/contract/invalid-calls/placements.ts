import { type InvalidCall, named, valued } from './calls.ts'

export const PLACEMENTS_CALLS: readonly InvalidCall[] = [
  valued('propose_booth_assignments', 'method', 'optimal', 'balanced', ['points', 'balanced']),
  named('propose_booth_assignments', 'competitorRule', 'competitors', 'hard'),
]
