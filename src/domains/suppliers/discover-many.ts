import { z } from 'zod'
import { flag, list, object, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { GeoPoint, HotelServices } from '../../kernel/hotel-providers.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { searchExternalSources } from '../hotel-catalog/find.ts'
import { type HotelSourceRecord, mergeHotelRecords, toHotelMatchFacts } from '../hotel-catalog/known-hotel.ts'
import { searchImportedHotels, searchClientHotels } from '../hotel-catalog/local-hotels.ts'
import { resolvePlace } from '../hotel-catalog/places.ts'
import { type HotelMatchFacts, groupRecordsOfSameHotel } from '../hotel-catalog/same-hotel.ts'
import type { CatalogSourceStatus } from '../hotel-catalog/sources.ts'
import { KM_PER_LATITUDE_DEGREE } from '../housing/distance.ts'
import { convertHotelToSupplierFacts } from './discover.ts'
import {
  MAX_ROOM_SHARE_PER_EVENT,
  type SupplierFit,
  type SupplierFitInput,
  type FitRequirements,
  FIT_CRITERIA,
  rateSupplierFit,
} from './fit.ts'
import { getSupplierIdentity } from './identity.ts'
import { computeDistanceToWantedPlace, normalizeCityName, readGeocodedRequirements, type GeocodingContext } from './need.ts'
import { toSupplierIdentityReference, type SavedSupplier, saveSupplierFacts, toSupplierMatchCandidate } from './save-facts.ts'
import { computeTotalMeetingSqm } from './shapes.ts'
import type { SupplierKind } from './supplier-record.ts'
import { selectClientSuppliers } from './suppliers.ts'
import type { SupplierRow } from './tables.ts'

export interface DiscoveryCriteria {
  place: string
  radiusKm: number
  kind: SupplierKind
  minSleepingRooms?: number | undefined
  minTotalSqm?: number | undefined
  stars?: number | undefined
  amenities?: readonly string[] | undefined
}

export interface DiscoveryRequest {
  briefId?: string | undefined
  criteria?: DiscoveryCriteria | undefined
  limit: number
  save: boolean
}

export const SupplierCandidate = object({
  supplierId: text().optional(),
  name: untrustedText(),
  fit: z.number(),
  distanceKm: z.number().optional(),
  reasons: list(text()),
  unknown: list(text()),
  new: flag(),
})
export const CANDIDATE_FIELDS_TEXT = 'supplierId, name, fit, distanceKm, reasons[], unknown[], new'

/** The prepared input of a supplier search: the requirements, the search locations, and the hotels that the external provider returned. */
export interface PreparedSupplierSearch {
  need: FitRequirements
  centers: readonly GeoPoint[]
  cities: readonly string[]
  radiusKm: number
  kinds: readonly SupplierKind[]
  limits: { minSleepingRooms: number; minTotalSqm: number; stars: number }
  provided: HotelSourceRecord[]
  sources: CatalogSourceStatus[]
}

/** Geocodes the search locations and queries the hotel provider, before the transaction. Throws for unknown locations. */
export async function prepareDiscovery(ctx: GeocodingContext, wanted: DiscoveryRequest): Promise<PreparedSupplierSearch> {
  if ((wanted.briefId === undefined) === (wanted.criteria === undefined))
    throw invalidArguments([{ path: 'briefId', message: 'give either briefId or criteria' }])
  const prepared = wanted.criteria ? await locateCriteria(ctx, wanted.criteria) : await locateNeed(ctx, wanted.briefId!)
  const answers = prepared.kinds.includes('hotel') ? await askProviders(ctx, prepared) : { provided: [], sources: [] }
  return { ...prepared, provided: answers.provided, sources: [...prepared.sources, ...answers.sources] }
}

type Located = Omit<PreparedSupplierSearch, 'provided'>
const NO_LIMITS = { minSleepingRooms: 0, minTotalSqm: 0, stars: 0 }

async function locateNeed(ctx: GeocodingContext, briefId: string): Promise<Located> {
  const { need, centers, cities, radiusKm, needsSpace, sources } = await readGeocodedRequirements(ctx, briefId, { lenient: false })
  if (centers.length === 0) throw invalidArguments([{ path: 'briefId', message: 'the brief names no city yet: answer cities first' }])
  const kinds: SupplierKind[] = needsSpace ? ['hotel', 'venue'] : ['hotel']
  return { need, centers, cities, radiusKm, kinds, limits: NO_LIMITS, sources }
}

async function locateCriteria(ctx: GeocodingContext, criteria: DiscoveryCriteria): Promise<Located> {
  const { place: name, radiusKm, kind, minSleepingRooms = 0, minTotalSqm = 0, stars = 0, amenities = [] } = criteria
  const { place, sources } = await resolvePlace(ctx, name, ctx.hotels?.geocoder ?? null)
  return {
    // `rateSupplierFit` assumes that an event gets only this share of a hotel's rooms, but the minimum is about all rooms of the hotel.
    need: { peak: minSleepingRooms * MAX_ROOM_SHARE_PER_EVENT, area: minTotalSqm, radiusKm, mustHaves: amenities },
    centers: [place],
    cities: [normalizeCityName(name)],
    radiusKm,
    kinds: [kind],
    limits: { minSleepingRooms, minTotalSqm, stars },
    sources,
  }
}

/** Queries the hotel provider around every search location. A failure is reported in `sources`. */
async function askProviders(ctx: EventContext & { hotels: HotelServices | null }, { centers, radiusKm }: Located) {
  const provided: HotelSourceRecord[] = []
  const sources = new Map<string, CatalogSourceStatus>()
  for (const { latitude, longitude } of centers) {
    const asked = await searchExternalSources(ctx, { near: `${latitude},${longitude}`, radiusKm, source: 'all', limit: 1 })
    provided.push(...asked.provided)
    for (const source of asked.sources) if (sources.get(source.name)?.status !== 'failed') sources.set(source.name, source)
  }
  return { provided, sources: [...sources.values()] }
}

interface RatedCandidate extends SupplierFit {
  name: string
  /** Identifies a found hotel or venue. The key of a catalog hotel stays the same when the hotel is saved as a supplier. */
  key: string
  supplier: SupplierRow | null
  hotel: HotelSourceRecord | null
  km: number | null
  facts: SupplierFitInput & { stars: number | null }
}

/** Searches the client's suppliers, the hotel catalog and the provider, ranks the results by fit, and saves the first ones as suppliers. */
export async function discoverSuppliers(ctx: EventContext, { limit, save }: DiscoveryRequest, prepared: PreparedSupplierSearch) {
  const catalog = prepared.kinds.includes('hotel') ? await searchCatalog(ctx, prepared) : []
  const ranked = rankCandidates(await listOwn(ctx, prepared), catalog, prepared).slice(0, limit)
  const at = (await getDatabaseTime(ctx)).toISOString()
  let saved = 0
  const candidates: z.input<typeof SupplierCandidate>[] = []
  for (const candidate of ranked) {
    const kept = save && candidate.supplier === null ? await saveCandidate(ctx, candidate.hotel!, at) : null
    if (kept?.isNew) saved++
    candidates.push(toCandidate(candidate, (kept?.row ?? candidate.supplier)?.id ?? null, prepared))
  }
  const attributions = [...new Set(catalog.flatMap(({ source, attribution }) => (source === 'import' ? (attribution ?? []) : [])))]
  const local: CatalogSourceStatus = {
    name: 'local',
    status: 'ok',
    ...(attributions.length > 0 ? { attribution: attributions.join('; ') } : {}),
  }
  return { candidates, sources: [local, ...prepared.sources], saved }
}

function saveCandidate(ctx: EventContext, hotel: HotelSourceRecord, at: string): Promise<SavedSupplier> {
  const kind = hotel.source === 'provider' ? ('provider' as const) : ('catalog' as const)
  // The reference of a hotel that was entered manually at an event is valid only within the event.
  const catalogRef = hotel.ref.startsWith('own:') ? null : hotel.ref
  return saveSupplierFacts(ctx, convertHotelToSupplierFacts(hotel), { source: { kind, ref: hotel.ref, at }, catalogRef })
}

/**
 * Lists the client's suppliers of these kinds within the radius, or in one of the cities if their coordinates are unknown. Blocked
 * suppliers are included, so that their hotels are not suggested again.
 */
async function listOwn(ctx: EventContext, { kinds, centers, cities, radiusKm }: PreparedSupplierSearch): Promise<SupplierRow[]> {
  const band = radiusKm / KM_PER_LATITUDE_DEGREE
  const rows = await selectClientSuppliers(ctx)
    .selectAll()
    .where('kind', 'in', kinds)
    .where((eb) =>
      eb.or([eb('latitude', 'is', null), ...centers.map(({ latitude }) => eb.between('latitude', latitude - band, latitude + band))]),
    )
    .orderBy('id')
    .execute()
  return rows.filter((row) => {
    const km = computeDistanceToWantedPlace(centers, row)
    return km === null ? cities.includes(normalizeCityName(row.address.city ?? '')) : km <= radiusKm
  })
}

async function searchCatalog(ctx: EventContext, { centers, radiusKm, provided }: PreparedSupplierSearch): Promise<HotelSourceRecord[]> {
  const found: HotelSourceRecord[] = []
  for (const { latitude, longitude } of centers) {
    const search = { text: null, near: { latitude, longitude, radiusKm }, minRooms: null, stars: null, brand: null }
    found.push(...(await searchClientHotels(ctx, search)), ...(await searchImportedHotels(ctx.db, search)))
  }
  const near = provided.filter((hotel) => (computeDistanceToWantedPlace(centers, hotel) ?? Number.POSITIVE_INFINITY) <= radiusKm)
  return [...new Map([...found, ...near].map((hotel) => [`${hotel.source} ${hotel.ref}`, hotel])).values()]
}

type Compared = HotelMatchFacts & { row?: SupplierRow; hotel?: HotelSourceRecord }

/** Merges the records of each hotel, removes blocked suppliers and those below the required minimums, and ranks the others by fit. */
function rankCandidates(
  own: readonly SupplierRow[],
  catalog: readonly HotelSourceRecord[],
  prepared: PreparedSupplierSearch,
): RatedCandidate[] {
  const compared: Compared[] = [
    ...own.map(toSupplierMatchCandidate),
    ...catalog.map((hotel) => {
      const same = toHotelMatchFacts(hotel)
      return { ...same, refs: [...same.refs, toSupplierIdentityReference(getSupplierIdentity(hotel.name, hotel.address))] }
    }),
  ]
  return groupRecordsOfSameHotel(compared)
    .filter((group) => !group.some(({ row }) => row?.status === 'blocked'))
    .map((group) => rateCandidate(group, prepared))
    .filter(({ facts }) => reachesLimits(facts, prepared.limits))
    .toSorted((a, b) => b.fit - a.fit || compareText(a.name, b.name) || compareText(a.key, b.key))
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function rateCandidate(group: readonly Compared[], { centers, need }: PreparedSupplierSearch): RatedCandidate {
  const supplier = group.flatMap(({ row }) => row ?? []).toSorted((a, b) => compareText(a.id, b.id))[0] ?? null
  const hotels = group.flatMap(({ hotel }) => hotel ?? [])
  const merged = hotels.length > 0 ? mergeHotelRecords(hotels) : null
  const place = supplier?.latitude != null ? supplier : merged
  const km = place ? computeDistanceToWantedPlace(centers, place) : null
  const facts = {
    sleepingRooms: supplier?.sleeping_rooms ?? merged?.rooms ?? null,
    totalMeetingSqm: supplier ? computeTotalMeetingSqm(supplier) : null,
    km,
    amenities: supplier?.amenities ?? [],
    history: { rfps: supplier?.rfps ?? 0, responses: supplier?.responses ?? 0 },
    stars: supplier?.stars == null ? (merged?.stars ?? null) : Number(supplier.stars),
  }
  return {
    ...rateSupplierFit(facts, need),
    name: supplier?.name ?? merged!.name,
    key: supplier?.catalog_ref ?? merged?.ref ?? supplier!.id,
    supplier,
    hotel: merged ? { ...hotels[0]!, ...merged, source: merged.records[0]!.source } : null,
    km,
    facts,
  }
}

/** Whether a found hotel or venue reaches the required minimums. An unknown fact counts as reached and is listed as unknown. */
const reachesLimits = (
  facts: RatedCandidate['facts'],
  { minSleepingRooms, minTotalSqm, stars }: PreparedSupplierSearch['limits'],
): boolean =>
  (facts.sleepingRooms ?? Number.POSITIVE_INFINITY) >= minSleepingRooms &&
  (facts.totalMeetingSqm ?? Number.POSITIVE_INFINITY) >= minTotalSqm &&
  (facts.stars ?? Number.POSITIVE_INFINITY) >= stars

function toCandidate(
  candidate: RatedCandidate,
  supplierId: string | null,
  { need, limits }: PreparedSupplierSearch,
): z.input<typeof SupplierCandidate> {
  const { name, fit, km, unknown, supplier, facts } = candidate
  return omitNulls({
    supplierId,
    name,
    fit,
    distanceKm: km,
    reasons: listReasons(candidate, need),
    unknown: [...unknown, ...(limits.stars > 0 && facts.stars === null ? ['stars'] : [])],
    new: supplier === null,
  })
}

function listReasons({ facts, shares, unknown }: RatedCandidate, { mustHaves }: FitRequirements): string[] {
  const { sleepingRooms, totalMeetingSqm, km, history } = facts
  const texts: Record<(typeof FIT_CRITERIA)[number], string> = {
    rooms: `${sleepingRooms} sleeping rooms`,
    space: `${totalMeetingSqm} m² of meeting space`,
    place: `${km} km from the center`,
    amenities: `${Math.round((shares.amenities ?? 0) * mustHaves.length)} of ${mustHaves.length} amenities`,
    history: `responded to ${history.responses} of ${history.rfps} RFPs`,
  }
  return FIT_CRITERIA.filter((part) => shares[part] !== undefined && !unknown.includes(part)).map((part) => texts[part])
}
