import type { ToolMeanings } from '../meanings.ts'

/** The fields of a request, under the path of its record. */
const requestOf = (path: string) => ({
  [`${path}.number`]: 'Number of the request. Drafts have none.',
  [`${path}.requester`]: 'The group or company. Contact name and email need the permission personal.read.',
  [`${path}.status`]: 'draft, submitted, partiallyAllocated, allocated, accepted, declined or closed.',
  [`${path}.acceptBy`]: 'Last day to accept. After it the request is declined.',
  [`${path}.peak`]: 'Rooms on the night with the most requested rooms.',
  [`${path}.roomNights`]: 'Room nights requested.',
  [`${path}.granted`]: 'Room nights in its block.',
  [`${path}.pickup`]: 'Room nights booked from its block.',
  [`${path}.priorityPoints`]: 'Priority points of the company; 0 for groups.',
  [`${path}.flags`]: 'Policies that the request exceeds.',
  [`${path}.amendmentPending`]: 'Whether the requester asked for a change that is not decided.',
})

export const BLOCK_REQUESTS_RESULTS: ToolMeanings = {
  list_block_requests: {
    ...requestOf('requests'),
    totals: 'Sums of all requests that match, not only of this page.',
  },
  get_block_request: {
    request: 'The request with its wishes.',
    nights: 'Rooms by night: requested, granted, booked and missing.',
    allocations: 'Where the rooms are.',
    amendments: 'Changes that the requester asked for.',
    block: 'The block that has the rooms.',
    suggestion: 'Rooms that an automatic allocation would add now, and those that no hotel has. Nothing is saved.',
  },
  allocate_block_request_rooms: {
    results: 'Each request after the call. With auto, a request that was refused has an error.',
    roomNights: 'Room nights that the call added.',
  },
  update_block_request_allocation: { request: 'The request after the change.', changed: 'Nights whose number of rooms changed.' },
  release_block_request_allocation: {
    released: 'Rooms that were released.',
    roomNights: 'Their number of room nights.',
    waitingThatFit: 'Entries of the waiting list that could get a room now.',
    request: 'The request after the change.',
  },
  approve_block_request_amendment: {
    request: 'The request after the change.',
    amendment: 'The approved amendment.',
    applied: 'Changes of rooms that were made.',
    notApplied: 'Changes for which no rooms were free.',
  },
  deny_block_request_amendment: { amendment: 'The denied amendment.', request: 'The request, which did not change.' },
  close_block_request: {
    request: 'The closed request.',
    released: 'Room nights that were released.',
    keptReservations: 'Reservations that stay.',
  },
  reactivate_block_request: {
    request: 'The open request.',
    restored: 'Room nights that came back.',
    missing: 'Rooms that others have taken meanwhile.',
  },
}
