import { recordChange } from '../../../kernel/audit.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { editRecord, toRecordFieldValues } from '../../../kernel/records.ts'
import { checkRevision, incrementRevision } from '../../../kernel/revisions.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { getFile } from '../../files/files.ts'
import type { HousingContext } from '../context.ts'
import { type EventHotel, findHotel } from '../find-hotel.ts'
import { HOTEL_RECORD } from '../hotel-record.ts'
import { HOUSING_CONTRACT_STATES } from '../states.ts'
import type { AddendumRow, HousingContractRow, HotelRow, RoomNightRow } from '../tables.ts'
import { addAddendum } from './addenda.ts'
import {
  type ClearableContractTerm,
  type HotelTermInput,
  hotelTermArguments,
  type OriginalContractInput,
  readHotelTerms,
  readNightChanges,
  readOriginalContract,
  readContractTermArguments,
  type RoomTypeInput,
} from './amend-arguments.ts'
import {
  countRoomsInUse,
  expireRoomHolds,
  isRoomNightChanged,
  listNightsInUse,
  lockHotelRoomNights,
  type PlannedRoomNightChange,
  planRoomNightChanges,
  refuseNightsInUse,
  saveRoomNightChanges,
} from './amend-nights.ts'
import { toAmendmentResult } from './amend-result.ts'
import { HOUSING_CONTRACT_RECORD } from './contract-record.ts'
import { returnRoomsToSale } from './cutoff.ts'
import { type FinalPickupNight, saveFinalPickup } from './final-pickup.ts'
import { lowerBookedRates, notifyOfLowerRates } from './lower-rates.ts'
import { createHousingContract, lockHousingContract, refuseCutoffAfterArrival } from './original.ts'
import { listAttritionNights, calculateContractSettlement } from './read-attrition.ts'
import { findNextReviewDate, refuseExcessiveRoomReduction } from './review.ts'
import { saveRoomTypes } from './room-types.ts'

export const CONTRACT_AMENDMENT_KINDS = ['original', 'addendum', 'review', 'finalPickup'] as const

export interface ContractAmendment extends OriginalContractInput, HotelTermInput {
  hotelId: string
  kind: (typeof CONTRACT_AMENDMENT_KINDS)[number]
  roomTypes?: readonly RoomTypeInput[] | undefined
  /** The contract terms that are removed. */
  clearTerms?: readonly ClearableContractTerm[] | undefined
  attritionBase: 'follow' | 'keep'
  finalPickup?: readonly FinalPickupNight[] | undefined
  reason: string
  ifRevision?: number | undefined
}

/** Changes the contract of a hotel, all or nothing, and writes an addendum. The original number of rooms of each night never changes. */
export async function amendHousingContract(ctx: HousingContext, amendment: ContractAmendment) {
  refuseMisplacedArguments(amendment)
  const found = await findHotel(ctx, amendment.hotelId)
  if (amendment.fileId !== undefined) await getFile(ctx, { fileId: amendment.fileId, eventId: ctx.event.id })
  const contract = await lockHousingContract(ctx, found.hotel.id)
  if (amendment.kind === 'original') return createOriginal(ctx, found, amendment)
  if (!contract) throw preconditionFailed(`${found.hotel.name} has no contract yet. Use kind original`)
  checkRevision({ kind: HOUSING_CONTRACT_RECORD.noun, name: found.hotel.code, revision: contract.revision }, amendment.ifRevision)
  return changeContract(ctx, found, contract, amendment)
}

/** The arguments that each kind of amendment accepts. All kinds accept a date, a file and a reason. */
const TAKEN: Record<Exclude<ContractAmendment['kind'], 'addendum'>, readonly (keyof ContractAmendment)[]> = {
  original: ['roomTypes', 'nights', 'terms', 'status', ...(Object.keys(hotelTermArguments) as (keyof HotelTermInput)[])],
  review: ['nights'],
  finalPickup: ['finalPickup'],
}
const ADDENDUM_CONTENT = [...TAKEN.original, 'clearTerms'] as const
const CONTENT = [...ADDENDUM_CONTENT, 'finalPickup'] as const

