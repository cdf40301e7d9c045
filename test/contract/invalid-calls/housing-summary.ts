import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const HOUSING_SUMMARY_CALLS: readonly InvalidCall[] = [
  wrongValue('get_housing_summary', 'groupBy', 'hotels', 'hotel', ['hotel']),
  wrongValue('get_housing_summary', 'include', ['guests'], ['reservations'], ['nights', 'waitlist', 'reservations']),
  wrongName('get_housing_summary', 'hotel', 'hotelId', 'house-0', { example: 1 }),
]
