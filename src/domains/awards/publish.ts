import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { toSlug } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addDays } from '../../kernel/time.ts'
import type { OfferedRooms, RfpResponseRow } from '../bids/tables.ts'
import { chooseHotelCode } from '../hotel-catalog/add.ts'
import { type ContractedNight, type HousingContractTerms, createHousingContract } from '../housing/contracts/original.ts'
import { saveRoomTypes } from '../housing/contracts/room-types.ts'
import { findHotel, type EventHotel } from '../housing/find-hotel.ts'
import { addHotel } from '../housing/hotels.ts'
import type { HotelRow } from '../housing/tables.ts'
import type { RfpRow } from '../rfps/tables.ts'
import type { SupplierRow } from '../suppliers/tables.ts'
import { getDateOptionOfResponse, getRfpOfAward, lockAward, readAwardedResponses } from './awards.ts'
import type { AwardLine, AwardRow } from './tables.ts'

export interface AwardPublication {
  awardId: string
  status: 'tentative' | 'definite'
  roomTypeMap?: Readonly<Record<string, string>> | undefined
  cutoffOn?: string | undefined
  sellStatus: HotelRow['sell_status']
}

/** Handles the lines of an award, by index, for which new room contracts were created. */
type HandleNewRoomContracts = (award: AwardRow, lineIndexes: readonly number[]) => Promise<void>

/**
 * Creates room contracts from an award that execute_award has made official: for each award line, a hotel with room types and contract.
 * `onCreated` may change the new contracts before they are described.
 */
export async function createRoomContractsFromAward(ctx: EventContext, wanted: AwardPublication, onCreated: HandleNewRoomContracts) {
  const award = await lockAward(ctx, wanted.awardId)
  if (award.status !== 'executed') throw preconditionFailed(`This award is ${award.status}. Use execute_award first`)
  const rfp = await getRfpOfAward(ctx, award)
  const responses = await readAwardedResponses(ctx, award.lines)
  const published = []
  for (const [index, line] of award.lines.entries())
    published.push(await publishLine(ctx, { award, rfp, response: responses[index]!, line, wanted }))
  const created = published.flatMap(({ isNewContract }, index) => (isNewContract ? [index] : []))
  if (created.length > 0) await onCreated(award, created)
  const hotels = []
  for (const { hotelId, isNewHotel } of published) hotels.push(await showHotel(ctx, hotelId, isNewHotel))
  const unmapped = new Set(published.flatMap((line) => line.unmapped))
  return { hotels, roomNights: hotels.reduce((sum, { contracted }) => sum + contracted, 0), unmapped: [...unmapped] }
}

interface LineToPublish {
  award: AwardRow
  rfp: RfpRow
  response: RfpResponseRow
  line: AwardLine
  wanted: AwardPublication
}

async function publishLine(ctx: EventContext, { award, rfp, response, line, wanted }: LineToPublish) {
  const supplier = await readSupplier(ctx, line.supplierId)
  const known = await findHotelOf(ctx, supplier)
  if (known?.contract) {
    if (known.contract.award_id !== award.id)
      throw conflict(`Hotel ${known.hotel.code} has another contract already. Change it with amend_contract`, {
        fix: { tool: 'get_housing_summary', arguments: { hotelId: known.hotel.id }, here: true },
      })
    return { hotelId: known.hotel.id, isNewHotel: false, isNewContract: false, unmapped: [] }
  }
  const hotelId = known?.hotel.id ?? (await createHotel(ctx, supplier, response, wanted))
  const hotel = await findHotel(ctx, hotelId)
  const { codes, unmapped } = await mapRoomTypes(ctx, hotel, response, wanted, known !== null)
  const nights = spreadShare(line, response.content.rooms, codes)
  await createHousingContract(ctx, hotelId, {
    status: wanted.status,
    terms: toHousingContractTerms(rfp, response, wanted),
    nights,
    reason: `Award of ${rfp.number}`,
    awardId: award.id,
  })
  recordChange(ctx, { kind: 'award', id: award.id, after: { publishedTo: hotelId } })
  return { hotelId, isNewHotel: known === null, isNewContract: true, unmapped }
}

const readSupplier = (ctx: EventContext, id: string): Promise<SupplierRow> =>
  ctx.db
    .selectFrom('suppliers')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Finds the active hotel of the event that is linked to this supplier, or that has the supplier's id in the hotel catalog. */
async function findHotelOf(ctx: EventContext, { id, catalog_ref }: SupplierRow): Promise<EventHotel | null> {
  const row = await eventDb(ctx)
    .selectFrom('event_hotels')
    .select('id')
    .where('retired', '=', false)
    .where((eb) => eb.or([eb('supplier_id', '=', id), ...(catalog_ref === null ? [] : [eb('catalog_ref', '=', catalog_ref)])]))
    .orderBy('id')
    .executeTakeFirst()
  return row ? findHotel(ctx, row.id) : null
}

