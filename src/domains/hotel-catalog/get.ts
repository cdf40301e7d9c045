import { z } from 'zod'
import { toOneLine, count, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { HotelServices } from '../../kernel/hotel-providers.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { PCI_STATUSES, getPciAttestationKey, readPciStatus } from '../housing/pci/status.ts'
import { HotelHistoryShape, listHotelHistory } from './history.ts'
import {
  formatAddress,
  type HotelSourceRecord,
  type MergedHotel,
  mergeHotelRecords,
  HOTEL_RECORD_SOURCES,
  toHotelMatchFacts,
} from './known-hotel.ts'
import {
  type HotelSearchScope,
  findImportedHotel,
  findClientHotel,
  listClientHotelsForMatching,
  searchImportedHotels,
} from './local-hotels.ts'
import { readCachedHotel, toProviderSourceRecord } from './provider-cache.ts'
import { groupRecordsOfSameHotel } from './same-hotel.ts'
import { type CatalogSourceStatus, createFailedSourceStatus } from './sources.ts'

/** A hotel as the external hotel provider describes it; null if unknown. */
export interface ProviderHotelRecord {
  hotel: HotelSourceRecord | null
  staleSince: Date | null
  source: CatalogSourceStatus | null
}

const NOTHING: ProviderHotelRecord = { hotel: null, staleSince: null, source: null }

/** Reads a hotel from the cache if it is fresh there, otherwise from the hotel provider, and from the stale cache if that fails. */
export async function fetchProviderHotel(
  ctx: Pick<EventContext, 'db'> & { hotels: HotelServices | null },
  ref: string,
): Promise<ProviderHotelRecord> {
  const cached = await readCachedHotel(ctx.db, ref)
  const { provider = null } = ctx.hotels ?? {}
  const known = cached && toProviderSourceRecord(cached.hotel, cached.fetchedAt, provider)
  if (!provider || !ref.startsWith(provider.prefix)) return cached ? { hotel: known, staleSince: cached.staleSince, source: null } : NOTHING
  const { name, attribution } = provider
  if (cached && cached.staleSince === null) return { hotel: known, staleSince: null, source: { name, status: 'ok', attribution } }
  try {
    const hotel = await provider.get(ref)
    if (hotel) await ctx.hotels!.remember([hotel])
    const answered = hotel ? await readCachedHotel(ctx.db, ref) : null
    return {
      hotel: hotel && toProviderSourceRecord(hotel, answered?.fetchedAt ?? new Date(), provider),
      staleSince: null,
      source: { name, status: 'ok', attribution },
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { hotel: known, staleSince: cached?.staleSince ?? null, source: createFailedSourceStatus(provider, error) }
  }
}

/** Finds a hotel by its ref, with the records of all sources. Null if no source knows it. */
export async function findHotelByCatalogRef(
  ctx: HotelSearchScope,
  ref: string,
  provided: HotelSourceRecord | null,
): Promise<MergedHotel | null> {
  const [, ownId] = /^own:([0-9a-f]{24})$/.exec(ref) ?? []
  const first = provided ?? (ownId === undefined ? await findImportedHotel(ctx.db, ref) : await findClientHotel(ctx, ownId))
  if (!first) return null
  const others = [...(await listClientHotelsForMatching(ctx, first)), ...(await listImportsLike(ctx, first))]
  const records = [first, ...others.filter((other) => other.ref !== first.ref || other.source !== first.source)]
  const group = groupRecordsOfSameHotel(records.map(toHotelMatchFacts)).find((members) => members.some(({ hotel }) => hotel === first))!
  return mergeHotelRecords(group.map(({ hotel }) => hotel))
}

/** Lists imported records that can be the same hotel: those with its catalog id, and those within 250 m. */
async function listImportsLike(
  { db }: HotelSearchScope,
  { ref, atEvent, latitude, longitude }: HotelSourceRecord,
): Promise<HotelSourceRecord[]> {
  const named = await Promise.all(
    [ref, ...(atEvent?.catalogRef == null ? [] : [atEvent.catalogRef])].map((one) => findImportedHotel(db, one)),
  )
  const around =
    latitude === null || longitude === null
      ? []
      : await searchImportedHotels(db, {
          text: null,
          near: { latitude, longitude, radiusKm: 0.26 },
          minRooms: null,
          stars: null,
          brand: null,
        })
  const found = new Map([...named.flatMap((hotel) => hotel ?? []), ...around].map((hotel) => [hotel.ref, hotel]))
  return [...found.values()]
}

const FactOrigin = object({ field: text(), source: oneOf(HOTEL_RECORD_SOURCES), date: instant(), attribution: text().optional() })

export const CatalogHotel = {
  catalogRef: untrustedText(),
  name: untrustedText(),
  address: untrustedText().optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  stars: z.number().optional(),
  rooms: count().optional(),
  brand: untrustedText().optional(),
  phone: untrustedText().optional(),
  website: untrustedText().optional(),
  fields: list(toOneLine(FactOrigin, 'field, source typed|import|provider, date, attribution')),
  events: list(
    toOneLine(HotelHistoryShape, 'eventCode, eventName, startsOn, endsOn, contractStatus, contracted, pickupPercent, rate'),
    1000,
  ),
  pci: oneOf(PCI_STATUSES),
  hotelId: text().optional(),
  staleSince: instant().optional(),
}

/** Returns the records of all sources about a hotel, and its contracted rooms and rates at the client's events. */
export async function getCatalogHotel(
  ctx: EventContext,
  { catalogRef }: { catalogRef: string },
  { hotel: provided, staleSince, source }: ProviderHotelRecord,
) {
  const hotel = await findHotelByCatalogRef(ctx, catalogRef, provided)
  if (!hotel) throw createUnknownHotelError(catalogRef, source)
  const typed = hotel.records.flatMap(({ atEvent }) => atEvent ?? [])
  const { name, address, latitude, longitude, stars, rooms, brand, phone, website } = hotel
  return omitNulls({
    catalogRef: hotel.ref,
    name,
    address: formatAddress(address) || null,
    latitude,
    longitude,
    stars,
    rooms,
    brand,
    phone,
    website,
    fields: [...hotel.origins].map(([field, origin]) => ({
      field,
      source: origin.source,
      date: origin.at.toISOString(),
      ...(origin.attribution === null ? {} : { attribution: origin.attribution }),
    })),
    events: await listHotelHistory(
      ctx,
      typed.map(({ hotelId }) => hotelId),
    ),
    pci: await readPciStatus(ctx, listPciAttestationHotelIds(hotel)),
    hotelId: typed.find(({ eventId }) => eventId === ctx.event.id)?.hotelId ?? null,
    staleSince: staleSince?.toISOString() ?? null,
  })
}

/** Lists the hotel ids under which the client may have stored the hotel's PCI attestation (proof of safe handling of card data). */
export const listPciAttestationHotelIds = ({ records }: MergedHotel): string[] =>
  records.flatMap(({ ref, atEvent }) => (atEvent ? getPciAttestationKey({ id: atEvent.hotelId, catalog_ref: atEvent.catalogRef }) : ref))

export const createUnknownHotelError = (ref: string, source: CatalogSourceStatus | null): AppError =>
  source?.status === 'failed'
    ? new AppError('unavailable', `${source.reason}. The hotel ${ref} is not known locally`)
    : notFound(`No hotel ${ref} in the catalog. Use find_hotel to search hotels`)
