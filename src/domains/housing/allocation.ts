import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import { createTooFewRoomsError } from './errors.ts'
import { ROOM_BLOCK_STATES } from './states.ts'

export interface RoomNightKey {
  hotelId: string
  roomTypeCode: string
  night: string
}

/**
 * The new number of rooms of a block on one night (`rooms`), or the difference to the current number (`delta`). `rate` applies only if the
 * block had no rooms on that night before.
 */
export type AllocationChange = RoomNightKey & ({ rooms: number } | { delta: number }) & { rate?: number }

export interface AllocationChangeResult extends RoomNightKey {
  before: number
  /** Number of rooms that the caller requested. It is larger than `after` if fewer rooms were free. */
  wanted: number
  after: number
}

type PlannedNight = AllocationChangeResult & { used: number; free: number | null }

interface AllocationOptions {
  /**
   * The destination of rooms that the block gives up: the general inventory (rooms outside blocks), or the hotel. After the cut-off it is
   * always the hotel.
   */
  to?: 'freeSell' | 'hotel'
  /** Whether to grant only the free rooms, instead of rejecting the whole change. */
  partial?: boolean
}

/**
 * Changes the rooms of a block: all nights or none. The only function that moves rooms between the general inventory and a block. Refuses
 * more rooms than are free, and fewer than are booked or held.
 */
export async function changeAllocation(
  ctx: HousingContext,
  blockId: string,
  changes: readonly AllocationChange[],
  { to = 'freeSell', partial = false }: AllocationOptions = {},
): Promise<AllocationChangeResult[]> {
  if (changes.length === 0) return []
  const { rows } = await sql<{ result: { changed: PlannedNight[] } | { refused: PlannedNight[] } }>`
    select block_nights_change(${ctx.tenantId}, ${ctx.event.id}, ${blockId}, ${JSON.stringify(changes)}::jsonb, ${to === 'hotel'}, ${partial})
      as result`.execute(ctx.db)
  const { result } = rows[0]!
  if ('refused' in result) throw await explainRefusal(ctx, result.refused)
  const applied = result.changed.map(({ hotelId, roomTypeCode, night, before, wanted, after }) => ({
    hotelId,
    roomTypeCode,
    night,
    before,
    wanted,
    after,
  }))
  const changed = applied.filter(({ before, after }) => before !== after)
  if (changed.length > 0) {
    announceToWebhooks(ctx, { kind: 'block.changed', entity: 'block', id: blockId, isTestData: false })
    const rooms = (pick: 'before' | 'after') =>
      changed.map(({ hotelId, roomTypeCode, night, [pick]: n }) => [hotelId, roomTypeCode, night, n])
    recordChange(ctx, { kind: 'block', id: blockId, before: { rooms: rooms('before') }, after: { rooms: rooms('after') } })
  }
  if (changed.some(({ after }) => after === 0)) await closeEmptyRoomBlock(ctx, blockId)
  return applied
}

/** Closes a block that has neither an owner (a group, company or tag) nor rooms. */
export async function closeEmptyRoomBlock(ctx: HousingContext, blockId: string): Promise<void> {
  const block = await eventDb(ctx)
    .selectFrom('room_blocks')
    .selectAll()
    .where('id', '=', blockId)
    .where('owner_kind', '=', 'none')
    .where('status', '=', 'active')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('block_nights as n')
            .select('n.night')
            .whereRef('n.tenant_id', '=', 'room_blocks.tenant_id')
            .whereRef('n.event_id', '=', 'room_blocks.event_id')
            .whereRef('n.block_id', '=', 'room_blocks.id')
            .where('n.rooms', '>', 0),
        ),
      ),
    )
    .executeTakeFirst()
  if (block) await changeRecordState(ctx, ROOM_BLOCK_STATES, block, 'closed')
}

/** Builds the error of a rejected change. Nights on which booked rooms would be lost are reported before nights with too few free rooms. */
async function explainRefusal(ctx: HousingQueryContext, refused: readonly PlannedNight[]): Promise<AppError> {
  const inUse = refused.filter(({ after, used }) => after < used)
  const nameOf = await findHotelNames(ctx, refused)
  if (inUse.length > 0) {
    const messageOf = ({ hotelId, roomTypeCode, night, used, wanted }: PlannedNight) =>
      `${nameOf(hotelId)}, ${roomTypeCode}, ${night}: ${used} booked, cannot set ${wanted} — move_hotel_reservations first`
    return preconditionFailed(messageOf(inUse[0]!), { fields: inUse.map((one) => ({ path: 'rooms', message: messageOf(one) })) })
  }
  const [{ hotelId, roomTypeCode, wanted, before }] = refused as [PlannedNight]
  return createTooFewRoomsError({
    hotel: nameOf(hotelId),
    roomType: roomTypeCode,
    wanted: wanted - before,
    short: refused.map((one) => ({
      night: one.night,
      free: Math.max(0, one.free ?? 0),
      wanted: one.wanted - one.before,
      hotel: nameOf(one.hotelId),
      roomType: one.roomTypeCode,
    })),
    path: 'rooms',
  })
}

async function findHotelNames(ctx: HousingQueryContext, nights: readonly RoomNightKey[]): Promise<(id: string) => string> {
  const ids = [...new Set(nights.map(({ hotelId }) => hotelId))]
  const rows = await eventDb(ctx)
    .selectFrom('event_hotels')
    .select(['id', 'name'])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
