import type { ToolMeanings } from '../meanings.ts'

const BLOCK = {
  block: 'The block of rooms.',
  'block.owner': 'Who may book from the block.',
  'block.owner.kind': 'Kind of owner; none for a detached block.',
  'block.owner.ref': 'Id of the group or company, or code of the tag.',
  'block.requestId': 'Block request that the block was made for.',
  'block.nights': 'Rooms of the block per night.',
  'block.nights.rooms': 'Rooms set aside.',
  'block.nights.booked': 'Rooms booked, no-shows included.',
  'block.nights.held': 'Rooms held for offers and bookings that are not finished.',
  'block.nights.blockFree': 'Rooms that can still be booked.',
  'block.nights.rate': 'Rate of the block; null if the rate of the hotel applies.',
}

export const ROOM_BLOCKS_RESULTS: ToolMeanings = {
  assign_block_to_group: { ...BLOCK, moved: 'Reservations of members that now draw on the block.' },
  update_group_block: {
    ...BLOCK,
    changed: 'Names of the changed fields.',
    rooms: 'Nights whose rooms or rate changed.',
    'rooms.before': 'Rooms before.',
    'rooms.after': 'Rooms now.',
  },
  move_hotel_reservations: {
    moved: 'Reservations at their new place.',
    'moved.ackNumber': 'Acknowledgement number, which stays the same.',
    'moved.before': 'Hotel, room type and price of the stay before.',
    'moved.before.total': 'Price of the stay before.',
    'moved.after': 'Hotel, room type and price of the stay now.',
    'moved.after.total': 'Price of the stay now.',
    'moved.stayDifference': 'How much more the stay costs now; negative if less.',
    'moved.cardWithheld': "Whether the new hotel does not get the guest's card, because its card security is not attested.",
    notMoved: 'Reservations that stay where they are.',
    'notMoved.reason': 'Why the reservation was not moved.',
    'notMoved.detail': 'The same in words.',
    cardsWithheld: 'Number of moved reservations whose card is withheld.',
  },
  move_hotel_inventory: {
    nights: 'Unbooked rooms of both places per night.',
    'nights.fromBefore': 'Unbooked rooms before, where rooms were taken.',
    'nights.fromAfter': 'Unbooked rooms now, where rooms were taken.',
    'nights.toBefore': 'Unbooked rooms before, where rooms were added.',
    'nights.toAfter': 'Unbooked rooms now, where rooms were added.',
    addenda: 'Addenda to the contracts; none if hotel and room type stay the same.',
    'addenda.number': 'Number of the addendum.',
    'addenda.roomNights': 'Room nights that the addendum adds to the contract.',
    totalContracted: 'Contracted room nights of all hotels of the event.',
    'totalContracted.before': 'Before the move.',
    'totalContracted.after': 'After the move: the same number.',
  },
}
