import { type InvalidCall, named, valued, without } from './calls.ts'

export const SIGNING_CALLS: readonly InvalidCall[] = [
  named('mark_contract_ready_for_signature', 'acceptAllClauses', 'acceptAll', true),
  valued('mark_contract_ready_for_signature', 'contractId', 'K-0003', undefined, ['24 characters']),
  without('send_contract_for_signature', 'signers', ['signers']),
  named('send_contract_for_signature', 'expiresIn', 'expiresInDays', 10),
  valued('send_contract_for_signature', 'provider', 'docu-sign', 'embedded', ['embedded']),
  without('void_contract_envelope', 'reason', ['reason']),
  valued('void_contract_envelope', 'reason', 'no', undefined, ['5 characters']),
  without('generate_milestones', 'contractId', ['contractId']),
  valued('list_milestones', 'status', ['overdue'], ['missed'], ['missed']),
  named('list_milestones', 'to', 'until', '2028-12-31', { example: 1 }),
]
