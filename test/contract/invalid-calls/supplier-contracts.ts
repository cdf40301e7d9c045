import { type InvalidCall, valued, without } from './calls.ts'

export const SUPPLIER_CONTRACTS_CALLS: readonly InvalidCall[] = [
  valued('list_contracts', 'status', ['open'], undefined, ['draft']),
  valued('list_contracts', 'contractId', 'K-0001', undefined, ['24 characters']),
  without('create_contract_from_award', 'awardId', ['awardId']),
  without('add_contract_version', 'contractId', ['contractId']),
  valued('add_contract_version', 'by', 'hotel', undefined, ['supplier']),
  without('resolve_clause', 'key', ['key']),
  valued('resolve_clause', 'decision', 'agree', undefined, ['accept']),
  without('submit_contract_to_supplier', 'contractId', ['contractId']),
  without('mark_contract_redlines_received', 'contractId', ['contractId']),
  valued('propose_contract_counter', 'stance', 'hard', undefined, ['firm']),
  without('apply_contract_counter', 'counterId', ['counterId']),
  without('send_contract_counter', 'contractId', ['contractId']),
]
