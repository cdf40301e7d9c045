import { z } from 'zod'
import { toOneLine, count, day, flag, list, money, object, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { recommendHotels, HotelRecommendation } from '../domains/housing/recommend.ts'

export default registrantTool({
  name: 'recommend_hotel',
  title: 'Recommend a hotel',
  description:
    'Pick where to stay: the best hotel for the person, with reasons why, by price, distance to the venue, rooms of their group and wishes. Not for all hotels and nightly rates (use get_hotel_list). Returns up to five with score and reasons; booking is in the browser.',
  effect: 'read',
  unidentifiedMessage: 'No participant identity available',
  input: {
    checkIn: day().optional(),
    checkOut: day().optional(),
    occupants: count(1, 8).optional(),
    maxTotal: money().optional(),
    wishes: toOneLine(
      object({
        bedType: text(60).optional(),
        smoking: flag().optional(),
        accessible: flag().optional(),
        loyaltyProgram: text(120).optional(),
        maxKm: z.number().min(0).max(1000).optional(),
      }),
      'bedType, smoking, accessible, loyaltyProgram, maxKm',
    ).optional(),
  },
  output: { recommendations: list(HotelRecommendation, 5) },
  run: recommendHotels,
})
