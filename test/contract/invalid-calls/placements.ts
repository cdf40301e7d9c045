import { type InvalidCall, named, valued } from './calls.ts'

export const PLACEMENTS_CALLS: readonly InvalidCall[] = [
  valued('propose_booth_assignments', 'method', 'optimal', 'balanced', ['points', 'balanced']),
  named('propose_booth_assignments', 'competitorRule', 'competitors', 'hard'),
  valued('analyze_growth', 'asOf', 'today', 'final', ['days_out', 'final']),
  named('analyze_growth', 'categories', 'category', 'tools'),
  valued('analyze_placement', 'weights', { traffic: 1 }, { exposure: 1 }, ['exposure']),
]
