import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const ROOM_BLOCKS_CALLS: readonly InvalidCall[] = [
  wrongName('assign_block_to_group', 'payBy', 'paymentBy', 'master'),
  wrongValue('assign_block_to_group', 'paymentBy', 'group', 'master', ['guest', 'master']),
  missingArgument('assign_block_to_group', 'rooms', ['blockId']),
  wrongValue('update_group_block', 'sellStatus', 'shut', 'closed', ['open', 'closed']),
  wrongName('update_group_block', 'nameDeadline', 'nameDeadlineOn', '2027-05-01'),
  wrongValue('move_hotel_reservations', 'rate', 'old', 'keep', ['new', 'keep']),
  missingArgument('move_hotel_reservations', 'reason', []),
  wrongValue('move_hotel_inventory', 'nights', ['10 May 2027'], ['2027-05-10'], ['YYYY-MM-DD']),
  missingArgument('move_hotel_inventory', 'rooms', []),
]
