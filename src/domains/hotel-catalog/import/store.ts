import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { ImportedHotel } from './imported-hotel.ts'

const FACTS = [
  'format',
  'name',
  'street',
  'postal_code',
  'city',
  'region',
  'country',
  'latitude',
  'longitude',
  'stars',
  'rooms',
  'brand',
  'phone',
  'website',
  'attribution',
]
const NUMBERS: Record<string, string> = { latitude: 'float8', longitude: 'float8', stars: 'float8', rooms: 'integer' }

const columns = (prefix: string) => sql.raw(FACTS.map((fact) => prefix + fact).join(', '))
const TYPES = sql.raw(['ref text', ...FACTS.map((fact) => `${fact} ${NUMBERS[fact] ?? 'text'}`)].join(', '))
const ASSIGNMENTS = sql.raw(FACTS.map((fact) => `${fact} = excluded.${fact}`).join(', '))

/** Adds or updates hotels of the catalog. Unchanged rows are not written. Each ref must occur once in `hotels`. */
export async function storeHotels(db: Db, hotels: readonly ImportedHotel[]): Promise<{ added: number; changed: number }> {
  const rows = hotels
    .map(({ ref, address, ...facts }) => ({ ref, ...facts, ...address, postal_code: address.postalCode }))
    // All imports lock rows in the order of their refs, so that they do not deadlock.
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
  const refs = rows.map(({ ref }) => ref)
  const known = await sql<{ ref: string }>`select ref from catalog_hotels where ref = any(${refs})`.execute(db)
  const stored = await sql<{ ref: string }>`
    insert into catalog_hotels (ref, ${columns('')}) select ref, ${columns('')} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(${TYPES})
    on conflict (ref) do update set ${ASSIGNMENTS}, imported_at = excluded.imported_at
      where (${columns('catalog_hotels.')}) is distinct from (${columns('excluded.')})
    returning catalog_hotels.ref`.execute(db)
  const before = new Set(known.rows.map(({ ref }) => ref))
  const added = stored.rows.filter(({ ref }) => !before.has(ref)).length
  return { added, changed: stored.rows.length - added }
}
