import type { FieldDocsByTool } from '../meanings.ts'

const CONTRACT = 'The contract.'
const CLAUSES = {
  clauses: 'The changed clauses. Clauses that are not named stay as they are.',
  'clauses.key': 'Key of the clause, such as `attrition`.',
  'clauses.title': 'Title. Needed for a new clause.',
  'clauses.body': 'The text, filled or with `{{names}}` of variables.',
  'clauses.vars': 'Values of variables by name.',
  'clauses.remove': 'Whether the clause is removed.',
}
const FILE = 'A .docx, .pdf or .txt file instead of `clauses`. Clauses are found by their headings.'
const NOTE = 'Note that is kept with it.'

export const SUPPLIER_CONTRACT_ARGUMENT_DOCS: FieldDocsByTool = {
  list_contracts: {
    status: 'Only contracts in these states.',
    contractId: 'One contract, in full.',
    version: 'The version whose clauses are shown. The current one if left out.',
    diff: 'Two versions to compare word by word.',
    'diff.from': 'The older version.',
    'diff.to': 'The newer version.',
  },
  create_contract_from_award: {
    awardId: 'The executed award.',
    lineIndex: 'The line of the award, counted from 0.',
    template: 'The set of clauses.',
    vars: 'Values that replace those of the offer, by clause and variable.',
  },
  add_contract_version: { contractId: CONTRACT, ...CLAUSES, fileId: FILE, by: 'Who wrote the version.', note: NOTE },
  resolve_clause: {
    contractId: CONTRACT,
    key: 'Key of the clause.',
    decision: 'What to do with the clause.',
    body: 'The text of a counter.',
    vars: 'The values of a counter by variable.',
    note: 'Why. Needed for a value past our limit and for a removed clause.',
  },
  submit_contract_to_supplier: {
    contractId: CONTRACT,
    contactEmail: 'Recipient. The contact of the RFP if left out.',
    message: 'Message in the email.',
    dueOn: 'Day until which the supplier should answer.',
  },
  mark_contract_redlines_received: { contractId: CONTRACT, ...CLAUSES, fileId: FILE, note: NOTE },
  propose_contract_counter: {
    contractId: CONTRACT,
    keys: 'The clauses to answer. All open ones if left out.',
    stance: 'How far to meet the supplier: our standard, halfway, or our fallback.',
    instructions: 'Wishes for the wording, if a model is configured.',
  },
  apply_contract_counter: {
    contractId: CONTRACT,
    counterId: 'The drafted counter.',
    edits: 'Changes of single items before they are applied.',
    'edits.key': 'Key of the clause.',
    'edits.action': 'Accept their text, go back to our last text, or replace it.',
    'edits.body': 'Another text.',
    'edits.vars': 'Other values by variable.',
  },
  send_contract_counter: { contractId: CONTRACT, message: 'Message in the email.' },
}
