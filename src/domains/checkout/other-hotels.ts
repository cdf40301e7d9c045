import { listHotelWaitlistSpots } from '../housing/waitlist.ts'
import { listAlternativeHotels, setAlternativeWaitlistHotels } from '../housing/waitlist-alternatives.ts'
import { findHousingWidget } from '../housing/room-answers.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'

/** Lists the names of the hotels that a participant takes if the chosen room stays sold out, nearest first. */
export async function listAlternativeHotelNames(
  ctx: RegistrationContext,
  { snapshot, flow, stored }: RegistrationProgress,
): Promise<string[]> {
  if (stored.other_hotels.length === 0) return []
  const offered = await listAlternativeHotels(ctx, snapshot, findHousingWidget(flow)?.hotels ?? null)
  return offered.filter(({ id }) => stored.other_hotels.includes(id)).map(({ name }) => name)
}

interface ChosenHotels {
  participantId: string
  snapshot: EventSnapshot
  flow: Flow
  /** The participant's answers about the room, which contain the hotel of their first choice. */
  answers: Readonly<Record<string, unknown>>
  hotelIds: readonly string[]
}

/**
 * Saves the hotels that a participant takes if the chosen room stays sold out, as alternatives of the waiting list entry. Hotels that are
 * no longer offered are left out.
 */
export async function saveAlternativeHotels(
  ctx: RegistrationContext,
  { participantId, snapshot, flow, answers, hotelIds }: ChosenHotels,
): Promise<void> {
  if (hotelIds.length === 0) return
  const [hotelId, checkIn] = [answers['@housing.hotelId'], answers['@housing.checkIn']]
  const entry = (await listHotelWaitlistSpots(ctx, [participantId])).find(
    (spot) => spot.status === 'waiting' && spot.hotelId === hotelId && spot.checkIn === checkIn,
  )
  if (!entry) return
  const offered = await listAlternativeHotels(ctx, snapshot, findHousingWidget(flow)?.hotels ?? null)
  const chosen = hotelIds.filter((id) => offered.some((hotel) => hotel.id === id))
  if (chosen.length > 0)
    await setAlternativeWaitlistHotels(ctx, participantId, { entryId: entry.entryId, hotelIds: chosen, any: false }, offered)
}
