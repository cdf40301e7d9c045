import { toolset } from '../../kernel/tool.ts'
import getHousingSummary from './get-housing-summary.ts'
import listHotelPciRecords from './list-hotel-pci-records.ts'
import overrideHotelPciAoc from './override-hotel-pci-aoc.ts'

/** In the order of the specification. */
export default toolset('housing', [getHousingSummary, listHotelPciRecords, overrideHotelPciAoc])
