import type { FieldDocsByTool } from '../meanings.ts'

export const ROOM_BLOCK_RESULT_DOCS: FieldDocsByTool = {
  assign_block_to_group: {
    block: 'The block of rooms.',
    moved: 'Reservations of members that now draw on the block.',
  },
  update_group_block: {
    block: 'The block of rooms.',
    changed: 'Names of the changed fields.',
    rooms: 'Nights whose rooms or rate changed.',
  },
  move_hotel_reservations: {
    moved: 'Reservations at their new place.',
    notMoved: 'Reservations that stay where they are.',
    cardsWithheld: 'Number of moved reservations guaranteed by a card that the new hotel may not receive. Its guests present the card at check-in.',
    jobId: 'Id of the job, if more than 30 reservations are moved.',
    status: 'State of the job.',
    progress: 'Reservations that the job has processed, of all.',
  },
  move_hotel_inventory: {
    nights: 'Unbooked rooms of both places per night.',
    addenda: 'Addenda to the contracts; none if hotel and room type stay the same.',
    totalContracted: 'Contracted room nights of all hotels of the event.',
  },
}
