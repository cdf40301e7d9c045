import { count, day, email, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { submitContract } from '../../domains/supplier-contracts/send.ts'
import { ChangedContractShape } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'submit_contract_to_supplier',
  title: 'Send the first draft contract to the hotel to look at',
  description:
    'Issue the first (initial) draft agreement to the hotel or property for review and comments, by email: a link to accept or redline clauses, and the PDF. Values must be filled in. To answer changes use send_contract_counter. Not for signing. Returns the contract and emails.',
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
  output: { contract: ChangedContractShape, queued: count() },
  run: submitContract,
})
