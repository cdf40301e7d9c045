import type { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { type Money, sumMinor, toMoney } from '../../kernel/money.ts'
import { unknownName } from '../../kernel/nearest.ts'
import { toInstant } from '../../kernel/time.ts'
import { availableOf, productKey } from '../inventory/places.ts'
import { readKnownNames } from './known-names.ts'
import { type Pace, paceOf, paceWith } from './pace.ts'
import { type Figures, type PeopleLike, readFigures } from './summary-figures.ts'
import { MONEY_FIGURES, type MoneyFigure, type ProductFigures } from './summary-shapes.ts'

interface Request {
  from?: string | undefined
  until?: string | undefined
  flowSlug?: string | undefined
  compareWith?: string | undefined
  includeTestData: boolean
}

const MAX_PRODUCTS = 100
const MAX_TAGS = 100
const MAX_DAYS = 366

/** Where the registrations of an event stand, all figures of one moment. */
export async function getRegistrationSummary(ctx: EventContext, request: Request) {
  const { from, until, flowSlug, compareWith, includeTestData } = request
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
  const { codes } = await readKnownNames(ctx)
  if (flowSlug !== undefined && !codes.flow.has(flowSlug)) throw unknownName('flowSlug', flowSlug, [...codes.flow], 'flow')
  const pace: Pace | null = compareWith === undefined ? null : await paceWith(ctx, compareWith)
  const figures = await readFigures(ctx, { flowSlug: flowSlug ?? null, includeTestData, other: pace?.other ?? null })
  const { people } = figures
  const participants = statesOf(people)
  const days = daysOf(figures.days, from, until)
  const tags = groupsBy(figures.tags, ({ tag }) => tag).map(([tag, rows]) => ({ tag, ...statesOf(rows) }))
  const { products, ...others } = productsOf(figures, [...codes.product], ctx.event.currency)
  const isCut = days.length > MAX_DAYS || tags.length > MAX_TAGS || others.otherProducts !== undefined
  return {
    participants: { ...participants, substituted: figures.substituted },
    attendees: participants.complete - figures.guests,
    guests: figures.guests,
    byFlow: groupsBy(people, (row) => row.flowSlug).map(([slug, rows]) => ({ flowSlug: slug, ...statesOf(rows) })),
    bySource: groupsBy(people, (row) => row.source).map(([source, rows]) => ({ source, ...statesOf(rows) })),
    byTag: tags.slice(0, MAX_TAGS),
    overlapping: true as const,
    byDay: days.slice(-MAX_DAYS),
    products,
    ...others,
    waitlist: { waiting: waitingIn(figures, 'waiting'), offered: waitingIn(figures, 'offered') },
    money: moneyOf(figures, ctx.event.currency),
    ...(pace && figures.other ? { pace: paceOf(pace, participants.complete, figures.other) } : {}),
    asOf: toInstant(figures.asOf),
    ...(isCut ? { truncated: true as const, note: CUT } : {}),
  }
}

const CUT = `Lists are cut to ${MAX_PRODUCTS} products and ${MAX_TAGS} tags, the largest first, and to the last ${MAX_DAYS} days: pass from and until for others.`

const sumOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

function statesOf(rows: readonly Pick<PeopleLike, 'status' | 'count'>[]) {
  const of = (status: PeopleLike['status']) => sumOf(rows.filter((row) => row.status === status))
  return {
    total: sumOf(rows),
    incomplete: of('incomplete'),
    complete: of('complete'),
    waitlisted: of('waitlisted'),
    cancelled: of('cancelled'),
  }
}

/** The largest first, then by name; those without a name last. */
const groupsBy = <Row extends { count: number }, Key extends string | null>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): [Key, Row[]][] =>
  [...Map.groupBy(rows, keyOf)].toSorted(([a, some], [b, others]) => sumOf(others) - sumOf(some) || ((a ?? '~') < (b ?? '~') ? -1 : 1))

function daysOf(days: Figures['days'], from: string | undefined, until: string | undefined) {
  let cumulative = 0
  const counted = days.map(({ day, completed, cancelled }) => {
    const net = completed - cancelled
    cumulative += net
    return { day, completed, cancelled, net, cumulative }
  })
  return counted.filter(({ day }) => (from === undefined || day >= from) && (until === undefined || day <= until))
}

