import { count, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { sendCounterProposal } from '../../domains/supplier-contracts/send.ts'
import { ChangedContractShape } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'send_contract_counter',
  title: 'Return our counterproposal to the supplier',
  description:
    'Send our counter (revised wording, turn of the redlines) back to the hotel, the other side, by email: a link to clauses of the agreement that differ, and the PDF. Apply it with apply_contract_counter. Not for the first draft (use submit_contract_to_supplier). Returns the contract and emails.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: { contractId: id('contract'), message: text(2000).optional() },
  output: { contract: ChangedContractShape, queued: count() },
  run: sendCounterProposal,
})
