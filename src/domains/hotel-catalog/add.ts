import { z } from 'zod'
import { toOneLine, code, count, country, email, list, name, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, invalidArguments } from '../../kernel/errors.ts'
import type { HotelServices } from '../../kernel/hotel-providers.ts'
import { toSlug } from '../../kernel/ids.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { amendHousingContract } from '../housing/contracts/amend.ts'
import {
  hotelTermArguments,
  type HotelTermInput,
  originalContractArguments,
  readHotelTerms,
  RoomTypeArgument,
} from '../housing/contracts/amend-arguments.ts'
import type { HousingContext } from '../housing/context.ts'
import { computeRoundedDistanceKm } from '../housing/distance.ts'
import { type EventHotel, findHotel } from '../housing/find-hotel.ts'
import { addHotel } from '../housing/hotels.ts'
import { findPciAttestationKey, listHotelPciStatuses, PCI_STATUSES } from '../housing/pci/status.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import {
  fetchProviderHotel,
  findHotelByCatalogRef,
  listPciAttestationHotelIds,
  type ProviderHotelRecord,
  createUnknownHotelError,
} from './get.ts'
import { type HotelSourceRecord, type MergedHotel, toHotelMatchFacts } from './known-hotel.ts'
import { listClientHotelsForMatching } from './local-hotels.ts'
import { groupRecordsOfSameHotel } from './same-hotel.ts'

const Address = object({
  street: text(200).optional(),
  postalCode: text(20).optional(),
  city: text(120).optional(),
  region: text(120).optional(),
  country: country().optional(),
})

export const addHotelArguments = {
  catalogRef: text(200).optional(),
  name: name().optional(),
  address: toOneLine(Address, 'street, postalCode, city, region, country').optional(),
  code: code().optional(),
  roomTypes: list(toOneLine(RoomTypeArgument, 'code, name, beds[]?, maxOccupancy, accessible?, smoking?'), 30).default([]),
  contract: toOneLine(
    object(originalContractArguments),
    'nights[] { roomTypeCode, from, until, contracted, rates {} }, terms{}, status, signedOn',
  ).optional(),
  contacts: toOneLine(list(object({ name: name(), email: email() }), 20), 'name, email').default([]),
  ...hotelTermArguments,
  sellStatus: hotelTermArguments.sellStatus.unwrap().default('closed'),
}

export type NewCatalogHotel = z.output<z.ZodObject<typeof addHotelArguments>>

export const AddedHotelShape = object({
  id: text(),
  code: text(),
  name: untrustedText(),
  catalogRef: untrustedText().optional(),
  sellStatus: text(),
  contractStatus: oneOf(['none', 'tentative', 'definite', 'cancelled']),
  roomTypes: list(text()),
  contracted: count(),
  freeSell: count(),
})
export const addHotelResult = {
  hotel: toOneLine(AddedHotelShape, 'id, code, name, catalogRef, sellStatus, contractStatus, roomTypes[], contracted, freeSell'),
  distanceKm: z.number().optional(),
  pci: oneOf(PCI_STATUSES),
  warnings: list(text()),
}

/** Data that must be requested over the network: the hotel provider's record, or the coordinates of a typed address. */
export interface ExternalHotelFacts {
  provided: ProviderHotelRecord
  place: { latitude: number; longitude: number } | null
}

const NOTHING: ProviderHotelRecord = { hotel: null, staleSince: null, source: null }

export async function fetchExternalHotelFacts(
  ctx: EventContext & { hotels: HotelServices | null },
  { catalogRef, address, latitude }: NewCatalogHotel,
): Promise<ExternalHotelFacts> {
  if (catalogRef !== undefined) return { provided: await fetchProviderHotel(ctx, catalogRef), place: null }
  const typed = [address?.street, address?.postalCode, address?.city, address?.country].filter(Boolean).join(', ')
  const geocoder = ctx.hotels?.geocoder
  if (!geocoder || latitude !== undefined || !address?.street) return { provided: NOTHING, place: null }
  // If the geocoder fails, the hotel is added without coordinates, with a warning.
  const found = await geocoder.find(typed).catch((error: unknown) => {
    if (error instanceof AppError) return []
    throw error
  })
  const [place] = found.filter(({ precision }) => precision === 'address')
  return { provided: NOTHING, place: place ? { latitude: place.latitude, longitude: place.longitude } : null }
}

