import { id, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { applyCounterProposal } from '../../domains/supplier-contracts/counters.ts'
import {
  ChangedContractShape,
  counterProposalEditsArgument,
  CounterProposalResult,
  ClauseDifferenceShape,
  expectedVersionArgument,
  ContractVersionShape,
} from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'apply_contract_counter',
  title: 'Take over a suggested counter into the contract',
  description:
    'Adopt a drafted counter (counterproposal, middle ground) into the text of the document as our next version, with edits if needed. Accepted clauses become agreed. Does not send it: use send_contract_counter. Returns the version, the counter and differences.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    counterId: id('counter'),
    edits: counterProposalEditsArgument().optional(),
    ifVersion: expectedVersionArgument(),
  },
  output: {
    contract: ChangedContractShape,
    counter: CounterProposalResult,
    version: ContractVersionShape,
    diff: list(ClauseDifferenceShape),
  },
  run: applyCounterProposal,
})
