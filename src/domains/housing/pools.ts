import type { BookableBlocks } from './blocks.ts'
import type { BlockRow, HousingContractRow, HotelRow, RoomNightRow } from './tables.ts'

/** A night that a participant holds or has booked, and the block that it comes from. */
export interface ParticipantRoomNight extends Pick<RoomNightRow, 'hotel_id' | 'room_type_code' | 'night'> {
  block_id?: string | null
}

/** Whether the hotel's cut-off date has passed. The cut-off day itself still counts as open. */
export const isPastCutoff = ({ cutoff_on }: Pick<HousingContractRow, 'cutoff_on'>, today: string) => cutoff_on !== null && today > cutoff_on

/** Whether a block keeps its rooms after the hotel's cut-off: until its own, later release date, or if the hotel takes no rooms back. */
const keepsRooms = (
  { release_on }: BlockRow,
  { cutoff_on, cutoff_action }: Pick<HousingContractRow, 'cutoff_on' | 'cutoff_action'>,
): boolean => cutoff_action === 'keep' || (release_on !== null && release_on > cutoff_on!)

/**
 * Whether a hotel or block accepts a booking of this room type. Its sales status may restrict bookings to guests who already have a room
 * there, or who already have one of the same type.
 */
export const isOpenForBooking = (
  { sell_status }: Pick<HotelRow | BlockRow, 'sell_status'>,
  roomTypeCode: string,
  own: readonly ParticipantRoomNight[],
): boolean =>
  sell_status === 'open' ||
  (sell_status === 'changes' && own.length > 0) ||
  (sell_status === 'changesSameType' && own.some(({ room_type_code }) => room_type_code === roomTypeCode))

interface PoolQuery {
  contract: Pick<HousingContractRow, 'cutoff_on' | 'cutoff_action'>
  roomTypeCode: string
  /** The nights of the participant's current stay, which this booking changes. */
  own: readonly ParticipantRoomNight[]
  today: string
  /** Whether rooms that were returned to the hotel may be used, even after the cut-off. Organizers set this after the hotel has agreed. */
  useReturned: boolean
}

export interface RoomSources {
  /** The blocks to take rooms from, in order. */
  usable: BlockRow[]
  /** Whether nights that the blocks do not cover come from the general inventory. */
  freeSell: boolean
}

/**
 * Selects where rooms of one room type may come from. After the hotel's cut-off only the participant's blocks that keep their rooms are
 * left.
 */
export function selectRoomSources(
  { blocks, freeSell }: BookableBlocks,
  { contract, roomTypeCode, own, today, useReturned }: PoolQuery,
): RoomSources {
  const isPast = !useReturned && isPastCutoff(contract, today)
  const isUsable = (block: BlockRow) =>
    (!isPast || keepsRooms(block, contract)) &&
    isOpenForBooking(
      block,
      roomTypeCode,
      own.filter(({ block_id }) => block_id === block.id),
    )
  return { usable: blocks.filter(isUsable), freeSell: freeSell && !isPast }
}
