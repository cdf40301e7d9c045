import { toSlug } from '../../../kernel/ids.ts'
import { splitByWeights } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { editRecord, toRecordFieldValues } from '../../../kernel/records.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { HousingContext } from '../context.ts'
import { findHotel } from '../find-hotel.ts'
import { HOTEL_RECORD } from '../hotel-record.ts'
import { HOUSING_CONTRACT_STATES } from '../states.ts'
import type { HotelRow, HousingContractRow, RoomNightRow } from '../tables.ts'
import { addAddendum } from './addenda.ts'
import {
  lockHotelRoomNights,
  type PlannedRoomNightChange,
  planRoomNightChanges,
  refuseNightsInUse,
  listNightsInUse,
  saveRoomNightChanges,
} from './amend-nights.ts'
import type { NightChange } from './amend-arguments.ts'
import { HOUSING_CONTRACT_RECORD } from './contract-record.ts'
import { lowerBookedRates, notifyOfLowerRates } from './lower-rates.ts'
import { type HousingContractTerms, lockHousingContract, refuseCutoffAfterArrival } from './original.ts'

export interface SignedRoomContract {
  sourcingContractId: string
  /** The award that the signed contract was made from, and the supplier to which it was made. */
  awardId: string
  supplier: { id: string; catalogRef: string | null }
  signedOn: string
  reason: string
  terms: HousingContractTerms
  /** The tax in percent, and the fee per room and night in minor units. */
  hotel: { taxPercent?: number | undefined; feePerNight?: number | undefined }
  /** The contracted rates for one and two guests, by night and room type. */
  rates: readonly { night: string; roomType: string; single: number; double?: number | undefined }[]
  /** The contracted number of rooms of each night, all room types together. */
  rooms: readonly { night: string; rooms: number }[]
}

/**
 * Makes the room contract of a supplier's hotel definite with the signed rooms, rates and terms. Those that differ from the contract become
 * an addendum. Returns null if the hotel has no room contract at this event.
 */
export async function signRoomContract(
  ctx: HousingContext,
  signed: SignedRoomContract,
): Promise<{ hotelId: string; addendum: number | null } | null> {
  const hotelId = await findContractedHotel(ctx, signed)
  const contract = hotelId === null ? null : await lockHousingContract(ctx, hotelId)
  if (hotelId === null || !contract || contract.status === 'cancelled') return null
  const found = await findHotel(ctx, hotelId)
  const nights = await lockHotelRoomNights(ctx, hotelId)
  const hotel = (await editRecord(ctx, HOTEL_RECORD, found.hotel, listHotelChanges(found.hotel, signed.hotel))).row
  const edited = (await editRecord(ctx, HOUSING_CONTRACT_RECORD, contract, { ...signed.terms, signedOn: signed.signedOn })).row
  const planned = planRoomNightChanges(nights, listNightChanges(nights, signed), 'follow')
  refuseNightsInUse(listNightsInUse(planned))
  await saveRoomNightChanges(ctx, hotelId, planned)
  const lowered = await lowerBookedRates(ctx, hotel, planned)
  refuseCutoffAfterArrival(edited.cutoff_on, await lockHotelRoomNights(ctx, hotelId))
  const linked = await linkContract(ctx, hotelId, signed.sourcingContractId)
  if (linked.status !== 'definite') await changeRecordState(ctx, HOUSING_CONTRACT_STATES, linked, 'definite')
  const addendum = await addSignedAddendum(ctx, {
    before: contract,
    after: linked,
    hotel: { before: found.hotel, after: hotel },
    planned,
    signed,
  })
  await notifyOfLowerRates(ctx, lowered)
  return { hotelId, addendum }
}

/**
 * Finds the supplier's hotel whose room contract was made from the award, or else one whose room contract was made from no award. As when
 * an award is published, a hotel belongs to the supplier by its link or by its id in the hotel catalog.
 */
async function findContractedHotel(ctx: HousingContext, { awardId, supplier }: SignedRoomContract): Promise<string | null> {
  const { id, catalogRef } = supplier
  const row = await eventDb(ctx)
    .selectFrom('event_hotels')
    .innerJoin('housing_contracts as c', (join) =>
      join
        .onRef('c.tenant_id', '=', 'event_hotels.tenant_id')
        .onRef('c.event_id', '=', 'event_hotels.event_id')
        .onRef('c.hotel_id', '=', 'event_hotels.id'),
    )
    .select('event_hotels.id')
    .where((eb) =>
      eb.or([eb('event_hotels.supplier_id', '=', id), ...(catalogRef === null ? [] : [eb('event_hotels.catalog_ref', '=', catalogRef)])]),
    )
    .where((eb) => eb.or([eb('c.award_id', '=', awardId), eb('c.award_id', 'is', null)]))
    .orderBy((eb) => eb('c.award_id', 'is', null))
    .orderBy((eb) => eb('event_hotels.supplier_id', 'is not distinct from', id), 'desc')
    .orderBy('event_hotels.id')
    .executeTakeFirst()
  return row?.id ?? null
}

