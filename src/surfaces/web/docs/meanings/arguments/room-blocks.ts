import type { FieldDocsByTool } from '../meanings.ts'

/** Describes the arguments of one line of rooms: hotel, room type and nights. `path` is the argument that lists the lines. */
const roomLines = (path: string) => ({
  [`${path}.hotelId`]: 'Id or code of the hotel.',
  [`${path}.roomTypeCode`]: 'Code of the room type.',
  [`${path}.from`]: 'First night.',
  [`${path}.until`]: 'Check-out day, which is not slept.',
  [`${path}.nights`]: 'The nights as days, instead of from and until.',
})

const place = (path: string) => ({
  [`${path}.hotelId`]: 'Id or code of the hotel.',
  [`${path}.roomTypeCode`]: 'Code of the room type.',
  [`${path}.blockId`]: 'Id or code of the block. Without it: free sale.',
})

export const ROOM_BLOCK_ARGUMENT_DOCS: FieldDocsByTool = {
  assign_block_to_group: {
    groupCode: 'Group that gets the block.',
    blockId: 'Block without an owner, by id or code. Give either this or rooms.',
    rooms: 'Rooms on free sale to make a new block of.',
    ...roomLines('rooms'),
    'rooms.rooms': 'Rooms on each of these nights.',
    moveReservations: 'Whether booked nights of members move from free sale into the block while it has rooms, oldest reservation first.',
  },
  update_group_block: {
    blockId: 'Block by id or code.',
    groupCode: 'Group whose block it is, instead of blockId.',
    clear: 'Fields to clear.',
    set: 'Rooms on single nights. Nights that are not named stay as they are.',
    ...roomLines('set'),
    'set.rooms': 'New number of rooms on each of these nights, not below those booked or held.',
    'set.rate': 'Rate of the block for nights booked from now on.',
    detach: 'Separates the block from its group. It keeps its rooms, and closes when it has none.',
  },
  move_hotel_reservations: {
    from: 'Where the reservations are. Give either this or reservationIds.',
    ...place('from'),
    'from.blockId': 'Only reservations with nights in this block.',
    reservationIds: 'The reservations to move.',
    to: 'Where they go. Without roomTypeCode each keeps its room type; without blockId rooms come from free sale.',
    typeMap: 'Room type at the new hotel for each old one.',
    count: 'Maximum number of reservations to move.',
    order: 'Which reservations are moved first.',
    rate: 'keep: guests pay the old rate of a night if it is lower. new: the new rate.',
    reason: 'Why guests are moved. It stays in the audit log.',
    notify: 'Whether guests get a confirmation of their new room by email.',
    jobId: 'Reads the job of an earlier call with more than 30 reservations. No other argument is allowed.',
  },
  move_hotel_inventory: {
    fromHotel: 'Where the rooms are.',
    ...place('fromHotel'),
    toHotel: 'Where they go.',
    nights: 'Nights as days. All of them move, or none.',
    rooms: 'Rooms per night.',
    reason: 'Why rooms are moved. It is written to the addenda.',
    fileId: 'The signed agreement.',
  },
}
