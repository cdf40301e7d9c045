import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { setBlockSellStatus } from '../housing/blocks.ts'
import { computeAmendedRooms, lockAmendment, withdrawPendingAmendment } from './amendments.ts'
import { findPendingAmendment } from './describe.ts'
import { listBlockNights, lockBlockRequest, getRequestLabel, readBlockRequestSettings, sumRoomsByNight } from './requests.ts'
import { releaseUnbookedRequestRooms } from './release.ts'
import { BLOCK_REQUEST_STATES } from './states.ts'
import type { AmendedNight, AmendmentRow, BlockRequestRow } from './tables.ts'

/** Accepts, for the requester, the rooms that the organizer has allocated to a request so far. Accepting twice changes nothing. */
export async function acceptAllocatedRooms(ctx: ExhibitorContext, requestId: string): Promise<BlockRequestRow> {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status === 'accepted') return row
  await refuseOverdue(ctx, row)
  const accepted = [...sumRoomsByNight(await listBlockNights(ctx, row))].map(([night, rooms]) => ({ night, rooms }))
  return changeRecordState(ctx, BLOCK_REQUEST_STATES, row, 'accepted', {
    columns: { accepted: JSON.stringify(accepted), accept_by: null, answered_at: sql<Date>`lanyard_now()` },
  })
}

async function refuseOverdue(ctx: ExhibitorContext, row: BlockRequestRow): Promise<void> {
  const { today } = await readBlockRequestSettings(ctx)
  if (row.accept_by !== null && today > row.accept_by)
    throw preconditionFailed(`The time to accept the rooms of ${getRequestLabel(row)} ended on ${row.accept_by}`)
}

/**
 * Declines the rooms of a request, because the requester does not want them or did not accept in time. Rooms without a guest are released.
 */
export async function declineAllocatedRooms(
  ctx: ExhibitorContext,
  requestId: string,
  reason: 'declined' | 'lapsed' = 'declined',
): Promise<BlockRequestRow> {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status === 'declined') return row
  const declined = await changeRecordState(ctx, BLOCK_REQUEST_STATES, row, 'declined', {
    columns: { accept_by: null, answered_at: sql<Date>`lanyard_now()` },
    audited: { reason },
  })
  await releaseUnbookedRequestRooms(ctx, declined, { to: 'freeSell' })
  if (declined.block_id !== null) await setBlockSellStatus(ctx, declined.block_id, 'changesSameType')
  await withdrawPendingAmendment(ctx, declined)
  return declined
}

/**
 * Stores a requester's amendment with other numbers of rooms. Only one amendment can be pending, the request must have rooms, and
 * `amendUntil` must not have passed.
 */
export async function requestBlockAmendment(
  ctx: ExhibitorContext,
  requestId: string,
  { changes, reason }: { changes: readonly AmendedNight[]; reason?: string | null },
): Promise<AmendmentRow> {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status !== 'allocated' && row.status !== 'partiallyAllocated' && row.status !== 'accepted')
    throw preconditionFailed(`Block request ${getRequestLabel(row)} is ${row.status}. Changes can be requested after rooms are allocated`)
  const { rules, today } = await readBlockRequestSettings(ctx)
  if (rules?.amendUntil && today > rules.amendUntil) throw preconditionFailed(`Changes could be asked for until ${rules.amendUntil}`)
  if (await findPendingAmendment(ctx, row.id)) throw conflict(`A change of ${getRequestLabel(row)} is already pending. Withdraw it first`)
  const real = changes.filter(({ delta }) => delta !== 0)
  if (real.length === 0) throw invalidArguments([{ path: 'changes', message: 'at least 1 changed night' }])
  const left = sumRoomsByNight([...row.profile, ...real.map(({ night, delta }) => ({ night, rooms: delta }))])
  const negative = [...left].find(([, rooms]) => rooms < 0)
  if (negative) throw invalidArguments([{ path: 'changes', message: `fewer rooms than requested on ${negative[0]}` }])
  if (computeAmendedRooms(row, real).length === 0)
    throw invalidArguments([{ path: 'changes', message: 'leave at least 1 room, or decline the request' }])
  const amendment = await ctx.db
    .insertInto('block_request_amendments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      request_id: row.id,
      changes: JSON.stringify(real),
      reason: reason ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'blockAmendment', id: amendment.id, after: { status: 'pending', changes: real, requestId: row.id } })
  return amendment
}

/** Withdraws a pending amendment for the requester. */
export async function withdrawAmendment(ctx: ExhibitorContext, requestId: string, amendmentId: string): Promise<void> {
  const { row, amendment } = await lockAmendment(ctx, amendmentId)
  if (row.id !== requestId || amendment.status !== 'pending') throw conflict('This change is no longer pending')
  await withdrawPendingAmendment(ctx, row)
}

/** The recurring task that declines requests whose rooms were not accepted in time. */
export const declineExpiredRequests: RecurringTask = {
  name: 'lapse-block-requests',
  schedule: { everySeconds: 3600 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; id: string }>`
        select r.tenant_id as "tenantId", r.event_id as "eventId", r.id from block_requests r
        join events e on e.tenant_id = r.tenant_id and e.id = r.event_id
        where r.status in ('partiallyAllocated', 'allocated') and r.accept_by < (lanyard_now() at time zone e.timezone)::date
        order by r.accept_by, r.id limit 500 /* reads the rows of all tenants */`.execute(db)
      return rows
    })
    await commitEach(due, (ctx, { id }) => lapseRequest(ctx, id))
  },
}

/** Declines an expired request. Reads it again under its lock, because it may have been accepted since it was listed. */
async function lapseRequest(ctx: ExhibitorContext, requestId: string): Promise<void> {
  const row = await lockBlockRequest(ctx, requestId)
  const { today } = await readBlockRequestSettings(ctx)
  const waits = row.status === 'allocated' || row.status === 'partiallyAllocated'
  if (waits && row.accept_by !== null && today > row.accept_by) await declineAllocatedRooms(ctx, requestId, 'lapsed')
}
