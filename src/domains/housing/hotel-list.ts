import { sql } from 'kysely'
import { count, brief, flag, instant, list, money, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import { z } from 'zod'
import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { pageOf } from '../../kernel/page.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { type Belongings, ownBlocks } from './blocks.ts'
import { eventStay } from './hotels.ts'
import { type HotelOffer, type OwnNight, readOffers, type RoomOffer } from './offers.ts'
import { type AtEvent, type HousingScene, lookAround, type Where } from './scene.ts'
import { depositFor, nightsOf, type StayPrice } from './stay.ts'

const StayTotals = brief(object({ rooms: money(), fees: money(), tax: money(), total: money() }), 'rooms, fees, tax, total')

const NightShown = brief(
  object({
    night: text(),
    rate: money().nullable(),
    available: count().nullable(),
    state: oneOf(['open', 'few', 'soldOut', 'waitlist']),
  }),
  'night, rate, available, state open|few|soldOut|waitlist',
)

const RoomTypeShown = object({
  code: text(),
  name: outsideText(),
  beds: list(outsideText()),
  maxOccupancy: count(),
  accessible: flag(),
  stay: StayTotals.optional(),
  deposit: money().optional(),
  nights: list(NightShown),
})

export const HotelShown = object({
  id: text(),
  name: outsideText(),
  address: outsideText(),
  distanceKm: z.number().nullable(),
  stars: z.number().nullable(),
  amenities: list(outsideText()),
  photos: list(outsideText()),
  terms: outsideText().nullable(),
  roomTypes: list(RoomTypeShown),
})

export const BookingTimes = { opensAt: instant().nullable(), closesAt: instant().nullable(), minNights: count(), maxNights: count() }

/** Fewer than this are few. */
const FEW = 6

export interface HotelSearch {
  checkIn?: string | undefined
  checkOut?: string | undefined
  occupants: number
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** The hotels of an event as one person may book them: with their own group's rooms, and nobody else's. */
export async function listHotels(
  ctx: AtEvent & { person: { participantIds: readonly string[] } },
  { checkIn, checkOut, occupants, search, ...page }: HotelSearch,
) {
  const scene = await lookAround(ctx)
  const { housing } = scene.config
  const dates = askedDates(checkIn, checkOut)
  const around = eventStay(scene)
  const nights = dates ? nightsOf(dates.checkIn, dates.checkOut) : nightsOf(addDays(around.checkIn, -2), addDays(around.checkOut, 2))
  const blocks = await ownBlocks(ctx, scene, await belongingsOf(ctx, ctx.person.participantIds), dates ? nights.length : undefined)
  const offers = await readOffers(ctx, scene, { nights, occupants, blocks, search })
  const shape = (offer: HotelOffer) => toHotel(offer, showingOf(scene, dates !== null))
  const { items, ...rest } = pageOf(ctx, page, {
    rows: offers,
    shape,
    pin: 'hotels',
    moved: 'is of another list; leave it out to start from page one',
  })
  const { opensAt, closesAt, minNights, maxNights } = housing
  return { hotels: items, opensAt, closesAt, minNights, maxNights, ...rest }
}

interface Offering {
  checkIn: string
  checkOut: string
  occupants: number
  belongings: Belongings
  /** Nights that are theirs already. */
  own: readonly OwnNight[]
  /** Ids or codes; all when null. */
  hotels: readonly string[] | null
}

/** The hotels that a page offers somebody for a stay, told as assistants are told of them. */
export async function hotelsFor(
  ctx: Where,
  scene: Pick<HousingScene, 'config' | 'timezone' | 'at' | 'currency'>,
  { checkIn, checkOut, occupants, belongings, own, hotels }: Offering,
): Promise<z.input<typeof HotelShown>[]> {
  const nights = nightsOf(checkIn, checkOut)
  const blocks = await ownBlocks(ctx, scene, belongings, nights.length)
  const offers = await readOffers(ctx, scene, { nights, occupants, blocks, own })
  return offers
    .filter(({ hotel, rooms }) => rooms.length > 0 && (hotels === null || hotels.includes(hotel.id) || hotels.includes(hotel.code)))
    .map((offer) => toHotel(offer, showingOf(scene, true)))
}

const showingOf = ({ config: { housing }, currency }: Pick<HousingScene, 'config' | 'currency'>, dated: boolean): Showing => ({
  currency,
  terms: housing.terms,
  sees: housing.seeAvailability,
  dated,
  deposit: (price) => depositFor(housing, price, currency),
})

/** Both or neither, and the second after the first. */
export function askedDates(checkIn: string | undefined, checkOut: string | undefined): { checkIn: string; checkOut: string } | null {
  if (checkIn === undefined && checkOut === undefined) return null
  if (checkIn === undefined || checkOut === undefined)
    throw invalidArguments([{ path: checkIn === undefined ? 'checkIn' : 'checkOut', message: 'give checkIn and checkOut together' }])
  const nights = daysBetween(checkIn, checkOut)
  if (nights < 1) throw invalidArguments([{ path: 'checkOut', message: `must be after checkIn, ${checkIn}` }])
  if (nights > MOST_NIGHTS) throw invalidArguments([{ path: 'checkOut', message: `at most ${MOST_NIGHTS} nights at once` }])
  return { checkIn, checkOut }
}

const MOST_NIGHTS = 60

/** Groups and tags of somebody's registrations; who has none draws on no block. */
export async function belongingsOf({ db, tenantId, event }: Where, participantIds: readonly string[]): Promise<Belongings> {
  if (participantIds.length === 0) return { groupIds: [], companyIds: [], tags: [] }
  const rows = await db
    .selectFrom('participants')
    .select(['group_id', 'tags'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', sql<string>`any(${participantIds})`)
    .where('status', '<>', 'cancelled')
    .execute()
  return { groupIds: rows.flatMap(({ group_id }) => group_id ?? []), companyIds: [], tags: rows.flatMap(({ tags }) => tags) }
}

interface Showing {
  currency: string
  terms: string | null
  sees: 'exact' | 'few' | 'none'
  dated: boolean
  deposit: (price: StayPrice) => number | null
}

function toHotel({ hotel, distanceKm, waitlistOnly, rooms }: HotelOffer, showing: Showing): z.input<typeof HotelShown> {
  const { street, postalCode, city, region, country } = hotel.address
  return {
    id: hotel.id,
    name: hotel.name,
    address: [street, [postalCode, city].filter(Boolean).join(' '), region, country].filter(Boolean).join(', '),
    distanceKm,
    stars: hotel.stars,
    amenities: hotel.amenities,
    photos: hotel.photos,
    terms: showing.terms,
    roomTypes: rooms.map((room) => toRoomType(room, waitlistOnly, showing)),
  }
}

function toRoomType(
  { type, nights, price }: RoomOffer,
  waitlistOnly: boolean,
  { currency, sees, dated, deposit }: Showing,
): z.input<typeof RoomTypeShown> {
  const amount = (minor: number) => toMoney(minor, currency)
  const asked = dated && price ? deposit(price) : null
  return {
    code: type.code,
    name: type.name,
    beds: type.beds,
    maxOccupancy: type.max_occupancy,
    accessible: type.accessible,
    ...(dated && price
      ? { stay: { rooms: amount(price.rooms), fees: amount(price.fees), tax: amount(price.tax), total: amount(price.total) } }
      : {}),
    ...(asked === null ? {} : { deposit: amount(asked) }),
    nights: nights
      // Without dates only what there is: nobody asked for the other nights.
      .filter(({ rate }) => dated || rate !== null)
      .map(({ night, rate, free }) => ({
        night,
        rate: rate === null ? null : amount(rate),
        available: sees === 'exact' || (sees === 'few' && free < FEW) ? Math.max(0, free) : null,
        state: waitlistOnly ? 'waitlist' : free <= 0 ? 'soldOut' : free < FEW && sees !== 'none' ? 'few' : 'open',
      })),
  }
}