/** Adds a hotel to the event, from the catalog or as typed in. No room can be booked before its contract is definite and sales are open. */
export async function addHotelFromCatalog(ctx: EventContext, given: NewCatalogHotel, { provided, place }: ExternalHotelFacts) {
  refuseUnclearHotel(given)
  await lockEventRow(ctx)
  const known = given.catalogRef === undefined ? null : await findHotelByCatalogRef(ctx, given.catalogRef, provided.hotel)
  if (given.catalogRef !== undefined && !known) throw createUnknownHotelError(given.catalogRef, provided.source)
  const { latitude = known?.latitude ?? place?.latitude ?? null, longitude = known?.longitude ?? place?.longitude ?? null } = given
  const facts = {
    catalogRef: known && (await chooseCatalogRef(ctx, known)),
    name: given.name ?? known!.name,
    address: given.address ? dropUndefined(given.address) : (known?.address ?? {}),
    latitude,
    longitude,
    stars: known?.stars ?? null,
    brand: known?.brand ?? null,
  }
  await refuseHotelHere(ctx, { ...facts, website: known?.website ?? null, refs: known?.records.map(({ ref }) => ref) ?? [] })
  const hotelId = await addHotel(ctx, {
    ...(known && (await readOwnFacts(ctx, known))),
    ...dropUndefined(readHotelTerms(ctx, pickTerms(given))),
    ...facts,
    code: await chooseHotelCode(ctx, given.code, facts.name),
    contacts: [...given.contacts],
    roomTypes: given.roomTypes.map(({ beds = [], accessible = false, smoking = false, ...type }) => ({
      ...type,
      beds,
      accessible,
      smoking,
    })),
  })
  if (given.contract) await createOriginalContract(ctx, hotelId, given.contract)
  return showAddedHotel(ctx, await findHotel(ctx, hotelId))
}

/**
 * Chooses the reference of the new hotel. Without a catalog entry, that is the reference of the hotel at another event, preferably the one
 * under which the client's PCI attestation is stored.
 */
const chooseCatalogRef = async (ctx: EventContext, known: MergedHotel): Promise<string> =>
  isOwnRef(known.ref) ? ((await findPciAttestationKey(ctx, listPciAttestationHotelIds(known))) ?? known.ref) : known.ref

const isOwnRef = (ref: string): boolean => ref.startsWith('own:')

/** Reads the data that only hotels of the client's own events have, such as photos, from the newest record. */
async function readOwnFacts(ctx: EventContext, { records }: MergedHotel) {
  const own = records.find(({ atEvent }) => atEvent !== null)?.atEvent
  if (!own) return {}
  const row = await tenantDb(ctx)
    .selectFrom('event_hotels')
    .select(['supplier_id', 'loyalty_program', 'amenities', 'description', 'photos'])
    .where('event_id', '=', own.eventId)
    .where('id', '=', own.hotelId)
    .executeTakeFirstOrThrow()
  const { supplier_id: supplierId, loyalty_program: loyaltyProgram, ...facts } = row
  return { ...facts, supplierId, loyaltyProgram }
}

const pickTerms = ({ sellStatus, taxPercent, feePerNight, feeTaxed, afterCutoff }: NewCatalogHotel): HotelTermInput => ({
  sellStatus,
  taxPercent,
  feePerNight,
  feeTaxed,
  afterCutoff,
})

const dropUndefined = <T extends object>(record: T) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> }

function refuseUnclearHotel({ catalogRef, name: named, address, latitude, longitude, roomTypes, contract }: NewCatalogHotel): void {
  if (catalogRef === undefined && (named === undefined || address === undefined))
    throw invalidArguments([
      { path: 'catalogRef', message: 'give the catalogRef that find_hotel returned, or name and address of a hotel in no catalog' },
    ])
  if ((latitude === undefined) !== (longitude === undefined))
    throw invalidArguments([{ path: latitude === undefined ? 'latitude' : 'longitude', message: 'latitude and longitude belong together' }])
  if (contract && Object.keys(contract).length === 0)
    throw invalidArguments([{ path: 'contract', message: 'give nights, terms or status, or leave contract out' }])
  const codes = roomTypes.map((type) => type.code)
  const repeated = codes.find((one, index) => codes.indexOf(one) !== index)
  if (repeated !== undefined) throw invalidArguments([{ path: 'roomTypes', message: `${repeated} is given twice` }])
}

interface NewFacts extends Pick<HotelSourceRecord, 'name' | 'address' | 'latitude' | 'longitude' | 'stars' | 'brand' | 'website'> {
  catalogRef: string | null
  refs: readonly string[]
}

