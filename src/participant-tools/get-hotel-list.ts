import { count, day, list, page, pageResult, search } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { BookingTimes, HotelShown, listHotels } from '../domains/housing/hotel-list.ts'

export default personTool({
  name: 'get_hotel_list',
  title: 'List hotels',
  description:
    'List the event hotels with room types, what is free, nightly rates and the price of a stay: where can I sleep, are rooms left, what does accommodation cost. Not for which hotel suits best (use recommend_hotel). Rooms are booked in the browser.',
  effect: 'read',
  input: { checkIn: day().optional(), checkOut: day().optional(), occupants: count(1, 8).default(1), search: search().optional(), ...page },
  output: { hotels: list(HotelShown), ...BookingTimes, ...pageResult },
  run: listHotels,
})
