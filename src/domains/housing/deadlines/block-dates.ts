import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import type { BlockRow } from '../tables.ts'
import { releaseUnbookedRooms } from './release-unbooked.ts'

export interface TenantRoomBlockReference {
  tenantId: number
  eventId: string
  blockId: string
}

const TODAY = sql`(lanyard_now() at time zone e.timezone)::date`

/** SQL for the latest release date or name deadline that has passed and for which the block's rooms were not released yet. */
const ENDED = sql`(select max(d.day) from (values (b.release_on), (b.name_deadline_on)) as d(day)
  where d.day < ${TODAY} and d.day > coalesce(b.released_through, '-infinity'))`

const ACTIVE_BLOCKS = sql`room_blocks b
  join events e on e.tenant_id = b.tenant_id and e.id = b.event_id and e.status <> 'archived'`

/** Lists the blocks of all tenants whose release date or name deadline has ended. */
export async function listBlocksPastDeadline(db: Db): Promise<TenantRoomBlockReference[]> {
  const { rows } = await sql<TenantRoomBlockReference>`
    select b.tenant_id as "tenantId", b.event_id as "eventId", b.id as "blockId" from ${ACTIVE_BLOCKS}
    where b.status = 'active' and ${ENDED} is not null order by 1, 2, 3 /* reads the rows of all tenants */`.execute(db)
  return rows
}

export interface BlockReleaseResult {
  block: BlockRow
  /** Number of room nights that were released from the block. */
  released: number
}

/**
 * Releases the unbooked rooms of a block at the end of its release date or name deadline; null if neither has ended. Rooms that are added
 * to the block afterwards stay, until a later date ends.
 */
export async function releaseBlockPastDeadline(ctx: HousingContext, blockId: string): Promise<BlockReleaseResult | null> {
  const [released] = await releaseUnbookedRooms(ctx, (await isEnded(ctx, blockId)) ? [blockId] : [])
  const { rows } = await sql<{ id: string }>`
    update room_blocks b set released_through = ${ENDED} from events e
    where e.tenant_id = b.tenant_id and e.id = b.event_id and b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.id = ${blockId}
      and b.status = 'active' and ${ENDED} is not null
    returning b.id`.execute(ctx.db)
  if (rows.length === 0) return null
  return { block: await getBlockRow(ctx, blockId), released: released?.released ?? 0 }
}

async function isEnded({ db, tenantId, event }: HousingContext, blockId: string): Promise<boolean> {
  const { rows } = await sql<{ ended: string | null }>`
    select ${ENDED} as ended from ${ACTIVE_BLOCKS}
    where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.id = ${blockId} and b.status = 'active'`.execute(db)
  return rows[0] !== undefined && rows[0].ended !== null
}

export const getBlockRow = (ctx: HousingContext, blockId: string): Promise<BlockRow> =>
  eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', '=', blockId).executeTakeFirstOrThrow()

/** Days before a release date or name deadline on which the owner of the block is reminded. */
const REMINDER_DAYS = [7, 1]

export interface DueBlockReminder extends TenantRoomBlockReference {
  deadline: string
  daysLeft: number
  /** Number of room nights without a guest. */
  unbooked: number
}

/** Lists the blocks of all tenants whose owner must be reminded today: a release date or name deadline is near and rooms are not booked. */
export async function listDueBlockReminders(db: Db): Promise<DueBlockReminder[]> {
  const { rows } = await sql<DueBlockReminder>`
    select b.tenant_id as "tenantId", b.event_id as "eventId", b.id as "blockId", d.day as deadline, d.day - ${TODAY} as "daysLeft",
      n.unbooked
    from ${ACTIVE_BLOCKS}
    cross join lateral (select distinct v.day from (values (b.release_on), (b.name_deadline_on)) as v(day)
      where v.day - ${TODAY} = any(${REMINDER_DAYS})) d
    cross join lateral (select coalesce(sum(n.rooms - n.booked - n.held), 0)::int as unbooked from block_nights n
      where n.tenant_id = b.tenant_id and n.event_id = b.event_id and n.block_id = b.id) n
    where b.status = 'active' and n.unbooked > 0 order by 1, 2, 3, 4 /* reads the rows of all tenants */`.execute(db)
  return rows
}
