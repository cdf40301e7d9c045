import type { RawBuilder } from 'kysely'
import type { ConditionTree } from './data-query.ts'
import { compileConditionTree } from './filter.ts'
import { StatementPlan } from './plan.ts'
import { toKyselyExpression } from './read-in-batches.ts'
import { requireQueryPermissions } from './rights.ts'
import type { QuerySnapshot } from './snapshot.ts'

/**
 * Builds a subquery for the ids of the rows of an entity that a condition tree selects. The caller's permissions are checked; test data is
 * left out.
 */
export async function buildMatchingIdsSql(
  snapshot: QuerySnapshot,
  entity: string,
  { tree, at }: { tree: ConditionTree; at: string },
): Promise<RawBuilder<{ id: string }>> {
  const { dictionary, scope, reader } = snapshot
  const plan = new StatementPlan(dictionary, scope, dictionary.get(entity)!)
  const conditions = [plan.scopeCondition(null), compileConditionTree(plan, tree, at)]
  if (!plan.root.noTestData) conditions.push(`not ${plan.row}.is_test_data`)
  requireQueryPermissions(plan, reader)
  return toKyselyExpression(`select ${plan.row}.id from ${plan.from()} where ${conditions.join(' and ')}`, plan.values)
}
