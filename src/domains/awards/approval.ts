import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMinorUnits } from '../../kernel/money.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import type { AwardRow } from './tables.ts'

/**
 * Whether an award is above the client's approval limit. An award in another currency than the limit is always above it, because exchange
 * rates move between proposal and execution.
 */
export async function isAboveApprovalLimit(ctx: EventContext, { total, currency }: Pick<AwardRow, 'total' | 'currency'>): Promise<boolean> {
  const { approvalLimit } = await readSourcingSettings(ctx)
  if (!approvalLimit) return false
  return approvalLimit.currency !== currency || total > toMinorUnits(approvalLimit.amount, approvalLimit.currency)
}

/**
 * Returns the reason why the caller cannot execute an award; null if there is none. Above the approval limit, only a person with the
 * permission money.write can execute the award, and not the person who proposed it.
 */
export async function findAwardExecutionObstacle(ctx: EventContext, award: AwardRow): Promise<AppError | null> {
  if (!(await isAboveApprovalLimit(ctx, award))) return null
  if (!ctx.permissions.has('money.write'))
    return new AppError('forbidden', 'This award is above the approval limit: executing it needs the permission money.write')
  return award.proposed_by === ctx.actor.id
    ? preconditionFailed('This award is above the approval limit: a second person must execute it, not the one who proposed it')
    : null
}

export async function refuseUnapprovedAward(ctx: EventContext, award: AwardRow): Promise<void> {
  const obstacle = await findAwardExecutionObstacle(ctx, award)
  if (obstacle) throw obstacle
}
