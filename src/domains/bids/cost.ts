import { multiplyMinorUnits, parseDecimal, computePercentOfAmount, divideAndRoundHalfAway, sumMinorUnits } from '../../kernel/money.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { BriefAnswers, DateOption, MealNeed, RoomOccupancyKind, RoomsNeededOnNight } from '../briefs/answers.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import type { RfpRow } from '../rfps/tables.ts'
import type { OfferedRooms, RfpResponseContent } from './tables.ts'

/** The rooms, meals and other quantities that every response is priced with. */
export interface RfpQuantities {
  nights: readonly RoomsNeededOnNight[]
  meals: readonly MealNeed[]
  attendees: number
}

export const COST_CATEGORIES = ['rooms', 'space', 'food', 'av', 'fees'] as const
export type CostCategory = (typeof COST_CATEGORIES)[number]

/** The total cost of a response, in minor units of its currency. */
export interface TotalCost {
  parts: Record<CostCategory, number>
  gross: number
  concessions: number
  net: number
  /** The price of all rooms before tax and fees. */
  roomRevenue: number
  roomNights: number
  /** The cost per room night; null if no rooms are needed. */
  perRoomNight: number | null
  perPerson: number | null
  /** Nights with fewer rooms offered than requested. They are priced as if all requested rooms were offered. */
  short: { night: string; asked: number; offered: number }[]
  /** Kinds of meals for which the response has no menu price. They add nothing to the cost beyond the food minimum. */
  unpriced: string[]
}

/** Returns the quantities of an RFP for one of its date options. Nights and meals move with the arrival date. */
export function getRfpQuantitiesForDates(requirements: BriefAnswers, preferred: DateOption, option: DateOption): RfpQuantities {
  const days = daysBetween(preferred.arrival, option.arrival)
  const nights = requirements.needRooms ? (requirements.roomsByNight ?? []) : []
  return {
    nights: nights.map((need) => ({ ...need, night: addDays(need.night, days) })),
    meals: (requirements.meals ?? []).map((meal) => ({ ...meal, day: addDays(meal.day, days) })),
    attendees: requirements.attendees ?? 0,
  }
}

/** Computes the total cost of an offer for one date option of an RFP. */
export function computeOfferCost(
  { requirements, date_options }: Pick<RfpRow, 'requirements' | 'date_options'>,
  dateOption: number,
  content: RfpResponseContent,
): TotalCost {
  const preferred = date_options[0]!
  return computeTotalCost(content, getRfpQuantitiesForDates(requirements, preferred, date_options[dateOption] ?? preferred))
}

export function computeTotalCost(content: RfpResponseContent, { nights, meals, attendees }: RfpQuantities): TotalCost {
  const prices = nights.map((need) => computeRoomPriceOfNight(content.rooms, need))
  const roomRevenue = sumMinorUnits(prices)
  const tax = sumMinorUnits(prices.map((price) => computePercentOfAmount(price, String(content.taxPercent))))
  const roomNights = nights.reduce((sum, need) => sum + countRoomsOfNight(need), 0)
  const parts: Record<CostCategory, number> = {
    rooms: sumMinorUnits([roomRevenue, tax, multiplyMinorUnits(content.feePerNight, roomNights)]),
    space: content.rental,
    food: foodCost(content, meals),
    av: content.avEstimate,
    fees: sumMinorUnits(content.otherFees.filter(({ mandatory }) => mandatory).map(({ amount }) => amount)),
  }
  const gross = sumMinorUnits(Object.values(parts))
  const concessions = valueConcessions(content, roomNights, roomRevenue)
  const net = gross - concessions
  const priced = new Set(content.menu.map(({ meal }) => normalizeMealName(meal)))
  return {
    parts,
    gross,
    concessions,
    net,
    roomRevenue,
    roomNights,
    perRoomNight: roomNights === 0 ? null : divideAndRoundHalfAway(BigInt(net), BigInt(roomNights)),
    perPerson: attendees === 0 ? null : divideAndRoundHalfAway(BigInt(net), BigInt(attendees)),
    short: nights.flatMap((need) => findShortNight(content.rooms, need)),
    unpriced: [...new Set(meals.map(({ kind }) => kind))].filter((kind) => !priced.has(normalizeMealName(kind))),
  }
}

