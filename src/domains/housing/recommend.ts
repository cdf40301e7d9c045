import { z } from 'zod'
import { brief, flag, list, money, object, text } from '../../kernel/args.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { ownBlocks } from './blocks.ts'
import { askedDates, belongingsOf } from './hotel-list.ts'
import { eventStay } from './hotels.ts'
import { type HotelOffer, readOffers, type RoomOffer } from './offers.ts'
import { reservationsOf } from './reservations.ts'
import { type AtEvent, lookAround } from './scene.ts'
import { nightsOf } from './stay.ts'

export interface Wishes {
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
  wishes?: Wishes | undefined
}

export const Recommendation = brief(
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

const MOST = 5

/** One stay that could be had, as it is scored. */
export interface Candidate {
  total: number
  distanceKm: number | null
  /** Whether the own group's block has every night there; null where no group has a block. */
  group: boolean | null
  met: number
  asked: number
}

const WEIGHTS = { price: 0.35, distance: 0.3, group: 0.2, wishes: 0.15 }
const FAR_KM = 5

/** From 0 to 100, to one decimal. What nobody can have or has asked for does not count, and the rest counts so much more. */
export function scoreOf({ total, distanceKm, group, met, asked }: Candidate, lowest: number): number {
  const parts = [
    { weight: WEIGHTS.price, value: total === 0 ? 1 : lowest / total },
    { weight: WEIGHTS.distance, value: distanceKm === null ? 0 : Math.max(0, 1 - distanceKm / FAR_KM) },
    ...(group === null ? [] : [{ weight: WEIGHTS.group, value: group ? 1 : 0 }]),
    ...(asked === 0 ? [] : [{ weight: WEIGHTS.wishes, value: met / asked }]),
  ]
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  const share = parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / whole
  // Before the last digit is rounded, what binary fractions left over is taken off.
  return Math.round(Number((share * 1000).toFixed(6))) / 10
}

/** Which hotels suit somebody best, one room type of each; where nothing is free, the nearest ones to wait for. Booking is the person's own. */
export async function recommendHotels(
  ctx: AtEvent & { person: { participantId: string } },
  { wishes = {}, maxTotal, ...request }: RecommendationRequest,
) {
  const scene = await lookAround(ctx)
  const { participantId } = ctx.person
  const [own] = await reservationsOf(ctx, [participantId], ['confirmed', 'held'])
  const dates =
    askedDates(request.checkIn, request.checkOut) ?? (own ? { checkIn: own.check_in, checkOut: own.check_out } : eventStay(scene))
  const nights = nightsOf(dates.checkIn, dates.checkOut)
  const blocks = await ownBlocks(ctx, scene, await belongingsOf(ctx, [participantId]), nights.length)
  const offers = await readOffers(ctx, scene, { nights, occupants: request.occupants ?? own?.occupants ?? 1, blocks })
  const groupBlock = blocks.usable.find(({ owner_kind }) => owner_kind === 'group')?.id
  const most = maxTotal === undefined ? Infinity : limitOf(maxTotal, scene.currency)

  const candidates = offers.flatMap((hotel) =>
    hotel.rooms.flatMap((room) => {
      if (!room.free || room.price === null || room.price.total > most) return []
      const group = groupBlock === undefined ? null : room.nights.every(({ blockId }) => blockId === groupBlock)
      return [{ hotel, room, total: room.price.total, distanceKm: hotel.distanceKm, group, ...wishesMet(hotel, room, wishes) }]
    }),
  )
  if (candidates.length === 0) return { recommendations: nearest(offers, scene.currency) }
  const lowest = Math.min(...candidates.map(({ total }) => total))
  const ranked = candidates
    .map((one) => ({ ...one, score: scoreOf(one, lowest) }))
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
    recommendations: best.slice(0, MOST).map((one) => ({
      hotelId: one.hotel.hotel.id,
      roomTypeCode: one.room.type.code,
      total: toMoney(one.total, scene.currency),
      distanceKm: one.distanceKm,
      score: one.score,
      reasons: reasonsFor(one, lowest),
      waitlistOnly: false,
    })),
  }
}

function limitOf({ amount, currency }: Money, ours: string): number {
  if (currency !== ours) throw invalidArguments([{ path: 'maxTotal.currency', message: `rooms are priced in ${ours} here` }])
  return toMinor(amount, currency, 'maxTotal.amount')
}

/** How many of the wishes that were uttered a room fulfils. */
export function wishesMet(
  { hotel, distanceKm }: Pick<HotelOffer, 'hotel' | 'distanceKm'>,
  { type }: Pick<RoomOffer, 'type'>,
  wishes: Wishes,
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

function reasonsFor({ total, distanceKm, group, met, asked }: Candidate, lowest: number): string[] {
  return [
    ...(total === lowest ? ['lowest price of all free stays'] : []),
    ...(distanceKm === null ? [] : [`${distanceKm} km from the venue`]),
    ...(group === true ? ['in the rooms of your group'] : []),
    ...(asked === 0 ? [] : [`${met} of ${asked} wishes met`]),
  ]
}

/** Nothing is free: the nearest ones are where waiting is worth most. */
const nearest = (offers: readonly HotelOffer[], currency: string) =>
  offers
    .flatMap(({ hotel, distanceKm, rooms }) => {
      const [room] = rooms.toSorted((a, b) => (a.price?.total ?? Infinity) - (b.price?.total ?? Infinity))
      return room ? [{ hotel, distanceKm, room }] : []
    })
    .slice(0, MOST)
    .map(({ hotel, distanceKm, room }) => ({
      hotelId: hotel.id,
      roomTypeCode: room.type.code,
      total: room.price === null ? null : toMoney(room.price.total, currency),
      distanceKm,
      score: null,
      reasons: ['full on at least one of the nights', ...(distanceKm === null ? [] : [`${distanceKm} km from the venue`])],
      waitlistOnly: true,
    }))
