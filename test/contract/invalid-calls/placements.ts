import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const PLACEMENTS_CALLS: readonly InvalidCall[] = [
  wrongValue('propose_booth_assignments', 'method', 'optimal', 'balanced', ['points', 'balanced']),
  wrongName('propose_booth_assignments', 'competitorRule', 'competitors', 'hard'),
  wrongValue('analyze_growth', 'asOf', 'today', 'final', ['days_out', 'final']),
  wrongName('analyze_growth', 'categories', 'category', 'tools'),
  wrongValue('analyze_placement', 'weights', { traffic: 1 }, { exposure: 1 }, ['exposure']),
]
