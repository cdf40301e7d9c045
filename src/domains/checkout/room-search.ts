import { sql } from 'kysely'
import { daysBetween } from '../../kernel/time.ts'
import { listHotelsForRegistrationPage } from '../housing/hotel-list.ts'
import { getDefaultStayDates } from '../housing/hotels.ts'
import type { ParticipantRoomNight } from '../housing/pools.ts'
import { toGuestMemberships } from '../housing/reserve.ts'
import { findHousingWidget } from '../housing/room-answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'
import { toRoomGuest } from './room.ts'
import type { GetFormValues } from './sent-page.ts'

export type RoomSearchResult =
  /** Rooms cannot be booked now. `at` is the time when booking will open, or the time when it closed. */
  | { kind: 'opens' | 'closed'; at: Date }
  | { kind: 'none' }
  | { kind: 'days'; fault: { sentence: 'order' | 'min' | 'max'; nights: number } }
  | { kind: 'open'; hotels: Awaited<ReturnType<typeof listHotelsForRegistrationPage>>; nights: number }

export interface RoomSearch {
  checkIn: string
  checkOut: string
  occupants: number
  offered: RoomSearchResult
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MAX_OCCUPANTS = 8

/** Searches for rooms that are available on the requested dates, by default on those of the event. */
export async function searchRooms(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  { valueOf, event }: { valueOf: GetFormValues; event: { startsOn: string; endsOn: string } },
): Promise<RoomSearch> {
  const around = getDefaultStayDates(event)
  const dayOf = (name: 'checkIn' | 'checkOut') => valueOf(`@housing.${name}`).find((day) => DAY.test(day)) ?? around[name]
  const [checkIn, checkOut] = [dayOf('checkIn'), dayOf('checkOut')]
  const occupants = Math.min(MAX_OCCUPANTS, Math.max(1, Math.trunc(Number(valueOf('@housing.occupants')[0] ?? 1)) || 1))
  return { checkIn, checkOut, occupants, offered: await findRooms(ctx, progress, { checkIn, checkOut, occupants }) }
}

async function findRooms(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  { checkIn, checkOut, occupants }: Omit<RoomSearch, 'offered'>,
): Promise<RoomSearchResult> {
  const { snapshot, row, flow } = progress
  const { enabled, opensAt, closesAt, minNights, maxNights } = snapshot.config.housing
  if (!enabled) return { kind: 'none' }
  if (opensAt !== null && snapshot.at.getTime() < Date.parse(opensAt)) return { kind: 'opens', at: new Date(opensAt) }
  if (closesAt !== null && snapshot.at.getTime() >= Date.parse(closesAt)) return { kind: 'closed', at: new Date(closesAt) }
  const nights = daysBetween(checkIn, checkOut)
  if (nights < 1) return { kind: 'days', fault: { sentence: 'order', nights: 1 } }
  if (nights < minNights) return { kind: 'days', fault: { sentence: 'min', nights: minNights } }
  if (nights > maxNights) return { kind: 'days', fault: { sentence: 'max', nights: maxNights } }
  const belongings = toGuestMemberships(toRoomGuest(progress))
  const own = await listOwnNights(ctx, row.id)
  const hotels = await listHotelsForRegistrationPage(ctx, snapshot, {
    checkIn,
    checkOut,
    occupants,
    belongings,
    own,
    hotels: findHousingWidget(flow)?.hotels ?? null,
  })
  return hotels.length === 0 ? { kind: 'none' } : { kind: 'open', hotels, nights }
}

async function listOwnNights({ db, tenantId, event }: RegistrationContext, participantId: string): Promise<ParticipantRoomNight[]> {
  const { rows } = await sql<ParticipantRoomNight>`
    select hotel_id, room_type_code, night, block_id from reservation_nights
    where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and not is_test_data`.execute(db)
  return rows
}