function refuseMisplacedArguments(amendment: ContractAmendment): void {
  const taken = amendment.kind === 'addendum' ? ADDENDUM_CONTENT : TAKEN[amendment.kind]
  const given = CONTENT.filter((name) => amendment[name] !== undefined)
  const misplaced = given.filter((name) => !taken.includes(name))
  if (misplaced.length > 0)
    throw invalidArguments(misplaced.map((path) => ({ path, message: `does not belong to kind ${amendment.kind}` })))
  if (given.length === 0) throw invalidArguments([{ path: taken[0]!, message: `give at least one of ${taken.join(', ')}` }])
}

async function createOriginal(ctx: HousingContext, found: EventHotel, amendment: ContractAmendment) {
  const types = await saveRoomTypes(ctx, found, amendment.roomTypes ?? [])
  const contract = await createHousingContract(ctx, found.hotel.id, readOriginalContract(ctx, { ...found, types }, amendment))
  await editHotel(ctx, found.hotel, amendment)
  return toAmendmentResult(ctx, { hotel: found.hotel, before: [], settledBefore: null, contract, notifies: 0 })
}

const editHotel = async (ctx: HousingContext, hotel: HotelRow, amendment: ContractAmendment): Promise<HotelRow> => {
  const given = Object.fromEntries(Object.keys(hotelTermArguments).map((name) => [name, amendment[name as keyof HotelTermInput]]))
  return (await editRecord(ctx, HOTEL_RECORD, hotel, readHotelTerms(ctx, given))).row
}

async function changeContract(ctx: HousingContext, found: EventHotel, contract: HousingContractRow, amendment: ContractAmendment) {
  const { kind, reason, signedOn, fileId, clearTerms } = amendment
  refuseCancelled(found, contract, amendment)
  const before = await lockHotelRoomNights(ctx, found.hotel.id)
  const settledBefore = await settle(ctx, contract)
  const types = await saveRoomTypes(ctx, found, amendment.roomTypes ?? [])
  const hotel = await editHotel(ctx, found.hotel, amendment)
  const terms = { ...readContractTermArguments(ctx, amendment.terms ?? {}), ...(signedOn === undefined ? {} : { signedOn }) }
  const edited = (await editRecord(ctx, HOUSING_CONTRACT_RECORD, contract, { ...terms, clear: clearTerms })).row
  const planned = await changeNights(ctx, { ...found, hotel, types }, edited, { before, amendment })
  const reviewOn = kind === 'review' ? (await refuseExcessiveRoomReduction(ctx, edited, planned)).on : undefined
  const pickups = amendment.finalPickup ? await saveFinalPickup(ctx, hotel, before, amendment.finalPickup) : undefined
  const changed = await lowerBookedRates(ctx, hotel, planned)
  const moved = await moveStatus(ctx, edited, amendment.status, hotel)
  await moveCutoff(ctx, contract, moved)
  const after = await lockHotelRoomNights(ctx, hotel.id)
  refuseCutoffAfterArrival(amendment.terms?.cutoffOn || planned.length > 0 ? moved.cutoff_on : null, after)
  const changes = toChanges(contract, moved, planned, pickups)
  const isSame =
    Object.keys(changes).length === 0 &&
    hotel.revision === found.hotel.revision &&
    JSON.stringify(types) === JSON.stringify(found.types) &&
    fileId === undefined
  if (isSame) return toAmendmentResult(ctx, { hotel, before, settledBefore, contract: moved, notifies: 0 })
  const current = moved.revision === contract.revision ? ((await incrementRevision(ctx, 'housing_contracts', moved)) ?? moved) : moved
  const addendum = await addAddendum(ctx, hotel.id, {
    kind,
    roomNights: countContracted(after) - countContracted(before),
    changes,
    reason,
    reviewOn,
    signedOn,
    fileId,
  })
  recordChange(ctx, {
    kind: HOUSING_CONTRACT_RECORD.kind,
    id: hotel.id,
    before: { contracted: countContracted(before) },
    after: { contracted: countContracted(after), addendum: addendum.number, reason, nights: changes.nights ?? [] },
  })
  return toAmendmentResult(ctx, {
    hotel,
    before,
    settledBefore,
    contract: current,
    addendum,
    notifies: await notifyOfLowerRates(ctx, changed),
  })
}

