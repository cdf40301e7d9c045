import { count, day, email, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { submitContract } from '../../domains/supplier-contracts/send.ts'
import { ChangedContract } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'submit_contract_to_supplier',
  title: 'Send a contract to the supplier',
  description:
    'Email a draft contract to the hotel or venue: a link to its page, where they accept or redline clauses, with the PDF attached. All values must be filled in. Not for answers to their changes (use send_contract_counter) or for signing (use send_contract_for_signature). Returns the contract and the number of emails.',
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
