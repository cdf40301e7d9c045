import { sql } from 'kysely'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { daysBetween } from '../../kernel/time.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import type { HousingSnapshot, HousingQueryContext } from './context.ts'
import type { HousingContractRow, HotelRow, RoomTypeRow } from './tables.ts'

/** The participant's answers about the room, by binding (the identifier of the question), such as `@housing.hotelId`. */
export type HousingAnswers = Readonly<Record<string, unknown>>

/** A room request read from the participant's answers. */
export interface RequestedStay {
  kind: 'stay'
  hotel: HotelRow
  contract: HousingContractRow | null
  type: RoomTypeRow
  checkIn: string
  checkOut: string
  occupants: number
  bedType: string | null
  smoking: boolean | null
  requests: string | null
  loyaltyNumber: string | null
  shareWith: string | null
  /** Whether to join the waiting list if the room is full. */
  waitlist: boolean
}

/** A request for a bed in another participant's room. */
export interface RequestedRoomShare {
  kind: 'share'
  shareWith: string
}

interface WishRequest {
  snapshot: Pick<HousingSnapshot, 'config' | 'at'>
  answers: HousingAnswers
  /** The housing widget of the registration form that the answers come from; absent if they do not come from a form. */
  widget?: Pick<WidgetOfType<'housing'>, 'hotels' | 'allowShare' | 'allowWaitlist'> | null
  /** Whether the booking period is ignored, which organizers may do. */
  overrideClosed?: boolean
}

const ROOM_FIELDS = ['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'] as const

/** Reads and validates the housing answers; null if there are none. */
export async function parseRequestedStay(
  ctx: HousingQueryContext,
  { snapshot, answers, widget = null, overrideClosed = false }: WishRequest,
): Promise<RequestedStay | RequestedRoomShare | null> {
  const given = (name: string) => answers[`@housing.${name}`] ?? null
  const text = (name: string) => (typeof given(name) === 'string' && given(name) !== '' ? (given(name) as string) : null)
  const named = ROOM_FIELDS.filter((name) => text(name) !== null)
  const shareWith = text('shareWith')
  if (named.length === 0 && shareWith === null) return null
  const { housing } = snapshot.config
  if (!housing.enabled) throw preconditionFailed('This event does not offer hotel rooms')
  if (!overrideClosed) refuseClosed(snapshot)
  if (shareWith !== null && widget?.allowShare === false)
    throw invalidAnswers([{ path: '@housing.shareWith', message: 'sharing rooms is not available here' }])
  if (named.length === 0) return { kind: 'share', shareWith: shareWith! }
  const open = ROOM_FIELDS.filter((name) => !named.includes(name))
  if (open.length > 0)
    throw invalidAnswers(
      open.map((name) => ({
        path: `@housing.${name}`,
        message: `is needed together with ${named.map((one) => `@housing.${one}`).join(', ')}`,
        reason: { key: 'error.roomDays' as const },
      })),
    )

  const [checkIn, checkOut] = [text('checkIn')!, text('checkOut')!]
  const nights = daysBetween(checkIn, checkOut)
  const errors: FieldError[] = []
  if (nights < 1)
    errors.push({ path: '@housing.checkOut', message: `must be after the check-in, ${checkIn}`, reason: { key: 'error.departure' } })
  else if (nights < housing.minNights)
    errors.push(nightsError(`stay at least ${housing.minNights} nights; you chose ${nights}`, 'error.nightsMin', housing.minNights))
  else if (nights > housing.maxNights)
    errors.push(nightsError(`stay at most ${housing.maxNights} nights; you chose ${nights}`, 'error.nightsMax', housing.maxNights))
  const place = await getHotelAndType(ctx, { hotel: text('hotelId')!, roomType: text('roomTypeCode')! }, widget?.hotels ?? null)
  const occupants = given('occupants') === null ? 1 : Number(given('occupants'))
  const { max_occupancy, beds, name } = place.type
  if (!(Number.isInteger(occupants) && occupants >= 1 && occupants <= max_occupancy))
    errors.push(createOccupantLimitError(name, max_occupancy))
  const bedType = text('bedType')
  if (bedType !== null && !beds.includes(bedType))
    errors.push({ path: '@housing.bedType', message: `${name} has ${beds.join(', ') || 'no choice of beds'}`, allowed: beds })
  if (errors.length > 0) throw invalidAnswers(errors)
  return {
    kind: 'stay',
    ...place,
    checkIn,
    checkOut,
    occupants,
    bedType,
    smoking: typeof given('smoking') === 'boolean' ? (given('smoking') as boolean) : null,
    requests: text('requests'),
    loyaltyNumber: text('loyaltyNumber'),
    shareWith,
    waitlist: given('waitlist') === true && widget?.allowWaitlist !== false,
  }
}

