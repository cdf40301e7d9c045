import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type {} from './tables.ts'

/** What is scarce, by its key in the event, and how many of it. */
export interface Take {
  key: string
  quantity: number
}

export const EVENT_KEY = 'event'
export const productKey = (code: string) => `product:${code}`
export const flowKey = (slug: string) => `flow:${slug}`
export const discountKey = (code: string) => `discount:${code}`

type At = Pick<EventContext, 'tenantId' | 'db'> & { event: Pick<EventContext['event'], 'id'> }

/** Whose places: of a registration, or of the offer made to somebody who waits. */
export interface Holder {
  participantId: string
  entryId?: string | null
}

/** How long a registration that is being filled in keeps its places. */
export const HOLD_MINUTES = 15

/**
 * Holds exactly these places for them and no others. Returns the key that is full, and then nothing has changed: overdue holds on it were
 * ended before, so full is full.
 */
export const holdPlaces = (
  ctx: At,
  holder: Holder,
  wanted: readonly Take[],
  { until, beyondCapacity = false }: { until?: Date; beyondCapacity?: boolean } = {},
): Promise<string | null> => take(ctx, holder, wanted, { sells: false, beyondCapacity, until: until ?? null })

/** Sells these places: out of what they hold first. `beyondCapacity`: organizers may, knowingly; the surplus is noted as overage. */
export const sellPlaces = (
  ctx: At,
  holder: Holder,
  wanted: readonly Take[],
  { beyondCapacity = false }: { beyondCapacity?: boolean } = {},
): Promise<string | null> => take(ctx, holder, wanted, { sells: true, beyondCapacity, until: null })

async function take(
  { tenantId, event, db }: At,
  { participantId, entryId = null }: Holder,
  wanted: readonly Take[],
  { sells, beyondCapacity, until }: { sells: boolean; beyondCapacity: boolean; until: Date | null },
): Promise<string | null> {
  const { rows } = await sql<{ full: string | null }>`
    select inventory_take(${tenantId}, ${event.id}, ${participantId}, ${entryId}, ${JSON.stringify(wanted)}::jsonb, ${sells}, ${beyondCapacity},
      coalesce(${until}::timestamptz, lanyard_now() + make_interval(mins => ${HOLD_MINUTES}::int))) as full`.execute(db)
  return rows[0]!.full
}

/** Gives sold places back. */
export async function freePlaces({ tenantId, event, db }: At, freed: readonly Take[]): Promise<void> {
  if (freed.length === 0) return
  await sql`select inventory_free(${tenantId}, ${event.id}, ${JSON.stringify(freed)}::jsonb, false)`.execute(db)
}

export async function releaseHolds({ tenantId, event, db }: At, { participantId, entryId = null }: Holder): Promise<void> {
  await sql`select holds_end(${tenantId}, ${event.id}, ${participantId}, ${entryId}, 'released')`.execute(db)
}

/** While money for them is on its way, held places do not expire. */
export async function keepWhileCharging(ctx: At, holder: Holder): Promise<void> {
  await heldBy(ctx, holder).set({ charging: true }).execute()
}

/** The money did not come: they expire like any others. */
export async function keepUntil(ctx: At, holder: Holder, until: Date): Promise<void> {
  await heldBy(ctx, holder).set({ charging: false, expires_at: until }).execute()
}

const heldBy = ({ tenantId, event, db }: At, { participantId, entryId = null }: Holder) =>
  db
    .updateTable('holds')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', participantId)
    .where('entry_id', 'is not distinct from', entryId)
    .where('status', '=', 'active')

export interface Stock {
  key: string
  capacity: number | null
  overage: number
  held: number
  sold: number
}

/** Null where there is no limit. */
export const availableOf = ({ capacity, overage, held, sold }: Omit<Stock, 'key'>): number | null =>
  capacity === null ? null : capacity + overage - held - sold

export async function stockOf({ tenantId, event, db }: At, keys?: readonly string[]): Promise<Map<string, Stock>> {
  let query = db
    .selectFrom('inventory')
    .select(['key', 'capacity', 'overage', 'held', 'sold'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
  if (keys) query = query.where('key', '=', sql<string>`any(${keys})`)
  return new Map((await query.execute()).map((row) => [row.key, row]))
}
