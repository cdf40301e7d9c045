import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const AWARDS_CALLS: readonly InvalidCall[] = [
  wrongValue('get_sourcing_summary', 'include', ['brief'], ['briefs'], ['briefs']),
  wrongValue('get_sourcing_savings', 'baseline', 'first', 'firstOffer', ['firstOffer']),
  wrongValue('propose_award', 'rationale', 'Cheapest', undefined, ['20']),
  wrongName('propose_award', 'reason', 'rationale', 'The best offer for our guests'),
  missingArgument('execute_award', 'awardId', ['awardId']),
  wrongValue('execute_award', 'awardId', 'RFP-0001', undefined, ['24 characters']),
  wrongValue('publish_award_to_block', 'status', 'final', 'definite', ['definite']),
]
