import { toolset } from '../../kernel/tool.ts'
import addHotelFromCatalog from './add-hotel-from-catalog.ts'
import allocateBlockRequestRooms from './allocate-block-request-rooms.ts'
import amendContract from './amend-contract.ts'
import approveBlockRequestAmendment from './approve-block-request-amendment.ts'
import assignBlockToGroup from './assign-block-to-group.ts'
import closeBlockRequest from './close-block-request.ts'
import denyBlockRequestAmendment from './deny-block-request-amendment.ts'
import fillHotelWaitlist from './fill-hotel-waitlist.ts'
import findHotel from './find-hotel.ts'
import getBlockRequest from './get-block-request.ts'
import getCatalogHotel from './get-catalog-hotel.ts'
import getHousingSummary from './get-housing-summary.ts'
import listBlockRequests from './list-block-requests.ts'
import listHotelPciRecords from './list-hotel-pci-records.ts'
import moveHotelInventory from './move-hotel-inventory.ts'
import moveHotelReservations from './move-hotel-reservations.ts'
import overrideHotelPciAoc from './override-hotel-pci-aoc.ts'
import reactivateBlockRequest from './reactivate-block-request.ts'
import releaseBlockRequestAllocation from './release-block-request-allocation.ts'
import removeFromHotelWaitlist from './remove-from-hotel-waitlist.ts'
import updateBlockRequestAllocation from './update-block-request-allocation.ts'
import updateGroupBlock from './update-group-block.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('housing', [
  getHousingSummary,
  listBlockRequests,
  getBlockRequest,
  allocateBlockRequestRooms,
  updateBlockRequestAllocation,
  releaseBlockRequestAllocation,
  approveBlockRequestAmendment,
  denyBlockRequestAmendment,
  closeBlockRequest,
  reactivateBlockRequest,
  assignBlockToGroup,
  updateGroupBlock,
  moveHotelReservations,
  moveHotelInventory,
  amendContract,
  fillHotelWaitlist,
  removeFromHotelWaitlist,
  findHotel,
  getCatalogHotel,
  addHotelFromCatalog,
  listHotelPciRecords,
  overrideHotelPciAoc,
])