/** A cancelled contract can only be changed together with a new status, for example when the hotel signs again. */
function refuseCancelled({ hotel }: EventHotel, contract: HousingContractRow, { status = 'cancelled' }: ContractAmendment): void {
  if (contract.status === 'cancelled' && status === 'cancelled')
    throw preconditionFailed(`The contract of ${hotel.name} is cancelled. To use it again, set status to tentative or definite`)
}

const countContracted = (nights: readonly RoomNightRow[]) => nights.reduce((sum, { contracted }) => sum + contracted, 0)

async function settle(ctx: HousingContext, contract: HousingContractRow) {
  const nights = await listAttritionNights(ctx, [contract.hotel_id])
  return calculateContractSettlement(contract, nights.get(contract.hotel_id) ?? [])
}

interface NightAmendment {
  before: readonly RoomNightRow[]
  amendment: ContractAmendment
}

async function changeNights(
  ctx: HousingContext,
  found: EventHotel,
  contract: HousingContractRow,
  { before, amendment }: NightAmendment,
): Promise<PlannedRoomNightChange[]> {
  const changes = readNightChanges(ctx, found, amendment.nights)
  const base = amendment.kind === 'review' ? 'follow' : amendment.attritionBase
  let planned = planRoomNightChanges(before, changes, base)
  if (amendment.kind === 'review') findNextReviewDate(contract, toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx)))
  if (listNightsInUse(planned).length > 0 && (await expireRoomHolds(ctx, found.hotel.id, listNightsInUse(planned))))
    planned = planRoomNightChanges(await lockHotelRoomNights(ctx, found.hotel.id), changes, base)
  refuseNightsInUse(listNightsInUse(planned))
  const changed = planned.filter(isRoomNightChanged)
  await saveRoomNightChanges(ctx, found.hotel.id, changed)
  return changed
}

/** Changes the status of a contract. A contract with rooms in use cannot be cancelled. */
async function moveStatus(
  ctx: HousingContext,
  contract: HousingContractRow,
  to: HousingContractRow['status'] | undefined,
  hotel: HotelRow,
): Promise<HousingContractRow> {
  if (to === undefined || to === contract.status) return contract
  const used = (await lockHotelRoomNights(ctx, hotel.id)).reduce((sum, night) => sum + countRoomsInUse(night), 0)
  if (to === 'cancelled' && used > 0)
    throw preconditionFailed(`${hotel.name}: ${used} room nights in use, cannot cancel the contract. Use move_hotel_reservations first`)
  return changeRecordState(ctx, HOUSING_CONTRACT_STATES, contract, to)
}

/**
 * If the cut-off has already run and a later one (or none) is agreed now, rooms that were returned to the hotel become available for sale
 * again.
 */
async function moveCutoff(ctx: HousingContext, before: HousingContractRow, after: HousingContractRow): Promise<void> {
  const later = after.cutoff_on === null || (before.cutoff_done_for !== null && after.cutoff_on > before.cutoff_done_for)
  if (before.cutoff_done_for !== null && later) await returnRoomsToSale(ctx, after.hotel_id)
}

function toChanges(
  before: HousingContractRow,
  after: HousingContractRow,
  planned: readonly PlannedRoomNightChange[],
  finalPickup: AddendumRow['changes']['finalPickup'],
): AddendumRow['changes'] {
  const [old, now] = [toRecordFieldValues(HOUSING_CONTRACT_RECORD, before), toRecordFieldValues(HOUSING_CONTRACT_RECORD, after)]
  const terms = Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old])),
  )
  const nights = planned.map(({ roomTypeCode, night, before: was, after: is }) => ({
    roomTypeCode,
    night,
    before: was?.contracted ?? 0,
    after: is.contracted,
    rates: { single: is.rate_single, double: is.rate_double, triple: is.rate_triple, quad: is.rate_quad },
  }))
  return {
    ...(Object.keys(terms).length > 0 ? { terms } : {}),
    ...(nights.length > 0 ? { nights } : {}),
    ...(finalPickup ? { finalPickup } : {}),
  }
}
