import { multiplyMinorUnits, parseDecimal, divideAndRoundHalfAway, sumMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import type { RoomsNeededOnNight } from '../briefs/answers.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import { computeRoomPriceOfNight } from '../bids/cost.ts'
import type { OfferedRooms } from '../bids/tables.ts'
import type { Clause, ClauseVariables } from './tables.ts'

/** Rooms of one type that are offered at the same rates. */
export interface RoomsAtSameRates {
  roomType: string
  nights: string[]
  rates: OfferedRooms['rates']
}

/**
 * Groups the rooms of an offer by room type and rates, in the order of the offer. The clause `rates` has one numbered line for each group.
 */
export function groupRoomsByRates(offered: readonly OfferedRooms[]): RoomsAtSameRates[] {
  const groups = new Map<string, RoomsAtSameRates>()
  for (const { night, roomType, rates } of offered) {
    const key = rateKey({ roomType, rates })
    const group = groups.get(key)
    if (group) group.nights.push(night)
    else groups.set(key, { roomType, nights: [night], rates })
  }
  return [...groups.values()].map((group) => ({ ...group, nights: [...new Set(group.nights)].toSorted() }))
}

const rateKey = ({ roomType, rates }: Pick<OfferedRooms, 'roomType' | 'rates'>) =>
  JSON.stringify([roomType, rates.single, rates.double ?? null, rates.triple ?? null, rates.quad ?? null])

/** Replaces the room rates of the supplier's offer by those in the clause `rates` of a contract version. */
export function applyClauseRatesToOffer(offered: readonly OfferedRooms[], clauses: readonly Clause[], currency: string): OfferedRooms[] {
  const vars = clauses.find(({ key }) => key === 'rates')?.vars
  if (!vars) return [...offered]
  const numbers = new Map(groupRoomsByRates(offered).map((group, index) => [rateKey(group), index + 1]))
  return offered.map((one) => {
    const n = numbers.get(rateKey(one))!
    const [single, double] = [readAmount(vars, `rate${n}Single`, currency), readAmount(vars, `rate${n}Double`, currency)]
    return { ...one, rates: { ...one.rates, ...(single === null ? {} : { single }), ...(double === null ? {} : { double }) } }
  })
}

function readAmount(vars: ClauseVariables, name: string, currency: string): number | null {
  const [amount = '', of] = String(vars[name] ?? '').split(' ')
  return of === currency && parseDecimal(amount) ? toMinorUnits(amount, currency) : null
}

/**
 * Computes the price of the awarded rooms before tax. If a part of a night's rooms is awarded, it has the same mix of occupancies as the
 * whole night.
 */
export function computeAwardedRoomPrice(
  offered: readonly OfferedRooms[],
  nights: readonly { night: string; rooms: number }[],
  needs: readonly RoomsNeededOnNight[],
): number {
  return sumMinorUnits(
    nights.map(({ night, rooms }) => {
      const need = needs.find((one) => one.night === night)
      const needed = need ? countRoomsOfNight(need) : 0
      if (!need || needed === 0) return computeRoomPriceOfNight(offered, { night, single: rooms })
      const whole = computeRoomPriceOfNight(offered, need)
      return needed === rooms ? whole : divideAndRoundHalfAway(BigInt(multiplyMinorUnits(whole, rooms)), BigInt(needed))
    }),
  )
}
