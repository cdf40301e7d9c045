import type { FieldDocsByTool } from '../meanings.ts'

export const BLOCK_REQUEST_RESULT_DOCS: FieldDocsByTool = {
  list_block_requests: {
    requests: 'The requests that match, in the chosen order.',
    totals: 'Sums of all requests that match, not only of this page.',
  },
  get_block_request: {
    request: 'The request with its wishes. Its kind is public if the group or company signed up on the event’s pages, else private.',
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
  update_block_request_allocation: {
    request: 'The request after the change.',
    changed: 'Nights whose number of rooms changed.',
  },
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
  deny_block_request_amendment: {
    amendment: 'The denied amendment.',
    request: 'The request, which did not change.',
  },
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
