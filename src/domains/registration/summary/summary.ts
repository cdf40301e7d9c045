import type { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { type Money, sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { createUnknownNameError } from '../../../kernel/nearest.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { countAvailableUnits, toProductInventoryKey } from '../../inventory/units.ts'
import { readKnownConfigCodes } from '../find/known-names.ts'
import { type RegistrationPaceBaseline, toRegistrationPaceResult, loadRegistrationPaceBaseline } from '../flows/pace.ts'
import { type RegistrationSummaryFigures, readRegistrationSummaryFigures } from './summary-figures.ts'
import { countByCountry } from './by-country.ts'
import { countParticipantsByStatus, groupByKeyLargestFirst, sumCounts } from './counts.ts'
import { MONEY_TOTAL_NAMES, type MoneyTotalName, type ProductSalesSummary } from './summary-shapes.ts'

interface Request {
  from?: string | undefined
  until?: string | undefined
  flowSlug?: string | undefined
  compareWith?: string | undefined
  groupBy?: 'country' | undefined
  includeTestData: boolean
}

const MAX_PRODUCTS = 100
const MAX_TAGS = 100
const MAX_DAYS = 366

/** Summarizes the registrations of an event, with all figures from one snapshot. */
export async function getRegistrationSummary(ctx: EventContext, request: Request) {
  const { from, until, flowSlug, compareWith, groupBy, includeTestData } = request
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
  const { codes } = await readKnownConfigCodes(ctx)
  if (flowSlug !== undefined && !codes.flow.has(flowSlug)) throw createUnknownNameError('flowSlug', flowSlug, [...codes.flow], 'flow')
  const pace: RegistrationPaceBaseline | null = compareWith === undefined ? null : await loadRegistrationPaceBaseline(ctx, compareWith)
  const figures = await readRegistrationSummaryFigures(ctx, {
    flowSlug: flowSlug ?? null,
    includeTestData,
    byCountry: groupBy === 'country',
    other: pace?.other ?? null,
  })
  const { people } = figures
  const participants = countParticipantsByStatus(people)
  const days = daysOf(figures.days, from, until)
  const tags = groupByKeyLargestFirst(figures.tags, ({ tag }) => tag).map(([tag, rows]) => ({ tag, ...countParticipantsByStatus(rows) }))
  const { products, ...others } = productsOf(figures, [...codes.product], ctx.event.currency)
  const isCut = days.length > MAX_DAYS || tags.length > MAX_TAGS || others.otherProducts !== undefined
  return {
    participants: { ...participants, substituted: figures.substituted },
    attendees: participants.complete - figures.guests,
    guests: figures.guests,
    byFlow: groupByKeyLargestFirst(people, (row) => row.flowSlug).map(([slug, rows]) => ({
      flowSlug: slug,
      ...countParticipantsByStatus(rows),
    })),
    bySource: groupByKeyLargestFirst(people, (row) => row.source).map(([source, rows]) => ({ source, ...countParticipantsByStatus(rows) })),
    byTag: tags.slice(0, MAX_TAGS),
    overlapping: true as const,
    ...(figures.countries ? { byCountry: countByCountry(ctx, figures.countries) } : {}),
    byDay: days.slice(-MAX_DAYS),
    products,
    ...others,
    waitlist: { waiting: countWaiting(figures, 'waiting'), offered: countWaiting(figures, 'offered') },
    money: moneyOf(figures, ctx.event.currency),
    ...(pace && figures.other ? { pace: toRegistrationPaceResult(pace, participants.complete, figures.other) } : {}),
    asOf: formatInstant(figures.asOf),
    ...(isCut ? { truncated: true as const, note: TRUNCATION_NOTE } : {}),
  }
}

const TRUNCATION_NOTE = `Lists are cut to ${MAX_PRODUCTS} products and ${MAX_TAGS} tags, the largest first, and to the last ${MAX_DAYS} days. Pass from and until for other days.`

function daysOf(days: RegistrationSummaryFigures['days'], from: string | undefined, until: string | undefined) {
  let cumulative = 0
  const counted = days.map(({ day, completed, cancelled }) => {
    const net = completed - cancelled
    cumulative += net
    return { day, completed, cancelled, net, cumulative }
  })
  return counted.filter(({ day }) => (from === undefined || day >= from) && (until === undefined || day <= until))
}

const countWaiting = ({ waitlist }: RegistrationSummaryFigures, status: 'waiting' | 'offered', target?: string) =>
  sumCounts(waitlist.filter((row) => row.status === status && (target === undefined || row.target === target)))

interface Product {
  figures: Omit<z.input<typeof ProductSalesSummary>, 'net' | 'tax' | 'total'>
  net: number
  tax: number
  total: number
}

/** Lists the figures of configured products, and of sold products that were removed since, sorted by revenue. */
function productsOf(figures: RegistrationSummaryFigures, configured: readonly string[], currency: string) {
  const sold = figures.lines.flatMap(({ productCode }) => (productCode === null ? [] : [productCode]))
  const linesOf = Map.groupBy(figures.lines, ({ productCode }) => productCode)
  const stockOf = new Map(figures.stock.map((stock) => [stock.key, stock]))
  const all = [...new Set([...configured, ...sold])].map((code): Product => {
    const lines = linesOf.get(code) ?? []
    const stock = stockOf.get(toProductInventoryKey(code)) ?? { capacity: null, overage: 0, held: 0, sold: 0 }
    const { capacity, overage, held } = stock
    const waitlisted =
      countWaiting(figures, 'waiting', toProductInventoryKey(code)) + countWaiting(figures, 'offered', toProductInventoryKey(code))
    return {
      figures: { code, capacity, overage, held, sold: stock.sold, available: countAvailableUnits(stock), waitlisted },
      net: sumMinorUnits(lines.map(({ net }) => net)),
      tax: sumMinorUnits(lines.map(({ tax }) => tax)),
      total: sumMinorUnits(lines.map(({ total }) => total)),
    }
  })
  const inOrder = all.toSorted((a, b) => b.total - a.total || b.figures.sold - a.figures.sold || (a.figures.code < b.figures.code ? -1 : 1))
  const [shown, rest] = [inOrder.slice(0, MAX_PRODUCTS), inOrder.slice(MAX_PRODUCTS)]
  const inMoney = ({ net, tax, total }: Omit<Product, 'figures'>) => ({
    net: toMoney(net, currency),
    tax: toMoney(tax, currency),
    total: toMoney(total, currency),
  })
  const together = (of: 'net' | 'tax' | 'total') => sumMinorUnits(rest.map((one) => one[of]))
  return {
    products: shown.map((one) => ({ ...one.figures, ...inMoney(one) })),
    ...(rest.length > 0
      ? { otherProducts: { count: rest.length, ...inMoney({ net: together('net'), tax: together('tax'), total: together('total') }) } }
      : {}),
  }
}

/**
 * Builds the money figures: sales come from order lines, payments and credits from the ledger. Only `balance` is derived from other
 * figures.
 */
function moneyOf({ lines, entries }: RegistrationSummaryFigures, currency: string): Record<MoneyTotalName, Money> {
  const ofLines = (of: 'list' | 'discount' | 'net' | 'tax' | 'total', kind?: string) =>
    sumMinorUnits(lines.filter((line) => kind === undefined || line.kind === kind).map((line) => line[of]))
  const ofEntries = (which: (entry: RegistrationSummaryFigures['entries'][number]) => boolean) =>
    sumMinorUnits(entries.filter(which).map(({ amount }) => amount))
  const ofKind = (...kinds: string[]) => ofEntries(({ kind }) => kinds.includes(kind))
  const owed = ofEntries(({ unapplied }) => !unapplied)
  const creditHeld = -ofEntries(({ unapplied }) => unapplied)
  const minor: Record<MoneyTotalName, number> = {
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
  return Object.fromEntries(MONEY_TOTAL_NAMES.map((name) => [name, toMoney(minor[name] + 0, currency)])) as Record<MoneyTotalName, Money>
}
