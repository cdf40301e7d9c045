import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { formatInstant } from '../../kernel/time.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { renderPictureForAssistant } from '../drawing/picture.ts'
import { buildComparisonRows, type ComparisonRow } from './comparison-rows.ts'
import { type PricedOffer, priceOffersInCurrency } from './offers.ts'
import { drawCostComparisonChart } from './picture.ts'
import { type ResponseReadContext, readSelectedResponses, readRfpSnapshot, type RfpSnapshot, type ResponseSelection } from './responses.ts'
import { listRisks, type ResponseRisk } from './risks.ts'
import { scoreComparableResponses } from './scores.ts'
import type { ScoredOffer } from './score.ts'

export interface ComparisonRequest extends ResponseSelection {
  rfpId: string
  currency?: string | undefined
}

/** A comparison of responses by total cost, terms, answers and scores. Columns are sorted by net cost, then by name. */
export interface ResponseComparison {
  rfp: RfpSnapshot
  currency: string
  offers: PricedOffer[]
  rows: ComparisonRow[]
  risks: ResponseRisk[]
  /** The scores of the responses; null if the RFP has no rubric. */
  scores: ScoredOffer[] | null
}

/** Compares the responses of an RFP. Throws while the RFP is sealed, that is, before its due time. */
export async function readComparison(ctx: ResponseReadContext, request: ComparisonRequest): Promise<ResponseComparison> {
  const rfp = await readRfpSnapshot(ctx, request.rfpId)
  if (request.dateOption !== undefined && request.dateOption >= rfp.date_options.length)
    throw invalidArguments([{ path: 'dateOption', message: `${rfp.number} has ${rfp.date_options.length} date options, the first is 0` }])
  const currency = request.currency ?? rfp.currency
  const { all, chosen } = await readSelectedResponses(ctx, rfp, request)
  const scored = rfp.rubric ? await priceOffersInCurrency(ctx, rfp, all, rfp.currency) : null
  const ids = new Set(chosen.map(({ id }) => id))
  const offers =
    scored && currency === rfp.currency ? scored.filter(({ id }) => ids.has(id)) : await priceOffersInCurrency(ctx, rfp, chosen, currency)
  const scores = scored && (await scoreComparableResponses(ctx, rfp, scored))!.filter(({ responseId }) => ids.has(responseId))
  const risks = offers.flatMap((offer) =>
    listRisks(
      rfp,
      offer,
      scores?.find(({ responseId }) => responseId === offer.id),
    ),
  )
  return { rfp, currency, offers, rows: buildComparisonRows(rfp, offers, scores), risks, scores }
}

/** Builds the result of compare_responses, with a chart of the costs. */
export async function compareResponses(ctx: EventContext, request: ComparisonRequest) {
  const comparison = await readComparison(ctx, request)
  ctx.pictures.push(await renderPictureForAssistant((pixels) => drawCostComparisonChart(comparison, pixels)))
  return { ...toComparisonResult(comparison), xlsxUrl: comparisonPath(ctx, comparison) }
}

/** Returns the URL at which a signed-in user downloads the comparison as a workbook. */
const comparisonPath = ({ baseUrl, client, event }: EventContext, { rfp, currency }: ResponseComparison): string =>
  `${baseUrl}/console/events/${client.code}/${event.code}/rfps/${rfp.id}/compare.xlsx${currency === rfp.currency ? '' : `?currency=${currency}`}`

export function toComparisonResult({ rfp, currency, offers, rows, risks, scores }: ResponseComparison) {
  const money = (minor: number | null) => (minor === null ? null : toMoney(minor, currency))
  const conversions = new Map(
    offers.filter(({ conversion: { from, to } }) => from !== to).map(({ conversion }) => [conversion.from, conversion]),
  )
  return {
    rfp: { id: rfp.id, number: rfp.number, title: rfp.title },
    currency,
    columns: offers.map((offer) => ({
      responseId: offer.id,
      supplierId: offer.supplierId,
      supplier: offer.supplier.name,
      dateOption: offer.dateOption,
      arrival: offer.dates.arrival,
      departure: offer.dates.departure,
      round: offer.round,
      submittedAt: formatInstant(offer.submittedAt),
    })),
    rows,
    totals: offers.map(({ gross, concessions, net, perRoomNight, perPerson }) => ({
      gross: toMoney(gross, currency),
      concessions: toMoney(concessions, currency),
      net: toMoney(net, currency),
      perRoomNight: money(perRoomNight),
      perPerson: money(perPerson),
    })),
    risks,
    ...(scores ? { scores } : {}),
    fx: [...conversions.values()].map(({ from, to, rate, day }) => ({ from, to, rate, day })),
  }
}

/** Hashes a comparison, so that a written summary can be matched with the comparison that it describes. */
export const hashComparison = (comparison: ResponseComparison): string => hashCanonicalJson(toComparisonResult(comparison)).toString('hex')
