import { toolset } from '../../kernel/tool.ts'
import allocateBlockRequestRooms from './allocate-block-request-rooms.ts'
import approveBlockRequestAmendment from './approve-block-request-amendment.ts'
import closeBlockRequest from './close-block-request.ts'
import denyBlockRequestAmendment from './deny-block-request-amendment.ts'
import getBlockRequest from './get-block-request.ts'
import getHousingSummary from './get-housing-summary.ts'
import listBlockRequests from './list-block-requests.ts'
import reactivateBlockRequest from './reactivate-block-request.ts'
import releaseBlockRequestAllocation from './release-block-request-allocation.ts'
import updateBlockRequestAllocation from './update-block-request-allocation.ts'

/** In the order of the specification. */
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
])
