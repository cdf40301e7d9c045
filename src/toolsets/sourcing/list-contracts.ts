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
    'See the contracts with hotels and venues: status, open clauses, high risks, committed amount and signature. Give contractId for one in full with its clauses, versions, counters and values still missing, and diff to compare two versions word by word. Not for the room block terms (use get_housing_summary). Returns contracts.',
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
