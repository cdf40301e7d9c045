import { sql } from 'kysely'
import { daysBetween } from '../../kernel/time.ts'
import { hotelsFor } from '../housing/hotel-list.ts'
import { eventStay } from '../housing/hotels.ts'
import type { OwnNight } from '../housing/offers.ts'
import { housingIn } from '../registration/rooms.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { guestOf } from './room.ts'
import type { Sent } from './sent-page.ts'

export type RoomsOffered =
  /** Before or after the time in which rooms can be booked. */
  | { kind: 'opens' | 'closed'; at: Date }
  | { kind: 'none' }
  | { kind: 'days'; fault: { sentence: 'order' | 'min' | 'max'; nights: number } }
  | { kind: 'open'; hotels: Awaited<ReturnType<typeof hotelsFor>>; nights: number }

export interface RoomSearch {
  checkIn: string
  checkOut: string
  occupants: number
  offered: RoomsOffered
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOST_IN_A_ROOM = 8

/** What is offered for the days that somebody named, or those of the event while they named none. */
export async function searchRooms(
  ctx: AtEvent,
  progress: Progress,
  { valueOf, event }: { valueOf: Sent; event: { startsOn: string; endsOn: string } },
): Promise<RoomSearch> {
  const around = eventStay(event)
  const dayOf = (name: 'checkIn' | 'checkOut') => valueOf(`@housing.${name}`).find((day) => DAY.test(day)) ?? around[name]
  const [checkIn, checkOut] = [dayOf('checkIn'), dayOf('checkOut')]
  const occupants = Math.min(MOST_IN_A_ROOM, Math.max(1, Math.trunc(Number(valueOf('@housing.occupants')[0] ?? 1)) || 1))
  return { checkIn, checkOut, occupants, offered: await offeredFor(ctx, progress, { checkIn, checkOut, occupants }) }
}

async function offeredFor(
  ctx: AtEvent,
  progress: Progress,
  { checkIn, checkOut, occupants }: Omit<RoomSearch, 'offered'>,
): Promise<RoomsOffered> {
  const { scene, row, flow } = progress
  const { enabled, opensAt, closesAt, minNights, maxNights } = scene.config.housing
  if (!enabled) return { kind: 'none' }
  if (opensAt !== null && scene.at.getTime() < Date.parse(opensAt)) return { kind: 'opens', at: new Date(opensAt) }
  if (closesAt !== null && scene.at.getTime() >= Date.parse(closesAt)) return { kind: 'closed', at: new Date(closesAt) }
  const nights = daysBetween(checkIn, checkOut)
  if (nights < 1) return { kind: 'days', fault: { sentence: 'order', nights: 1 } }
  if (nights < minNights) return { kind: 'days', fault: { sentence: 'min', nights: minNights } }
  if (nights > maxNights) return { kind: 'days', fault: { sentence: 'max', nights: maxNights } }
  const { groupId, tags } = guestOf(progress)
  const belongings = { groupIds: groupId === null ? [] : [groupId], companyIds: [], tags }
  const own = await nightsOfOwn(ctx, row.id)
  const hotels = await hotelsFor(ctx, scene, { checkIn, checkOut, occupants, belongings, own, hotels: housingIn(flow)?.hotels ?? null })
  return hotels.length === 0 ? { kind: 'none' } : { kind: 'open', hotels, nights }
}

async function nightsOfOwn({ db, tenantId, event }: AtEvent, participantId: string): Promise<OwnNight[]> {
  const { rows } = await sql<OwnNight>`
    select hotel_id, room_type_code, night from reservation_nights
    where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and not is_test_data`.execute(db)
  return rows
}
