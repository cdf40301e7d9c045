import { preconditionFailed } from '../../../kernel/errors.ts'
import { findOrder, lockOrders } from '../../orders/orders.ts'
import { sumAmounts } from '../../orders/record-sale.ts'
import { toRemovals } from '../../orders/credits.ts'
import type { LineState } from '../../orders/lines.ts'
import type { CompanyRow } from '../companies.ts'
import type { EventScope } from '../context.ts'
import type { BoothRow } from '../floor/booths.ts'
import { findOpenAssignment, openAssignment, requireAssignable, requireLiveCompany } from './assign.ts'
import { getBoothsByNumber, lockBooths, lockCompanies } from './lock.ts'
import { type BoothLine, withQuantity } from './price.ts'
import {
  creditBooths,
  loadBoothSale,
  lockBoothLines,
  type OrderChange,
  priceBoothsFor,
  requirePriced,
  sellBooths,
  toChangeLine,
} from './sell.ts'
import { closeAssignment, freeBooth } from './vacate.ts'

export interface MovedBooths {
  booths: BoothRow[]
  orderChanges: OrderChange[]
}

/** Moves a company to another booth, which is available or held for it, and charges or credits the difference. */
export async function moveBooth(ctx: EventScope, { fromNumber, toNumber }: { fromNumber: string; toNumber: string }): Promise<MovedBooths> {
  const [found, target] = await getBoothsByNumber(ctx, [fromNumber, toNumber])
  const companyId = await requireHolder(ctx, found!, 'moved')
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  requireLiveCompany(company)
  const [from, to] = (await lockBooths(ctx, [found!.id, target!.id])) as [BoothRow, BoothRow]
  await requireAssignable(ctx, to, companyId)
  const { orderLineIds, applicationId } = await closeAssignment(ctx, from, companyId, `moved to ${to.number}`)
  const { lineIds, change } = await chargeDifference(ctx, company, { from, to, orderLineIds })
  const freed = await freeBooth(ctx, from, company, `moved to ${to.number}`)
  const taken = await openAssignment(ctx, to, company, { applicationId, orderLineIds: lineIds })
  return { booths: [freed, taken], orderChanges: change ? [change] : [] }
}

/** Swaps the booths of two companies. Each is charged or credited its difference. */
export async function swapBooths(ctx: EventScope, { numberA, numberB }: { numberA: string; numberB: string }): Promise<MovedBooths> {
  const found = await getBoothsByNumber(ctx, [numberA, numberB])
  const holders = [await requireHolder(ctx, found[0]!, 'swapped'), await requireHolder(ctx, found[1]!, 'swapped')] as const
  if (holders[0] === holders[1]) throw preconditionFailed(`Booths ${numberA} and ${numberB} belong to the same company`)
  const companies = await lockCompanies(ctx, holders)
  for (const company of companies.values()) requireLiveCompany(company)
  const [a, b] = (await lockBooths(
    ctx,
    found.map(({ id }) => id),
  )) as [BoothRow, BoothRow]
  const orders = await Promise.all(holders.map((companyId) => findOrder(ctx, { companyId })))
  await lockOrders(
    ctx,
    orders.flatMap((order) => (order ? [order.id] : [])),
  )
  const closed = [
    await closeAssignment(ctx, a, holders[0], `moved to ${b.number}`),
    await closeAssignment(ctx, b, holders[1], `moved to ${a.number}`),
  ] as const
  const booths: BoothRow[] = []
  const orderChanges: OrderChange[] = []
  for (const [i, [from, to]] of [[a, b] as const, [b, a] as const].entries()) {
    const company = companies.get(holders[i]!)!
    const { orderLineIds, applicationId } = closed[i]!
    const { lineIds, change } = await chargeDifference(ctx, company, { from, to, orderLineIds })
    booths.push(await openAssignment(ctx, to, company, { applicationId, orderLineIds: lineIds }))
    if (change) orderChanges.push(change)
  }
  return { booths, orderChanges }
}

async function requireHolder(ctx: EventScope, { id, number, status }: BoothRow, verb: string): Promise<string> {
  if (status !== 'assigned') throw preconditionFailed(`Booth ${number} is ${status} and cannot be ${verb}`)
  return (await findOpenAssignment(ctx, id)).company_id
}

interface Relocation {
  from: BoothRow
  to: BoothRow
  orderLineIds: readonly string[]
}

/**
 * Charges the difference between two booths. Products that both booths need keep their order line and the price that was paid; products
 * that the new booth does not need are credited in full, and those it needs in addition are sold at today's price.
 */
async function chargeDifference(
  ctx: EventScope,
  company: CompanyRow,
  { from, to, orderLineIds }: Relocation,
): Promise<{ lineIds: string[]; change: OrderChange | null }> {
  const sale = await loadBoothSale(ctx, company)
  const price = (await priceBoothsFor(ctx, sale, [to], company)).get(to.id)!
  const sold = await lockBoothLines(ctx, company.id, orderLineIds)
  const { surplus, missing, kept } = compareLines({ from, to, sold: sold?.lines ?? [], wanted: requirePriced(to.number, price) })
  const reason = `${from.number} to ${to.number}`
  const credited = sold ? await creditBooths(ctx, sale, sold.order, { removals: surplus, rule: { by: 'full' }, reason }) : []
  const { lineIds, orderNumber } = await sellBooths(ctx, sale, company, [{ boothId: to.id, lines: missing }])
  const lines = [...credited, ...missing.map(toChangeLine)]
  return {
    lineIds: [...kept, ...lineIds.get(to.id)!],
    change:
      lines.length === 0 ? null : { companyId: company.id, orderNumber: orderNumber ?? sold!.order.number, lines, ...sumAmounts(lines) },
  }
}

interface Comparison extends Omit<Relocation, 'orderLineIds'> {
  sold: readonly LineState[]
  wanted: readonly BoothLine[]
}

function compareLines({ from, to, sold, wanted }: Comparison) {
  // A price that was set by hand matches only the same price.
  const soldKey = (line: LineState) => (from.price_override === null ? `product ${line.product_code}` : `price ${line.unit_price}`)
  const wantedKey = (line: BoothLine) => (to.price_override === null ? `product ${line.productCode}` : `price ${line.unitPrice}`)
  const held = Map.groupBy(sold, soldKey)
  const needed = new Map(wanted.map((line) => [wantedKey(line), line.quantity]))
  const unitsHeld = (key: string) => (held.get(key) ?? []).reduce((sum, line) => sum + line.remaining, 0)
  const surplus = [...held].flatMap(([key, lines]) =>
    toRemovals(lines, lines[0]!.product_code, unitsHeld(key) - Math.min(unitsHeld(key), needed.get(key) ?? 0)),
  )
  const missing = wanted.flatMap((line) => {
    const units = line.quantity - Math.min(line.quantity, unitsHeld(wantedKey(line)))
    return units > 0 ? [withQuantity(line, units)] : []
  })
  const emptied = new Set(surplus.filter(({ line, units }) => units === line.remaining).map(({ line }) => line.id))
  return { surplus, missing, kept: sold.map(({ id }) => id).filter((id) => !emptied.has(id)) }
}
