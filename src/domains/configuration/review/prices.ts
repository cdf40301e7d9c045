import { addDays, toDayInZone, endOfDay, isCalendarDay, startOfDay, formatInstant } from '../../../kernel/time.ts'
import { listSoldProducts } from '../flow/collected-answers.ts'
import type { ConfigOperation } from '../operations.ts'
import type { Flow, Product } from '../schema/event-config.ts'
import { buildConfigSetOperation } from './suggestions.ts'
import { type FlowFinding, type FlowReviewContext, cachePerReview, type ReviewContext, createWarningFinding } from './context.ts'

type Price = Product['prices'][number]

interface Window {
  from: number
  until: number
}

/** Review checks F21 and F22: periods without a price, and periods with two. */
export function reviewPrices(flowContext: FlowReviewContext): FlowFinding[] {
  const { context, flow } = flowContext
  const window = saleWindow(context, flow)
  return productsIn(flowContext.config, flow).flatMap((product) => {
    const path = `/products/${product.code}/prices`
    const gaps = findGaps(context, product.prices, window)
    const ties = findTies(context, product.prices)
    const fixed = gaps.length + ties.length > 0 ? suggestPrices(context, product) : null
    return [
      ...(gaps.length > 0
        ? [
            createWarningFinding(
              'F21',
              path,
              `"${product.name}" has no price ${gaps.map((gap) => describeGap(context, gap, window)).join(' and ')}, while the flow "${flow.name}" is open.`,
              fixed,
            ),
          ]
        : []),
      ...ties.map(([a, b]) =>
        createWarningFinding(
          'F22',
          path,
          `"${product.name}" has two prices for the same participants at the same time: rows ${a + 1} and ${b + 1} (${product.prices[a]!.amount} and ${product.prices[b]!.amount}); the lower one applies.`,
          fixed,
        ),
      ),
    ]
  })
}

const productsIn = (config: ReviewContext['config'], flow: Flow): Product[] => [
  ...new Set(
    flow.pages.flatMap((page) => page.widgets).flatMap((widget) => (widget.type === 'products' ? listSoldProducts(config, widget) : [])),
  ),
]

/**
 * Returns the period in which the flow sells: from now or its opening to its closing or the end of the event. Past periods are left out,
 * because they cannot be fixed.
 */
function saleWindow({ facts, config }: ReviewContext, { opensAt, closesAt }: Flow): Window {
  return {
    from: Math.max(facts.now.getTime(), opensAt === null ? -Infinity : Date.parse(opensAt)),
    until: closesAt === null ? endOfDay(facts.timezone, config.details.endsOn).getTime() : Date.parse(closesAt),
  }
}

// Midnights in the event's time zone. Cached, because they are expensive to compute and many price rows share the same days.
const midnights = cachePerReview(({ facts }) => {
  const known = new Map<string, number>()
  return (day: string, end: boolean): number => {
    const key = end ? `${day} end` : day
    const time = known.get(key) ?? (end ? endOfDay(facts.timezone, day) : startOfDay(facts.timezone, day)).getTime()
    known.set(key, time)
    return time
  }
})

const startOf = (context: ReviewContext, { from }: Price) =>
  from === null ? -Infinity : isCalendarDay(from) ? midnights(context)(from, false) : Date.parse(from)
const endOf = (context: ReviewContext, { until }: Price) =>
  until === null ? Infinity : isCalendarDay(until) ? midnights(context)(until, true) : Date.parse(until)

/** Lists the prices that apply to participants without tags; if every price requires a tag, lists all prices. */
function listOpenRows(prices: readonly Price[]): number[] {
  const all = prices.map((_, row) => row)
  const untagged = all.filter((row) => prices[row]!.tags.length === 0)
  return untagged.length > 0 ? untagged : all
}

function findGaps(context: ReviewContext, prices: readonly Price[], { from, until }: Window): Window[] {
  if (prices.length === 0) return []
  const spans = listOpenRows(prices)
    .map((row) => ({ from: startOf(context, prices[row]!), until: endOf(context, prices[row]!) }))
    .sort((a, b) => a.from - b.from)
  const gaps: Window[] = []
  let covered = from
  for (const span of spans) {
    if (covered >= until) break
    if (span.from > covered) gaps.push({ from: covered, until: Math.min(span.from, until) })
    covered = Math.max(covered, span.until)
  }
  if (covered < until) gaps.push({ from: covered, until })
  return gaps
}

