import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { splitForInsert } from '../../kernel/insert-batches.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { tooFewRooms } from './errors.ts'
import { todayAtEvent, type EventScope, type HousingSnapshot, type EventQueryScope } from './context.ts'
import type { BlockRow } from './tables.ts'

/** The groups, companies and tags of a participant. Each can own a room block that the participant may book from. */
export interface BlockMemberships {
  groupIds: readonly string[]
  companyIds: readonly string[]
  tags: readonly string[]
}

export interface OwnBlocks {
  /** Open room blocks, in the order in which rooms are taken from them. */
  usable: BlockRow[]
  /** Whether nights that the blocks do not cover may come from the hotel's general inventory. */
  freeSell: boolean
}

const OWNER_KINDS_BY_PRIORITY = ['group', 'company', 'tag']

/**
 * Finds the active blocks of the participant's group, then company, then tags. Blocks past their release date or name deadline are left
 * out.
 */
export async function findOwnBlocks(
  ctx: EventQueryScope,
  snapshot: Pick<HousingSnapshot, 'timezone' | 'at'>,
  { groupIds, companyIds, tags }: BlockMemberships,
  nights?: number,
): Promise<OwnBlocks> {
  if (groupIds.length + companyIds.length + tags.length === 0) return { usable: [], freeSell: true }
  const rows = await eventDb(ctx)
    .selectFrom('room_blocks')
    .selectAll()
    .where('status', '=', 'active')
    .where(
      sql<boolean>`(owner_kind = 'group' and owner_ref = any(${groupIds}) or owner_kind = 'company' and owner_ref = any(${companyIds})
        or owner_kind = 'tag' and owner_ref = any(${tags}))`,
    )
    .orderBy('code')
    .execute()
  const today = todayAtEvent(snapshot)
  const valid = rows
    .filter((block) => [block.release_on, block.name_deadline_on].every((last) => last === null || today <= last))
    .toSorted((a, b) => OWNER_KINDS_BY_PRIORITY.indexOf(a.owner_kind) - OWNER_KINDS_BY_PRIORITY.indexOf(b.owner_kind))
  const usable = valid.filter(
    ({ sell_status, min_nights }) => sell_status === 'open' && (nights === undefined || nights >= (min_nights ?? 1)),
  )
  return { usable, freeSell: valid.every(({ overflow }) => overflow) }
}

export interface NewBlock {
  code: string
  name: string
  owner: { kind: 'group' | 'company' | 'tag'; ref: string } | { kind: 'none' }
  overflow?: boolean
  minNights?: number
  releaseOn?: string
  paymentBy?: 'guest' | 'master'
  rooms: readonly { hotelId: string; roomTypeCode: string; nights: readonly string[]; rooms: number; rate?: number }[]
}

/**
 * Allocates rooms of the hotel's general inventory to a new block: all requested rooms or none. Called by `createRoomBlock` of the groups
 * domain, which links the group to its block.
 */
export async function createBlock(ctx: EventScope, block: NewBlock): Promise<string> {
  const { db, tenantId, event } = ctx
  const at = { tenant_id: tenantId, event_id: event.id }
  const id = newId()
  const wanted = block.rooms.flatMap(({ nights, ...one }) => nights.map((night) => ({ ...one, night })))
  await allocateRooms(ctx, wanted)
  await db
    .insertInto('room_blocks')
    .values({
      ...at,
      id,
      code: block.code,
      name: block.name,
      owner_kind: block.owner.kind,
      owner_ref: block.owner.kind === 'none' ? null : block.owner.ref,
      overflow: block.overflow ?? true,
      min_nights: block.minNights ?? null,
      release_on: block.releaseOn ?? null,
      payment_by: block.paymentBy ?? 'guest',
    })
    .execute()
  const nights = wanted.map(({ hotelId, roomTypeCode, night, rooms, rate }) => ({
    ...at,
    block_id: id,
    hotel_id: hotelId,
    room_type_code: roomTypeCode,
    night,
    rooms,
    rate: rate ?? null,
  }))
  for (const part of splitForInsert(nights)) await db.insertInto('block_nights').values(part).execute()
  announce(ctx, { kind: 'block.changed', entity: 'block', id, isTestData: false })
  recordChange(ctx, { kind: 'block', id, after: { code: block.code, name: block.name, owner: block.owner, rooms: block.rooms } })
  return id
}

/** Locks the room nights in key order to prevent deadlocks, then moves free rooms into the block's allocation. */
async function allocateRooms(
  { db, tenantId, event }: EventQueryScope,
  wanted: readonly { hotelId: string; roomTypeCode: string; night: string; rooms: number }[],
): Promise<void> {
  const { rows } = await sql<{ hotel: string; roomType: string; night: string; wanted: number; free: number }>`
    select h.name as hotel, r.room_type_code as "roomType", r.night, w.rooms as wanted,
      r.contracted - r.returned - r.allocated - r.booked - r.held as free
    from room_nights r
    join jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("hotelId" text, "roomTypeCode" text, night date, rooms integer)
      on w."hotelId" = r.hotel_id and w."roomTypeCode" = r.room_type_code and w.night = r.night
    join event_hotels h on h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.id = r.hotel_id
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id}
    order by r.hotel_id, r.room_type_code, r.night for no key update of r`.execute(db)
  const short = rows.filter((row) => row.free < row.wanted)
  if (short.length > 0) throw tooFewRooms({ ...short[0]!, short })
  await sql`
    update room_nights r set allocated = r.allocated + w.rooms
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("hotelId" text, "roomTypeCode" text, night date, rooms integer)
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and w."hotelId" = r.hotel_id and w."roomTypeCode" = r.room_type_code
      and w.night = r.night`.execute(db)
}
