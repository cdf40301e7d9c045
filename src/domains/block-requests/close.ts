import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeAllocation } from '../housing/allocation.ts'
import { getBlockById, setBlockSellStatus } from '../housing/blocks.ts'
import { reclaimRoomsFromHotel } from '../housing/reclaim-rooms.ts'
import { emailAllocation } from './allocate.ts'
import { withdrawPendingAmendment } from './amendments.ts'
import { getOrCreateRequestBlock } from './blocks.ts'
import { describeBlockRequest } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import {
  computeAcceptanceDeadline,
  listBlockNights,
  lockBlockRequest,
  getRequestLabel,
  readBlockRequestSettings,
  listShortfallNights,
  sumRooms,
} from './requests.ts'
import { releaseUnbookedRequestRooms } from './release.ts'
import { readHotelNames } from './requester.ts'
import { BLOCK_REQUEST_STATES } from './states.ts'
import type { BlockRequestRow, ClosedRequestSnapshot } from './tables.ts'

interface CloseInput {
  requestId: string
  release: 'freeSell' | 'hotel' | 'keep'
  reason?: string | undefined
  notify: boolean
}

/** Closes a request: unbooked rooms are released, reservations stay, and the block takes no new reservations. */
export async function closeRequest(ctx: EventContext, { requestId, release, reason, notify }: CloseInput) {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status === 'closed') throw conflict(`Block request ${getRequestLabel(row)} is already closed`)
  if (row.status === 'draft') throw preconditionFailed(`Block request ${getRequestLabel(row)} is a draft. It was not submitted yet`)
  const released = release === 'keep' ? [] : await releaseUnbookedRequestRooms(ctx, row, { to: release })
  const sellStatus = row.block_id === null ? null : (await getBlockById(ctx, row.block_id)).sell_status
  if (row.block_id !== null) await setBlockSellStatus(ctx, row.block_id, 'changesSameType')
  await withdrawPendingAmendment(ctx, row)
  const closing: ClosedRequestSnapshot = { status: row.status, sellStatus, released, to: release, acceptBy: row.accept_by }
  let closed = await changeRecordState(ctx, BLOCK_REQUEST_STATES, row, 'closed', {
    columns: { closing: JSON.stringify(closing), accept_by: null },
    audited: { released: sumRooms(released), ...(reason === undefined ? {} : { reason }) },
  })
  ctx.effects.add('changes', `close ${row.id}`, { request: getRequestLabel(row), roomNights: sumRooms(released) })
  if (notify)
    closed = await sendBlockRequestEmail(ctx, closed, { trigger: 'block.released', released: sumRooms(released), reason: reason ?? null })
  return {
    request: await describeBlockRequest(ctx, closed),
    released: sumRooms(released),
    keptReservations: await countReservations(ctx, row),
  }
}

