import { toOneLine, count, id, list, object, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listContracts } from '../../domains/supplier-contracts/list.ts'
import {
  ClauseResult,
  contractStatusSchema,
  CounterProposalResult,
  ClauseDifferenceShape,
  ListedContract,
  MissingClauseVariable,
  ContractVersionShape,
} from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'list_contracts',
  title: 'Supplier contracts and agreements',
  description:
    'Show all supplier contracts (agreements) and where each one stands: status, open clauses, risks, committed spend, signature. With contractId one in full: clauses, versions, counters; diff shows what the hotel changed between drafts. Not for room blocks (use get_housing_summary). Returns contracts.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: {
    status: list(contractStatusSchema(), 9).optional(),
    contractId: id('contract').optional(),
    version: count(1, 100_000).optional(),
    diff: toOneLine(object({ from: count(1, 100_000), to: count(1, 100_000) }), 'from, to').optional(),
    ...pageArguments,
  },
  output: {
    contracts: list(ListedContract),
    clauses: list(ClauseResult).optional(),
    missingVars: list(MissingClauseVariable).optional(),
    versions: list(ContractVersionShape).optional(),
    counters: list(CounterProposalResult).optional(),
    diff: list(ClauseDifferenceShape).optional(),
    ...pageResult,
  },
  run: listContracts,
})
