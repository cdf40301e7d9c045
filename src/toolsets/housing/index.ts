import { toolset } from '../../kernel/tool.ts'
import fillHotelWaitlist from './fill-hotel-waitlist.ts'
import getHousingSummary from './get-housing-summary.ts'
import removeFromHotelWaitlist from './remove-from-hotel-waitlist.ts'

/** In the order of the specification. */
export default toolset('housing', [getHousingSummary, fillHotelWaitlist, removeFromHotelWaitlist])