const waitingIn = ({ waitlist }: Figures, status: 'waiting' | 'offered', target?: string) =>
  sumOf(waitlist.filter((row) => row.status === status && (target === undefined || row.target === target)))

interface Product {
  figures: Omit<z.input<typeof ProductFigures>, 'net' | 'tax' | 'total'>
  net: number
  tax: number
  total: number
}

/** Every product of the configuration, and those that were sold and are no longer in it: those with most money first. */
function productsOf(figures: Figures, configured: readonly string[], currency: string) {
  const sold = figures.lines.flatMap(({ productCode }) => (productCode === null ? [] : [productCode]))
  const linesOf = Map.groupBy(figures.lines, ({ productCode }) => productCode)
  const stockOf = new Map(figures.stock.map((stock) => [stock.key, stock]))
  const all = [...new Set([...configured, ...sold])].map((code): Product => {
    const lines = linesOf.get(code) ?? []
    const stock = stockOf.get(productKey(code)) ?? { capacity: null, overage: 0, held: 0, sold: 0 }
    const { capacity, overage, held } = stock
    const waitlisted = waitingIn(figures, 'waiting', productKey(code)) + waitingIn(figures, 'offered', productKey(code))
    return {
      figures: { code, capacity, overage, held, sold: stock.sold, available: availableOf(stock), waitlisted },
      net: sumMinor(lines.map(({ net }) => net)),
      tax: sumMinor(lines.map(({ tax }) => tax)),
      total: sumMinor(lines.map(({ total }) => total)),
    }
  })
  const inOrder = all.toSorted((a, b) => b.total - a.total || b.figures.sold - a.figures.sold || (a.figures.code < b.figures.code ? -1 : 1))
  const [shown, rest] = [inOrder.slice(0, MAX_PRODUCTS), inOrder.slice(MAX_PRODUCTS)]
  const inMoney = ({ net, tax, total }: Omit<Product, 'figures'>) => ({
    net: toMoney(net, currency),
    tax: toMoney(tax, currency),
    total: toMoney(total, currency),
  })
  const together = (of: 'net' | 'tax' | 'total') => sumMinor(rest.map((one) => one[of]))
  return {
    products: shown.map((one) => ({ ...one.figures, ...inMoney(one) })),
    ...(rest.length > 0
      ? { otherProducts: { count: rest.length, ...inMoney({ net: together('net'), tax: together('tax'), total: together('total') }) } }
      : {}),
  }
}

/** From the lines what was sold, from the ledger what became of it. Nothing here is counted from another figure but `balance`. */
function moneyOf({ lines, entries }: Figures, currency: string): Record<MoneyFigure, Money> {
  const ofLines = (of: 'list' | 'discount' | 'net' | 'tax' | 'total', kind?: string) =>
    sumMinor(lines.filter((line) => kind === undefined || line.kind === kind).map((line) => line[of]))
  const ofEntries = (which: (entry: Figures['entries'][number]) => boolean) => sumMinor(entries.filter(which).map(({ amount }) => amount))
  const ofKind = (...kinds: string[]) => ofEntries(({ kind }) => kinds.includes(kind))
  const owed = ofEntries(({ unapplied }) => !unapplied)
  const creditHeld = -ofEntries(({ unapplied }) => unapplied)
  const minor: Record<MoneyFigure, number> = {
    list: ofLines('list'),
    discount: ofLines('discount'),
    net: ofLines('net'),
    tax: ofLines('tax'),
    total: ofLines('total'),
    fees: ofLines('total', 'fee'),
    deposits: ofLines('total', 'deposit'),
    invoiced: ofKind('invoice'),
    credited: -ofKind('credit_note'),
    paid: -ofKind('payment'),
    refunded: ofKind('refund'),
    reversed: ofKind('payment_reversal'),
    writtenOff: -ofKind('write_off', 'write_off_reversal'),
    balance: owed - creditHeld,
    owed,
    creditHeld,
  }
  return Object.fromEntries(MONEY_FIGURES.map((name) => [name, toMoney(minor[name] + 0, currency)])) as Record<MoneyFigure, Money>
}
