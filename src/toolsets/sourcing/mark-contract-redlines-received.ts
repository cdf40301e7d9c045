import { count, id, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { readContractFile } from '../../domains/supplier-contracts/files.ts'
import { markRedlinesReceived, requireClausesOrFile } from '../../domains/supplier-contracts/redlines.ts'
import {
  ChangedContractShape,
  clauseEditsArgument,
  ClauseRisk,
  ClauseDifferenceShape,
  TextOutsideClausesShape,
  ContractVersionShape,
} from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'mark_contract_redlines_received',
  title: "Log the supplier's redlines that came back",
  description:
    'Log the changes (redlines, markup) that a hotel or its legal department returned on our agreement: by clause, or from a Word file with tracked changes. Tells what is risky; changed clauses reopen, others are agreed. Answer with propose_contract_counter. Returns differences and risks.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    clauses: clauseEditsArgument().optional(),
    fileId: id('file').optional(),
    note: text(2000).optional(),
  },
  output: {
    contract: ChangedContractShape,
    version: ContractVersionShape,
    diff: list(ClauseDifferenceShape),
    openClauses: count(),
    risks: list(ClauseRisk),
    unplaced: list(TextOutsideClausesShape),
  },
  prefetch: (ctx, input) => {
    requireClausesOrFile(input)
    return input.fileId === undefined ? Promise.resolve(null) : readContractFile(ctx, input.fileId)
  },
  run: markRedlinesReceived,
})
