import { z } from 'zod'
import { toOneLine, count, day, flag, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import { ContractSettlementShape, toContractSettlementResult } from '../contracts/amend-result.ts'
import { listAttritionNights, type ContractSettlement, calculateContractSettlement } from '../contracts/read-attrition.ts'
import { type HotelPciStatus, listHotelPciStatuses, PCI_STATUSES, getAttestationExpiry } from '../pci/status.ts'
import type { HousingContractRow, HotelRow } from '../tables.ts'
import {
  roomNightCountFields,
  computePickupPercent,
  type RoomNightCountsOfSource,
  type RoomNightCounts,
  sumRoomNightCounts,
} from './figures.ts'

const percentField = { pickupPercent: z.number().nullable() }
export const hotelSummaryCountFields = { ...roomNightCountFields, ...percentField }
export const HOTEL_SUMMARY_FIELD_NAMES = 'contracted, returned, allocated, pickup, held, freeSell, pickupPercent'

const Gate = object({ open: flag(), cardsWaiting: count(), validUntil: day().nullable(), overrideUntil: day().nullable() })

export const HotelSummaryShape = toOneLine(
  object({
    id: text(),
    code: text(),
    name: untrustedText(),
    contractStatus: oneOf(['none', 'tentative', 'definite', 'cancelled']),
    cutoffOn: day().nullable(),
    sellStatus: text(),
    pci: oneOf(PCI_STATUSES),
    ...hotelSummaryCountFields,
    gate: Gate.optional(),
    attrition: ContractSettlementShape.omit({ compsEarned: true, rebate: true }).optional(),
    compsEarned: count(),
    rebate: money(),
  }),
  'id, code, name, contractStatus, cutoffOn, sellStatus, pci, figures, compsEarned, rebate',
)

/** A hotel with all records from which its part of the summary is built. */
export interface HotelSummaryInputs {
  hotel: HotelRow
  contract: HousingContractRow | null
  figures: RoomNightCounts
  settlement: ContractSettlement | null
  pci: HotelPciStatus | undefined
}

/**
 * Reads the hotels of an event with room counts, attrition settlement and PCI status, by name. With `asOf`, attrition is calculated with
 * the pickup of that snapshot.
 */
export async function listHotelSummaryData(
  ctx: HousingContext,
  pools: readonly RoomNightCountsOfSource[],
  { only, asOf }: { only: string | undefined; asOf: string | undefined },
): Promise<HotelSummaryInputs[]> {
  const hotels = await eventDb(ctx)
    .selectFrom('event_hotels')
    .selectAll()
    .where('retired', '=', false)
    .$if(only !== undefined, (query) => query.where('id', '=', only!))
    .orderBy('name')
    .orderBy('id')
    .execute()
  const ids = hotels.map(({ id }) => id)
  if (ids.length === 0) return []
  const contracts = await eventDb(ctx).selectFrom('housing_contracts').selectAll().where('hotel_id', 'in', ids).execute()
  const nights = await listAttritionNights(ctx, ids, asOf)
  const pci = await listHotelPciStatuses(ctx, ids)
  const byHotel = Map.groupBy(pools, ({ hotelId }) => hotelId)
  return hotels.map((hotel) => {
    const contract = contracts.find(({ hotel_id }) => hotel_id === hotel.id) ?? null
    return {
      hotel,
      contract,
      figures: sumRoomNightCounts(byHotel.get(hotel.id) ?? []),
      settlement: contract?.status === 'definite' ? calculateContractSettlement(contract, nights.get(hotel.id) ?? []) : null,
      pci: pci.find(({ hotelId }) => hotelId === hotel.id),
    }
  })
}

interface Included {
  attrition: boolean
  pci: boolean
}

/** Converts a hotel to a tool result. Without a signed contract there are neither rebates nor damages. */
export function toHotelSummary(currency: string, one: HotelSummaryInputs, included: Included) {
  const { hotel, contract, figures, settlement, pci } = one
  const {
    compsEarned = 0,
    rebate = toMoney(0, currency),
    ...attrition
  } = settlement ? toContractSettlementResult(currency, settlement) : {}
  return {
    id: hotel.id,
    code: hotel.code,
    name: hotel.name,
    contractStatus: contract?.status ?? ('none' as const),
    cutoffOn: contract?.cutoff_on ?? null,
    sellStatus: hotel.sell_status,
    pci: pci?.status ?? ('missing' as const),
    ...figures,
    pickupPercent: computePickupPercent(figures),
    ...(included.pci && pci
      ? {
          gate: {
            open: pci.isOpen,
            cardsWaiting: pci.cardsWaiting,
            validUntil: pci.record && getAttestationExpiry(pci.record),
            overrideUntil: pci.override?.until ?? null,
          },
        }
      : {}),
    ...(included.attrition && settlement
      ? { attrition: attrition as Omit<ReturnType<typeof toContractSettlementResult>, 'compsEarned' | 'rebate'> }
      : {}),
    compsEarned,
    rebate,
  }
}
