import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const SIGNING_CALLS: readonly InvalidCall[] = [
  wrongName('mark_contract_ready_for_signature', 'acceptAllClauses', 'acceptAll', true),
  wrongValue('mark_contract_ready_for_signature', 'contractId', 'K-0003', undefined, ['24 characters']),
  missingArgument('send_contract_for_signature', 'signers', ['signers']),
  wrongName('send_contract_for_signature', 'expiresIn', 'expiresInDays', 10),
  wrongValue('send_contract_for_signature', 'provider', 'docu-sign', 'embedded', ['embedded']),
  missingArgument('void_contract_envelope', 'reason', ['reason']),
  wrongValue('void_contract_envelope', 'reason', 'no', undefined, ['5 characters']),
  missingArgument('generate_milestones', 'contractId', ['contractId']),
  wrongValue('list_milestones', 'status', ['overdue'], ['missed'], ['missed']),
  wrongName('list_milestones', 'to', 'until', '2028-12-31', { example: 1 }),
]
