import { z } from 'zod'
import { toOneLine, count, day, flag, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventScope } from '../context.ts'
import { SettlementShape, toSettlement } from '../contracts/amend-result.ts'
import { listAttritionNights, type Settlement, calculateSettlement } from '../contracts/read-attrition.ts'
import { type HotelPci, listHotelPci, PCI_STATUSES, getAttestationExpiry } from '../pci/status.ts'
import type { HousingContractRow, HotelRow } from '../tables.ts'
import { figureFields, computePickupPercent, type RoomSourceFigures, type RoomFigures, sumFigures } from './figures.ts'

const percentField = { pickupPercent: z.number().nullable() }
export const summaryFigures = { ...figureFields, ...percentField }
export const FIGURES_FIELDS_TEXT = 'contracted, returned, allocated, pickup, held, freeSell, pickupPercent'

const Gate = object({ open: flag(), cardsWaiting: count(), validUntil: day().nullable(), overrideUntil: day().nullable() })

export const HotelInSummary = toOneLine(
  object({
    id: text(),
    code: text(),
    name: untrustedText(),
    contractStatus: oneOf(['none', 'tentative', 'definite', 'cancelled']),
    cutoffOn: day().nullable(),
    sellStatus: text(),
    pci: oneOf(PCI_STATUSES),
    ...summaryFigures,
    gate: Gate.optional(),
    attrition: SettlementShape.omit({ compsEarned: true, rebate: true }).optional(),
    compsEarned: count(),
    rebate: money(),
  }),
  'id, code, name, contractStatus, cutoffOn, sellStatus, pci, figures, compsEarned, rebate',
)

/** A hotel with all records from which its part of the summary is built. */
export interface SummarizedHotel {
  hotel: HotelRow
  contract: HousingContractRow | null
  figures: RoomFigures
  settlement: Settlement | null
  pci: HotelPci | undefined
}

/**
 * Reads the hotels of an event with room counts, attrition settlement and PCI status, by name. With `asOf`, attrition is calculated with
 * the pickup of that snapshot.
 */
export async function listSummarizedHotels(
  ctx: EventScope,
  pools: readonly RoomSourceFigures[],
  { only, asOf }: { only: string | undefined; asOf: string | undefined },
): Promise<SummarizedHotel[]> {
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
  const pci = await listHotelPci(ctx, ids)
  const byHotel = Map.groupBy(pools, ({ hotelId }) => hotelId)
  return hotels.map((hotel) => {
    const contract = contracts.find(({ hotel_id }) => hotel_id === hotel.id) ?? null
    return {
      hotel,
      contract,
      figures: sumFigures(byHotel.get(hotel.id) ?? []),
      settlement: contract?.status === 'definite' ? calculateSettlement(contract, nights.get(hotel.id) ?? []) : null,
      pci: pci.find(({ hotelId }) => hotelId === hotel.id),
    }
  })
}

interface Included {
  attrition: boolean
  pci: boolean
}

/** Converts a hotel to a tool result. Without a signed contract there are neither rebates nor damages. */
export function toHotelInSummary(currency: string, one: SummarizedHotel, included: Included) {
  const { hotel, contract, figures, settlement, pci } = one
  const { compsEarned = 0, rebate = toMoney(0, currency), ...attrition } = settlement ? toSettlement(currency, settlement) : {}
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
      ? { attrition: attrition as Omit<ReturnType<typeof toSettlement>, 'compsEarned' | 'rebate'> }
      : {}),
    compsEarned,
    rebate,
  }
}
