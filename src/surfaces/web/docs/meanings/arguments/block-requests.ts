import type { FieldDocsByTool } from '../meanings.ts'

const REQUEST = 'The block request.'
const NOTIFY = 'Emails the requester.'

/** Describes the arguments of one line of a room block: hotel, room type, nights and rooms. `path` is the argument that lists the lines. */
const lineOf = (path: string, rooms: string) => ({
  [`${path}.hotelId`]: 'Hotel, by id or code.',
  [`${path}.roomTypeCode`]: 'Room type of the hotel.',
  [`${path}.from`]: 'First night.',
  [`${path}.until`]: 'Check-out day, which is not slept.',
  [`${path}.nights`]: 'Nights as a list of days, instead of from and until.',
  [`${path}.rooms`]: rooms,
})

export const BLOCK_REQUEST_ARGUMENT_DOCS: FieldDocsByTool = {
  list_block_requests: {
    status: 'Only requests in these states.',
    hotelId: 'Only requests that prefer this hotel or have rooms there, by id or code.',
    search: 'Number, contact, or name of the group or company.',
    flag: 'Only requests that exceed this policy.',
    pendingAmendment: 'Only requests with or without a pending amendment.',
    sort: 'By priority: points, then time of submission. Or by submission or number.',
  },
  get_block_request: { requestId: REQUEST, number: 'Number of the request, such as BR-000012, instead of its id.' },
  allocate_block_request_rooms: {
    requestId: 'The request that gets the allocations.',
    allocations: 'Rooms to add.',
    ...lineOf('allocations', 'Rooms to add on each night.'),
    auto: 'Chooses the rooms by the preferences of each request, in order of priority.',
    requestIds: 'With auto: only these requests. All open requests by default.',
    hotelIds: 'With auto: only these hotels, by id or code.',
    overridePolicy: 'Allocates although a policy flag is set.',
    overrideReason: 'Why the policy does not apply. For the audit log.',
    notify: 'Emails the rooms with the link to accept, and sets the last day to accept.',
  },
  update_block_request_allocation: {
    requestId: REQUEST,
    set: 'Rooms that the request shall have. What is not named stays.',
    ...lineOf('set', 'Rooms on each night, as an absolute number.'),
    notify: NOTIFY,
  },
  release_block_request_allocation: {
    requestId: REQUEST,
    from: 'First night. All nights by default.',
    until: 'Check-out day, which is not slept.',
    nights: 'Nights as a list of days, instead of from and until.',
    hotelId: 'Only rooms of this hotel, by id or code.',
    roomTypeCode: 'Only rooms of this type.',
    rooms: 'Rooms per night. All rooms without a guest by default.',
    to: 'Where the rooms go: free sale, or back to the hotel.',
    reason: 'Why, for the email and the audit log.',
    notify: NOTIFY,
  },
  approve_block_request_amendment: {
    amendmentId: 'The amendment.',
    allocations: 'Where the additional rooms come from. The same hotel and type first by default.',
    ...lineOf('allocations', 'Rooms to add on each night.'),
    partial: 'Grants the rooms that are free instead of refusing.',
    note: 'A note for the requester.',
    notify: NOTIFY,
  },
  deny_block_request_amendment: { amendmentId: 'The amendment.', reason: 'Why, for the requester.', notify: NOTIFY },
  close_block_request: {
    requestId: REQUEST,
    release: 'Where rooms without a guest go: free sale, the hotel, or they stay in the block.',
    reason: 'Why, for the email and the audit log.',
    notify: NOTIFY,
  },
  reactivate_block_request: {
    requestId: REQUEST,
    restore: 'Takes back the rooms that closing released.',
    partial: 'Takes back the rooms that are still free instead of refusing.',
    notify: NOTIFY,
  },
}
