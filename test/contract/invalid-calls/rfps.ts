import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const RFPS_CALLS: readonly InvalidCall[] = [
  wrongValue('list_rfps', 'status', ['open'], undefined, ['draft']),
  wrongValue('list_rfps', 'rfpId', 'RFP-0001', undefined, ['24 characters']),
  missingArgument('create_rfp', 'responseDueAt', ['responseDueAt']),
  missingArgument('create_rfp', 'decisionOn', ['decisionOn']),
  wrongName('create_rfp', 'dates', 'dateOptions', [{ arrival: '2027-06-10', departure: '2027-06-13' }]),
  missingArgument('add_rfp_recipient', 'recipients', ['recipients']),
  wrongValue('add_rfp_recipient', 'recipients', [{ contactEmail: 'sales@example.org' }], undefined, ['supplierId']),
  missingArgument('distribute_rfp', 'rfpId', ['rfpId']),
  wrongName('distribute_rfp', 'text', 'message', 'We look forward to your offer.'),
  missingArgument('post_rfp_question', 'body', ['body']),
  wrongValue('post_rfp_question', 'shareWith', 'everyone', 'all', ['all']),
]
