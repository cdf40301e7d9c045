import { object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import type { ProviderHotel } from '../../kernel/hotel-providers.ts'
import { computeJaroWinkler } from '../../kernel/jaro-winkler.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { resolvePlace } from '../hotel-catalog/places.ts'
import { normalizeHotelName } from '../hotel-catalog/same-hotel.ts'
import { findMatchingSupplier, type SupplierFactsWithName, saveSupplierFacts, toSupplierFactsWithName } from './save-facts.ts'
import { toSupplierDetail } from './shapes.ts'
import { chooseMostReliableFacts, FACT_CONFIDENCE_LEVELS, FACT_SOURCES, type SupplierFact, toSupplierFacts } from './site/facts.ts'
import { readSupplierWebsite } from './site/read-site.ts'
import type { SupplierKind } from './supplier-record.ts'
import type { SupplierFactOrigin } from './tables.ts'

export interface SupplierDiscoveryInput {
  url?: string | undefined
  name?: string | undefined
  city?: string | undefined
  kind?: SupplierKind | undefined
  save: boolean
}

export const SupplierFactShape = object({
  name: text(),
  value: untrustedText(),
  source: oneOf(FACT_SOURCES),
  confidence: oneOf(FACT_CONFIDENCE_LEVELS),
})

/** The facts that a website or the hotel provider has about one supplier. */
export interface DiscoveredSupplierFacts {
  facts: SupplierFact[]
  source: Omit<SupplierFactOrigin, 'at'>
  catalogRef: string | null
}

/** Reads the supplier's website, or searches the hotel provider by name, before the transaction. */
export async function fetchSupplierFacts(
  ctx: PrefetchContext<EventContext>,
  wanted: SupplierDiscoveryInput,
): Promise<DiscoveredSupplierFacts> {
  const { url, name, city } = wanted
  if ((url === undefined) === (name === undefined))
    throw invalidArguments([{ path: 'url', message: 'give either the url of the supplier, or its name and city' }])
  if (url !== undefined) {
    const site = await readSupplierWebsite(ctx.fetcher, url)
    return { facts: site.facts, source: { kind: 'page', ref: site.url }, catalogRef: null }
  }
  if (city === undefined) throw invalidArguments([{ path: 'city', message: 'give the city of the supplier as well' }])
  return askForName(ctx, { name: name!, city })
}

const SEARCH_KM = 25
/** The minimum name similarity for a hotel of the hotel provider to count as the searched one. */
const MIN_SIMILARITY = 0.85

async function askForName(
  ctx: PrefetchContext<EventContext>,
  { name, city }: { name: string; city: string },
): Promise<DiscoveredSupplierFacts> {
  const services = ctx.hotels
  const provider = services?.provider ?? null
  if (!services || !provider)
    throw new AppError('unavailable', 'No catalog of hotels is configured: set LANYARD_HOTEL_CATALOG, or give the url of the supplier')
  const { place } = await resolvePlace(ctx, city, services.geocoder)
  const hotels = await provider.search({ text: name, near: { ...place, radiusKm: SEARCH_KM } })
  await services.remember(hotels)
  const found = chooseByName(hotels, name)
  if (!found) throw notFound(`No hotel with a name like this was found near ${place.name}. Give the url of the supplier`)
  const known = toSupplierFacts(convertHotelToSupplierFacts(found), { source: 'provider', confidence: 'medium' })
  const onSite = found.website === null ? [] : await readOwnSite(ctx, found.website)
  return { facts: chooseMostReliableFacts([...known, ...onSite]), source: { kind: 'provider', ref: found.ref }, catalogRef: found.ref }
}

/** Adds facts from the supplier's website that the hotel provider does not have. A website that cannot be read adds nothing. */
async function readOwnSite({ fetcher }: { fetcher: PrefetchContext<EventContext>['fetcher'] }, website: string): Promise<SupplierFact[]> {
  try {
    const { facts } = await readSupplierWebsite(fetcher, website)
    return facts.filter(({ name }) => name !== 'name' && name !== 'kind')
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function chooseByName(hotels: readonly ProviderHotel[], name: string): ProviderHotel | null {
  const rated = hotels.map((hotel) => {
    const city = hotel.address.city ?? null
    return { hotel, similarity: computeJaroWinkler(normalizeHotelName(name, city), normalizeHotelName(hotel.name, city)) }
  })
  const best = rated.toSorted((a, b) => b.similarity - a.similarity || (a.hotel.ref < b.hotel.ref ? -1 : 1))[0]
  return best && best.similarity >= MIN_SIMILARITY ? best.hotel : null
}

/** Converts a hotel of a catalog to supplier facts. */
export const convertHotelToSupplierFacts = (hotel: Omit<ProviderHotel, 'ref'>): SupplierFactsWithName => ({
  name: hotel.name,
  kind: 'hotel',
  ...(Object.keys(hotel.address).length > 0 ? { address: hotel.address } : {}),
  ...(hotel.latitude === null || hotel.longitude === null ? {} : { point: { latitude: hotel.latitude, longitude: hotel.longitude } }),
  ...(hotel.phone === null ? {} : { contacts: [{ phone: hotel.phone }] }),
  ...(hotel.website === null ? {} : { website: hotel.website }),
  ...(hotel.brand === null ? {} : { chain: hotel.brand }),
  ...(hotel.stars === null ? {} : { stars: hotel.stars }),
  ...(hotel.rooms === null ? {} : { sleepingRooms: hotel.rooms }),
})

/** Saves a found supplier as unverified, or fills the empty fields of the client's existing supplier. */
export async function discoverSupplier(
  ctx: EventContext,
  { kind, save }: SupplierDiscoveryInput,
  { facts, source, catalogRef }: DiscoveredSupplierFacts,
) {
  const known: SupplierFactsWithName = { ...toSupplierFactsWithName(facts), ...(kind === undefined ? {} : { kind }) }
  const existing = await findMatchingSupplier(ctx, known, catalogRef)
  const merged = existing === null ? {} : { merged: existing.id }
  const at = (await getDatabaseTime(ctx)).toISOString()
  const origins = facts.map((fact) => ({ name: fact.name, value: describeValue(fact), source: fact.source, confidence: fact.confidence }))
  if (!save) return { supplier: existing ? toSupplierDetail(existing) : preview(known, { ...source, at }), fields: origins, ...merged }
  const { row } = await saveSupplierFacts(ctx, known, { source: { ...source, at }, catalogRef, existing })
  return { supplier: toSupplierDetail(row), fields: origins, ...merged }
}

function preview({ point, kind = 'other', ...facts }: SupplierFactsWithName, source: SupplierFactOrigin) {
  const empty = { contacts: [], address: {}, meetingRooms: [], amenities: [] }
  return { ...empty, ...facts, ...point, kind, status: 'unverified' as const, sources: [source] }
}

function describeValue(fact: SupplierFact): string {
  if (fact.name === 'meetingRooms')
    return fact.value
      .map(({ name, areaSqm, capacity }) => {
        const setups = Object.entries(capacity).map(([setup, people]) => `${setup} ${people}`)
        return [name, ...(areaSqm === undefined ? [] : [`${areaSqm} m²`]), ...setups].join(', ')
      })
      .join('; ')
  if (fact.name === 'contacts') return fact.value.map((contact) => Object.values(contact).join(', ')).join('; ')
  if (fact.name === 'point') return `${fact.value.latitude}, ${fact.value.longitude}`
  if (fact.name === 'address') return Object.values(fact.value).join(', ')
  return Array.isArray(fact.value) ? fact.value.join(', ') : String(fact.value)
}
