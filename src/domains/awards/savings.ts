import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { divideAndRoundHalfAway, splitByWeights, sumMinorUnits, toMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { COST_CATEGORIES, type CostCategory, type TotalCost } from '../bids/cost.ts'
import { readConversions } from '../bids/fx/rates.ts'
import { type ComparableResponse, readUnsealedResponses, readRfpSnapshot } from '../bids/responses.ts'
import type { RfpResponseContent, RfpResponseRow } from '../bids/tables.ts'
import { readTodayAtEvent } from '../housing/context.ts'
import type { RfpRow } from '../rfps/tables.ts'
import { buildPermittedEventSql } from '../tenancy/scope.ts'
import { computeAwardLineCost, getDateOptionOfResponse, readAwardedResponses, readSupplierNamesById } from './awards.ts'
import { readFirstOfferOfSupplier } from './first-offers.ts'
import type { AwardRow } from './tables.ts'

export const SAVINGS_BASELINES = ['firstOffer', 'budget', 'highestBid', 'priorYear'] as const
type Baseline = (typeof SAVINGS_BASELINES)[number]

interface SavingsQuestion {
  baseline: Baseline
  scope: 'event' | 'client'
  from?: string | undefined
  until?: string | undefined
}

type Parts = Record<CostCategory, number>

/** The baseline price that an award line is compared with, or the reason why there is none. */
type BaselineResult = { parts: Parts; currency: string } | { reason: string }

interface AwardedLine {
  award: AwardRow
  rfp: RfpRow
  response: RfpResponseRow
  index: number
  cost: TotalCost
  /** Each line's share of the award's cost. A baseline price for the whole award is split between the lines in these proportions. */
  weights: number[]
}

/** Computes the savings of final awards: the difference between a baseline price and their cost, for the same quantities. */
export async function computeAwardSavings(ctx: EventContext, { baseline, scope, from, until }: SavingsQuestion) {
  if (from !== undefined && until !== undefined && until < from) throw invalidArguments([{ path: 'until', message: `is before ${from}` }])
  const awards = await listExecutedAwards(ctx, scope, from, until)
  const lines = []
  const excluded: { rfp: string; supplier: string; reason: string }[] = []
  for (const award of awards) {
    // Savings of all events of the client may be requested, so the RFP and responses are read at the event of the award.
    const at = { ...ctx, event: { ...ctx.event, id: award.event_id } }
    for (const line of await readLines(at, award)) {
      const supplier = (await readSupplierNamesById(at, [line.response.supplier_id])).get(line.response.supplier_id)!
      const found = await findBaseline(at, baseline, line)
      if ('reason' in found) excluded.push({ rfp: line.rfp.number, supplier, reason: found.reason })
      else lines.push({ supplier, currency: found.currency, ...compare(line, found.parts) })
    }
  }
  return {
    lines: lines.map(({ currency, rfp, supplier, baseline: base, negotiated, savings, avoidance, parts }) => ({
      rfp,
      supplier,
      baseline: toMoney(base, currency),
      negotiated: toMoney(negotiated, currency),
      savings: toMoney(savings, currency),
      percent: percentOf(savings, base),
      avoidance: toMoney(avoidance, currency),
      parts: Object.fromEntries(COST_CATEGORIES.map((part) => [part, toMoney(parts[part], currency)])) as Record<
        CostCategory,
        ReturnType<typeof toMoney>
      >,
    })),
    totals: await sumLines(ctx, lines),
    excluded,
  }
}

/** Returns a percentage with one decimal; null if `whole` is zero. */
const percentOf = (part: number, whole: number) => (whole === 0 ? null : divideAndRoundHalfAway(BigInt(part) * 1000n, BigInt(whole)) / 10)

/**
 * Lists the final awards (status `executed`) of the event, or of all events of its client where the caller may read sourcing, in the order
 * in which they became final.
 */
const listExecutedAwards = (ctx: EventContext, scope: 'event' | 'client', from?: string, until?: string): Promise<AwardRow[]> => {
  let query = ctx.db
    .selectFrom('awards as a')
    .innerJoin('events as e', (join) => join.onRef('e.tenant_id', '=', 'a.tenant_id').onRef('e.id', '=', 'a.event_id'))
    .selectAll('a')
    .where('a.tenant_id', '=', ctx.tenantId)
    .where(buildPermittedEventSql(ctx, 'sourcing.read'))
    .where('a.status', '=', 'executed')
  const executedOn = sql<string>`(a.executed_at at time zone e.timezone)::date`
  if (scope === 'event') query = query.where('a.event_id', '=', ctx.event.id)
  if (from !== undefined) query = query.where(executedOn, '>=', from)
  if (until !== undefined) query = query.where(executedOn, '<=', until)
  return query.orderBy('a.executed_at').orderBy('a.id').execute()
}

async function readLines(ctx: EventContext, award: AwardRow): Promise<AwardedLine[]> {
  const rfp = await eventDb(ctx).selectFrom('rfps').selectAll().where('id', '=', award.rfp_id).executeTakeFirstOrThrow()
  const responses = await readAwardedResponses(ctx, award.lines)
  const costs = responses.map((response, index) => computeAwardLineCost(rfp, response, award.lines[index]!, index))
  const weights = costs.map(({ gross }) => gross)
  return responses.map((response, index) => ({ award, rfp, response, index, cost: costs[index]!, weights }))
}

function compare({ rfp, cost }: AwardedLine, before: Parts) {
  const parts = Object.fromEntries(COST_CATEGORIES.map((part) => [part, before[part] - cost.parts[part]])) as Parts
  const baseline = sumMinorUnits(Object.values(before))
  return {
    rfp: rfp.number,
    baseline,
    negotiated: cost.gross,
    savings: baseline - cost.gross,
    avoidance: cost.concessions,
    parts,
  }
}

async function findBaseline(ctx: EventContext, baseline: Baseline, line: AwardedLine): Promise<BaselineResult> {
  const { award, rfp, response, index } = line
  const priceOf = (offer: RfpResponseRow): BaselineResult => ({
    parts: computeAwardLineCost(rfp, offer, award.lines[index]!, index).parts,
    currency: offer.content.currency,
  })
  if (baseline === 'firstOffer') {
    const first = await readFirstOfferOfSupplier(ctx, response)
    return first.content.currency === response.content.currency ? priceOf(first) : { reason: 'The first offer is in another currency' }
  }
  if (baseline === 'budget') return splitBudget(line)
  if (baseline === 'highestBid') {
    const highest = await findHighestBid(ctx, response)
    return highest ? priceOf({ ...response, content: highest.content }) : { reason: 'No other bid for these dates in this currency' }
  }
  const prior = await findPriorYear(ctx, rfp, response)
  return prior ? priceOf({ ...response, content: prior }) : { reason: 'No award to this supplier at an earlier event' }
}

/** Returns the award line's share of the brief's budget, split into cost categories in the same proportions as the line's own cost. */
function splitBudget({ rfp, index, cost, weights, award }: AwardedLine): BaselineResult {
  const { budget } = rfp.requirements
  if (!budget) return { reason: 'The brief has no budget' }
  if (budget.currency !== award.currency) return { reason: 'The budget is in another currency' }
  const share = splitByWeights(toMinorUnits(budget.amount, budget.currency), weights)[index]!
  const parts = splitByWeights(
    share,
    COST_CATEGORIES.map((part) => cost.parts[part]),
  )
  return { parts: Object.fromEntries(COST_CATEGORIES.map((part, at) => [part, parts[at]!])) as Parts, currency: award.currency }
}

/** Finds the most expensive current bid of the other suppliers for the same dates. */
async function findHighestBid(ctx: EventContext, awarded: RfpResponseRow): Promise<ComparableResponse | null> {
  const open = await readUnsealedResponses(ctx, await readRfpSnapshot(ctx, awarded.rfp_id))
  const others = open.filter(
    ({ recipientId, dateOption, content }) =>
      recipientId !== awarded.recipient_id && dateOption === awarded.date_option && content.currency === awarded.content.currency,
  )
  return others.toSorted((a, b) => b.cost.gross - a.cost.gross || (a.id < b.id ? -1 : 1))[0] ?? null
}

/**
 * Finds the award to the same supplier at the client's previous event where the caller may read sourcing, with its nights moved to the dates
 * of this RFP.
 */
async function findPriorYear(ctx: EventContext, rfp: RfpRow, response: RfpResponseRow): Promise<RfpResponseContent | null> {
  const { arrival } = getDateOptionOfResponse(rfp, response)
  const rows = await ctx.db
    .selectFrom('awards as a')
    .innerJoin('events as e', (join) => join.onRef('e.tenant_id', '=', 'a.tenant_id').onRef('e.id', '=', 'a.event_id'))
    .innerJoin('rfps as r', (join) => joinRowsOfSameEvent(join, 'r.id', 'a.rfp_id'))
    .innerJoin('rfp_responses as p', (join) => joinRowsOfSameEvent(join, 'p.rfp_id', 'r.id'))
    .select(['a.lines', 'r.date_options', 'p.id', 'p.date_option', 'p.content'])
    .where('a.tenant_id', '=', ctx.tenantId)
    .where(buildPermittedEventSql(ctx, 'sourcing.read'))
    .where('a.event_id', '<>', ctx.event.id)
    .where('a.status', '=', 'executed')
    .where('p.supplier_id', '=', response.supplier_id)
    .execute()
  const earlier = rows
    .filter(({ lines, id }) => lines.some(({ responseId }) => responseId === id))
    .map((row) => ({ row, at: getDateOptionOfResponse(row, row).arrival }))
    .filter(({ row, at }) => at < arrival && row.content.currency === response.content.currency)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]
  if (!earlier) return null
  const days = daysBetween(earlier.at, arrival)
  const { content } = earlier.row
  return { ...content, rooms: content.rooms.map((one) => ({ ...one, night: addDays(one.night, days) })) }
}

interface SummedLine {
  currency: string
  baseline: number
  negotiated: number
  savings: number
  avoidance: number
}

/** Sums the amounts of award lines: in their currency if it is the same for all, otherwise in the currency of the event. */
async function sumLines(ctx: EventContext, lines: readonly SummedLine[]) {
  const currencies = new Set(lines.map(({ currency }) => currency))
  const currency = currencies.size === 1 ? [...currencies][0]! : ctx.event.currency
  const rates = await readConversions(ctx, { from: [...currencies], to: currency, day: await readTodayAtEvent(ctx) })
  const sum = (of: (line: SummedLine) => number) => sumMinorUnits(lines.map((line) => rates.get(line.currency)!.convert(of(line))))
  const [baseline, savings] = [sum((line) => line.baseline), sum((line) => line.savings)]
  return {
    baseline: toMoney(baseline, currency),
    negotiated: toMoney(
      sum((line) => line.negotiated),
      currency,
    ),
    savings: toMoney(savings, currency),
    percent: percentOf(savings, baseline),
    avoidance: toMoney(
      sum((line) => line.avoidance),
      currency,
    ),
  }
}
