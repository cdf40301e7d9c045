import { computePercentOfAmount, sumMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { HotelRow, RoomNightRow } from './tables.ts'

/** Lists the nights of a stay; the check-out day is not a night. */
export const listStayNights = (checkIn: string, checkOut: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(checkIn, checkOut)) }, (_, index) => addDays(checkIn, index))

type OccupancyRates = Pick<RoomNightRow, 'rate_single' | 'rate_double' | 'rate_triple' | 'rate_quad'>

/**
 * Returns the nightly rate for a number of occupants. If the hotel defines none for that number, returns the rate for the next lower
 * number.
 */
export function getRateForOccupants({ rate_single, rate_double, rate_triple, rate_quad }: OccupancyRates, occupants: number): number {
  const tiers = [rate_single, rate_double, rate_triple, rate_quad].slice(0, Math.min(4, Math.max(1, occupants)))
  return tiers.findLast((rate) => rate !== null) ?? rate_single
}

type HotelPriceTerms = Pick<HotelRow, 'tax_percent' | 'fee_per_night' | 'fee_taxed'>

export interface StayPrice {
  rooms: number
  fees: number
  tax: number
  total: number
  /** Price of the first night: rate, fee and tax. */
  firstNight: number
}

/** Calculates the price of a stay. Hotels tax each night separately, so each is rounded separately. */
export function priceStay({ tax_percent, fee_per_night, fee_taxed }: HotelPriceTerms, rates: readonly number[]): StayPrice {
  const taxes = rates.map((rate) => computePercentOfAmount(sumMinorUnits([rate, fee_taxed ? fee_per_night : 0]), tax_percent))
  const rooms = sumMinorUnits(rates)
  const fees = sumMinorUnits(rates.map(() => fee_per_night))
  const tax = sumMinorUnits(taxes)
  const firstNight = rates.length === 0 ? 0 : sumMinorUnits([rates[0]!, fee_per_night, taxes[0]!])
  return { rooms, fees, tax, total: sumMinorUnits([rooms, fees, tax]), firstNight }
}

type Housing = EventConfig['housing']

/** Returns the deposit that guarantees a room, at most the price of the stay; null if the event requires none. */
export function calculateDeposit(
  { guarantee, deposit }: Pick<Housing, 'guarantee' | 'deposit'>,
  price: StayPrice,
  currency: string,
): number | null {
  if (guarantee !== 'deposit' || deposit === null) return null
  if (deposit.kind === 'firstNight') return price.firstNight
  const value = deposit.value ?? '0'
  return Math.min(price.total, deposit.kind === 'percent' ? computePercentOfAmount(price.total, value) : toMinorUnits(value, currency))
}

/** Returns the percentage of a deposit that is refunded today. Without refund rules it is 100. */
export function getDepositRefundPercent({ depositRefund }: Pick<Housing, 'depositRefund'>, checkIn: string, today: string): number {
  if (depositRefund.length === 0) return 100
  const left = daysBetween(today, checkIn)
  const [step] = depositRefund.filter(({ daysBefore }) => daysBefore <= left).toSorted((a, b) => b.daysBefore - a.daysBefore)
  return step?.percent ?? 0
}
