import { toolset } from '../../kernel/tool.ts'
import amendContract from './amend-contract.ts'
import assignBlockToGroup from './assign-block-to-group.ts'
import fillHotelWaitlist from './fill-hotel-waitlist.ts'
import getHousingSummary from './get-housing-summary.ts'
import listHotelPciRecords from './list-hotel-pci-records.ts'
import moveHotelInventory from './move-hotel-inventory.ts'
import moveHotelReservations from './move-hotel-reservations.ts'
import overrideHotelPciAoc from './override-hotel-pci-aoc.ts'
import removeFromHotelWaitlist from './remove-from-hotel-waitlist.ts'
import updateGroupBlock from './update-group-block.ts'

/** In the order of the specification. */
export default toolset('housing', [getHousingSummary, assignBlockToGroup, updateGroupBlock, moveHotelReservations, moveHotelInventory, amendContract, fillHotelWaitlist, removeFromHotelWaitlist, listHotelPciRecords, overrideHotelPciAoc])
