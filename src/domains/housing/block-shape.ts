import type { z } from 'zod'
import { toOneLine, count, day, list, money, object, oneOf, markAsRecordId, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { readRecordFields, buildResultFields } from '../../kernel/record-shapes.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { ROOM_BLOCK_RECORD } from './block-record.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import type { BlockRow } from './tables.ts'

/** An argument that names a block of rooms by id or code. */
export const roomBlockReferenceSchema = () => markAsRecordId(text(63), 'block')

const FIELDS = [
  'code',
  'name',
  'status',
  'sellStatus',
  'overflow',
  'minNights',
  'releaseOn',
  'nameDeadlineOn',
  'paymentBy',
  'note',
] as const

const BlockNight = toOneLine(
  object({
    hotelId: text(),
    roomTypeCode: text(),
    night: day(),
    rooms: count(),
    booked: count(),
    held: count(),
    blockFree: count(),
    rate: money().nullable(),
  }),
  'hotelId, roomTypeCode, night, rooms, booked, held, blockFree, rate',
)

/** A block of rooms in a tool result, with its nights. */
export const RoomBlockResult = toOneLine(
  object({
    id: text(),
    ...buildResultFields(ROOM_BLOCK_RECORD, FIELDS),
    owner: object({ kind: oneOf(['group', 'company', 'tag', 'none']), ref: text().nullable() }),
    requestId: text().nullable(),
    revision: count(1, 2_147_483_647),
    nights: list(BlockNight, 10_000),
  }),
  'id, code, name, status, owner, nights[] { night, rooms, booked, held, blockFree, rate }',
)

export async function readRoomBlock(
  ctx: HousingQueryContext & Pick<HousingContext, 'event'>,
  id: string,
): Promise<z.input<typeof RoomBlockResult>> {
  const row = await eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const nights = await eventDb(ctx)
    .selectFrom('block_nights')
    .selectAll()
    .where('block_id', '=', id)
    .orderBy('hotel_id')
    .orderBy('room_type_code')
    .orderBy('night')
    .execute()
  return {
    id,
    ...readRecordFields(ROOM_BLOCK_RECORD, row, FIELDS),
    owner: { kind: row.owner_kind, ref: row.owner_ref },
    requestId: row.request_id,
    revision: row.revision,
    nights: nights.map(({ hotel_id, room_type_code, night, rooms, booked, held, rate }) => ({
      hotelId: hotel_id,
      roomTypeCode: room_type_code,
      night,
      rooms,
      booked,
      held,
      blockFree: rooms - booked - held,
      rate: rate === null ? null : toMoney(rate, ctx.event.currency),
    })),
  }
}

/** Finds a room block by id or code. */
export async function getBlockByIdOrCode(ctx: HousingQueryContext, named: string): Promise<BlockRow> {
  const name = named.toLowerCase()
  const row = await eventDb(ctx)
    .selectFrom('room_blocks')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', name), eb('code', '=', name)]))
    .executeTakeFirst()
  if (!row) throw notFound(`No block of rooms ${named} at this event. List blocks with get_housing_summary and groupBy block`)
  return row
}

/** Locks a room block, so that concurrent changes of it wait for each other. Must be called before its room nights are locked. */
export async function lockRoomBlock(ctx: HousingQueryContext, id: string): Promise<BlockRow> {
  return eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()
}
