import type { EventContext } from '../../kernel/context.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { getBlockById } from '../housing/blocks.ts'
import { describeBlockRequest, toBlockAmendmentResult } from './describe.ts'
import { planRoomsMissingFromRequest, toAllocationLines } from './place.ts'
import { getBlockRequestRow, listBlockNights, sumRoomsByNight } from './requests.ts'
import type { BlockRequestRow } from './tables.ts'

/** Shows a request with its rooms, amendments and block, and the rooms that an automatic allocation would add now. */
export async function getBlockRequestDetails(ctx: EventContext, by: { requestId?: string | undefined; number?: string | undefined }) {
  const row = await getBlockRequestRow(ctx, by)
  const nights = await listBlockNights(ctx, row)
  const [requested, granted] = [sumRoomsByNight(row.profile), sumRoomsByNight(nights)]
  const pickup = sumRoomsByNight(nights.map(({ night, booked }) => ({ night, rooms: booked })))
  const amendments = await eventDb(ctx)
    .selectFrom('block_request_amendments')
    .selectAll()
    .where('request_id', '=', row.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return {
    request: {
      ...(await describeBlockRequest(ctx, row)),
      ...omitNulls({ note: row.note }),
      kind: row.kind,
      profile: row.profile,
      roomTypes: row.room_types,
      hotelPreferences: row.hotel_preferences,
      keepTogether: row.keep_together,
      paymentBy: row.payment_by,
    },
    nights: [...new Set([...requested.keys(), ...granted.keys()])].toSorted().map((night) => ({
      night,
      requested: requested.get(night) ?? 0,
      granted: granted.get(night) ?? 0,
      pickup: pickup.get(night) ?? 0,
      shortfall: Math.max(0, (requested.get(night) ?? 0) - (granted.get(night) ?? 0)),
    })),
    allocations: nights.map(({ hotelId, roomTypeCode, night, rooms, booked }) => ({ hotelId, roomTypeCode, night, rooms, booked })),
    amendments: amendments.map(toBlockAmendmentResult),
    ...(row.block_id === null ? {} : { block: await describeBlock(ctx, row.block_id) }),
    ...(await suggest(ctx, row)),
  }
}

async function describeBlock(ctx: EventContext, blockId: string) {
  const block = await getBlockById(ctx, blockId)
  return omitNulls({
    id: block.id,
    code: block.code,
    name: block.name,
    status: block.status,
    sellStatus: block.sell_status,
    overflow: block.overflow,
    minNights: block.min_nights,
    releaseOn: block.release_on,
    nameDeadlineOn: block.name_deadline_on,
    paymentBy: block.payment_by,
  })
}

async function suggest(ctx: EventContext, row: BlockRequestRow) {
  if (row.status === 'draft' || row.status === 'declined' || row.status === 'closed') return {}
  const { grants, shortfall } = await planRoomsMissingFromRequest(ctx, row)
  return { suggestion: { allocations: toAllocationLines(grants), shortfall } }
}
