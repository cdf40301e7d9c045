import { sql } from 'kysely'
import { count, toOneLine, flag, instant, list, money, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { z } from 'zod'
import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { paginateList } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { type ParticipantMemberships, findBookableBlocks } from './blocks.ts'
import { getDefaultStayDates } from './hotels.ts'
import type { ParticipantRoomNight } from './pools.ts'
import { type HotelAvailability, listHotelAvailability, type RoomTypeAvailability } from './offers.ts'
import { type HousingContext, type HousingSnapshot, readHousingSnapshot, type HousingQueryContext } from './context.ts'
import { calculateDeposit, listStayNights, type StayPrice } from './stay.ts'

const StayTotals = toOneLine(object({ rooms: money(), fees: money(), tax: money(), total: money() }), 'rooms, fees, tax, total')

const NightResult = toOneLine(
  object({
    night: text(),
    rate: money().nullable(),
    available: count().nullable(),
    state: oneOf(['open', 'few', 'soldOut', 'waitlist']),
  }),
  'night, rate, available, state open|few|soldOut|waitlist',
)

const RoomTypeResult = object({
  code: text(),
  name: untrustedText(),
  beds: list(untrustedText()),
  maxOccupancy: count(),
  accessible: flag(),
  stay: StayTotals.optional(),
  deposit: money().optional(),
  nights: list(NightResult),
})

export const HotelResult = object({
  id: text(),
  name: untrustedText(),
  address: untrustedText(),
  distanceKm: z.number().nullable(),
  stars: z.number().nullable(),
  amenities: list(untrustedText()),
  photos: list(untrustedText()),
  terms: untrustedText().nullable(),
  roomTypes: list(RoomTypeResult),
})

export const BookingPeriodFields = {
  opensAt: instant().nullable(),
  closesAt: instant().nullable(),
  minNights: count(),
  maxNights: count(),
}

/** Number of rooms below which availability is shown as `few`. */
const FEW_ROOMS_THRESHOLD = 6

export interface BookableHotelSearch {
  checkIn?: string | undefined
  checkOut?: string | undefined
  occupants: number
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists the hotels that a participant can book. Of the room blocks, only those of the participant's groups, companies and tags count. */
export async function listHotels(
  ctx: HousingContext & { person: { participantIds: readonly string[] } },
  { checkIn, checkOut, occupants, search, ...page }: BookableHotelSearch,
) {
  const snapshot = await readHousingSnapshot(ctx)
  const { housing } = snapshot.config
  const dates = parseStayDates(checkIn, checkOut)
  const around = getDefaultStayDates(snapshot)
  const nights = dates
    ? listStayNights(dates.checkIn, dates.checkOut)
    : listStayNights(addDays(around.checkIn, -2), addDays(around.checkOut, 2))
  const blocks = await findBookableBlocks(
    ctx,
    snapshot,
    await readGroupsCompaniesAndTags(ctx, ctx.person.participantIds),
    dates ? nights.length : undefined,
  )
  const offers = await listHotelAvailability(ctx, snapshot, { nights, occupants, blocks, search })
  const shape = (offer: HotelAvailability) => toHotel(offer, toDisplayOptions(snapshot, dates !== null))
  const { items, ...rest } = paginateList(ctx, page, {
    rows: offers,
    shape,
    pin: 'hotels',
    moved: 'belongs to another list; leave it out to start at the first page',
  })
  const { opensAt, closesAt, minNights, maxNights } = housing
  return { hotels: items, opensAt, closesAt, minNights, maxNights, ...rest }
}

interface HotelPageQuery {
  checkIn: string
  checkOut: string
  occupants: number
  belongings: ParticipantMemberships
  /** Nights that the participant already holds or has booked. */
  own: readonly ParticipantRoomNight[]
  /** Hotel ids or codes; null for all hotels. */
  hotels: readonly string[] | null
}

/** Lists the bookable hotels for a registration page, in the same format as the tool list_hotels. */
export async function listHotelsForRegistrationPage(
  ctx: HousingQueryContext,
  snapshot: Pick<HousingSnapshot, 'config' | 'timezone' | 'at' | 'currency'>,
  { checkIn, checkOut, occupants, belongings, own, hotels }: HotelPageQuery,
): Promise<z.input<typeof HotelResult>[]> {
  const nights = listStayNights(checkIn, checkOut)
  const blocks = await findBookableBlocks(ctx, snapshot, belongings, nights.length)
  const offers = await listHotelAvailability(ctx, snapshot, { nights, occupants, blocks, own })
  return offers
    .filter(({ hotel, rooms }) => rooms.length > 0 && (hotels === null || hotels.includes(hotel.id) || hotels.includes(hotel.code)))
    .map((offer) => toHotel(offer, toDisplayOptions(snapshot, true)))
}

const toDisplayOptions = (
  { config: { housing }, currency }: Pick<HousingSnapshot, 'config' | 'currency'>,
  dated: boolean,
): DisplayOptions => ({
  currency,
  terms: housing.terms,
  sees: housing.seeAvailability,
  dated,
  deposit: (price) => calculateDeposit(housing, price, currency),
})

/** Validates that both dates or neither are given, and that check-out is after check-in. */
export function parseStayDates(checkIn: string | undefined, checkOut: string | undefined): { checkIn: string; checkOut: string } | null {
  if (checkIn === undefined && checkOut === undefined) return null
  if (checkIn === undefined || checkOut === undefined)
    throw invalidArguments([{ path: checkIn === undefined ? 'checkIn' : 'checkOut', message: 'give both checkIn and checkOut' }])
  const nights = daysBetween(checkIn, checkOut)
  if (nights < 1) throw invalidArguments([{ path: 'checkOut', message: `must be after checkIn, ${checkIn}` }])
  if (nights > MAX_SEARCH_NIGHTS) throw invalidArguments([{ path: 'checkOut', message: `at most ${MAX_SEARCH_NIGHTS} nights per search` }])
  return { checkIn, checkOut }
}

const MAX_SEARCH_NIGHTS = 60

/** Reads groups, companies and tags of the participants' active registrations. */
export async function readGroupsCompaniesAndTags(
  ctx: HousingQueryContext,
  participantIds: readonly string[],
): Promise<ParticipantMemberships> {
  if (participantIds.length === 0) return { groupIds: [], companyIds: [], tags: [] }
  const rows = await eventDb(ctx)
    .selectFrom('participants')
    .select(['group_id', 'company_id', 'tags'])
    .where('id', '=', sql<string>`any(${participantIds})`)
    .where('status', '<>', 'cancelled')
    .execute()
  return {
    groupIds: rows.flatMap(({ group_id }) => group_id ?? []),
    companyIds: rows.flatMap(({ company_id }) => company_id ?? []),
    tags: rows.flatMap(({ tags }) => tags),
  }
}

interface DisplayOptions {
  currency: string
  terms: string | null
  sees: 'exact' | 'few' | 'none'
  dated: boolean
  deposit: (price: StayPrice) => number | null
}

function toHotel({ hotel, distanceKm, waitlistOnly, rooms }: HotelAvailability, showing: DisplayOptions): z.input<typeof HotelResult> {
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
  { type, nights, price }: RoomTypeAvailability,
  waitlistOnly: boolean,
  { currency, sees, dated, deposit }: DisplayOptions,
): z.input<typeof RoomTypeResult> {
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
      // A call without dates lists only the nights that have a rate.
      .filter(({ rate }) => dated || rate !== null)
      .map(({ night, rate, free }) => ({
        night,
        rate: rate === null ? null : amount(rate),
        available: sees === 'exact' || (sees === 'few' && free < FEW_ROOMS_THRESHOLD) ? Math.max(0, free) : null,
        state: waitlistOnly ? 'waitlist' : free <= 0 ? 'soldOut' : free < FEW_ROOMS_THRESHOLD && sees !== 'none' ? 'few' : 'open',
      })),
  }
}
