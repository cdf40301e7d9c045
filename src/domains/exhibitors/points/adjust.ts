import { recordChange } from '../../../kernel/audit.ts'
import { newId } from '../../../kernel/ids.ts'
import type { ExhibitorContext } from '../context.ts'

/** Adds or deducts priority points of an organization. They count at all events of the client. */
export async function addPriorityPointsAdjustment(
  ctx: ExhibitorContext,
  { organizationId, points, reason }: { organizationId: string; points: number; reason: string },
): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('points_entries')
    .values({
      tenant_id: ctx.tenantId,
      id,
      organization_id: organizationId,
      event_id: ctx.event.id,
      points: points.toFixed(2),
      reason,
      by: ctx.actor.name,
    })
    .execute()
  recordChange(ctx, { kind: 'pointsEntry', id, after: { organizationId, points, reason } })
  return id
}