const createHotel = async (ctx: EventContext, supplier: SupplierRow, { content }: RfpResponseRow, { sellStatus }: AwardPublication) =>
  addHotel(ctx, {
    code: await chooseHotelCode(ctx, undefined, supplier.name),
    name: supplier.name,
    supplierId: supplier.id,
    catalogRef: supplier.catalog_ref,
    address: supplier.address,
    latitude: supplier.latitude,
    longitude: supplier.longitude,
    stars: supplier.stars === null ? null : Number(supplier.stars),
    brand: supplier.chain,
    amenities: supplier.amenities,
    contacts: supplier.contacts.flatMap(({ name, email }) => (email ? [{ name: name ?? supplier.name, email }] : [])),
    taxPercent: String(content.taxPercent),
    feePerNight: content.feePerNight,
    feeTaxed: false,
    sellStatus,
    roomTypes: [],
  })

/**
 * Finds the hotel's room type for each offered room type. A hotel that already had room types keeps them; offered types that it lacks are
 * reported.
 */
async function mapRoomTypes(
  ctx: EventContext,
  hotel: EventHotel,
  { content }: RfpResponseRow,
  { roomTypeMap = {} }: AwardPublication,
  existed: boolean,
) {
  const offered = [...new Map(content.rooms.map((one) => [one.roomType, one])).values()]
  const codes = new Map<string, string>()
  const unmapped: string[] = []
  const missing = new Map<string, string>()
  for (const { roomType } of offered) {
    const code = roomTypeMap[roomType] ?? toSlug(roomType)
    const isKnown = hotel.types.some((type) => type.code === code)
    if (!isKnown && existed && hotel.types.length > 0 && roomTypeMap[roomType] === undefined) {
      unmapped.push(roomType)
      continue
    }
    codes.set(roomType, code)
    if (!isKnown) missing.set(code, roomType)
  }
  const sleeps = (type: string) => Math.max(...content.rooms.filter((one) => one.roomType === type).map(countTiers))
  await saveRoomTypes(
    ctx,
    hotel,
    [...missing].map(([code, name]) => ({ code, name, maxOccupancy: sleeps(name) })),
  )
  return { codes, unmapped }
}

/** Returns the maximum number of guests in an offered room, derived from the rates that are offered for it; at least two. */
const countTiers = ({ rates }: OfferedRooms) => (rates.quad === undefined ? (rates.triple === undefined ? 2 : 3) : 4)

/** Distributes the awarded rooms of each night over the offered room types, the cheapest type first. */
function spreadShare({ share }: AwardLine, offered: readonly OfferedRooms[], codes: ReadonlyMap<string, string>): ContractedNight[] {
  const contracted = new Map<string, ContractedNight>()
  for (const { night, rooms } of share) {
    let left = rooms
    const cheapestFirst = offered
      .filter((one) => one.night === night && codes.has(one.roomType))
      .toSorted((a, b) => a.rates.single - b.rates.single || (a.roomType < b.roomType ? -1 : 1))
    for (const { roomType, rooms: available, rates } of cheapestFirst) {
      const taken = Math.min(left, available)
      if (taken === 0) continue
      const roomTypeCode = codes.get(roomType)!
      const before = contracted.get(`${roomTypeCode} ${night}`)
      contracted.set(`${roomTypeCode} ${night}`, {
        roomTypeCode,
        night,
        contracted: taken + (before?.contracted ?? 0),
        rates: before?.rates ?? rates,
      })
      left -= taken
    }
  }
  return [...contracted.values()]
}

/** Converts the terms of the supplier's response to terms of a room contract. */
export function toHousingContractTerms(
  rfp: RfpRow,
  response: RfpResponseRow,
  { cutoffOn }: Pick<AwardPublication, 'cutoffOn'>,
): HousingContractTerms {
  const { content } = response
  const { arrival } = getDateOptionOfResponse(rfp, response)
  const comps = content.concessions.find(({ kind }) => kind === 'compRooms')
  const rebate = content.concessions.find(({ kind }) => kind === 'rebate')
  return {
    cutoffOn: cutoffOn ?? (content.cutoffDays === undefined ? null : addDays(arrival, -content.cutoffDays)),
    ...(content.attrition === undefined ? {} : { attrition: content.attrition }),
    ...(comps?.per === undefined ? {} : { compPer: comps.per }),
    ...(rebate?.value === undefined ? {} : { rebatePerRoomNight: rebate.value }),
    ...(content.commissionPercent === undefined ? {} : { commissionPercent: String(content.commissionPercent) }),
  }
}

async function showHotel(ctx: EventContext, hotelId: string, created: boolean) {
  const nights = await eventDb(ctx)
    .selectFrom('room_nights')
    .select(['night', (eb) => eb.fn.sum<number>('contracted').as('contracted')])
    .where('hotel_id', '=', hotelId)
    .groupBy('night')
    .orderBy('night')
    .execute()
  const rows = nights.map(({ night, contracted }) => ({ night, contracted: Number(contracted) }))
  return { hotelId, created, contracted: rows.reduce((sum, { contracted }) => sum + contracted, 0), nights: rows }
}
