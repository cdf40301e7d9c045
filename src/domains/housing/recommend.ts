import { z } from 'zod'
import { toOneLine, flag, list, money, object, text } from '../../kernel/args.ts'
import { type Money, toMinorUnits, toMoney } from '../../kernel/money.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { findBookableBlocks } from './blocks.ts'
import { parseStayDates, readGroupsCompaniesAndTags } from './hotel-list.ts'
import { getDefaultStayDates } from './hotels.ts'
import { type HotelAvailability, listHotelAvailability, type RoomTypeAvailability } from './offers.ts'
import { listReservations } from './reservations.ts'
import { type HousingContext, readHousingSnapshot } from './context.ts'
import { listStayNights } from './stay.ts'

export interface RoomPreferences {
  bedType?: string | undefined
  smoking?: boolean | undefined
  accessible?: boolean | undefined
  loyaltyProgram?: string | undefined
  maxKm?: number | undefined
}

export interface RecommendationRequest {
  checkIn?: string | undefined
  checkOut?: string | undefined
  occupants?: number | undefined
  maxTotal?: Money | undefined
  wishes?: RoomPreferences | undefined
}

export const HotelRecommendation = toOneLine(
  object({
    hotelId: text(),
    roomTypeCode: text(),
    total: money().nullable(),
    distanceKm: z.number().nullable(),
    score: z.number().nullable(),
    reasons: list(text()),
    waitlistOnly: flag(),
  }),
  'hotelId, roomTypeCode, total, distanceKm, score 0..100, reasons, waitlistOnly',
)

const MAX_RECOMMENDATIONS = 5

/** A bookable stay, with the values that its recommendation score is computed from. */
export interface StayCandidate {
  total: number
  distanceKm: number | null
  /** Whether the group's block covers every night; null if the participant's groups have no block. */
  group: boolean | null
  met: number
  asked: number
}

const SCORE_WEIGHTS = { price: 0.35, distance: 0.3, group: 0.2, wishes: 0.15 }
const FAR_KM = 5

/** Scores a stay from 0 to 100 with one decimal. Criteria that do not apply are left out, and the remaining weights are scaled up. */
export function scoreStay({ total, distanceKm, group, met, asked }: StayCandidate, lowest: number): number {
  const parts = [
    { weight: SCORE_WEIGHTS.price, value: total === 0 ? 1 : lowest / total },
    { weight: SCORE_WEIGHTS.distance, value: distanceKm === null ? 0 : Math.max(0, 1 - distanceKm / FAR_KM) },
    ...(group === null ? [] : [{ weight: SCORE_WEIGHTS.group, value: group ? 1 : 0 }]),
    ...(asked === 0 ? [] : [{ weight: SCORE_WEIGHTS.wishes, value: met / asked }]),
  ]
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  const share = parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / whole
  // Remove floating-point errors before rounding to one decimal.
  return Math.round(Number((share * 1000).toFixed(6))) / 10
}

/**
 * Recommends up to five hotels with their best room type. If nothing is free within the maximum price, returns the
 * nearest hotels, for the waiting list if they are full. Does not
 * book anything.
 */
