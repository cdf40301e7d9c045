import { preconditionFailed } from '../../../kernel/errors.ts'
import { lockOrders } from '../../orders/orders.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { type OrderLineRemoval, selectOrderLinesToRemove } from '../../orders/credits.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import type { BoothRow } from '../floor/booths.ts'
import { getCurrentBoothAssignment, startBoothAssignment, requireAssignableBooth, requireCompanyNotCancelled } from './assign.ts'
import { getBoothsByNumber, lockBooths, lockCompanies } from './lock.ts'
import { type BoothOrderLine, type BoothPriceContext, copyOrderLineWithQuantity } from './price.ts'
import {
  changeProductStock,
  listBoothOrderLines,
  loadBoothPriceContext,
  type BoothOrderChange,
  calculateBoothPrices,
  requireSellableOrderLines,
  toOrderChangeLine,
  creditLinesOnOrders,
  addBoothLinesToOrder,
} from './sell.ts'
import { endBoothAssignment, makeBoothAvailable } from './vacate.ts'

export interface MovedBooths {
  booths: BoothRow[]
  orderChanges: BoothOrderChange[]
}

/** Moves a company to another booth, which is available or held for it, and charges or credits the price difference. */
export async function moveBooth(
  ctx: ExhibitorContext,
  { fromNumber, toNumber }: { fromNumber: string; toNumber: string },
): Promise<MovedBooths> {
  const [found, target] = await getBoothsByNumber(ctx, [fromNumber, toNumber])
  const companyId = await requireHolder(ctx, found!, 'moved')
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  requireCompanyNotCancelled(company)
  const [from, to] = (await lockBooths(ctx, [found!.id, target!.id])) as [BoothRow, BoothRow]
  await requireAssignableBooth(ctx, to, companyId)
  const relocation = await planRelocation(ctx, company, from, to)
  await makeBoothAvailable(ctx, from, company, `moved to ${to.number}`)
  return relocate(ctx, [relocation], [from])
}

/** Swaps the booths of two companies. Each company is charged or credited the price difference. */
export async function swapBooths(ctx: ExhibitorContext, { numberA, numberB }: { numberA: string; numberB: string }): Promise<MovedBooths> {
  const found = await getBoothsByNumber(ctx, [numberA, numberB])
  const holders = [await requireHolder(ctx, found[0]!, 'swapped'), await requireHolder(ctx, found[1]!, 'swapped')] as const
  if (holders[0] === holders[1]) throw preconditionFailed(`Booths ${numberA} and ${numberB} belong to the same company`)
  const companies = await lockCompanies(ctx, holders)
  for (const company of companies.values()) requireCompanyNotCancelled(company)
  const [a, b] = (await lockBooths(
    ctx,
    found.map(({ id }) => id),
  )) as [BoothRow, BoothRow]
  return relocate(
    ctx,
    [await planRelocation(ctx, companies.get(holders[0])!, a, b), await planRelocation(ctx, companies.get(holders[1])!, b, a)],
    [],
  )
}

async function requireHolder(ctx: ExhibitorContext, { id, number, status }: BoothRow, verb: string): Promise<string> {
  if (status !== 'assigned') throw preconditionFailed(`Booth ${number} is ${status} and cannot be ${verb}`)
  return (await getCurrentBoothAssignment(ctx, id)).company_id
}

/** The move of a company from one booth to another, with the order lines that are credited and charged. */
interface Relocation {
  company: CompanyRow
  sale: BoothPriceContext
  from: BoothRow
  to: BoothRow
  applicationId: string | null
  surplus: OrderLineRemoval[]
  missing: BoothOrderLine[]
  /** Ids of the old booth's order lines that also pay for the new booth, and stay unchanged. */
  kept: string[]
}

/**
 * Ends the company's assignment of the old booth, and compares the old with the new booth. Products that both booths need keep their order
 * line and the price that was paid; products that the new booth does not need are credited in full, and those it needs in addition are sold
 * at today's price.
 */
