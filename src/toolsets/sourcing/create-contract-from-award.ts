import { count, id, list, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createContractFromAward, TEMPLATES } from '../../domains/supplier-contracts/create.ts'
import { ChangedContract, MissingVar, varsByClause } from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'create_contract_from_award',
  title: 'Create a contract from an award',
  description:
    'Write the contract with the hotel or venue that won: 22 clauses with the figures of its offer, such as rates, cut-off, attrition and deposits. Sends nothing: use submit_contract_to_supplier. Returns the contract and the values still missing.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    awardId: id('award'),
    lineIndex: count(0, 9).default(0),
    template: oneOf(TEMPLATES).default('standard'),
    vars: varsByClause().optional(),
  },
  output: { contract: ChangedContract, missingVars: list(MissingVar) },
  run: createContractFromAward,
})