export async function recommendHotels(
  ctx: HousingContext & { person: { participantId: string } },
  { wishes = {}, maxTotal, ...request }: RecommendationRequest,
) {
  const snapshot = await readHousingSnapshot(ctx)
  const { participantId } = ctx.person
  const [own] = await listReservations(ctx, [participantId], ['confirmed', 'held'])
  const dates =
    parseStayDates(request.checkIn, request.checkOut) ??
    (own ? { checkIn: own.check_in, checkOut: own.check_out } : getDefaultStayDates(snapshot))
  const nights = listStayNights(dates.checkIn, dates.checkOut)
  const blocks = await findBookableBlocks(ctx, snapshot, await readGroupsCompaniesAndTags(ctx, [participantId]), nights.length)
  const offers = await listHotelAvailability(ctx, snapshot, { nights, occupants: request.occupants ?? own?.occupants ?? 1, blocks })
  const groupBlock = blocks.blocks.find(({ owner_kind, sell_status }) => owner_kind === 'group' && sell_status === 'open')?.id
  const most = maxTotal === undefined ? Infinity : toMaxTotal(maxTotal, snapshot.currency)

  const candidates = offers.flatMap((hotel) =>
    hotel.rooms.flatMap((room) => {
      if (!room.free || room.price === null || room.price.total > most) return []
      const group = groupBlock === undefined ? null : room.nights.every(({ blockId }) => blockId === groupBlock)
      return [
        { hotel, room, total: room.price.total, distanceKm: hotel.distanceKm, group, ...countMatchedRoomPreferences(hotel, room, wishes) },
      ]
    }),
  )
  if (candidates.length === 0) return { recommendations: toFallbackRecommendations(offers, snapshot.currency) }
  const lowest = Math.min(...candidates.map(({ total }) => total))
  const ranked = candidates
    .map((one) => ({ ...one, score: scoreStay(one, lowest) }))
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        (a.hotel.hotel.id < b.hotel.hotel.id ? -1 : a.hotel.hotel.id > b.hotel.hotel.id ? 1 : 0) ||
        (a.room.type.code < b.room.type.code ? -1 : 1),
    )
  const best = [...new Map(ranked.toReversed().map((one) => [one.hotel.hotel.id, one])).values()].toSorted(
    (a, b) => ranked.indexOf(a) - ranked.indexOf(b),
  )
  return {
    recommendations: best.slice(0, MAX_RECOMMENDATIONS).map((one) => ({
      hotelId: one.hotel.hotel.id,
      roomTypeCode: one.room.type.code,
      total: toMoney(one.total, snapshot.currency),
      distanceKm: one.distanceKm,
      score: one.score,
      reasons: reasonsFor(one, lowest),
      waitlistOnly: false,
    })),
  }
}

function toMaxTotal({ amount, currency }: Money, ours: string): number {
  if (currency !== ours) throw invalidArguments([{ path: 'maxTotal.currency', message: `rooms are priced in ${ours} here` }])
  return toMinorUnits(amount, currency, 'maxTotal.amount')
}

/** Counts how many of the participant's requested features, such as the bed type, a room has. */
export function countMatchedRoomPreferences(
  { hotel, distanceKm }: Pick<HotelAvailability, 'hotel' | 'distanceKm'>,
  { type }: Pick<RoomTypeAvailability, 'type'>,
  wishes: RoomPreferences,
) {
  const same = (a: string, b: string | null) => b !== null && a.trim().toLowerCase() === b.toLowerCase()
  const { bedType, smoking, accessible, loyaltyProgram, maxKm } = wishes
  const judged = [
    ...(bedType === undefined ? [] : [type.beds.some((bed) => same(bedType, bed))]),
    ...(smoking === undefined ? [] : [type.smoking === smoking]),
    ...(accessible === undefined ? [] : [type.accessible || !accessible]),
    ...(loyaltyProgram === undefined ? [] : [same(loyaltyProgram, hotel.loyalty_program)]),
    ...(maxKm === undefined ? [] : [distanceKm !== null && distanceKm <= maxKm]),
  ]
  return { met: judged.filter(Boolean).length, asked: judged.length }
}

function reasonsFor({ total, distanceKm, group, met, asked }: StayCandidate, lowest: number): string[] {
  return [
    ...(total === lowest ? ['lowest price of all free stays'] : []),
    ...(distanceKm === null ? [] : [`${distanceKm} km from the venue`]),
    ...(group === true ? ['in the rooms of your group'] : []),
    ...(asked === 0 ? [] : [`${met} of ${asked} wishes met`]),
  ]
}

/** Fallback when no stay is free within the maximum price: the cheapest room type of the nearest hotels, preferably a free one. */
const toFallbackRecommendations = (offers: readonly HotelAvailability[], currency: string) =>
  offers
    .flatMap(({ hotel, distanceKm, rooms }) => {
      const [room] = rooms.toSorted(
        (a, b) => Number(b.free) - Number(a.free) || (a.price?.total ?? Infinity) - (b.price?.total ?? Infinity),
      )
      return room ? [{ hotel, distanceKm, room }] : []
    })
    .slice(0, MAX_RECOMMENDATIONS)
    .map(({ hotel, distanceKm, room }) => ({
      hotelId: hotel.id,
      roomTypeCode: room.type.code,
      total: room.price === null ? null : toMoney(room.price.total, currency),
      distanceKm,
      score: null,
      reasons: [
        room.free ? 'free on every night, but more expensive than maxTotal' : 'full on at least one of the nights',
        ...(distanceKm === null ? [] : [`${distanceKm} km from the venue`]),
      ],
      waitlistOnly: !room.free,
    }))
