import { count, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { sendCounter } from '../../domains/supplier-contracts/send.ts'
import { ChangedContract } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'send_contract_counter',
  title: 'Send a counter to the supplier',
  description:
    'Email our applied counter to the hotel or venue: a link to the clauses that differ, and the PDF. Apply it first with apply_contract_counter. Not for the first version (use submit_contract_to_supplier). Returns the contract and emails.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: { contractId: id('contract'), message: text(2000).optional() },
  output: { contract: ChangedContract, queued: count() },
  run: sendCounter,
})
