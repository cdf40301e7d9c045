import { type InvalidCall, named, valued, without } from './calls.ts'

export const RFPS_CALLS: readonly InvalidCall[] = [
  valued('list_rfps', 'status', ['open'], undefined, ['draft']),
  valued('list_rfps', 'rfpId', 'RFP-0001', undefined, ['24 characters']),
  without('create_rfp', 'responseDueAt', ['responseDueAt']),
  without('create_rfp', 'decisionOn', ['decisionOn']),
  named('create_rfp', 'dates', 'dateOptions', [{ arrival: '2027-06-10', departure: '2027-06-13' }]),
  without('add_rfp_recipient', 'recipients', ['recipients']),
  valued('add_rfp_recipient', 'recipients', [{ contactEmail: 'sales@example.org' }], undefined, ['supplierId']),
  without('distribute_rfp', 'rfpId', ['rfpId']),
  named('distribute_rfp', 'text', 'message', 'We look forward to your offer.'),
  without('post_rfp_question', 'body', ['body']),
  valued('post_rfp_question', 'shareWith', 'everyone', 'all', ['all']),
]
