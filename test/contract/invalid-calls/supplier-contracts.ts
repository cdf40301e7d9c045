import { type InvalidCall, wrongValue, missingArgument } from './calls.ts'

export const SUPPLIER_CONTRACTS_CALLS: readonly InvalidCall[] = [
  wrongValue('list_contracts', 'status', ['open'], undefined, ['draft']),
  wrongValue('list_contracts', 'contractId', 'K-0001', undefined, ['24 characters']),
  missingArgument('create_contract_from_award', 'awardId', ['awardId']),
  missingArgument('add_contract_version', 'contractId', ['contractId']),
  wrongValue('add_contract_version', 'by', 'hotel', undefined, ['supplier']),
  missingArgument('resolve_clause', 'key', ['key']),
  wrongValue('resolve_clause', 'decision', 'agree', undefined, ['accept']),
  missingArgument('submit_contract_to_supplier', 'contractId', ['contractId']),
  missingArgument('mark_contract_redlines_received', 'contractId', ['contractId']),
  wrongValue('propose_contract_counter', 'stance', 'hard', undefined, ['firm']),
  missingArgument('apply_contract_counter', 'counterId', ['counterId']),
  missingArgument('send_contract_counter', 'contractId', ['contractId']),
]
