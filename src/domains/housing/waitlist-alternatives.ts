import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext, HousingSnapshot } from './context.ts'
import { computeExactDistanceKm } from './distance.ts'

export const MAX_ALTERNATIVE_HOTELS = 5

export interface AlternativeHotel {
  id: string
  name: string
}

/**
 * Lists the open hotels with a contract in force whose waiting list a participant can join, nearest first. `offered` restricts the hotels.
 */
export async function listAlternativeHotels(
  ctx: HousingQueryContext,
  { config }: Pick<HousingSnapshot, 'config'>,
  offered: readonly string[] | null,
): Promise<AlternativeHotel[]> {
  const hotels = await eventDb(ctx)
    .selectFrom('event_hotels')
    .innerJoin('housing_contracts as c', (join) =>
      join
        .onRef('c.tenant_id', '=', 'event_hotels.tenant_id')
        .onRef('c.event_id', '=', 'event_hotels.event_id')
        .onRef('c.hotel_id', '=', 'event_hotels.id'),
    )
    .select(['event_hotels.id', 'event_hotels.code', 'event_hotels.name', 'event_hotels.latitude', 'event_hotels.longitude'])
    .where('event_hotels.retired', '=', false)
    .where('event_hotels.sell_status', '=', 'open')
    .where('c.status', '=', 'definite')
    .orderBy('event_hotels.name')
    .orderBy('event_hotels.id')
    .execute()
  const distanceOf = (hotel: (typeof hotels)[number]) => computeExactDistanceKm(hotel, config.details.venue) ?? Infinity
  return hotels
    .filter(({ id, code }) => offered === null || offered.includes(id) || offered.includes(code))
    .map((hotel) => ({ hotel, distance: distanceOf(hotel) }))
    .toSorted((a, b) => (a.distance === b.distance ? 0 : a.distance - b.distance))
    .map(({ hotel: { id, name } }) => ({ id, name }))
}

interface WaitlistHotels {
  entryId: string
  /**
   * The alternative hotels in order of preference; empty if `any` is set. If the entry accepted any hotel before, the first one here
   * becomes its main hotel.
   */
  hotelIds: readonly string[]
  any: boolean
}

/**
 * Sets the hotels that a waiting participant accepts: the entry's hotel with alternatives, or any hotel. The position in the waiting list
 * does not change.
 */
export async function setAlternativeWaitlistHotels(
  ctx: HousingContext,
  participantId: string,
  { entryId, hotelIds, any }: WaitlistHotels,
  allowed: readonly AlternativeHotel[],
): Promise<void> {
  const entry = await eventDb(ctx)
    .selectFrom('hotel_waitlist_entries')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('id', '=', entryId)
    .where('status', '=', 'waiting')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!entry) throw conflict('This waiting list entry is no longer open.')
  const chosen = [...new Set(hotelIds)].filter((id) => id !== entry.hotel_id)
  if (!any && entry.hotel_id === null && chosen.length === 0) throw invalidArguments([{ path: 'also', message: 'choose a hotel' }])
  const hotelId = any ? null : (entry.hotel_id ?? chosen[0]!)
  const alternatives = any ? [] : chosen.filter((id) => id !== hotelId)
  if (alternatives.length > MAX_ALTERNATIVE_HOTELS)
    throw invalidArguments([{ path: 'also', message: `at most ${MAX_ALTERNATIVE_HOTELS} hotels` }])
  const unknown = chosen.find((id) => !allowed.some((hotel) => hotel.id === id))
  if (!any && unknown !== undefined) throw invalidArguments([{ path: 'also', message: `no hotel ${unknown}` }])
  const twice = await eventDb(ctx)
    .selectFrom('hotel_waitlist_entries')
    .select('id')
    .where('participant_id', '=', participantId)
    .where('id', '<>', entryId)
    .where('check_in', '=', entry.check_in)
    .where('hotel_id', 'is not distinct from', hotelId)
    .where('status', 'in', ['waiting', 'offered'])
    .executeTakeFirst()
  if (twice) throw conflict('You wait for this hotel already.')
  await eventDb(ctx)
    .updateTable('hotel_waitlist_entries')
    .set({
      hotel_id: hotelId,
      // The stored room type belongs to the entry's former hotel, so it is cleared if the hotel changes.
      ...(hotelId === entry.hotel_id ? {} : { room_type_code: null }),
      alternatives: JSON.stringify(alternatives.map((id) => ({ hotelId: id }))),
    })
    .where('id', '=', entryId)
    .execute()
  recordChange(ctx, {
    kind: 'hotelWaitlistEntry',
    id: entryId,
    before: { hotelId: entry.hotel_id, alternatives: entry.alternatives.map((one) => one.hotelId) },
    after: { hotelId, alternatives },
  })
}