const nightsError = (message: string, key: 'error.nightsMin' | 'error.nightsMax', limit: number): FieldError => ({
  path: '@housing.checkOut',
  message,
  reason: { key, values: { limit: String(limit) } },
})

export const createOccupantLimitError = (name: string, most: number): FieldError => ({
  path: '@housing.occupants',
  message: `${name} takes 1 to ${most} people`,
  reason: { key: 'error.occupants', values: { limit: String(most) } },
})

const ROOM_UNKNOWN = { reason: { key: 'error.roomUnknown' as const } }

const invalidAnswers = (errors: readonly FieldError[]) => invalidArguments(errors)

function refuseClosed({ config, at }: WishRequest['snapshot']): void {
  const { opensAt, closesAt } = config.housing
  if (opensAt !== null && at.getTime() < Date.parse(opensAt)) throw preconditionFailed(`Hotel rooms can be booked from ${opensAt}`)
  if (closesAt !== null && at.getTime() >= Date.parse(closesAt)) throw preconditionFailed(`Booking of hotel rooms closed at ${closesAt}`)
}

/** Finds hotel and room type by id or code. A hotel that the widget does not offer is reported as unknown. */
async function getHotelAndType(ctx: HousingQueryContext, named: { hotel: string; roomType: string }, offered: readonly string[] | null) {
  const isOffered = ({ id, code }: Pick<HotelRow, 'id' | 'code'>) => offered === null || offered.includes(id) || offered.includes(code)
  const findId = (column: 'id' | 'code', value: string) =>
    eventDb(ctx).selectFrom('event_hotels').select('id').where(column, '=', value).where('retired', '=', false)
  // The hotel's id is a scalar subquery, so that PostgreSQL uses indexes even if its statistics are outdated.
  const hotelId = sql<string>`coalesce((${findId('id', named.hotel)}), (${findId('code', named.hotel.toLowerCase())}))`
  const types = eventDb(ctx).selectFrom('room_types').where('retired', '=', false).where('hotel_id', '=', hotelId)
  const namedType = types.select(sql<RoomTypeRow>`to_jsonb(room_types)`.as('type')).where('code', '=', named.roomType.toLowerCase())
  // The hotel and its contract are queried concurrently to save a round trip.
  const [found, contract] = await Promise.all([
    eventDb(ctx).selectFrom('event_hotels').selectAll().select(namedType.as('type')).where('id', '=', hotelId).executeTakeFirst(),
    eventDb(ctx).selectFrom('housing_contracts').selectAll().where('hotel_id', '=', hotelId).executeTakeFirst(),
  ])
  if (!found || !isOffered(found)) throw await unknownHotel(ctx, named.hotel, isOffered)
  const { type, ...hotel } = found
  if (!type) {
    const codes = (await types.select('code').execute()).map(({ code }) => code)
    throw invalidAnswers([{ ...createUnknownNameFieldError('@housing.roomTypeCode', named.roomType, codes, 'room type'), ...ROOM_UNKNOWN }])
  }
  return { hotel, type, contract: contract ?? null }
}

async function unknownHotel(ctx: HousingQueryContext, name: string, isOffered: (hotel: Pick<HotelRow, 'id' | 'code'>) => boolean) {
  const all = await eventDb(ctx).selectFrom('event_hotels').select(['id', 'code']).where('retired', '=', false).execute()
  const codes = all.filter(isOffered).map(({ code }) => code)
  return invalidAnswers([{ ...createUnknownNameFieldError('@housing.hotelId', name, codes, 'hotel'), ...ROOM_UNKNOWN }])
}
