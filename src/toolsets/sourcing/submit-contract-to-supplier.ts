import { count, day, email, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { submitContract } from '../../domains/supplier-contracts/send.ts'
import { ChangedContract } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'submit_contract_to_supplier',
  title: 'Send a contract to the supplier',
  description:
    'Email a draft contract to the hotel or venue: a link to accept or redline clauses, and the PDF. All values must be filled in. To answer their changes use send_contract_counter, for signing send_contract_for_signature. Returns the contract and emails.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: {
    contractId: id('contract'),
    contactEmail: email().optional(),
    message: text(2000).optional(),
    dueOn: day().optional(),
  },
  output: { contract: ChangedContract, queued: count() },
  run: submitContract,
})
