import { type InvalidCall, named, valued, without } from './calls.ts'

export const BIDS_CALLS: readonly InvalidCall[] = [
  without('list_rfp_responses', 'rfpId', []),
  named('list_rfp_responses', 'rounds', 'allRounds', true),
  valued('compare_responses', 'currency', '€', 'EUR', ['EUR']),
  valued('compare_responses', 'dateOption', 13, 0, ['at most 12']),
  valued('summarize_comparison', 'maxWords', 20, 80, ['at least 80']),
  without('create_scoring_rubric', 'name', []),
  without('create_scoring_rubric', 'criteria', []),
  named('list_scoring_rubrics', 'max', 'limit', 10),
  without('record_manual_scores', 'scores', []),
]