const describeGap = ({ facts }: ReviewContext, gap: Window, window: Window) => {
  const day = (time: number) => toDayInZone(facts.timezone, new Date(time))
  if (gap.from === window.from && gap.until === window.until) return 'at all'
  if (gap.from === window.from) return `before ${day(gap.until)}`
  return gap.until === window.until ? `from ${day(gap.from)} on` : `from ${day(gap.from)} to ${day(gap.until - 1)}`
}

const tagSet = ({ tags }: Price) => tags.toSorted().join(' ')

/** Finds pairs of price rows with the same tags and the same start, where only the amount decides which one applies. */
function findTies(context: ReviewContext, prices: readonly Price[]): [number, number][] {
  return prices.flatMap((price, b) =>
    prices
      .slice(0, b)
      .flatMap((other, a): [number, number][] =>
        tagSet(price) === tagSet(other) && startOf(context, price) === startOf(context, other) ? [[a, b]] : [],
      ),
  )
}

const windows = cachePerReview((context) =>
  context.config.flows.filter(({ retired }) => !retired).map((flow) => ({ flow, window: saleWindow(context, flow) })),
)

/** Suggests one price list that fixes all price problems of a product in all flows, so that suggestions for different problems agree. */
function suggestPrices(context: ReviewContext, product: Product): ConfigOperation[] | null {
  const sold = windows(context).filter(({ flow }) => productsIn(context.config, flow).includes(product))
  const untied = resolveTies(context, product.prices)
  const prices = sold.reduce<readonly Price[]>((rows, { window }) => resolveGaps(context, rows, window), untied)
  return sold.some(({ window }) => findGaps(context, prices, window).length > 0)
    ? null
    : [buildConfigSetOperation(`/products/${product.code}/prices`, prices.map(stored))]
}

const stored = ({ amount, from, until, tags }: Price) => ({
  amount,
  ...(from === null ? {} : { from }),
  ...(until === null ? {} : { until }),
  ...(tags.length > 0 ? { tags } : {}),
})

/** Fixes two price rows that start together: the more expensive one starts when the other ends, or is removed if it would never apply. */
function resolveTies(context: ReviewContext, prices: readonly Price[]): readonly Price[] {
  const tie = findTies(context, prices)[0]
  if (!tie) return prices
  const [low, high] = tie.toSorted((a, b) => Number(prices[a]!.amount) - Number(prices[b]!.amount) || a - b) as [number, number]
  const [cheap, dear] = [prices[low]!, prices[high]!]
  if (endOf(context, dear) <= endOf(context, cheap)) return resolveTies(context, prices.toSpliced(high, 1))
  const from = isCalendarDay(cheap.until!) ? addDays(cheap.until!, 1) : formatInstant(new Date(Date.parse(cheap.until!)))
  return resolveTies(context, prices.toSpliced(high, 1, { ...dear, from }))
}

/** Fills periods without a price: extends a price row until a later one replaces it, or the first row back to the start of sales. */
function resolveGaps(context: ReviewContext, prices: readonly Price[], window: Window): readonly Price[] {
  const [gap] = findGaps(context, prices, window)
  if (!gap) return prices
  const rows = listOpenRows(prices)
  const before = rows
    .filter((row) => endOf(context, prices[row]!) <= gap.from)
    .sort((a, b) => endOf(context, prices[b]!) - endOf(context, prices[a]!))[0]
  const after = rows
    .filter((row) => startOf(context, prices[row]!) >= gap.until)
    .sort((a, b) => startOf(context, prices[a]!) - startOf(context, prices[b]!))[0]
  const row = before ?? after
  if (row === undefined) return prices
  const fixed = row === before ? { ...prices[row]!, until: null } : { ...prices[row]!, from: null }
  return resolveGaps(context, prices.toSpliced(row, 1, fixed), window)
}
