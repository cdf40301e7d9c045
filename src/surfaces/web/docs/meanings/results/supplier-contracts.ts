import type { FieldDocsByTool } from '../meanings.ts'

const CONTRACT = 'The contract after the call.'
const DIFF = 'Changed clauses with their words as equal, inserted or deleted.'
const UNPLACED = 'Text of the file that belongs to no clause.'

export const SUPPLIER_CONTRACT_RESULT_DOCS: FieldDocsByTool = {
  list_contracts: {
    contracts: 'The contracts by number. `committed` is owed in any case.',
    clauses: 'The clauses with filled texts, state and risk. With `contractId`.',
    missingVars: 'Variables without a value. With `contractId`.',
    versions: 'All versions. With `contractId`.',
    counters: 'All counters. With `contractId`.',
    diff: DIFF,
  },
  create_contract_from_award: { contract: 'The contract as a draft.', missingVars: 'Variables without a value.' },
  add_contract_version: {
    contract: CONTRACT,
    version: 'The new version, or the current one if nothing changed.',
    diff: DIFF,
    changed: 'The changed clauses.',
    unplaced: UNPLACED,
  },
  resolve_clause: { clause: 'The clause after the decision.', openClauses: 'Number of clauses that are still open.', contract: CONTRACT },
  submit_contract_to_supplier: { contract: CONTRACT, queued: 'Number of emails.' },
  mark_contract_redlines_received: {
    contract: CONTRACT,
    version: 'The version of the supplier.',
    diff: DIFF,
    openClauses: 'Number of open clauses.',
    risks: 'Risk of each changed clause, with reasons.',
    unplaced: UNPLACED,
  },
  propose_contract_counter: { contract: CONTRACT, counter: 'The draft with one item per clause.', method: 'Who worded the texts.' },
  apply_contract_counter: { contract: CONTRACT, counter: 'The applied counter.', version: 'Our new version.', diff: DIFF },
  send_contract_counter: { contract: CONTRACT, queued: 'Number of emails.' },
}
