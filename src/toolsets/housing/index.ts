import { toolset } from '../../kernel/tool.ts'
import findHotel from './find-hotel.ts'
import getHousingSummary from './get-housing-summary.ts'

/** In the order of the specification. */
export default toolset('housing', [getHousingSummary, findHotel])
