import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import type { IntegrityCheckResult } from '../../orders/integrity/check.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { listBooths } from '../floor/booths.ts'
import { buildFloorPlanQuery } from '../floor/floor-plans.ts'
import { findPlacementProblems } from '../floor/placement.ts'

const MAX_SAMPLES = 5

/**
 * Checks rule X2 (booths inside the hall, without overlaps) for all plans of an event. It is not part of the SQL statement that checks the
 * other integrity rules, because the database cannot compare geometry.
 */
export async function checkBoothPlacement(ctx: ExhibitorQueryContext): Promise<IntegrityCheckResult> {
  const samples: string[] = []
  let violations = 0
  for (const plan of await buildFloorPlanQuery(ctx).orderBy('code').execute()) {
    const problems = await runTaskCooperatively(findPlacementProblems(plan, await listBooths(ctx, plan.id)))
    violations += problems.length
    samples.push(...problems.map(({ number, reason }) => `${plan.code}: booth ${number} ${reason}`))
  }
  return { id: 'X2', ok: violations === 0, violations, samples: samples.toSorted().slice(0, MAX_SAMPLES) }
}
