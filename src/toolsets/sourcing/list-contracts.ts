import { brief, count, id, list, object, page, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listContracts } from '../../domains/supplier-contracts/list.ts'
import {
  ClauseResult,
  contractStatus,
  CounterResult,
  Difference,
  ListedContract,
  MissingVar,
  VersionResult,
} from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'list_contracts',
  title: 'Supplier contracts',
  description:
    'See contracts with hotels and venues: status, open clauses, risks, committed amount, signature. With contractId one in full: clauses, versions, counters, missing values; diff compares versions word by word. Not for room block terms (use get_housing_summary). Returns contracts.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: {
    status: list(contractStatus(), 9).optional(),
    contractId: id('contract').optional(),
    version: count(1, 100_000).optional(),
    diff: brief(object({ from: count(1, 100_000), to: count(1, 100_000) }), 'from, to').optional(),
    ...page,
  },
  output: {
    contracts: list(ListedContract),
    clauses: list(ClauseResult).optional(),
    missingVars: list(MissingVar).optional(),
    versions: list(VersionResult).optional(),
    counters: list(CounterResult).optional(),
    diff: list(Difference).optional(),
    ...pageResult,
  },
  run: listContracts,
})
