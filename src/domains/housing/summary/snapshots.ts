import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import type { HousingQueryContext } from '../context.ts'
import { type RoomNightCountsOfSource, buildRoomSourceCountsSql } from './figures.ts'

/** Number of days after the last night for which pickup is still recorded. */
const DAYS_AFTER_LAST_NIGHT = 7

interface DueSnapshot {
  tenantId: number
  eventId: string
  day: string
}

/** Lists the events with rooms that have no snapshot of yesterday yet, by the time zone of each event. */
async function listDueSnapshots(db: Db): Promise<DueSnapshot[]> {
  const { rows } = await sql<DueSnapshot>`
    select t.tenant_id as "tenantId", t.event_id as "eventId", t.day from (
      select e.tenant_id, e.id as event_id, (lanyard_now() at time zone e.timezone)::date - 1 as day from events e where e.status <> 'archived') t
    where exists (
      select from housing_contracts c
      join room_nights r on r.tenant_id = c.tenant_id and r.event_id = c.event_id and r.hotel_id = c.hotel_id
        and r.night >= t.day - ${DAYS_AFTER_LAST_NIGHT}::int
      where c.tenant_id = t.tenant_id and c.event_id = t.event_id and c.status = 'definite')
    and not exists (select from pickup_snapshots s where s.tenant_id = t.tenant_id and s.event_id = t.event_id and s.day = t.day)
    order by 1, 2 /* reads the rows of all tenants */`.execute(db)
  return rows
}

/** Stores the room counts of an event as a snapshot for the end of a day. A second snapshot of the same day changes nothing. */
export async function storePickupSnapshot({ db, tenantId, event }: HousingQueryContext, day: string): Promise<void> {
  await sql`
    insert into pickup_snapshots (tenant_id, event_id, day, hotel_id, room_type_code, night, block_id, contracted, returned, allocated, pickup,
      held, free_sell)
    select ${tenantId}, ${event.id}, ${day}, p."hotelId", p."roomTypeCode", p.night, coalesce(p."blockId", ''), p.contracted, p.returned,
      p.allocated, p.pickup, p.held, p."freeSell"
    from (${buildRoomSourceCountsSql({ tenantId, event })}) p
    on conflict do nothing`.execute(db)
}

/** Takes the daily snapshot of every event with rooms soon after midnight in its time zone. */
export const takePickupSnapshots: RecurringTask = {
  name: 'pickup-snapshots',
  schedule: { everySeconds: 300 },
  async run({ transact }) {
    for (const { tenantId, eventId, day } of await transact(listDueSnapshots))
      await transact((db) => storePickupSnapshot({ db, tenantId, event: { id: eventId } }, day))
  },
}

/** Lists the room counts of an event from the snapshot of a day. */
export async function listSnapshotRoomCounts(
  { db, tenantId, event }: HousingQueryContext,
  day: string,
  hotelId?: string,
): Promise<RoomNightCountsOfSource[]> {
  const { rows } = await sql<RoomNightCountsOfSource>`
    select hotel_id as "hotelId", room_type_code as "roomTypeCode", night, nullif(block_id, '') as "blockId", contracted, returned, allocated,
      pickup, held, free_sell as "freeSell"
    from pickup_snapshots
    where tenant_id = ${tenantId} and event_id = ${event.id} and day = ${day} and (${hotelId ?? null}::text is null or hotel_id = ${hotelId ?? null})
    order by 1, 2, 3, block_id`.execute(db)
  return rows
}

/** Finds the day of the latest daily snapshot up to `until`, and the day of the first one; null if there is none. */
export async function findLatestSnapshotDay(
  { db, tenantId, event }: HousingQueryContext,
  until: string,
): Promise<{ day: string | null; first: string | null }> {
  const { rows } = await sql<{ day: string | null; first: string | null }>`
    select max(day) filter (where day <= ${until}) as day, min(day) as first from pickup_snapshots
    where tenant_id = ${tenantId} and event_id = ${event.id}`.execute(db)
  return rows[0]!
}

export interface DailyPickup {
  day: string
  pickup: number
}

/** Lists the booked room nights at the end of each day that has a snapshot, up to and including the given day. */
async function listPace({ db, tenantId, event }: HousingQueryContext, until: string, hotelId?: string): Promise<DailyPickup[]> {
  const { rows } = await sql<DailyPickup>`
    select day, sum(pickup)::int as pickup from pickup_snapshots
    where tenant_id = ${tenantId} and event_id = ${event.id} and day <= ${until}
      and (${hotelId ?? null}::text is null or hotel_id = ${hotelId ?? null})
    group by day order by day`.execute(db)
  return rows
}

interface PaceQuery {
  /** The last day for which room nights are listed. If omitted, the list ends with the counts of yesterday and of now. */
  day?: string | undefined
  today: string
  /** The id of a hotel; omitted for all hotels together. */
  only?: string | undefined
  /** Number of room nights that are booked now. */
  pickup: number
}

/**
 * Lists the booked room nights at the end of each day up to `day`. Without `day`, the list ends with yesterday's and the current number.
 */
export async function readPickupPace(ctx: HousingQueryContext, { day, today, only, pickup }: PaceQuery): Promise<DailyPickup[]> {
  const past = (await listPace(ctx, day ?? today, only)).filter((one) => day !== undefined || one.day < today)
  return day === undefined ? [...past, { day: today, pickup }] : past
}
