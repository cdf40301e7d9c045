import { percentOf, sumMinor } from '../../kernel/money.ts'
import type { TaxRate } from '../../kernel/ports.ts'
import type { InParts } from '../../kernel/turns.ts'
import type { Buyer } from '../pricing/tax-place.ts'
import { taxWithin } from '../pricing/taxes.ts'
import type { AssessedProduct, Terms } from './basis.ts'
import { type FindingKind, type Judge, judge, plainRate, type Verdict } from './judge.ts'
import { placeName } from './places.ts'

/** One line of an order, with the day and the buyer by which it is judged. A credit is judged by the day of its sale. */
export interface SoldLine {
  orderId: string
  invoiceId: string | null
  kind: 'sale' | 'credit'
  productCode: string
  on: string
  buyer: Buyer
  /** A tax id that nobody asked the authorities about: it counts as none. */
  unverified: boolean
  terms: Terms
  net: number
  tax: number
  total: number
}

/** Lines of one product that are wrong in one way. */
export interface Group {
  kind: FindingKind
  productCode: string
  rule: string
  places: string[]
  rate: string | null
  terms: Terms
  lines: number
  orders: number
  under: number
  over: number
}

/** What was counted of the lines so far. Plain, so that it can be kept between two batches. */
export interface Tally {
  lines: number
  orders: number
  groups: Record<string, Group>
  /** Per product: whether prices held the tax already, or it was added. */
  ways: Record<string, { inclusive: boolean; exclusive: boolean }>
  buyers: Record<string, number>
  /** Per product: lines of buyers abroad whose tax id is only of the right form. */
  unverified: Record<string, number>
}

export const newTally = (): Tally => ({ lines: 0, orders: 0, groups: {}, ways: {}, buyers: {}, unverified: {} })

/** Kinds that are one matter of a product, wherever the buyers are. */
const ANYWHERE: ReadonlySet<FindingKind> = new Set(['tax_not_due', 'reverse_charge_missing', 'buyer_country_missing', 'supply_unknown'])

export const groupKey = (productCode: string, { kind, rule, place }: Verdict): string =>
  [productCode, kind, rule, place && !ANYWHERE.has(kind) ? placeName(place) : ''].join('|')

export const emptyGroup = (productCode: string, { kind, rule, place, due }: Verdict, terms: Terms): Group => ({
  kind,
  productCode,
  rule,
  places: place ? [placeName(place)] : [],
  rate: due && plainRate(due.rate),
  terms: { ...terms, rate: plainRate(terms.rate) },
  lines: 0,
  orders: 0,
  under: 0,
  over: 0,
})

/** Invoices with wrong money on them, and what is wrong with each. */
export type WrongInvoices = Map<string, Set<string>>

const PART = 500

/** Adds lines to the tally in one pass. Those of one order come together, in one batch. */
export function* addLines(
  tally: Tally,
  lines: readonly SoldLine[],
  judging: Judge,
  products: ReadonlyMap<string, AssessedProduct>,
): InParts<WrongInvoices> {
  const wrong: WrongInvoices = new Map()
  let order: string | null = null
  let seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (index % PART === 0) yield
    if (line.orderId !== order) {
      order = line.orderId
      seen = new Set()
      tally.orders += 1
      const country = line.buyer.country ?? ''
      tally.buyers[country] = (tally.buyers[country] ?? 0) + 1
    }
    tally.lines += 1
    if (line.total === 0 && line.tax === 0) continue
    const product = products.get(line.productCode)
    // Of a product that was not asked for, or that the draft no longer knows, nothing can be said.
    if (!product) continue
    noteWay(tally, line)
    const { establishedIn } = judging.basis
    if (line.unverified && line.buyer.country !== null && line.buyer.country !== establishedIn && line.kind === 'sale')
      tally.unverified[line.productCode] = (tally.unverified[line.productCode] ?? 0) + 1
    const verdict = judge(judging, product, line)
    if (!verdict) continue
    const key = groupKey(line.productCode, verdict)
    const group = (tally.groups[key] ??= emptyGroup(line.productCode, verdict, line.terms))
    const place = verdict.place && placeName(verdict.place)
    if (place && !group.places.includes(place)) group.places.push(place)
    if (!seen.has(key)) group.orders += 1
    seen.add(key)
    const off = verdict.due ? dueOn(line, verdict.due) - line.tax : 0
    if (line.kind === 'credit') takeBack(group, off)
    else {
      group.lines += 1
      if (off > 0) group.under += off
      else group.over -= off
      if (off !== 0 && line.invoiceId !== null) wrong.set(line.invoiceId, (wrong.get(line.invoiceId) ?? new Set()).add(key))
    }
  }
  return wrong
}

/** A credit gives back what its sale got wrong: what was credited whole is nobody's loss any more. */
function takeBack(group: Group, off: number): void {
  if (off < 0) group.under = Math.max(0, group.under + off)
  else group.over = Math.max(0, group.over - off)
}

function noteWay(tally: Tally, { productCode, terms, tax }: SoldLine): void {
  if (tax === 0) return
  const ways = (tally.ways[productCode] ??= { inclusive: false, exclusive: false })
  ways[terms.inclusive ? 'inclusive' : 'exclusive'] = true
}

/** The tax that was due on a line as it was sold: on its net, or inside a total that stays what the buyer paid. */
function dueOn({ terms, net, total }: SoldLine, { rate, components }: Pick<TaxRate, 'rate' | 'components'>): number {
  if (terms.inclusive) return taxWithin(total, rate)
  return components.length > 0 ? sumMinor(components.map((one) => percentOf(net, one.rate))) : percentOf(net, rate)
}
