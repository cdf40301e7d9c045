import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { limitExceeded } from './refusals.ts'
import { todayOf, type AtEvent, type HousingScene, type Where } from './scene.ts'
import type { BlockRow } from './tables.ts'

/** Whose blocks somebody draws on. */
export interface Belongings {
  groupIds: readonly string[]
  companyIds: readonly string[]
  tags: readonly string[]
}

export interface OwnBlocks {
  /** Those that rooms may be taken from, in the order in which they are. */
  usable: BlockRow[]
  /** Whether what the blocks do not have may be taken from free sale. */
  freeSell: boolean
}

const OWNERS = ['group', 'company', 'tag']

/** Blocks of somebody's group, then of their company, then of their tags. One whose day of release has passed has nothing to give any more. */
export async function ownBlocks(
  { db, tenantId, event }: Where,
  scene: Pick<HousingScene, 'timezone' | 'at'>,
  { groupIds, companyIds, tags }: Belongings,
  nights?: number,
): Promise<OwnBlocks> {
  if (groupIds.length + companyIds.length + tags.length === 0) return { usable: [], freeSell: true }
  const rows = await db
    .selectFrom('room_blocks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('status', '=', 'active')
    .where(
      sql<boolean>`(owner_kind = 'group' and owner_ref = any(${groupIds}) or owner_kind = 'company' and owner_ref = any(${companyIds})
        or owner_kind = 'tag' and owner_ref = any(${tags}))`,
    )
    .orderBy('code')
    .execute()
  const today = todayOf(scene)
  const kept = rows
    .filter((block) => [block.release_on, block.name_deadline_on].every((last) => last === null || today <= last))
    .toSorted((a, b) => OWNERS.indexOf(a.owner_kind) - OWNERS.indexOf(b.owner_kind))
  const usable = kept.filter(
    ({ sell_status, min_nights }) => sell_status === 'open' && (nights === undefined || nights >= (min_nights ?? 1)),
  )
  return { usable, freeSell: kept.every(({ overflow }) => overflow) }
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

/** Sets rooms of free sale aside for somebody: all of them or none. */
export async function createBlock(ctx: AtEvent, block: NewBlock): Promise<string> {
  const { db, tenantId, event } = ctx
  const at = { tenant_id: tenantId, event_id: event.id }
  const id = newId()
  const wanted = block.rooms.flatMap(({ nights, ...one }) => nights.map((night) => ({ ...one, night })))
  await allocate(ctx, wanted)
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
  await db
    .insertInto('block_nights')
    .values(
      wanted.map(({ hotelId, roomTypeCode, night, rooms, rate }) => ({
        ...at,
        block_id: id,
        hotel_id: hotelId,
        room_type_code: roomTypeCode,
        night,
        rooms,
        rate: rate ?? null,
      })),
    )
    .execute()
  if (block.owner.kind === 'group') {
    await db
      .updateTable('managed_groups')
      .set({ room_block_id: id })
      .where('tenant_id', '=', tenantId)
      .where('event_id', '=', event.id)
      .where('id', '=', block.owner.ref)
      .execute()
  }
  announce(ctx, { kind: 'block.changed', entity: 'block', id, isTestData: false })
  recordChange(ctx, { kind: 'block', id, after: { code: block.code, name: block.name, owner: block.owner, rooms: block.rooms } })
  return id
}

/** Out of what nobody has taken, in the order of keys. */
async function allocate(
  { db, tenantId, event }: Where,
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
  if (short.length > 0) throw limitExceeded({ ...short[0]!, short })
  await sql`
    update room_nights r set allocated = r.allocated + w.rooms
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("hotelId" text, "roomTypeCode" text, night date, rooms integer)
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and w."hotelId" = r.hotel_id and w."roomTypeCode" = r.room_type_code
      and w.night = r.night`.execute(db)
}