const listHotelChanges = ({ tax_percent }: HotelRow, { taxPercent, feePerNight }: SignedRoomContract['hotel']) => ({
  ...(taxPercent === undefined || taxPercent === Number(tax_percent) ? {} : { taxPercent: String(taxPercent) }),
  ...(feePerNight === undefined ? {} : { feePerNight }),
})

/**
 * Lists the changes of rooms and rates in a signed contract. It states the rooms of a night for all room types together, so they are divided
 * in proportion to the rooms that each type had.
 */
function listNightChanges(nights: readonly RoomNightRow[], { rates, rooms }: SignedRoomContract): NightChange[] {
  return [...Map.groupBy(nights, ({ night }) => night)].flatMap(([night, types]) => {
    const signed = rooms.find((one) => one.night === night)?.rooms
    const had = types.map(({ contracted }) => contracted)
    const contracted = signed === undefined ? had : splitByWeights(signed, had.some((each) => each > 0) ? had : had.map(() => 1))
    const offered = rates.filter((one) => one.night === night)
    return types.flatMap((row, index) => {
      const rate = types.length === 1 ? offered[0] : offered.find(({ roomType }) => toSlug(roomType) === row.room_type_code)
      return toNightChange(row, contracted[index]!, rate)
    })
  })
}

function toNightChange(
  row: RoomNightRow,
  contracted: number,
  rate: { single: number; double?: number | undefined } | undefined,
): NightChange[] {
  const change: NightChange = {
    roomTypeCode: row.room_type_code,
    night: row.night,
    contracted,
    ...(rate ? { rates: { single: rate.single, ...(rate.double === undefined ? {} : { double: rate.double }) } } : {}),
  }
  const isSame =
    change.contracted === row.contracted &&
    (!change.rates ||
      (change.rates.single === row.rate_single && (change.rates.double === undefined || change.rates.double === row.rate_double)))
  return isSame ? [] : [change]
}

const linkContract = (ctx: HousingContext, hotelId: string, sourcingContractId: string): Promise<HousingContractRow> =>
  eventDb(ctx)
    .updateTable('housing_contracts')
    .set({ sourcing_contract_id: sourcingContractId })
    .where('hotel_id', '=', hotelId)
    .returningAll()
    .executeTakeFirstOrThrow()

interface SignedChange {
  before: HousingContractRow
  after: HousingContractRow
  hotel: { before: HotelRow; after: HotelRow }
  planned: readonly PlannedRoomNightChange[]
  signed: SignedRoomContract
}

async function addSignedAddendum(ctx: HousingContext, { before, after, hotel, planned, signed }: SignedChange): Promise<number | null> {
  const [old, now] = [toRecordFieldValues(HOUSING_CONTRACT_RECORD, before), toRecordFieldValues(HOUSING_CONTRACT_RECORD, after)]
  const {
    signedOn: _,
    status: __,
    ...changed
  } = Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old])),
  )
  const terms = {
    ...changed,
    ...(hotel.before.tax_percent === hotel.after.tax_percent ? {} : { taxPercent: Number(hotel.after.tax_percent) }),
    ...(hotel.before.fee_per_night === hotel.after.fee_per_night ? {} : { feePerNight: hotel.after.fee_per_night }),
  }
  if (Object.keys(terms).length === 0 && planned.length === 0) return null
  const nights = planned.map(({ roomTypeCode, night, before: was, after: is }) => ({
    roomTypeCode,
    night,
    before: was?.contracted ?? 0,
    after: is.contracted,
    rates: { single: is.rate_single, double: is.rate_double, triple: is.rate_triple, quad: is.rate_quad },
  }))
  const addendum = await addAddendum(ctx, before.hotel_id, {
    roomNights: nights.reduce((sum, night) => sum + night.after - night.before, 0),
    changes: { ...(Object.keys(terms).length > 0 ? { terms } : {}), ...(nights.length > 0 ? { nights } : {}) },
    reason: signed.reason,
    signedOn: signed.signedOn,
  })
  return addendum.number
}
