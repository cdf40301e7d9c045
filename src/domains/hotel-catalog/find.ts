import { z } from 'zod'
import { toOneLine, count, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { HotelServices, ProviderHotel } from '../../kernel/hotel-providers.ts'
import { computeJaroWinkler } from '../../kernel/jaro-winkler.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { decryptCursor, paginateSorted } from '../../kernel/page.ts'
import { computeRoundedDistanceKm } from '../housing/distance.ts'
import { normalizePlaceName } from './cities.ts'
import { formatAddress, type HotelSourceRecord, type MergedHotel, mergeHotelRecords, toHotelMatchFacts } from './known-hotel.ts'
import { type LocalHotelSearch, MAX_LISTED_HOTELS, searchImportedHotels, searchClientHotels } from './local-hotels.ts'
import { type PlaceLookupResult, resolvePlace } from './places.ts'
import { toProviderSourceRecord } from './provider-cache.ts'
import { groupRecordsOfSameHotel } from './same-hotel.ts'
import { type CatalogSourceStatus, createFailedSourceStatus } from './sources.ts'

export interface CatalogHotelSearch {
  search?: string | undefined
  near?: string | undefined
  radiusKm: number
  minRooms?: number | undefined
  stars?: number | undefined
  brand?: string | undefined
  source: 'local' | 'provider' | 'all'
  limit: number
  cursor?: string | undefined
}

export const FoundHotelShape = object({
  catalogRef: untrustedText(),
  name: untrustedText(),
  address: untrustedText().optional(),
  distanceKm: z.number().optional(),
  stars: z.number().optional(),
  brand: untrustedText().optional(),
  rooms: count().optional(),
  source: oneOf(['local', 'provider']),
  hotelId: text().optional(),
  supplierId: text().optional(),
})
export const FOUND_HOTEL_FIELDS_SUMMARY = 'catalogRef, name, address, distanceKm, stars, brand, rooms, source, hotelId, supplierId'

export const SearchedPlaceShape = toOneLine(
  object({ name: untrustedText(), latitude: z.number(), longitude: z.number(), precision: oneOf(['exact', 'address', 'city']) }),
  'name, latitude, longitude, precision exact|address|city',
)

/** The results of the geocoder and of the hotel provider, requested over the network before the local search. */
export interface ExternalSearchResult {
  place: PlaceLookupResult['place'] | null
  provided: HotelSourceRecord[]
  sources: CatalogSourceStatus[]
}

/** Looks up the place and queries the hotel provider. Failures of the provider are reported in `sources`; unknown places are rejected. */
export async function searchExternalSources(
  ctx: EventContext & { hotels: HotelServices | null },
  wanted: CatalogHotelSearch,
): Promise<ExternalSearchResult> {
  // A cursor of another search is rejected before the geocoder or the hotel provider is called.
  if (wanted.cursor !== undefined) decryptCursor(ctx, wanted.cursor)
  if (wanted.search === undefined && wanted.near === undefined)
    throw invalidArguments([{ path: 'near', message: 'give near (the venue, a city or coordinates), search, or both' }])
  const lookup = wanted.near === undefined ? null : await resolvePlace(ctx, wanted.near, ctx.hotels?.geocoder ?? null)
  const place = lookup?.place ?? null
  const asked = wanted.source === 'local' ? null : await askProvider(ctx.hotels, { ...wanted, place })
  return { place, provided: asked?.found ?? [], sources: [...(asked ? [asked.source] : []), ...(lookup?.sources ?? [])] }
}

const PROVIDER_SETTING = 'Set LANYARD_HOTEL_CATALOG to search a public catalog of hotels'

async function askProvider(
  services: HotelServices | null,
  { search, radiusKm, place }: CatalogHotelSearch & { place: PlaceLookupResult['place'] | null },
): Promise<{ found: HotelSourceRecord[]; source: CatalogSourceStatus }> {
  const provider = services?.provider ?? null
  if (!services || !provider) return { found: [], source: { name: 'provider', status: 'notConfigured', reason: PROVIDER_SETTING } }
  const { name, attribution } = provider
  if (!place && provider.needsPlace)
    return { found: [], source: { name, status: 'skipped', reason: 'searches only near a place', attribution } }
  try {
    const near = place && { ...place, radiusKm }
    const hotels = await provider.search({ text: search ?? null, near })
    await services.remember(hotels)
    return {
      found: hotels.map((hotel) => toProviderSourceRecord(hotel, new Date(), provider)),
      source: { name, status: 'ok', attribution },
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { found: [], source: createFailedSourceStatus(provider, error) }
  }
}

const NARROW_NOTE = `Only the first ${MAX_LISTED_HOTELS} hotels are compared. Give a smaller radiusKm, or search, stars or minRooms.`

/** Finds hotels near a place, or by text: those of the client's events, of the imported catalog and of the provider, each hotel once. */
export async function findCatalogHotels(ctx: EventContext, wanted: CatalogHotelSearch, { place, provided, sources }: ExternalSearchResult) {
  const search: LocalHotelSearch = {
    text: wanted.search ?? null,
    near: place && { ...place, radiusKm: wanted.radiusKm },
    minRooms: wanted.minRooms ?? null,
    stars: wanted.stars ?? null,
    brand: wanted.brand ?? null,
  }
  const [own, imported] =
    wanted.source === 'provider' ? [[], []] : await Promise.all([searchClientHotels(ctx, search), searchImportedHotels(ctx.db, search)])
  const near = provided.filter((hotel) => isNear(search, hotel) && matchesText(search, hotel))
  const merged = groupRecordsOfSameHotel([...own, ...imported, ...near].map(toHotelMatchFacts)).map((group) =>
    mergeHotelRecords(group.map(({ hotel }) => hotel)),
  )
  const page = paginateSorted(ctx, wanted, {
    rows: merged.filter((hotel) => hasFacts(search, hotel)),
    keyOf: (hotel) => sortKey(search, hotel),
    compare: compareKeys,
    shape: (hotel) => toFoundHotel(hotel, search, ctx.event.id),
  })
  const { items, ...rest } = page
  const attributions = new Set(imported.flatMap(({ attribution }) => attribution ?? []))
  return {
    hotels: items,
    ...(place ? { near: place } : {}),
    sources: [...(wanted.source === 'provider' ? [] : [localSource(attributions)]), ...sources],
    ...rest,
    ...(imported.length >= MAX_LISTED_HOTELS && rest.truncated === undefined ? { truncated: true as const, note: NARROW_NOTE } : {}),
  }
}

const localSource = (attributions: ReadonlySet<string>): CatalogSourceStatus => ({
  name: 'local',
  status: 'ok',
  ...(attributions.size > 0 ? { attribution: [...attributions].join('; ') } : {}),
})

const isNear = ({ near }: LocalHotelSearch, hotel: ProviderHotel): boolean => {
  const distance = near && computeRoundedDistanceKm(near, hotel)
  return near === null || (distance !== null && distance <= near.radiusKm)
}

const matchesText = ({ text: wanted }: LocalHotelSearch, { name, brand, address }: ProviderHotel): boolean => {
  const known = normalizePlaceName([name, brand, formatAddress(address)].join(' '))
  return (
    wanted === null ||
    normalizePlaceName(wanted)
      .split(' ')
      .every((word) => known.includes(word))
  )
}

/** Whether a hotel has the facts that a search asks for. Unknown facts do not match. */
function hasFacts({ minRooms, stars, brand }: LocalHotelSearch, hotel: MergedHotel): boolean {
  const branded = normalizePlaceName(`${hotel.brand ?? ''} ${hotel.name}`)
  return (
    (minRooms === null || (hotel.rooms ?? -1) >= minRooms) &&
    (stars === null || Math.floor(hotel.stars ?? -1) === stars) &&
    (brand === null ||
      normalizePlaceName(brand)
        .split(' ')
        .every((word) => branded.includes(word)))
  )
}

/** The distance by which hotels without coordinates are sorted. It is larger than every distance on the globe. */
const UNKNOWN_DISTANCE_KM = 100_000

/** Returns the values by which a hotel is sorted: its distance if a place is given, otherwise how well its name matches the text. */
function sortKey({ near, text: wanted }: LocalHotelSearch, hotel: MergedHotel): (string | number)[] {
  if (near) return [computeRoundedDistanceKm(near, hotel) ?? UNKNOWN_DISTANCE_KM, hotel.name, hotel.ref]
  const [asked, name] = [normalizePlaceName(wanted ?? ''), normalizePlaceName(hotel.name)]
  const tier = name === asked ? 0 : name.startsWith(`${asked} `) ? 1 : name.includes(asked) ? 2 : 3
  return [tier, Math.round((1 - computeJaroWinkler(asked, name)) * 1000), hotel.name, hotel.ref]
}

function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]!
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

function toFoundHotel(hotel: MergedHotel, { near }: LocalHotelSearch, eventId: string): z.input<typeof FoundHotelShape> {
  const { ref, name, address, stars, brand, rooms, records } = hotel
  const here = records.find(({ atEvent }) => atEvent?.eventId === eventId)?.atEvent
  return omitNulls({
    catalogRef: ref,
    name,
    address: formatAddress(address) || null,
    distanceKm: near && computeRoundedDistanceKm(near, hotel),
    stars,
    brand,
    rooms,
    source: records.every(({ source }) => source === 'provider') ? ('provider' as const) : ('local' as const),
    hotelId: here?.hotelId ?? null,
    supplierId: records.find(({ atEvent }) => atEvent?.supplierId != null)?.atEvent!.supplierId ?? null,
  })
}