async function planRelocation(ctx: ExhibitorContext, company: CompanyRow, from: BoothRow, to: BoothRow): Promise<Relocation> {
  const { orderLineIds, applicationId } = await endBoothAssignment(ctx, from, company.id, `moved to ${to.number}`)
  const sale = await loadBoothPriceContext(ctx, company)
  const price = (await calculateBoothPrices(ctx, sale, [to], company)).get(to.id)!
  const sold = await listBoothOrderLines(ctx, orderLineIds)
  return {
    company,
    sale,
    from,
    to,
    applicationId,
    ...compareLines({ from, to, sold, wanted: requireSellableOrderLines(to.number, price) }),
  }
}

/** Credits and charges the price difference on the orders of companies that move, and assigns them their new booths. */
async function relocate(ctx: ExhibitorContext, relocations: readonly Relocation[], freed: readonly BoothRow[]): Promise<MovedBooths> {
  // In one step, so that the companies of a swap can take over each other's sold-out products.
  const real = relocations.filter(({ company }) => !company.is_test_data)
  if (real[0]) {
    const [taken, freed] = [real.flatMap(({ missing }) => missing), real.flatMap(({ surplus }) => surplus)]
    await changeProductStock(ctx, real[0].company, { taken, freed })
  }
  const orders = await lockOrders(ctx, [...new Set(relocations.flatMap(({ surplus }) => surplus.map(({ line }) => line.order_id)))])
  const booths: BoothRow[] = [...freed]
  const orderChanges: BoothOrderChange[] = []
  for (const { company, sale, from, to, applicationId, surplus, missing, kept } of relocations) {
    const reason = `${from.number} to ${to.number}`
    const credited = await creditLinesOnOrders(ctx, sale, orders, { removals: surplus, rule: { by: 'full' }, reason })
    const { lineIds, orderNumber } = await addBoothLinesToOrder(ctx, sale, company, [{ boothId: to.id, lines: missing }])
    const orderLineIds = [...kept, ...lineIds.get(to.id)!]
    booths.push(await startBoothAssignment(ctx, to, company, { applicationId, orderLineIds }))
    const lines = [...credited, ...missing.map(toOrderChangeLine)]
    const number = orderNumber ?? orders.find(({ id }) => id === surplus[0]?.line.order_id)?.number
    if (number !== undefined) orderChanges.push({ companyId: company.id, orderNumber: number, lines, ...sumLineAmounts(lines) })
  }
  return { booths, orderChanges }
}

interface Comparison extends Pick<Relocation, 'from' | 'to'> {
  sold: readonly OrderLineWithCredits[]
  wanted: readonly BoothOrderLine[]
}

function compareLines({ from, to, sold, wanted }: Comparison): Pick<Relocation, 'surplus' | 'missing' | 'kept'> {
  // A price that was set by hand has no product, so its order lines are matched by the amount.
  const soldKey = (line: OrderLineWithCredits) =>
    from.price_override === null ? `product ${line.product_code}` : `price ${line.unit_price}`
  const wantedKey = (line: BoothOrderLine) => (to.price_override === null ? `product ${line.productCode}` : `price ${line.unitPrice}`)
  const held = Map.groupBy(sold, soldKey)
  const needed = new Map(wanted.map((line) => [wantedKey(line), line.quantity]))
  const unitsHeld = (key: string) => (held.get(key) ?? []).reduce((sum, line) => sum + line.remaining, 0)
  const surplus = [...held].flatMap(([key, lines]) =>
    selectOrderLinesToRemove(lines, lines[0]!.product_code, unitsHeld(key) - Math.min(unitsHeld(key), needed.get(key) ?? 0)),
  )
  const missing = wanted.flatMap((line) => {
    const units = line.quantity - Math.min(line.quantity, unitsHeld(wantedKey(line)))
    return units > 0 ? [copyOrderLineWithQuantity(line, units)] : []
  })
  const emptied = new Set(surplus.filter(({ line, units }) => units === line.remaining).map(({ line }) => line.id))
  return { surplus, missing, kept: sold.map(({ id }) => id).filter((id) => !emptied.has(id)) }
}
