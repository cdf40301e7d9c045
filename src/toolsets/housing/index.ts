import { toolset } from '../../kernel/tool.ts'
import addHotelFromCatalog from './add-hotel-from-catalog.ts'
import amendContract from './amend-contract.ts'
import findHotel from './find-hotel.ts'
import getCatalogHotel from './get-catalog-hotel.ts'
import getHousingSummary from './get-housing-summary.ts'
import listHotelPciRecords from './list-hotel-pci-records.ts'
import overrideHotelPciAoc from './override-hotel-pci-aoc.ts'

/** In the order of the specification. */
export default toolset('housing', [
  getHousingSummary,
  amendContract,
  findHotel,
  getCatalogHotel,
  addHotelFromCatalog,
  listHotelPciRecords,
  overrideHotelPciAoc,
])
