import { count, day, list, pageArguments, pageResult, searchArgument } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { BookingPeriodFields, HotelResult, listHotels } from '../domains/housing/hotel-list.ts'

export default personTool({
  name: 'get_hotel_list',
  title: 'List hotels',
  description:
    'List the hotels of the event: where can I sleep, are rooms left, what does accommodation cost for my dates. Not for which hotel suits best (use recommend_hotel); booking is in the browser. Returns room types with free rooms and rate per night, and the price of the stay.',
  effect: 'read',
  input: {
    checkIn: day().optional(),
    checkOut: day().optional(),
    occupants: count(1, 8).default(1),
    search: searchArgument().optional(),
    ...pageArguments,
  },
  output: { hotels: list(HotelResult), ...BookingPeriodFields, ...pageResult },
  run: listHotels,
})
