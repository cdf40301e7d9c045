import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, invalidArguments } from '../../../kernel/errors.ts'
import { splitIntoInsertBatches } from '../../../kernel/insert-batches.ts'
import { type RecordEdit, toRecordColumns, toRecordFieldValues } from '../../../kernel/records.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import type { HousingContractRow } from '../tables.ts'
import { addAddendum } from './addenda.ts'
import { HOUSING_CONTRACT_RECORD } from './contract-record.ts'

/** Nightly rates in minor units by number of occupants. */
export interface NightRates {
  single: number
  double?: number | undefined
  triple?: number | undefined
  quad?: number | undefined
}

/** Rooms of one type that the hotel provides on one night. */
export interface ContractedNight {
  roomTypeCode: string
  night: string
  contracted: number
  rates: NightRates
}

/** The terms of a contract as they are stored. */
export type HousingContractTerms = Omit<RecordEdit<typeof HOUSING_CONTRACT_RECORD>, 'clear' | 'ifRevision' | 'signedOn'>

export interface OriginalHousingContract {
  status?: HousingContractRow['status'] | undefined
  signedOn?: string | undefined
  terms?: HousingContractTerms | undefined
  nights: readonly ContractedNight[]
  reason?: string | undefined
  fileId?: string | undefined
  /** Id of the sourcing award that the contract is made from. */
  awardId?: string | undefined
}

export const toNightRateColumns = ({ single, double, triple, quad }: NightRates) => ({
  rate_single: single,
  rate_double: double ?? null,
  rate_triple: triple ?? null,
  rate_quad: quad ?? null,
})

/**
 * Creates the contract of a hotel whose room types exist. Sets the rooms `original`, `base` and `contracted` to the same number, and writes
 * addendum 0. Throws if the hotel already has a contract.
 */
export async function createHousingContract(
  ctx: HousingContext,
  hotelId: string,
  original: OriginalHousingContract,
): Promise<HousingContractRow> {
  const { status = 'tentative', signedOn, terms = {}, nights, reason = 'Original contract', fileId, awardId = null } = original
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, hotel_id: hotelId }
  refuseRepeatedNights(nights)
  refuseCutoffAfterArrival(terms.cutoffOn ?? null, nights)
  const contract = await ctx.db
    .insertInto('housing_contracts')
    .values({
      ...toRecordColumns(HOUSING_CONTRACT_RECORD, { ...terms, signedOn: signedOn ?? null } as never),
      ...at,
      status,
      award_id: awardId,
    })
    .onConflict((clash) => clash.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!contract) throw conflict('This hotel has a contract already. Change it with kind addendum')
  const rows = nights.map(({ roomTypeCode, night, contracted, rates }) => ({
    ...at,
    room_type_code: roomTypeCode,
    night,
    original: contracted,
    base: contracted,
    contracted,
    ...toNightRateColumns(rates),
  }))
  for (const part of splitIntoInsertBatches(rows)) await ctx.db.insertInto('room_nights').values(part).execute()
  const roomNights = nights.reduce((sum, { contracted }) => sum + contracted, 0)
  const changes = {
    terms: toRecordFieldValues(HOUSING_CONTRACT_RECORD, contract),
    nights: nights.map(({ roomTypeCode, night, contracted, rates }) => ({ roomTypeCode, night, before: 0, after: contracted, rates })),
  }
  await addAddendum(ctx, hotelId, { kind: 'original', roomNights, changes, reason, signedOn, fileId })
  recordChange(ctx, {
    kind: 'housingContract',
    id: hotelId,
    after: { ...toRecordFieldValues(HOUSING_CONTRACT_RECORD, contract), roomNights },
  })
  return contract
}

function refuseRepeatedNights(nights: readonly ContractedNight[]): void {
  const seen = new Set<string>()
  for (const { roomTypeCode, night } of nights) {
    const key = `${roomTypeCode} ${night}`
    if (seen.has(key)) throw invalidArguments([{ path: 'nights', message: `${key} is given twice` }])
    seen.add(key)
  }
}

/** Throws if the cut-off is after the first night with contracted rooms. */
export function refuseCutoffAfterArrival(cutoffOn: string | null, nights: readonly { night: string; contracted: number }[]): void {
  const [arrival] = nights
    .filter(({ contracted }) => contracted > 0)
    .map(({ night }) => night)
    .toSorted()
  if (cutoffOn !== null && arrival !== undefined && cutoffOn > arrival)
    throw invalidArguments([{ path: 'terms.cutoffOn', message: `${cutoffOn} is after the first night, ${arrival}` }])
}

/** Locks the contract of a hotel; null if the hotel has none. Every change of rooms takes this lock first. */
export async function lockHousingContract(ctx: HousingQueryContext, hotelId: string): Promise<HousingContractRow | null> {
  return (
    (await eventDb(ctx)
      .selectFrom('housing_contracts')
      .selectAll()
      .where('hotel_id', '=', hotelId)
      .modifyEnd(sql`for no key update`)
      .executeTakeFirst()) ?? null
  )
}
