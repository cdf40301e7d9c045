import { id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { readPlannedCounterProposal, createCounterProposalDraft } from '../../domains/supplier-contracts/counters.ts'
import { ChangedContractShape, CounterProposalResult, clauseKeyArgument } from '../../domains/supplier-contracts/shapes.ts'
import { NEGOTIATION_STANCES } from '../../domains/supplier-contracts/stance.ts'
import { askLanguageModelForWording } from '../../domains/supplier-contracts/wording.ts'

export default eventTool({
  name: 'propose_contract_counter',
  title: 'Suggest our counterproposal',
  description:
    "Suggest how we should answer the hotel's changes to the contract: for each open clause draft whether to accept, keep our text or offer middle ground by the playbook: firm, balanced or close. Does not send anything: use apply_contract_counter next. Returns the draft with reasons.",
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    keys: list(clauseKeyArgument(), 100).optional(),
    stance: oneOf(NEGOTIATION_STANCES).default('balanced'),
    instructions: text(1000).optional(),
  },
  output: { contract: ChangedContractShape, counter: CounterProposalResult, method: oneOf(['rules', 'model']) },
  prefetch: async (ctx, input) =>
    ctx.model ? askLanguageModelForWording(ctx, await readPlannedCounterProposal(ctx, input), input.instructions) : null,
  run: createCounterProposalDraft,
})
