import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { unknownFault } from '../../kernel/nearest.ts'
import { daysBetween } from '../../kernel/time.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import type { HousingScene, Where } from './scene.ts'
import type { ContractRow, HotelRow, RoomTypeRow } from './tables.ts'

/** By binding. */
export type Answers = Readonly<Record<string, unknown>>

/** A room that somebody wants, as they answered it. */
export interface StayWish {
  kind: 'stay'
  hotel: HotelRow
  contract: ContractRow | null
  type: RoomTypeRow
  checkIn: string
  checkOut: string
  occupants: number
  bedType: string | null
  smoking: boolean | null
  requests: string | null
  loyaltyNumber: string | null
  shareWith: string | null
  /** To wait for it when there is none. */
  waitlist: boolean
}

/** Somebody who wants a bed in another's room, and no room. */
export interface ShareWish {
  kind: 'share'
  shareWith: string
}

interface Asking {
  scene: Pick<HousingScene, 'config' | 'at'>
  answers: Answers
  /** Where the rooms were offered, when that was in a flow. */
  widget?: Pick<WidgetOf<'housing'>, 'hotels' | 'allowShare' | 'allowWaitlist'> | null
  /** Organizers may book before and after the time for it. */
  overrideClosed?: boolean
}

const ROOM = ['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'] as const

/** What was answered about rooms, when it is a room that there is; null when nothing was. */
export async function readWish(
  ctx: Where,
  { scene, answers, widget = null, overrideClosed = false }: Asking,
): Promise<StayWish | ShareWish | null> {
  const given = (name: string) => answers[`@housing.${name}`] ?? null
  const text = (name: string) => (typeof given(name) === 'string' && given(name) !== '' ? (given(name) as string) : null)
  const named = ROOM.filter((name) => text(name) !== null)
  const shareWith = text('shareWith')
  if (named.length === 0 && shareWith === null) return null
  const { housing } = scene.config
  if (!housing.enabled) throw preconditionFailed('This event offers no hotel rooms')
  if (!overrideClosed) refuseClosed(scene)
  if (shareWith !== null && widget?.allowShare === false)
    throw wrong([{ path: '@housing.shareWith', message: 'rooms are not shared here' }])
  if (named.length === 0) return { kind: 'share', shareWith: shareWith! }
  const open = ROOM.filter((name) => !named.includes(name))
  if (open.length > 0)
    throw wrong(
      open.map((name) => ({
        path: `@housing.${name}`,
        message: `is needed together with ${named.map((one) => `@housing.${one}`).join(', ')}`,
      })),
    )

  const [checkIn, checkOut] = [text('checkIn')!, text('checkOut')!]
  const nights = daysBetween(checkIn, checkOut)
  const errors: FieldError[] = []
  if (nights < 1) errors.push({ path: '@housing.checkOut', message: `must be after the check-in, ${checkIn}` })
  else if (nights < housing.minNights)
    errors.push({ path: '@housing.checkOut', message: `stay at least ${housing.minNights} nights; these are ${nights}` })
  else if (nights > housing.maxNights)
    errors.push({ path: '@housing.checkOut', message: `stay at most ${housing.maxNights} nights; these are ${nights}` })
  const place = await placeOf(ctx, { hotel: text('hotelId')!, roomType: text('roomTypeCode')! }, widget?.hotels ?? null)
  const occupants = given('occupants') === null ? 1 : Number(given('occupants'))
  const { max_occupancy, beds, name } = place.type
  if (!(Number.isInteger(occupants) && occupants >= 1 && occupants <= max_occupancy))
    errors.push({ path: '@housing.occupants', message: `${name} takes 1 to ${max_occupancy} people` })
  const bedType = text('bedType')
  if (bedType !== null && !beds.includes(bedType))
    errors.push({ path: '@housing.bedType', message: `${name} has ${beds.join(', ') || 'no choice of beds'}`, allowed: beds })
  if (errors.length > 0) throw wrong(errors)
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

const wrong = (errors: readonly FieldError[]) => invalidArguments(errors)

function refuseClosed({ config, at }: Asking['scene']): void {
  const { opensAt, closesAt } = config.housing
  if (opensAt !== null && at.getTime() < Date.parse(opensAt)) throw preconditionFailed(`Hotel rooms can be booked from ${opensAt} on`)
  if (closesAt !== null && at.getTime() >= Date.parse(closesAt)) throw preconditionFailed(`Hotel rooms could be booked until ${closesAt}`)
}

/** By id or by code. A hotel that is not offered here is as unknown as one that never was. */
async function placeOf({ db, tenantId, event }: Where, named: { hotel: string; roomType: string }, offered: readonly string[] | null) {
  const all = await db
    .selectFrom('event_hotels')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('retired', '=', false)
    .execute()
  const hotels = all.filter(({ id, code }) => offered === null || offered.includes(id) || offered.includes(code))
  const hotel = hotels.find(({ id, code }) => id === named.hotel || code === named.hotel.toLowerCase())
  if (!hotel)
    throw wrong([
      unknownFault(
        '@housing.hotelId',
        named.hotel,
        hotels.map(({ code }) => code),
        'hotel',
      ),
    ])
  const types = await db
    .selectFrom('room_types')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('hotel_id', '=', hotel.id)
    .where('retired', '=', false)
    .execute()
  const type = types.find(({ code }) => code === named.roomType.toLowerCase())
  if (!type)
    throw wrong([
      unknownFault(
        '@housing.roomTypeCode',
        named.roomType,
        types.map(({ code }) => code),
        'room type',
      ),
    ])
  const contract = await db
    .selectFrom('housing_contracts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('hotel_id', '=', hotel.id)
    // Its cut-off waits until whoever books has ended.
    .$if(db.isTransaction, (query) => query.forKeyShare())
    .executeTakeFirst()
  return { hotel, type, contract: contract ?? null }
}
