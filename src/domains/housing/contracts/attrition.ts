import { parseDecimal, divideAndRoundHalfAway, sumMinorUnits } from '../../../kernel/money.ts'
import type { HousingContractRow } from '../tables.ts'

/** Attrition data of one hotel night: rooms that count for the commitment, and how many of them were booked. */
export interface AttritionNight {
  night: string
  /** The rooms of each room type, with their rate for one guest. The contract commits to a percentage of these rooms. */
  base: readonly { rooms: number; rate: number }[]
  /** Number of rooms that count as booked. If the hotel reported a final number, it is that number plus rooms that an audit found. */
  pickup: number
  /** Number of unused rooms that the hotel sold to others. */
  resold: number
}

export type AttritionTerms = HousingContractRow['attrition']

export interface Attrition {
  method: AttritionTerms['method']
  /** Number of room nights that the contract commits to. */
  committed: number
  pickup: number
  resold: number
  /** Number of room nights below the commitment. */
  short: number
  /** Damages that the hotel may charge, in minor units. */
  damages: number
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const countBase = (nights: readonly AttritionNight[]) => sum(nights.flatMap(({ base }) => base.map(({ rooms }) => rooms)))
const countPickup = (nights: readonly AttritionNight[]) => sum(nights.map(({ pickup }) => pickup))

/** Returns a percentage of a number of rooms, rounded down. The product is exact, because 57.5 percent of 200 must not become 114. */
export function computePercentRoundedDown(rooms: number, percent: number): number {
  const { units, digits } = parseDecimal(String(percent)) ?? { units: 0n, digits: 0 }
  return Number((BigInt(rooms) * units) / (100n * 10n ** BigInt(digits)))
}

/** Calculates damages in minor units: missing rooms times the average rate of the base rooms times the hotel's profit percentage. */
function priceShortfall(short: number, nights: readonly AttritionNight[], profitPercent: number): number {
  const base = countBase(nights)
  if (short === 0 || base === 0) return 0
  const revenue = nights.flatMap((night) => night.base).reduce((total, { rooms, rate }) => total + BigInt(rooms) * BigInt(rate), 0n)
  const profit = parseDecimal(String(profitPercent)) ?? { units: 100n, digits: 0 }
  return divideAndRoundHalfAway(BigInt(short) * revenue * profit.units, BigInt(base) * 100n * 10n ** BigInt(profit.digits))
}

/**
 * Calculates the attrition damages of a contract as if nothing more is booked. If a contract counts each night, surplus rooms of one night
 * do not make up for missing rooms of another.
 */
export function calculateAttrition(terms: AttritionTerms, nights: readonly AttritionNight[]): Attrition {
  const { method, commitPercent = 0, profitPercent = 100, creditResold = true } = terms
  const credited = (of: readonly AttritionNight[]) => (creditResold ? sum(of.map(({ resold }) => resold)) : 0)
  const toGroup = (of: readonly AttritionNight[]) => {
    const committed = computePercentRoundedDown(countBase(of), commitPercent)
    const short = Math.max(0, committed - countPickup(of) - credited(of))
    return { committed, short, damages: priceShortfall(short, of, profitPercent) }
  }
  const groups = method === 'none' ? [] : method === 'nightly' ? nights.map((night) => toGroup([night])) : [toGroup(nights)]
  return {
    method,
    committed: sum(groups.map(({ committed }) => committed)),
    pickup: countPickup(nights),
    resold: credited(nights),
    short: sum(groups.map(({ short }) => short)),
    damages: sumMinorUnits(groups.map(({ damages }) => damages)),
  }
}

type CompTerms = Pick<HousingContractRow, 'comp_per' | 'comp_basis'>

/** Counts the complimentary rooms that the booked rooms earn: one per `comp_per`, over all nights together or night by night. */
export function countComplimentaryRooms({ comp_per, comp_basis }: CompTerms, nights: readonly Pick<AttritionNight, 'pickup'>[]): number {
  if (comp_per === null) return 0
  if (comp_basis === 'nightly') return sum(nights.map(({ pickup }) => Math.floor(pickup / comp_per)))
  return Math.floor(sum(nights.map(({ pickup }) => pickup)) / comp_per)
}

/** Calculates the rebate in minor units that the hotel pays for the booked room nights. */
export const calculateRoomNightRebate = (
  { rebate_per_room_night }: Pick<HousingContractRow, 'rebate_per_room_night'>,
  nights: readonly Pick<AttritionNight, 'pickup'>[],
): number => sumMinorUnits(nights.map(({ pickup }) => pickup * (rebate_per_room_night ?? 0)))
