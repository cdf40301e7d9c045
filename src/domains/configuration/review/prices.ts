import { addDays, dayIn, endOfDay, isDay, startOfDay, toInstant } from '../../../kernel/time.ts'
import { soldBy } from '../flow/collects.ts'
import type { Operation } from '../operations.ts'
import type { Flow, Product } from '../schema/event-config.ts'
import { set } from './repairs.ts'
import { type Finding, type Look, perScene, type Scene, warning } from './scene.ts'

type Price = Product['prices'][number]

interface Window {
  from: number
  until: number
}

/** F21 and F22: times without a price, and with two. */
export function reviewPrices(look: Look): Finding[] {
  const { scene, flow } = look
  const window = saleWindow(scene, flow)
  return productsIn(look.config, flow).flatMap((product) => {
    const path = `/products/${product.code}/prices`
    const gaps = gapsOf(scene, product.prices, window)
    const ties = tiesIn(scene, product.prices)
    const mended = gaps.length + ties.length > 0 ? repairOf(scene, product) : null
    return [
      ...(gaps.length > 0
        ? [
            warning(
              'F21',
              path,
              `"${product.name}" has no price ${gaps.map((gap) => inWords(scene, gap, window)).join(' and ')}, while the flow "${flow.name}" is open.`,
              mended,
            ),
          ]
        : []),
      ...ties.map(([a, b]) =>
        warning(
          'F22',
          path,
          `"${product.name}" has two prices for the same people at the same time: rows ${a + 1} and ${b + 1} (${product.prices[a]!.amount} and ${product.prices[b]!.amount}); the lower one is taken.`,
          mended,
        ),
      ),
    ]
  })
}

const productsIn = (config: Scene['config'], flow: Flow): Product[] => [
  ...new Set(flow.pages.flatMap((page) => page.widgets).flatMap((widget) => (widget.type === 'products' ? soldBy(config, widget) : []))),
]

/** From now, or the opening, to the closing, or the end of the event. What is past cannot be mended. */
function saleWindow({ facts, config }: Scene, { opensAt, closesAt }: Flow): Window {
  return {
    from: Math.max(facts.now.getTime(), opensAt === null ? -Infinity : Date.parse(opensAt)),
    until: closesAt === null ? endOfDay(facts.timezone, config.details.endsOn).getTime() : Date.parse(closesAt),
  }
}

// A zone's midnight is dear, and thousands of rows begin and end on the same few days.
const midnights = perScene(({ facts }) => {
  const known = new Map<string, number>()
  return (day: string, end: boolean): number => {
    const key = end ? `${day} end` : day
    const time = known.get(key) ?? (end ? endOfDay(facts.timezone, day) : startOfDay(facts.timezone, day)).getTime()
    known.set(key, time)
    return time
  }
})

const startOf = (scene: Scene, { from }: Price) =>
  from === null ? -Infinity : isDay(from) ? midnights(scene)(from, false) : Date.parse(from)
const endOf = (scene: Scene, { until }: Price) =>
  until === null ? Infinity : isDay(until) ? midnights(scene)(until, true) : Date.parse(until)

/** The rows that somebody without tags pays by; those of members where everybody is one. */
function openRows(prices: readonly Price[]): number[] {
  const all = prices.map((_, row) => row)
  const untagged = all.filter((row) => prices[row]!.tags.length === 0)
  return untagged.length > 0 ? untagged : all
}

function gapsOf(scene: Scene, prices: readonly Price[], { from, until }: Window): Window[] {
  if (prices.length === 0) return []
  const spans = openRows(prices)
    .map((row) => ({ from: startOf(scene, prices[row]!), until: endOf(scene, prices[row]!) }))
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

const inWords = ({ facts }: Scene, gap: Window, window: Window) => {
  const day = (time: number) => dayIn(facts.timezone, new Date(time))
  if (gap.from === window.from && gap.until === window.until) return 'at all'
  if (gap.from === window.from) return `before ${day(gap.until)}`
  return gap.until === window.until ? `from ${day(gap.from)} on` : `from ${day(gap.from)} to ${day(gap.until - 1)}`
}

const tagSet = ({ tags }: Price) => tags.toSorted().join(' ')

/** Pairs of rows for the same tags that begin together and hold together, so that only the amount decides. */
function tiesIn(scene: Scene, prices: readonly Price[]): [number, number][] {
  return prices.flatMap((price, b) =>
    prices
      .slice(0, b)
      .flatMap((other, a): [number, number][] =>
        tagSet(price) === tagSet(other) && startOf(scene, price) === startOf(scene, other) ? [[a, b]] : [],
      ),
  )
}

const windows = perScene((scene) =>
  scene.config.flows.filter(({ retired }) => !retired).map((flow) => ({ flow, window: saleWindow(scene, flow) })),
)

/** One list for everything that is wrong with the prices in any flow, so that whoever follows one suggestion has followed them all. */
function repairOf(scene: Scene, product: Product): Operation[] | null {
  const sold = windows(scene).filter(({ flow }) => productsIn(scene.config, flow).includes(product))
  const untied = withoutTies(scene, product.prices)
  const prices = sold.reduce<readonly Price[]>((rows, { window }) => withoutGaps(scene, rows, window), untied)
  return sold.some(({ window }) => gapsOf(scene, prices, window).length > 0)
    ? null
    : [set(`/products/${product.code}/prices`, prices.map(stored))]
}

const stored = ({ amount, from, until, tags }: Price) => ({
  amount,
  ...(from === null ? {} : { from }),
  ...(until === null ? {} : { until }),
  ...(tags.length > 0 ? { tags } : {}),
})

/** Of two rows that begin together the dearer one begins when the other ends, or goes when it never comes to that. */
function withoutTies(scene: Scene, prices: readonly Price[]): readonly Price[] {
  const tie = tiesIn(scene, prices)[0]
  if (!tie) return prices
  const [low, high] = tie.toSorted((a, b) => Number(prices[a]!.amount) - Number(prices[b]!.amount) || a - b) as [number, number]
  const [cheap, dear] = [prices[low]!, prices[high]!]
  if (endOf(scene, dear) <= endOf(scene, cheap)) return withoutTies(scene, prices.toSpliced(high, 1))
  const from = isDay(cheap.until!) ? addDays(cheap.until!, 1) : toInstant(new Date(Date.parse(cheap.until!)))
  return withoutTies(scene, prices.toSpliced(high, 1, { ...dear, from }))
}

/** A row lasts until a later one takes its place, and the first one begins with the sale. */
function withoutGaps(scene: Scene, prices: readonly Price[], window: Window): readonly Price[] {
  const [gap] = gapsOf(scene, prices, window)
  if (!gap) return prices
  const rows = openRows(prices)
  const before = rows
    .filter((row) => endOf(scene, prices[row]!) <= gap.from)
    .sort((a, b) => endOf(scene, prices[b]!) - endOf(scene, prices[a]!))[0]
  const after = rows
    .filter((row) => startOf(scene, prices[row]!) >= gap.until)
    .sort((a, b) => startOf(scene, prices[a]!) - startOf(scene, prices[b]!))[0]
  const row = before ?? after
  if (row === undefined) return prices
  const mended = row === before ? { ...prices[row]!, until: null } : { ...prices[row]!, from: null }
  return withoutGaps(scene, prices.toSpliced(row, 1, mended), window)
}