/** Throws if the event already has the hotel, even under another name or id. */
async function refuseHotelHere(ctx: EventContext, { catalogRef, refs, ...facts }: NewFacts): Promise<void> {
  const ref = catalogRef ?? 'new:'
  const wanted: HotelSourceRecord = {
    ...facts,
    ref,
    rooms: null,
    phone: null,
    source: 'typed',
    at: new Date(0),
    attribution: null,
    atEvent: null,
  }
  const here = (await listClientHotelsForMatching(ctx, wanted)).filter(({ atEvent }) => atEvent!.eventId === ctx.event.id)
  const group = groupRecordsOfSameHotel([{ ...toHotelMatchFacts(wanted), refs: [ref, ...refs] }, ...here.map(toHotelMatchFacts)])[0]!
  const same = group.find(({ hotel }) => hotel.atEvent !== null)?.hotel
  if (same)
    throw conflict(`${same.name} is at this event already, with the id ${same.atEvent!.hotelId}`, {
      fix: { tool: 'get_housing_summary', arguments: { hotelId: same.atEvent!.hotelId }, here: true },
    })
}

/** Returns the requested hotel code, or one derived from the name. The codes of retired hotels are not available. */
export async function chooseHotelCode(ctx: HousingContext, given: string | undefined, hotelName: string): Promise<string> {
  const rows = await eventDb(ctx).selectFrom('event_hotels').select('code').execute()
  const taken = new Set(rows.map((row) => row.code))
  if (given !== undefined) {
    if (taken.has(given)) throw conflict(`This event has a hotel with the code ${given} already`)
    return given
  }
  const base = toSlug(hotelName)
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const chosen = base.slice(0, 63 - suffix.length) + suffix
    if (!taken.has(chosen)) return chosen
  }
}

/** Creates the original contract with the same function as the tool amend_contract. Paths in its errors begin with `contract`. */
async function createOriginalContract(
  ctx: EventContext,
  hotelId: string,
  contract: NonNullable<NewCatalogHotel['contract']>,
): Promise<void> {
  try {
    await amendHousingContract(ctx, { ...contract, hotelId, kind: 'original', attritionBase: 'follow', reason: 'Original contract' })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error
    const fields = (error.details.fields ?? []).map((field) => ({ ...field, path: `contract.${field.path}` }))
    throw fields.length > 0 ? invalidArguments(fields) : error
  }
}

async function showAddedHotel(ctx: EventContext, { hotel, types, contract }: EventHotel) {
  const { venue } = (await readDraftConfiguration(ctx)).config.details
  const nights = await eventDb(ctx)
    .selectFrom('room_nights')
    .select(['contracted', 'returned', 'allocated', 'booked', 'held'])
    .where('hotel_id', '=', hotel.id)
    .execute()
  const pci = (await listHotelPciStatuses(ctx, [hotel.id]))[0]?.status ?? 'missing'
  const sum = (of: (night: (typeof nights)[number]) => number) => nights.reduce((total, night) => total + of(night), 0)
  const shown = omitNulls({ id: hotel.id, code: hotel.code, name: hotel.name, catalogRef: hotel.catalog_ref })
  const warnings = [
    ...(contract ? [] : ['No contract yet: nothing can be booked. Add it with amend_contract, kind original']),
    ...(contract?.status === 'tentative' ? ['The contract is tentative: nothing can be booked until it is definite'] : []),
    ...(hotel.sell_status === 'open' ? [] : ['Sales are closed: open them with amend_contract, sellStatus open']),
    ...(hotel.latitude === null
      ? ['The hotel has no coordinates, so its distance to the venue is unknown. Give latitude and longitude']
      : []),
    ...(venue?.latitude == null && hotel.latitude !== null ? ['The venue has no coordinates, so the distance is unknown'] : []),
    ...(pci === 'valid' || pci === 'expiring' ? [] : [`PCI attestation ${pci}: cards of guests are withheld from this hotel`]),
  ]
  return omitNulls({
    hotel: {
      ...shown,
      sellStatus: hotel.sell_status,
      contractStatus: contract?.status ?? ('none' as const),
      roomTypes: types.map((type) => type.code),
      contracted: sum(({ contracted }) => contracted),
      freeSell: sum(({ contracted, returned, allocated, booked, held }) => contracted - returned - allocated - booked - held),
    },
    distanceKm: computeRoundedDistanceKm(venue, hotel),
    pci,
    warnings,
  })
}
