import { eventDb } from '../../../kernel/scoped-db.ts'
import { editRecord, toRecordFieldValues } from '../../../kernel/records.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { HousingContext } from '../context.ts'
import { findHotel } from '../find-hotel.ts'
import { HOUSING_CONTRACT_STATES } from '../states.ts'
import type { HousingContractRow, RoomNightRow } from '../tables.ts'
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
  supplierId: string
  signedOn: string
  reason: string
  terms: HousingContractTerms
  /** The contracted rates for one and two guests, by night and room type. */
  rates: readonly { night: string; roomType: string; single: number; double?: number | undefined }[]
  /** The contracted number of rooms of each night, all room types together. */
  rooms: readonly { night: string; rooms: number }[]
}

/**
 * Makes the room contract of a supplier's hotel definite with the signed rooms and rates. Rooms and rates that differ from the contract
 * become an addendum. Returns null if the hotel has no room contract at this event.
 */
export async function signRoomContract(
  ctx: HousingContext,
  signed: SignedRoomContract,
): Promise<{ hotelId: string; addendum: number | null } | null> {
  const hotelId = await findSuppliersHotel(ctx, signed.supplierId)
  const contract = hotelId === null ? null : await lockHousingContract(ctx, hotelId)
  if (hotelId === null || !contract || contract.status === 'cancelled') return null
  const { hotel } = await findHotel(ctx, hotelId)
  const nights = await lockHotelRoomNights(ctx, hotelId)
  const edited = (await editRecord(ctx, HOUSING_CONTRACT_RECORD, contract, { ...signed.terms, signedOn: signed.signedOn })).row
  const planned = planRoomNightChanges(nights, listNightChanges(nights, signed), 'follow')
  refuseNightsInUse(listNightsInUse(planned))
  await saveRoomNightChanges(ctx, hotelId, planned)
  const lowered = await lowerBookedRates(ctx, hotel, planned)
  refuseCutoffAfterArrival(edited.cutoff_on, await lockHotelRoomNights(ctx, hotelId))
  const linked = await linkContract(ctx, hotelId, signed.sourcingContractId)
  if (linked.status !== 'definite') await changeRecordState(ctx, HOUSING_CONTRACT_STATES, linked, 'definite')
  const addendum = await addSignedAddendum(ctx, { before: contract, after: linked, planned, signed })
  await notifyOfLowerRates(ctx, lowered)
  return { hotelId, addendum }
}

async function findSuppliersHotel(ctx: HousingContext, supplierId: string): Promise<string | null> {
  const row = await eventDb(ctx)
    .selectFrom('event_hotels')
    .innerJoin('housing_contracts as c', (join) =>
      join
        .onRef('c.tenant_id', '=', 'event_hotels.tenant_id')
        .onRef('c.event_id', '=', 'event_hotels.event_id')
        .onRef('c.hotel_id', '=', 'event_hotels.id'),
    )
    .select('event_hotels.id')
    .where('event_hotels.supplier_id', '=', supplierId)
    .orderBy('event_hotels.id')
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Lists the changes of rooms and rates in a signed contract. A night with several room types keeps its rooms, because the contract counts
 * them together.
 */
function listNightChanges(nights: readonly RoomNightRow[], { rates, rooms }: SignedRoomContract): NightChange[] {
  return nights.flatMap((row) => {
    const types = nights.filter(({ night }) => night === row.night)
    const contracted = types.length === 1 ? rooms.find(({ night }) => night === row.night)?.rooms : undefined
    const offered = rates.filter(({ night }) => night === row.night)
    const rate = types.length === 1 ? offered[0] : offered.find(({ roomType }) => roomType === row.room_type_code)
    const change: NightChange = {
      roomTypeCode: row.room_type_code,
      night: row.night,
      contracted: contracted ?? row.contracted,
      ...(rate ? { rates: { single: rate.single, ...(rate.double === undefined ? {} : { double: rate.double }) } } : {}),
    }
    const isSame =
      change.contracted === row.contracted &&
      (!change.rates ||
        (change.rates.single === row.rate_single && (change.rates.double === undefined || change.rates.double === row.rate_double)))
    return isSame ? [] : [change]
  })
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
  planned: readonly PlannedRoomNightChange[]
  signed: SignedRoomContract
}

async function addSignedAddendum(ctx: HousingContext, { before, after, planned, signed }: SignedChange): Promise<number | null> {
  const [old, now] = [toRecordFieldValues(HOUSING_CONTRACT_RECORD, before), toRecordFieldValues(HOUSING_CONTRACT_RECORD, after)]
  const {
    signedOn: _,
    status: __,
    ...terms
  } = Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old])),
  )
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
