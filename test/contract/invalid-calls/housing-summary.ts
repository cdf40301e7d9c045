import { type InvalidCall, named, valued } from './calls.ts'

export const HOUSING_SUMMARY_CALLS: readonly InvalidCall[] = [
  valued('get_housing_summary', 'groupBy', 'hotels', 'hotel', ['hotel']),
  valued('get_housing_summary', 'include', ['guests'], ['reservations'], ['nights', 'waitlist', 'reservations']),
  named('get_housing_summary', 'hotel', 'hotelId', 'house-0', { example: 1 }),
]