async function countReservations({ db, tenantId, event }: EventContext, { block_id }: BlockRequestRow): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct reservation_id)::int as n from reservation_nights
    where tenant_id = ${tenantId} and event_id = ${event.id} and block_id = ${block_id} and not is_test_data`.execute(db)
  return rows[0]!.n
}

interface ReactivateInput {
  requestId: string
  restore: boolean
  partial: boolean
  notify: boolean
}

/** Reopens a closed request with the rooms that were released when it was closed, as far as they are still free. */
export async function reactivateRequest(ctx: EventContext, { requestId, restore, partial, notify }: ReactivateInput) {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status !== 'closed') throw preconditionFailed(`Block request ${getRequestLabel(row)} is ${row.status}, not closed`)
  const closing = row.closing!
  const wanted = restore ? closing.released : []
  await refuseAfterCutoff(ctx, [...closing.released, ...(await listBlockNights(ctx, row))])
  if (closing.to === 'hotel') await reclaimRoomsFromHotel(ctx, wanted)
  const { row: withBlock, restored, missing } = await takeBack(ctx, row, wanted, partial)
  if (withBlock.block_id !== null) await setBlockSellStatus(ctx, withBlock.block_id, closing.sellStatus ?? 'open')
  const status = await statusAfter(ctx, withBlock, closing)
  let opened = await changeRecordState(ctx, BLOCK_REQUEST_STATES, withBlock, status, {
    columns: {
      closing: null,
      accept_by: await computeReopenedDeadline(ctx, status, closing),
      ...(status === 'accepted' ? {} : { accepted: null }),
    },
    audited: { restored: sumRooms(restored) },
  })
  ctx.effects.add('changes', `reactivate ${row.id}`, { request: getRequestLabel(row), roomNights: sumRooms(restored) })
  if (notify) opened = await emailAllocation(ctx, opened)
  return { request: await describeBlockRequest(ctx, opened), restored: sumRooms(restored), missing }
}

async function takeBack(ctx: EventContext, row: BlockRequestRow, wanted: readonly GrantedRooms[], partial: boolean) {
  if (wanted.length === 0) return { row, restored: [], missing: [] }
  const withBlock = await getOrCreateRequestBlock(ctx, row, [...new Set(wanted.map(({ hotelId }) => hotelId))])
  const applied = await changeAllocation(
    ctx,
    withBlock.block_id,
    wanted.map(({ rooms, ...key }) => ({ ...key, delta: rooms })),
    { partial },
  )
  const toRooms = (pick: (one: (typeof applied)[number]) => number) =>
    applied
      .map((one) => ({ hotelId: one.hotelId, roomTypeCode: one.roomTypeCode, night: one.night, rooms: pick(one) }))
      .filter(({ rooms }) => rooms > 0)
  return {
    row: withBlock as BlockRequestRow,
    restored: toRooms(({ before, after }) => after - before),
    missing: toRooms(({ wanted: all, after }) => all - after),
  }
}

async function refuseAfterCutoff(ctx: EventContext, wanted: readonly Pick<GrantedRooms, 'hotelId'>[]): Promise<void> {
  if (wanted.length === 0) return
  const { today } = await readBlockRequestSettings(ctx)
  const past = await eventDb(ctx)
    .selectFrom('housing_contracts')
    .select(['hotel_id', 'cutoff_on'])
    .where('hotel_id', 'in', [...new Set(wanted.map(({ hotelId }) => hotelId))])
    .where('cutoff_on', '<', today)
    .orderBy('hotel_id')
    .executeTakeFirst()
  if (!past) return
  const names = await readHotelNames(ctx, [past.hotel_id])
  throw preconditionFailed(`The cut-off of ${names.get(past.hotel_id)} passed on ${past.cutoff_on}, so its rooms cannot be taken back`)
}

/** Returns the deadline to accept the rooms of a reopened request: the previous one, or a new one if it passed in the meantime. */
async function computeReopenedDeadline(
  ctx: EventContext,
  status: BlockRequestRow['status'],
  { acceptBy = null }: ClosedRequestSnapshot,
): Promise<string | null> {
  if (acceptBy === null || (status !== 'allocated' && status !== 'partiallyAllocated')) return null
  const { today } = await readBlockRequestSettings(ctx)
  return today <= acceptBy ? acceptBy : computeAcceptanceDeadline(ctx)
}

/**
 * Returns the status of a reopened request: its status before closing, unless fewer rooms are available now. A declined request becomes
 * open and unanswered.
 */
async function statusAfter(ctx: EventContext, row: BlockRequestRow, closing: ClosedRequestSnapshot) {
  const nights = await listBlockNights(ctx, row)
  if (closing.status === 'accepted' && listShortfallNights(row.accepted ?? [], nights).length === 0) return 'accepted'
  if (sumRooms(nights) === 0) return 'submitted'
  return listShortfallNights(row.profile, nights).length === 0 ? 'allocated' : 'partiallyAllocated'
}
