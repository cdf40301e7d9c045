import { percentOf, sumMinor, toMinor } from '../../kernel/money.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { HotelRow, RoomNightRow } from './tables.ts'

/** A stay from the day somebody comes to the day they leave, which is no night. */
export const nightsOf = (checkIn: string, checkOut: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(checkIn, checkOut)) }, (_, index) => addDays(checkIn, index))

type Rates = Pick<RoomNightRow, 'rate_single' | 'rate_double' | 'rate_triple' | 'rate_quad'>

/** What a room costs so many people for a night. Where the hotel has no price for as many, theirs is that of fewer. */
export function rateFor({ rate_single, rate_double, rate_triple, rate_quad }: Rates, occupants: number): number {
  const tiers = [rate_single, rate_double, rate_triple, rate_quad].slice(0, Math.min(4, Math.max(1, occupants)))
  return tiers.findLast((rate) => rate !== null) ?? rate_single
}

type Terms = Pick<HotelRow, 'tax_percent' | 'fee_per_night' | 'fee_taxed'>

export interface StayPrice {
  rooms: number
  fees: number
  tax: number
  total: number
  /** With fee and tax: what a deposit of the first night is. */
  firstNight: number
}

/** Each night is taxed by itself, as hotels do. The guest pays it there. */
export function priceStay({ tax_percent, fee_per_night, fee_taxed }: Terms, rates: readonly number[]): StayPrice {
  const taxes = rates.map((rate) => percentOf(sumMinor([rate, fee_taxed ? fee_per_night : 0]), tax_percent))
  const rooms = sumMinor(rates)
  const fees = sumMinor(rates.map(() => fee_per_night))
  const tax = sumMinor(taxes)
  const firstNight = rates.length === 0 ? 0 : sumMinor([rates[0]!, fee_per_night, taxes[0]!])
  return { rooms, fees, tax, total: sumMinor([rooms, fees, tax]), firstNight }
}

type Housing = EventConfig['housing']

/** What secures a room where the event asks for a deposit; never more than the stay. */
export function depositFor(
  { guarantee, deposit }: Pick<Housing, 'guarantee' | 'deposit'>,
  price: StayPrice,
  currency: string,
): number | null {
  if (guarantee !== 'deposit' || deposit === null) return null
  if (deposit.kind === 'firstNight') return price.firstNight
  const value = deposit.value ?? '0'
  return Math.min(price.total, deposit.kind === 'percent' ? percentOf(price.total, value) : toMinor(value, currency))
}

/** What part of a deposit comes back so many days before arrival. Where nothing is agreed, all of it. */
export function depositRefundPercent({ depositRefund }: Pick<Housing, 'depositRefund'>, checkIn: string, today: string): number {
  if (depositRefund.length === 0) return 100
  const left = daysBetween(today, checkIn)
  const [step] = depositRefund.filter(({ daysBefore }) => daysBefore <= left).toSorted((a, b) => b.daysBefore - a.daysBefore)
  return step?.percent ?? 0
}
