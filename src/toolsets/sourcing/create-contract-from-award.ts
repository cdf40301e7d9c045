import { count, id, list, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createContractFromAward, CONTRACT_TEMPLATES } from '../../domains/supplier-contracts/create.ts'
import { ChangedContractShape, MissingClauseVariable, variablesByClauseArgument } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'create_contract_from_award',
  title: 'Draw up the contract with the winner',
  description:
    'Draft the contract (agreement) with the hotel that won, from its winning offer: 22 clauses with its figures filled in, such as rates, cut-off, attrition and deposits. Sends nothing: use submit_contract_to_supplier. Returns the contract and the values still missing.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    awardId: id('award'),
    lineIndex: count(0, 9).default(0),
    template: oneOf(CONTRACT_TEMPLATES).default('standard'),
    vars: variablesByClauseArgument().optional(),
  },
  output: { contract: ChangedContractShape, missingVars: list(MissingClauseVariable) },
  run: createContractFromAward,
})
