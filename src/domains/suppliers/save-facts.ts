import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { type HotelMatchFacts, groupRecordsOfSameHotel, normalizeHotelName, normalizeWebsite } from '../hotel-catalog/same-hotel.ts'
import { getSupplierIdentity } from './identity.ts'
import { findFactValue, type SupplierFact, type SupplierFacts } from './site/facts.ts'
import {
  createSupplier,
  editSupplier,
  findSupplierByIdentity,
  type SupplierChangeScope,
  type SupplierEdit,
  type SupplierScope,
  selectClientSuppliers,
} from './suppliers.ts'
import type { SupplierAddress, SupplierRow, SupplierFactOrigin } from './tables.ts'

/** Facts about one supplier, with at least its name. */
export type SupplierFactsWithName = Partial<SupplierFacts> & Pick<SupplierFacts, 'name'>

export const toSupplierFactsWithName = (facts: readonly SupplierFact[]): SupplierFactsWithName => ({
  ...Object.fromEntries(facts.map(({ name, value }) => [name, value])),
  name: findFactValue(facts, 'name')!,
})

/**
 * Returns a reference that is equal for suppliers with the same identity, so that identities are compared in the same way as catalog ids.
 */
export const toSupplierIdentityReference = (identity: string) => `identity:${identity}`

const toComparedFacts = ({ name, address = {}, point, website }: SupplierFactsWithName, catalogRef: string | null): HotelMatchFacts => ({
  refs: [toSupplierIdentityReference(getSupplierIdentity(name, address)), ...(catalogRef === null ? [] : [catalogRef])],
  name,
  city: address.city ?? null,
  country: address.country ?? null,
  postalCode: address.postalCode ?? null,
  latitude: point?.latitude ?? null,
  longitude: point?.longitude ?? null,
  website: website ?? null,
})

export const toSupplierMatchCandidate = (row: SupplierRow): HotelMatchFacts & { row: SupplierRow } => ({
  row,
  refs: [toSupplierIdentityReference(row.identity), ...(row.catalog_ref === null ? [] : [row.catalog_ref])],
  name: row.name,
  city: row.address.city ?? null,
  country: row.address.country ?? null,
  postalCode: row.address.postalCode ?? null,
  latitude: row.latitude,
  longitude: row.longitude,
  website: row.website,
})

/** The maximum distance between records of the same supplier, in degrees of latitude: 250 m. */
const NEARBY_DEGREES = 0.0025
const MAX_CANDIDATES = 500

/** Finds the client's supplier that the facts describe, by the rules that detect duplicate hotels. The lowest id wins if several match. */
export async function findMatchingSupplier(
  ctx: SupplierScope,
  facts: SupplierFactsWithName,
  catalogRef: string | null = null,
): Promise<SupplierRow | null> {
  const { name, address = {}, point, website } = facts
  const host = normalizeWebsite(website ?? null)?.host ?? null
  const namePrefix = `${normalizeHotelName(name, address.city ?? null)}|`
  const candidates = await selectClientSuppliers(ctx)
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('identity', '=', getSupplierIdentity(name, address)),
        eb.and([eb('identity', '>=', namePrefix), eb('identity', '<', `${namePrefix}\u{10ffff}`)]),
        ...(catalogRef === null ? [] : [eb('catalog_ref', '=', catalogRef)]),
        ...(host === null ? [] : [buildWordMatchCondition(sql.ref('suppliers.searched'), host)]),
        ...(point === undefined ? [] : [eb.between('latitude', point.latitude - NEARBY_DEGREES, point.latitude + NEARBY_DEGREES)]),
      ]),
    )
    .orderBy('id')
    .limit(MAX_CANDIDATES)
    .execute()
  const group = groupRecordsOfSameHotel<HotelMatchFacts & { row: SupplierRow | null }>([
    { ...toComparedFacts(facts, catalogRef), row: null },
    ...candidates.map(toSupplierMatchCandidate),
  ])[0]!
  return group.find(({ row }) => row !== null)?.row ?? null
}

export interface SavedSupplier {
  row: SupplierRow
  isNew: boolean
}

/** Creates an unverified supplier from facts such as name and address. If the client already has the supplier, fills its empty fields. */
export async function saveSupplierFacts(
  ctx: SupplierChangeScope,
  facts: SupplierFactsWithName,
  { source, catalogRef = null, existing }: { source: SupplierFactOrigin; catalogRef?: string | null; existing?: SupplierRow | null },
): Promise<SavedSupplier> {
  const same = existing === undefined ? await findMatchingSupplier(ctx, facts, catalogRef) : existing
  if (same) return { row: await fillEmpty(ctx, same, facts, source), isNew: false }
  const { point, kind = 'other', stars, ...values } = facts
  const created = { ...values, kind, ...point, ...(stars === undefined ? {} : { stars: String(stars) }) }
  return { row: await createSupplier(ctx, created, { source, catalogRef }), isNew: true }
}

/** Writes facts to empty fields of a supplier. Existing values are kept. */
async function fillEmpty(
  ctx: SupplierChangeScope,
  row: SupplierRow,
  facts: SupplierFactsWithName,
  source: SupplierFactOrigin,
): Promise<SupplierRow> {
  const address = await fillAddress(ctx, row, facts.address ?? {})
  const edit: SupplierEdit = {
    ...(row.contacts.length === 0 && facts.contacts ? { contacts: facts.contacts } : {}),
    ...(address ? { address } : {}),
    ...(row.latitude === null && facts.point ? facts.point : {}),
    ...(row.website === null && facts.website ? { website: facts.website } : {}),
    ...(row.chain === null && facts.chain ? { chain: facts.chain } : {}),
    ...(row.stars === null && facts.stars !== undefined ? { stars: String(facts.stars) } : {}),
    ...(row.sleeping_rooms === null && facts.sleepingRooms !== undefined ? { sleepingRooms: facts.sleepingRooms } : {}),
    ...(row.meeting_rooms.length === 0 && facts.meetingRooms ? { meetingRooms: facts.meetingRooms } : {}),
    ...(row.total_meeting_sqm === null && facts.totalMeetingSqm !== undefined ? { totalMeetingSqm: facts.totalMeetingSqm } : {}),
    ...(row.amenities.length === 0 && facts.amenities ? { amenities: facts.amenities } : {}),
  }
  return (await editSupplier(ctx, row, edit, source)).row
}

/** Adds missing parts to the address. Null if none are missing, parts differ, or another supplier has this name and address already. */
async function fillAddress(ctx: SupplierScope, row: SupplierRow, found: SupplierAddress): Promise<SupplierAddress | null> {
  const fold = (part: string | undefined) => part?.normalize('NFKC').toLowerCase()
  const keys = Object.keys(found) as (keyof SupplierAddress)[]
  if (keys.some((key) => row.address[key] !== undefined && fold(row.address[key]) !== fold(found[key]))) return null
  const filled = { ...found, ...row.address }
  if (isDeepStrictEqual(filled, row.address)) return null
  const other = await findSupplierByIdentity(ctx, getSupplierIdentity(row.name, filled))
  return other === null || other.id === row.id ? filled : null
}