/**
 * Calculates the price of the rooms of one night before tax, rounded once: each occupancy at the average of the offered rates, weighted by
 * rooms. A night without an offer has the average of all nights.
 */
export function computeRoomPriceOfNight(offered: readonly OfferedRooms[], need: RoomsNeededOnNight): number {
  const ofNight = offered.filter(({ night, rooms }) => night === need.night && rooms > 0)
  const candidates = ofNight.length > 0 ? ofNight : offered.filter(({ rooms }) => rooms > 0)
  if (candidates.length === 0) return 0
  const suites = candidates.filter(isSuite)
  const others = candidates.filter((one) => !isSuite(one))
  const terms = (
    [
      ['single', 'single'],
      ['staff', 'single'],
      ['double', 'double'],
      ['suite', 'single'],
    ] as const
  ).map(([occupancy, rate]: readonly [RoomOccupancyKind, 'single' | 'double']) => {
    const preferred = occupancy === 'suite' ? suites : others
    const from = preferred.length > 0 ? preferred : candidates
    const rooms = from.reduce((sum, one) => sum + one.rooms, 0)
    const total = from.reduce((sum, one) => sum + BigInt(one.rooms) * BigInt(one.rates[rate] ?? one.rates.single), 0n)
    return { numerator: BigInt(need[occupancy] ?? 0) * total, denominator: BigInt(rooms) }
  })
  const denominator = terms.reduce((product, term) => product * term.denominator, 1n)
  const numerator = terms.reduce((sum, term) => sum + (term.numerator * denominator) / term.denominator, 0n)
  return divideAndRoundHalfAway(numerator, denominator)
}

const isSuite = ({ roomType }: OfferedRooms) => /suite/i.test(roomType)

export const normalizeMealName = (meal: string) => meal.trim().toLowerCase()

/** Calculates the cost of food: the larger of the food minimum and the meals at menu prices, with service and tax, rounded once. */
function foodCost({ fbMinimum, menu, servicePercent, fbTaxPercent }: RfpResponseContent, meals: readonly MealNeed[]): number {
  const prices = new Map(menu.map(({ meal, price }) => [normalizeMealName(meal), price]))
  const eaten = sumMinorUnits(meals.map(({ kind, people }) => multiplyMinorUnits(prices.get(normalizeMealName(kind)) ?? 0, people)))
  const [service, tax] = [oneAnd(servicePercent), oneAnd(fbTaxPercent)]
  return divideAndRoundHalfAway(
    BigInt(Math.max(fbMinimum, eaten)) * service.numerator * tax.numerator,
    service.denominator * tax.denominator,
  )
}

/** Returns 1 + percent / 100 as a fraction. */
function oneAnd(percent: number) {
  const { units, digits } = parseDecimal(String(percent))!
  const denominator = 100n * 10n ** BigInt(digits)
  return { numerator: denominator + units, denominator }
}

/** Calculates the value of concessions: free rooms at the average rate, a rebate per room night, everything else at its stated value. */
function valueConcessions({ concessions }: RfpResponseContent, roomNights: number, revenue: number): number {
  return sumMinorUnits(
    concessions.map(({ kind, per, value = 0 }) => {
      if (kind === 'rebate') return multiplyMinorUnits(value, roomNights)
      if (kind !== 'compRooms' || per === undefined) return value
      return roomNights === 0 ? 0 : divideAndRoundHalfAway(BigInt(Math.floor(roomNights / per)) * BigInt(revenue), BigInt(roomNights))
    }),
  )
}

function findShortNight(offered: readonly OfferedRooms[], need: RoomsNeededOnNight) {
  const rooms = offered.filter(({ night }) => night === need.night).reduce((sum, one) => sum + one.rooms, 0)
  const asked = countRoomsOfNight(need)
  return rooms < asked ? [{ night: need.night, asked, offered: rooms }] : []
}
