import type { EventContext } from '../../../kernel/context.ts'
import { findFloorPlanById, getFloorPlan } from '../floor/floor-plans.ts'
import { findFloorPlanWarnings } from './edit-plan.ts'
import { describeFloorPlan, type FloorPlanPart, attachFloorPlanPicture } from './plan-results.ts'

export async function describePlanWithPicture(
  ctx: EventContext,
  { floorPlanCode, include }: { floorPlanCode: string; include?: readonly FloorPlanPart[] | undefined },
) {
  const plan = await getFloorPlan(ctx, floorPlanCode)
  await attachFloorPlanPicture(ctx, plan)
  return { ...(await describeFloorPlan(ctx, plan, include)), warnings: findFloorPlanWarnings(plan) }
}

/**
 * Adds the picture of a changed plan. It is drawn after the database transaction, because drawing takes long and the transaction locks the
 * plan.
 */
export async function attachChangedPlanPicture<R extends { floorPlan: { id: string } }>(ctx: EventContext, result: R): Promise<R> {
  // A plan that was copied to another event is not found here, so its picture is not shown.
  const plan = await findFloorPlanById(ctx, result.floorPlan.id)
  if (plan) await attachFloorPlanPicture(ctx, plan)
  return result
}
