import type { Examples } from '../examples.ts'
import { hotelIdOf, openRooms } from './housing.ts'
import { event } from './registration.ts'

export const HOUSING_SUMMARY_EXAMPLES: Examples = {
  get_housing_summary: [
    async (stage) => {
      await openRooms(stage)
      return event(stage)
    },
    async (stage) => ({ ...event(stage), groupBy: 'night', hotelId: await hotelIdOf(stage, 'house-0') }),
  ],
}
