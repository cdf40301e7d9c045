import { count, id, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CLAUSE_DECISIONS, resolveClause } from '../../domains/supplier-contracts/resolve.ts'
import {
  clauseBodyArgument,
  ChangedContractShape,
  ClauseResult,
  expectedVersionArgument,
  clauseKeyArgument,
  clauseVariablesArgument,
} from '../../domains/supplier-contracts/shapes.ts'

export default eventTool({
  name: 'resolve_clause',
  title: 'Accept or reject a single clause',
  description:
    "Decide a single clause (point, paragraph) of a contract: accept the hotel's wording, reject (refuse) it and go back to our last text, counter with another text or value, or reopen it. Values past our limit need a note. For all open clauses use propose_contract_counter. Returns the clause and openClauses.",
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    key: clauseKeyArgument(),
    decision: oneOf(CLAUSE_DECISIONS),
    body: clauseBodyArgument().optional(),
    vars: clauseVariablesArgument().optional(),
    note: text(2000).optional(),
    ifVersion: expectedVersionArgument(),
  },
  output: { clause: ClauseResult, openClauses: count(), contract: ChangedContractShape },
  run: resolveClause,
})
