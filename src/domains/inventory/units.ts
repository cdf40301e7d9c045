import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'

/** A number of units, such as seats, of the product, flow, discount or event that `key` identifies. */
export interface InventoryQuantity {
  key: string
  quantity: number
}

export const EVENT_INVENTORY_KEY = 'event'
export const toProductInventoryKey = (code: string) => `product:${code}`
export const toFlowInventoryKey = (slug: string) => `flow:${slug}`
export const toDiscountInventoryKey = (code: string) => `discount:${code}`

type InventoryScope = Pick<EventContext, 'tenantId' | 'db'> & { event: Pick<EventContext['event'], 'id'> }

/** The registration or waiting list offer that units of capacity are held for. */
export interface InventoryHolder {
  participantId: string
  entryId?: string | null
}

/** How long capacity is held for an unfinished registration. */
export const INVENTORY_HOLD_MINUTES = 15

/**
 * Replaces all held units of the holder by the given units. If a key is full, returns that key and changes nothing. Overdue holds of that
 * key are released first.
 */
export const holdUnits = (
  ctx: InventoryScope,
  holder: InventoryHolder,
  wanted: readonly InventoryQuantity[],
  { until, beyondCapacity = false }: { until?: Date; beyondCapacity?: boolean } = {},
): Promise<string | null> => takeUnits(ctx, holder, wanted, { sells: false, beyondCapacity, until: until ?? null })

/**
 * Sells units, using the holder's own holds first. With `beyondCapacity`, which only organizers may set, the excess is recorded as
 * overage.
 */
export const sellUnits = (
  ctx: InventoryScope,
  holder: InventoryHolder,
  wanted: readonly InventoryQuantity[],
  { beyondCapacity = false }: { beyondCapacity?: boolean } = {},
): Promise<string | null> => takeUnits(ctx, holder, wanted, { sells: true, beyondCapacity, until: null })

async function takeUnits(
  { tenantId, event, db }: InventoryScope,
  { participantId, entryId = null }: InventoryHolder,
  wanted: readonly InventoryQuantity[],
  { sells, beyondCapacity, until }: { sells: boolean; beyondCapacity: boolean; until: Date | null },
): Promise<string | null> {
  const { rows } = await sql<{ full: string | null }>`
    select inventory_take(${tenantId}, ${event.id}, ${participantId}, ${entryId}, ${JSON.stringify(wanted)}::jsonb, ${sells}, ${beyondCapacity},
      coalesce(${until}::timestamptz, lanyard_now() + make_interval(mins => ${INVENTORY_HOLD_MINUTES}::int))) as full`.execute(db)
  return rows[0]!.full
}

export async function returnSoldUnits({ tenantId, event, db }: InventoryScope, freed: readonly InventoryQuantity[]): Promise<void> {
  if (freed.length === 0) return
  await sql`select inventory_free(${tenantId}, ${event.id}, ${JSON.stringify(freed)}::jsonb, false)`.execute(db)
}

export async function releaseHolds(
  { tenantId, event, db }: InventoryScope,
  { participantId, entryId = null }: InventoryHolder,
): Promise<void> {
  await sql`select holds_end(${tenantId}, ${event.id}, ${participantId}, ${entryId}, 'released')`.execute(db)
}

/** Releases all capacity that is held at the event, and returns the number of released holds. */
export async function releaseAllHolds({ tenantId, event, db }: InventoryScope): Promise<number> {
  const { rows } = await sql<{ holds: number }>`
    select coalesce(sum(holds_end(h.tenant_id, h.event_id, h.participant_id, h.entry_id, 'released')), 0)::int as holds
    from (select distinct tenant_id, event_id, participant_id, entry_id from holds
      where tenant_id = ${tenantId} and event_id = ${event.id} and status = 'active') h`.execute(db)
  return rows[0]!.holds
}

/** Keeps the capacity held for a registration or offer from expiring while its payment is in progress. */
export async function suspendHoldExpiry(ctx: InventoryScope, holder: InventoryHolder): Promise<void> {
  await updateHolds(ctx, holder).set({ charging: true }).execute()
}

/** Lets the capacity held for a registration or offer expire at `until`, after its payment has failed. */
export async function setHoldExpiryTime(ctx: InventoryScope, holder: InventoryHolder, until: Date): Promise<void> {
  await updateHolds(ctx, holder).set({ charging: false, expires_at: until }).execute()
}

const updateHolds = (ctx: InventoryScope, { participantId, entryId = null }: InventoryHolder) =>
  eventDb(ctx)
    .updateTable('holds')
    .where('participant_id', '=', participantId)
    .where('entry_id', 'is not distinct from', entryId)
    .where('status', '=', 'active')

/**
 * Raises the overage (permitted units above capacity) of an inventory key (such as `product:dinner`), so that one more unit can be sold
 * beyond its capacity. Only organizers may do this.
 */
export async function allowOneUnitBeyondCapacity({ tenantId, event, db }: InventoryScope, key: string): Promise<void> {
  await sql`
    update inventory set overage = greatest(overage, held + sold + 1 - capacity)
    where tenant_id = ${tenantId} and event_id = ${event.id} and key = ${key} and capacity is not null`.execute(db)
}

export interface StockLevel {
  key: string
  capacity: number | null
  overage: number
  held: number
  sold: number
}

/** The number of units that can still be sold; null if the capacity is unlimited. */
export const countAvailableUnits = ({ capacity, overage, held, sold }: Omit<StockLevel, 'key'>): number | null =>
  capacity === null ? null : capacity + overage - held - sold

/**
 * Reads the stock (capacity, held and sold units) of these inventory keys (such as `product:dinner`) for one holder, whose own holds are
 * not counted as held. Locks no rows.
 */
export async function readStockExcludingOwnHolds(
  { tenantId, event, db }: InventoryScope,
  { participantId, entryId = null }: InventoryHolder,
  keys: readonly string[],
): Promise<Map<string, StockLevel>> {
  const { rows } = await sql<StockLevel>`
    select i.key, i.capacity, i.overage, i.sold, (i.held - coalesce((
      select sum(h.quantity) from holds h where h.tenant_id = i.tenant_id and h.event_id = i.event_id and h.participant_id = ${participantId}
        and h.entry_id is not distinct from ${entryId} and h.key = i.key and h.status = 'active'), 0))::int as held
    from inventory i where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.key = any(${keys})`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

/** Whether all requested units are available. False if an inventory key is unknown. */
export function hasAllRequestedUnits(stock: ReadonlyMap<string, StockLevel>, wanted: readonly InventoryQuantity[]): boolean {
  const quantities = new Map<string, number>()
  for (const { key, quantity } of wanted) quantities.set(key, (quantities.get(key) ?? 0) + quantity)
  return [...quantities].every(([key, quantity]) => {
    const level = stock.get(key)
    return level !== undefined && (countAvailableUnits(level) ?? quantity) >= quantity
  })
}

export async function readStockLevels(ctx: InventoryScope, keys?: readonly string[]): Promise<Map<string, StockLevel>> {
  let query = eventDb(ctx).selectFrom('inventory').select(['key', 'capacity', 'overage', 'held', 'sold'])
  if (keys) query = query.where('key', '=', sql<string>`any(${keys})`)
  return new Map((await query.execute()).map((row) => [row.key, row]))
}
