import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { HotelFacts, HotelProvider, ProviderHotel } from '../../kernel/hotel-providers.ts'
import type { HotelSourceRecord } from './known-hotel.ts'

/** How long a cached response of the hotel provider is used before the provider is queried again. */
const FRESH_MS = 30 * 24 * 60 * 60 * 1000

export interface CachedHotel {
  hotel: ProviderHotel
  fetchedAt: Date
  /** The time at which the cached response went out of date; null if it is fresh. */
  staleSince: Date | null
}

/** Stores the latest responses of the hotel provider. Hotels are public data, so all tenants share them. */
export async function cacheHotels(db: Db, hotels: readonly ProviderHotel[]): Promise<void> {
  const facts = new Map(hotels.map(({ ref, ...known }) => [ref, known]))
  if (facts.size === 0) return
  await sql`
    insert into provider_hotels (ref, facts) select * from unnest(${[...facts.keys()]}::text[], ${[...facts.values()].map((one) => JSON.stringify(one))}::jsonb[])
    on conflict (ref) do update set facts = excluded.facts, fetched_at = excluded.fetched_at`.execute(db)
}

export async function readCachedHotel(db: Db, ref: string): Promise<CachedHotel | null> {
  const { rows } = await sql<{ facts: HotelFacts; fetched_at: Date; now: Date }>`
    select facts, fetched_at, lanyard_now() as now from provider_hotels where ref = ${ref}`.execute(db)
  if (!rows[0]) return null
  const { facts, fetched_at, now } = rows[0]
  const staleAt = new Date(fetched_at.getTime() + FRESH_MS)
  return { hotel: { ...facts, ref }, fetchedAt: fetched_at, staleSince: staleAt <= now ? staleAt : null }
}

/** Deletes cached responses of the hotel provider that are more than a year old. */
export async function deleteOldProviderResponses(db: Db): Promise<void> {
  await sql`delete from provider_hotels where fetched_at < lanyard_now() - interval '1 year'`.execute(db)
}

export const toProviderSourceRecord = (
  hotel: ProviderHotel,
  at: Date,
  provider: Pick<HotelProvider, 'attribution'> | null,
): HotelSourceRecord => ({
  ...hotel,
  source: 'provider',
  at,
  attribution: provider?.attribution ?? null,
  atEvent: null,
})
