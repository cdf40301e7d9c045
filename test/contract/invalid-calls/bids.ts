import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const BIDS_CALLS: readonly InvalidCall[] = [
  missingArgument('list_rfp_responses', 'rfpId', []),
  wrongName('list_rfp_responses', 'rounds', 'allRounds', true),
  wrongValue('compare_responses', 'currency', '€', 'EUR', ['EUR']),
  wrongValue('compare_responses', 'dateOption', 13, 0, ['at most 12']),
  wrongValue('summarize_comparison', 'maxWords', 20, 80, ['at least 80']),
  missingArgument('create_scoring_rubric', 'name', []),
  missingArgument('create_scoring_rubric', 'criteria', []),
  wrongName('list_scoring_rubrics', 'max', 'limit', 10),
  missingArgument('record_manual_scores', 'scores', []),
]
