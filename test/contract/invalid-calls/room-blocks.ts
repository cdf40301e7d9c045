import { type InvalidCall, named, valued, without } from './calls.ts'

export const ROOM_BLOCKS_CALLS: readonly InvalidCall[] = [
  named('assign_block_to_group', 'payBy', 'paymentBy', 'master'),
  valued('assign_block_to_group', 'paymentBy', 'group', 'master', ['guest', 'master']),
  without('assign_block_to_group', 'rooms', ['blockId']),
  valued('update_group_block', 'sellStatus', 'shut', 'closed', ['open', 'closed']),
  named('update_group_block', 'nameDeadline', 'nameDeadlineOn', '2027-05-01'),
  valued('move_hotel_reservations', 'rate', 'old', 'keep', ['new', 'keep']),
  without('move_hotel_reservations', 'reason', []),
  valued('move_hotel_inventory', 'nights', ['10 May 2027'], ['2027-05-10'], ['YYYY-MM-DD']),
  without('move_hotel_inventory', 'rooms', []),
]
