import type { EventContext } from '../../kernel/context.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { readUserNames } from '../access/user-names.ts'
import type { RfpSnapshot } from '../bids/responses.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import { findAwardExecutionObstacle } from './approval.ts'
import { computeAwardLineCost, readAwardedResponses, readSupplierNamesById } from './awards.ts'
import { listAwardWarnings } from './warnings.ts'

/** Reads the award of an RFP, proposed or final, with everything that its approver needs; null if there is none. */
export async function readCurrentAward(ctx: EventContext, rfp: RfpSnapshot) {
  const row = await eventDb(ctx)
    .selectFrom('awards')
    .selectAll()
    .where('rfp_id', '=', rfp.id)
    .where('status', 'in', ['proposed', 'executed'])
    .executeTakeFirst()
  if (!row) return null
  const isProposed = row.status === 'proposed'
  const responses = await readAwardedResponses(ctx, row.lines)
  const suppliers = await readSupplierNamesById(
    ctx,
    row.lines.map(({ supplierId }) => supplierId),
  )
  const people = await readUserNames(ctx, [row.proposed_by, ...(row.executed_by === null ? [] : [row.executed_by])])
  const { approvalLimit, decliningText = '' } = await readSourcingSettings(ctx)
  return {
    row,
    lines: row.lines.map(({ supplierId, share }) => ({
      supplier: suppliers.get(supplierId) ?? supplierId,
      roomNights: share.reduce((sum, { rooms }) => sum + rooms, 0),
    })),
    net: sumMinorUnits(row.lines.map((line, index) => computeAwardLineCost(rfp, responses[index]!, line, index).net)),
    proposedBy: people.get(row.proposed_by) ?? row.proposed_by,
    executedBy: row.executed_by === null ? null : (people.get(row.executed_by) ?? row.executed_by),
    approvalLimit: approvalLimit ?? null,
    decliningText,
    obstacle: isProposed ? ((await findAwardExecutionObstacle(ctx, row))?.message ?? null) : null,
    warnings: isProposed ? await listAwardWarnings(ctx, rfp, row, responses) : [],
  }
}

export type CurrentAward = NonNullable<Awaited<ReturnType<typeof readCurrentAward>>>
