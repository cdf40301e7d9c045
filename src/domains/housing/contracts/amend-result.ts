import { z } from 'zod'
import { toOneLine, count, day, keepNullInResult, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { toMoney } from '../../../kernel/money.ts'
import { toRecordFieldValues } from '../../../kernel/records.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import type { AddendumRow, HousingContractRow, HotelRow, RoomNightRow } from '../tables.ts'
import { listAddenda } from './addenda.ts'
import { HOUSING_CONTRACT_RECORD } from './contract-record.ts'
import { listAttritionNights, type ContractSettlement, calculateContractSettlement } from './read-attrition.ts'

const NightState = object({
  contracted: count(),
  base: count(),
  returned: count(),
  freeSell: count(),
  rate: money(),
})
const ChangedNight = object({
  roomTypeCode: text(),
  night: day(),
  original: count(),
  before: keepNullInResult(NightState.nullable()),
  after: NightState,
})
export const ContractSettlementShape = object({
  method: oneOf(['none', 'cumulative', 'nightly']),
  committed: count(),
  pickup: count(),
  resold: count(),
  short: count(),
  damages: money(),
  compsEarned: count(),
  rebate: money(),
})
const Contract = object({
  hotelId: text(),
  hotelCode: text(),
  status: oneOf(['tentative', 'definite', 'cancelled']),
  signedOn: day().nullable(),
  terms: z.looseObject({}),
  addenda: count(),
  contracted: count(),
  revision: count(),
})
const Addendum = object({
  number: count(),
  kind: oneOf(['original', 'addendum', 'review', 'finalPickup']),
  on: day(),
  reason: untrustedText(),
  fileId: text().nullable(),
})
const STATE = 'contracted, base, freeSell, rate'
const SETTLEMENT = 'committed, pickup, short, damages, compsEarned, rebate'

export const AmendmentResult = {
  contract: toOneLine(Contract, 'hotelId, hotelCode, status, signedOn, terms, addenda, contracted, revision'),
  addendum: toOneLine(Addendum, 'number, kind, on, reason, fileId'),
  nights: list(toOneLine(ChangedNight, `roomTypeCode, night, original, before { ${STATE} }, after`), 10_000),
  attrition: toOneLine(
    object({ before: keepNullInResult(ContractSettlementShape.nullable()), after: ContractSettlementShape }),
    `before { ${SETTLEMENT} }, after`,
  ),
  notifies: count(),
}

/** Converts the settlement of a contract (attrition damages, complimentary rooms and rebate) to a tool result. */
export const toContractSettlementResult = (currency: string, { attrition, compsEarned, rebate }: ContractSettlement) => ({
  ...attrition,
  damages: toMoney(attrition.damages, currency),
  compsEarned,
  rebate: toMoney(rebate, currency),
})

const toTerms = (currency: string, contract: HousingContractRow) => {
  const { status: _, signedOn: __, rebatePerRoomNight, ...terms } = toRecordFieldValues(HOUSING_CONTRACT_RECORD, contract)
  return { ...terms, rebatePerRoomNight: rebatePerRoomNight === null ? null : toMoney(rebatePerRoomNight as number, currency) }
}

const toNightState = (currency: string, row: RoomNightRow) => ({
  contracted: row.contracted,
  base: row.base,
  returned: row.returned,
  freeSell: row.contracted - row.returned - row.allocated - row.booked - row.held,
  rate: toMoney(row.rate_single, currency),
})

interface Amended {
  hotel: HotelRow
  before: readonly RoomNightRow[]
  settledBefore: ContractSettlement | null
  contract: HousingContractRow
  addendum?: AddendumRow
  notifies: number
}

/** Returns the contract after an amendment, with the room nights that changed. */
export async function toAmendmentResult(ctx: HousingContext, { hotel, before, settledBefore, contract, addendum, notifies }: Amended) {
  const { currency } = ctx.event
  const after = await eventDb(ctx)
    .selectFrom('room_nights')
    .selectAll()
    .where('hotel_id', '=', hotel.id)
    .orderBy('room_type_code')
    .orderBy('night')
    .execute()
  const was = new Map(before.map((row) => [`${row.room_type_code} ${row.night}`, row]))
  const addenda = await listAddenda(ctx, hotel.id)
  const { number, kind, effective_on: on, reason, file_id: fileId } = addendum ?? addenda.at(-1)!
  const settled = calculateContractSettlement(contract, (await listAttritionNights(ctx, [hotel.id])).get(hotel.id) ?? [])
  const nights = after.map((row) => ({ row, old: was.get(`${row.room_type_code} ${row.night}`) ?? null }))
  return {
    contract: {
      hotelId: hotel.id,
      hotelCode: hotel.code,
      status: contract.status,
      signedOn: contract.signed_on,
      terms: toTerms(currency, contract),
      addenda: addenda.length - 1,
      contracted: after.reduce((sum, { contracted }) => sum + contracted, 0),
      revision: contract.revision,
    },
    addendum: { number, kind, on, reason, fileId },
    nights: nights
      .filter(({ row, old }) => JSON.stringify(row) !== JSON.stringify(old))
      .map(({ row, old }) => ({
        roomTypeCode: row.room_type_code,
        night: row.night,
        original: row.original,
        before: old && toNightState(currency, old),
        after: toNightState(currency, row),
      })),
    attrition: {
      before: settledBefore && toContractSettlementResult(currency, settledBefore),
      after: toContractSettlementResult(currency, settled),
    },
    notifies,
  }
}
