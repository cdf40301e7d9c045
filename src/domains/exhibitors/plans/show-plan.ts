import type { EventContext } from '../../../kernel/context.ts'
import { findFloorPlanById, getFloorPlan } from '../floor/floor-plans.ts'
import { findWarnings } from './edit-plan.ts'
import { describeFloorPlan, type PlanPart, showFloorPlan } from './plan-results.ts'

export async function showPlan(
  ctx: EventContext,
  { floorPlanCode, include }: { floorPlanCode: string; include?: readonly PlanPart[] | undefined },
) {
  const plan = await getFloorPlan(ctx, floorPlanCode)
  await showFloorPlan(ctx, plan)
  return { ...(await describeFloorPlan(ctx, plan, include)), warnings: findWarnings(plan) }
}

/**
 * Adds the picture of a changed plan. It is drawn after the database transaction, because drawing takes long and the transaction locks the
 * plan.
 */
export async function showChangedPlan<R extends { floorPlan: { id: string } }>(ctx: EventContext, result: R): Promise<R> {
  // A plan that was copied to another event is not found here, so its picture is not shown.
  const plan = await findFloorPlanById(ctx, result.floorPlan.id)
  if (plan) await showFloorPlan(ctx, plan)
  return result
}
