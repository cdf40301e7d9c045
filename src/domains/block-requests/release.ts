import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { changeAllocation } from '../housing/allocation.ts'
import { findHotel, getRoomType } from '../housing/find-hotel.ts'
import { type NightSelectionInput, parseOptionalSelectedNights } from '../housing/nights-argument.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { describeBlockRequest } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import { lockBlockNights } from './place.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import {
  type BlockRoomNight,
  computeAcceptanceDeadline,
  listBlockNights,
  lockBlockRequest,
  getRequestLabel,
  requireOpenBlockRequest,
  recalculateRequestStatus,
  sumRooms,
  updateRequest,
} from './requests.ts'
import type { BlockRequestRow } from './tables.ts'
import { countWaitlistEntriesWithFreeRoom } from './servable-waitlist-entries.ts'

interface ReleaseInput extends NightSelectionInput {
  requestId: string
  hotelId?: string | undefined
  roomTypeCode?: string | undefined
  rooms?: number | undefined
  to: 'freeSell' | 'hotel'
  reason?: string | undefined
  notify: boolean
}

/** Releases rooms of a block request that have no guest. The released rooms are not offered to the waiting list automatically. */
export async function releaseAllocatedRooms(ctx: EventContext, input: ReleaseInput) {
  const chosen = await readFilter(ctx, input)
  const row = await lockBlockRequest(ctx, input.requestId)
  requireOpenBlockRequest(row)
  const released = await releaseUnbookedRequestRooms(ctx, row, { to: input.to, chosen, rooms: input.rooms })
  if (released.length === 0) throw preconditionFailed(`Block request ${getRequestLabel(row)} has no rooms without a guest that match`)
  if (input.reason !== undefined) recordChange(ctx, { kind: 'blockRequest', id: row.id, after: { reason: input.reason } })
  const roomNights = sumRooms(released)
  ctx.effects.add('changes', `release ${row.id}`, { request: getRequestLabel(row), roomNights })
  let { row: settled, undercut } = await recalculateRequestStatus(ctx, row)
  if (undercut && sumRooms(await listBlockNights(ctx, row)) > 0)
    settled = await updateRequest(ctx, settled, { accept_by: await computeAcceptanceDeadline(ctx) })
  if (input.notify || undercut)
    settled = await sendBlockRequestEmail(ctx, settled, { trigger: 'block.released', released: roomNights, reason: input.reason ?? null })
  return {
    released,
    roomNights,
    waitingThatFit: await countWaitlistEntriesWithFreeRoom(ctx),
    request: await describeBlockRequest(ctx, settled),
  }
}

type Filter = (night: BlockRoomNight) => boolean

async function readFilter(ctx: EventContext, input: ReleaseInput): Promise<Filter> {
  const nights = parseOptionalSelectedNights(input)
  const hotel = input.hotelId === undefined ? null : await findHotel(ctx, input.hotelId)
  const type =
    input.roomTypeCode === undefined ? null : hotel ? getRoomType(hotel, input.roomTypeCode).code : input.roomTypeCode.toLowerCase()
  return (one) =>
    (nights === null || nights.includes(one.night)) &&
    (hotel === null || one.hotelId === hotel.hotel.id) &&
    (type === null || one.roomTypeCode === type)
}

interface Release {
  to: 'freeSell' | 'hotel'
  chosen?: Filter
  /** The maximum number of rooms to release on each night. */
  rooms?: number | undefined
}

/** Releases the unbooked rooms of a block request, whose row the caller has locked, and returns the released rooms. */
export async function releaseUnbookedRequestRooms(
  ctx: ExhibitorContext,
  row: BlockRequestRow,
  { to, chosen = () => true, rooms = Infinity }: Release,
): Promise<GrantedRooms[]> {
  if (row.block_id === null) return []
  await lockBlockNights(ctx, row.block_id)
  const left = new Map<string, number>()
  const changes = (await listBlockNights(ctx, row)).filter(chosen).flatMap((one) => {
    const allowed = left.get(one.night) ?? rooms
    const many = Math.min(allowed, one.rooms - one.booked - one.held)
    left.set(one.night, allowed - many)
    return many === 0 ? [] : [{ hotelId: one.hotelId, roomTypeCode: one.roomTypeCode, night: one.night, delta: -many }]
  })
  await changeAllocation(ctx, row.block_id, changes, { to })
  return changes.map(({ delta, ...key }) => ({ ...key, rooms: -delta }))
}
