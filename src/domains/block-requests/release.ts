import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { changeAllocation } from '../housing/allocation.ts'
import { findHotel, getRoomType } from '../housing/find-hotel.ts'
import { type NightsInput, readOptionalNights } from '../housing/nights-argument.ts'
import type { EventScope } from '../exhibitors/context.ts'
import { describeRequest } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import { lockBlockNights } from './place.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import {
  type BlockNight,
  computeAcceptanceDeadline,
  listBlockNights,
  lockRequest,
  getRequestLabel,
  requireOpenRequest,
  updateDerivedStatus,
  sumRooms,
  updateRequest,
} from './requests.ts'
import type { BlockRequestRow } from './tables.ts'
import { countServableWaitlistEntries } from './servable-waitlist-entries.ts'

interface ReleaseInput extends NightsInput {
  requestId: string
  hotelId?: string | undefined
  roomTypeCode?: string | undefined
  rooms?: number | undefined
  to: 'freeSell' | 'hotel'
  reason?: string | undefined
  notify: boolean
}

/** Releases rooms of a block request that have no guest. The released rooms are not offered to the waiting list automatically. */
export async function releaseAllocation(ctx: EventContext, input: ReleaseInput) {
  const chosen = await readFilter(ctx, input)
  const row = await lockRequest(ctx, input.requestId)
  requireOpenRequest(row)
  const released = await releaseUnbooked(ctx, row, { to: input.to, chosen, rooms: input.rooms })
  if (released.length === 0) throw preconditionFailed(`Block request ${getRequestLabel(row)} has no rooms without a guest that match`)
  if (input.reason !== undefined) recordChange(ctx, { kind: 'blockRequest', id: row.id, after: { reason: input.reason } })
  const roomNights = sumRooms(released)
  ctx.effects.add('changes', `release ${row.id}`, { request: getRequestLabel(row), roomNights })
  let { row: settled, undercut } = await updateDerivedStatus(ctx, row)
  if (undercut && sumRooms(await listBlockNights(ctx, row)) > 0)
    settled = await updateRequest(ctx, settled, { accept_by: await computeAcceptanceDeadline(ctx) })
  if (input.notify || undercut)
    settled = await sendBlockRequestEmail(ctx, settled, { trigger: 'block.released', released: roomNights, reason: input.reason ?? null })
  return { released, roomNights, waitingThatFit: await countServableWaitlistEntries(ctx), request: await describeRequest(ctx, settled) }
}

type Filter = (night: BlockNight) => boolean

async function readFilter(ctx: EventContext, input: ReleaseInput): Promise<Filter> {
  const nights = readOptionalNights(input)
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

/** Releases the unbooked rooms of a locked request, and returns the released rooms. */
export async function releaseUnbooked(
  ctx: EventScope,
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
