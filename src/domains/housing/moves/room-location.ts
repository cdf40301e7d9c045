import { object, text } from '../../../kernel/args.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { roomBlockReferenceSchema, getBlockByIdOrCode } from '../block-shape.ts'
import type { HousingQueryContext } from '../context.ts'
import { type EventHotel, findHotel, getRoomType, hotelReferenceSchema } from '../find-hotel.ts'
import type { BlockRow, RoomTypeRow } from '../tables.ts'

/**
 * Schema of the argument that states where rooms or reservations are: a hotel, a room type, and the block that they belong to. Without a
 * block they belong to the hotel's general inventory.
 */
export const roomLocationSchema = () =>
  object({ hotelId: hotelReferenceSchema(), roomTypeCode: text(63).optional(), blockId: roomBlockReferenceSchema().optional() })

/** Schema of the argument for a hotel, a required room type and, optionally, a block. */
export const roomTypeLocationSchema = () =>
  object({ hotelId: hotelReferenceSchema(), roomTypeCode: text(63), blockId: roomBlockReferenceSchema().optional() })

export interface RoomLocationInput {
  hotelId: string
  roomTypeCode?: string | undefined
  blockId?: string | undefined
}

export interface RoomLocation {
  at: EventHotel
  type: RoomTypeRow | null
  block: BlockRow | null
}

export async function findRoomLocation(
  ctx: HousingQueryContext,
  { hotelId, roomTypeCode, blockId }: RoomLocationInput,
): Promise<RoomLocation> {
  const at = await findHotel(ctx, hotelId)
  return {
    at,
    type: roomTypeCode === undefined ? null : getRoomType(at, roomTypeCode),
    block: blockId === undefined ? null : await getBlockByIdOrCode(ctx, blockId),
  }
}

export function refuseClosedBlock({ block }: RoomLocation): void {
  if (block?.status === 'closed') throw preconditionFailed(`Block ${block.code} is closed and takes no rooms`)
}
