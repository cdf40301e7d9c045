import { sumMinorUnits } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { RfpResponseRow } from '../bids/tables.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import type { RfpRow } from '../rfps/tables.ts'
import { computeAwardLineCost, readAwardedResponses } from './awards.ts'
import type { AwardRow } from './tables.ts'

/**
 * Reads the offer that the supplier of a response made for the same dates in its first round: the last one, if it was replaced before the
 * round ended.
 */
export const readFirstOfferOfSupplier = (
  ctx: HousingQueryContext,
  { recipient_id, date_option }: RfpResponseRow,
): Promise<RfpResponseRow> =>
  eventDb(ctx)
    .selectFrom('rfp_responses')
    .selectAll()
    .where('recipient_id', '=', recipient_id)
    .where('date_option', '=', date_option)
    .orderBy('round')
    .orderBy((eb) => eb('withdrawn_at', 'is', null), 'desc')
    .orderBy('submitted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

/** Calculates the cost of the award, and of the first offers of its suppliers for the same quantities. */
export async function compareAwardWithFirstOffers(ctx: HousingQueryContext, rfp: RfpRow, { lines }: Pick<AwardRow, 'lines'>) {
  const responses = await readAwardedResponses(ctx, lines)
  const negotiated: number[] = []
  const baseline: number[] = []
  for (const [index, response] of responses.entries()) {
    negotiated.push(computeAwardLineCost(rfp, response, lines[index]!, index).gross)
    baseline.push(computeAwardLineCost(rfp, await readFirstOfferOfSupplier(ctx, response), lines[index]!, index).gross)
  }
  return { savings: sumMinorUnits(baseline) - sumMinorUnits(negotiated) }
}
