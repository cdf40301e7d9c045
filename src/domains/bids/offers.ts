import { divideAndRoundHalfAway, sumMinorUnits } from '../../kernel/money.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { COST_CATEGORIES, type CostCategory } from './cost.ts'
import { type CurrencyConversion, readConversions } from './fx/rates.ts'
import type { ResponseReadContext, ComparableResponse, RfpSnapshot } from './responses.ts'

/** A response with its costs in the currency of the comparison, in minor units. */
export interface PricedOffer extends ComparableResponse {
  parts: Record<CostCategory, number>
  gross: number
  concessions: number
  net: number
  perRoomNight: number | null
  perPerson: number | null
  conversion: CurrencyConversion
}

/**
 * Converts the costs of responses into one currency and sorts them by net cost, then by name. The exchange rates are those of the due day
 * (before it: of today), so that a comparison stays the same after the due time.
 */
export async function priceOffersInCurrency(
  ctx: ResponseReadContext,
  rfp: RfpSnapshot,
  responses: readonly ComparableResponse[],
  currency: string,
): Promise<PricedOffer[]> {
  const due = toDayInZone(ctx.event.timezone, rfp.response_due_at)
  const conversions = await readConversions(ctx, {
    from: responses.map(({ content }) => content.currency),
    to: currency,
    day: due < rfp.today ? due : rfp.today,
  })
  return responses
    .map((response) => priceOffer(response, conversions.get(response.content.currency)!, rfp.requirements.attendees ?? 0))
    .toSorted((a, b) => a.net - b.net || a.supplier.name.localeCompare(b.supplier.name, 'en') || (a.id < b.id ? -1 : 1))
}

/** Converts the cost of a response. Its parts are converted one by one and added up again, so that they always sum to the total. */
function priceOffer(response: ComparableResponse, conversion: CurrencyConversion, attendees: number): PricedOffer {
  const { cost } = response
  const { convert } = conversion
  const parts = Object.fromEntries(COST_CATEGORIES.map((part) => [part, convert(cost.parts[part])])) as Record<CostCategory, number>
  const gross = sumMinorUnits(Object.values(parts))
  const concessions = convert(cost.concessions)
  const net = gross - concessions
  const share = (units: number) => (units === 0 ? null : divideAndRoundHalfAway(BigInt(net), BigInt(units)))
  return { ...response, parts, gross, concessions, net, perRoomNight: share(cost.roomNights), perPerson: share(attendees), conversion }
}
