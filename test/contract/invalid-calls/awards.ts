import { type InvalidCall, named, valued, without } from './calls.ts'

export const AWARDS_CALLS: readonly InvalidCall[] = [
  valued('get_sourcing_summary', 'include', ['brief'], ['briefs'], ['briefs']),
  valued('get_sourcing_savings', 'baseline', 'first', 'firstOffer', ['firstOffer']),
  valued('propose_award', 'rationale', 'Cheapest', undefined, ['20']),
  named('propose_award', 'reason', 'rationale', 'The best offer for our guests'),
  without('execute_award', 'awardId', ['awardId']),
  valued('execute_award', 'awardId', 'RFP-0001', undefined, ['24 characters']),
  valued('publish_award_to_block', 'status', 'final', 'definite', ['definite']),
]
