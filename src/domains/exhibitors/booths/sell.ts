import { sql } from 'kysely'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toProductInventoryKey, readStockLevels, returnSoldUnits, sellUnits } from '../../inventory/units.ts'
import { calculateLineCredits, type RemovalCreditRule, type OrderLineRemoval } from '../../orders/credits.ts'
import { creditOrderLines } from '../../orders/invoices.ts'
import { listOrderLinesWithCredits, type OrderLineWithCredits } from '../../orders/lines.ts'
import { findOrder, lockOrders, type OrderRow, setOrderBillTo } from '../../orders/orders.ts'
import { recordSale } from '../../orders/record-sale.ts'
import type { CompanyRow } from '../companies.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import type { BoothType } from '../floor/booth-figures.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import { createSoldLicences } from '../licences.ts'
import { readBoothMeasurements } from './plan-cache.ts'
import {
  type BoothOrderLine,
  type BoothPrice,
  type BoothPriceContext,
  priceBooth,
  toBoothPriceContext,
  toCompanyBillingAddress,
} from './price.ts'

/** How an order of a company changes when its booths change. Amounts are in minor units; credits are negative. */
export interface BoothOrderChange {
  companyId: string
  orderNumber: string
  lines: { productCode: string | null; description: string; quantity: number; net: number; tax: number; total: number }[]
  net: number
  tax: number
  total: number
}

/**
 * Reads the configuration and the event facts that decide today's booth prices for a company: the published configuration for real
 * companies, the draft for test companies.
 */
export const loadBoothPriceContext = async (
  ctx: ExhibitorContext,
  { is_test_data }: Pick<CompanyRow, 'is_test_data'>,
): Promise<BoothPriceContext> => toBoothPriceContext(await readLiveOrTestConfiguration(ctx, is_test_data))

/** Calculates the prices of booths for a company. Surcharges depend on the open sides of a booth, so all booths of its plan are read. */
export async function calculateBoothPrices(
  ctx: ExhibitorContext,
  sale: BoothPriceContext,
  booths: readonly BoothRow[],
  company: CompanyRow | null,
): Promise<Map<string, BoothPrice>> {
  const types = await readTypes(ctx, booths)
  const billTo = company ? toCompanyBillingAddress(company) : {}
  return new Map(
    booths.map((booth) => [
      booth.id,
      priceBooth(
        sale,
        { number: booth.number, sizeCode: booth.size_code, priceOverride: booth.price_override, type: types.get(booth.id)! },
        billTo,
      ),
    ]),
  )
}

async function readTypes(ctx: ExhibitorContext, booths: readonly BoothRow[]): Promise<Map<string, BoothType>> {
  const types = new Map<string, BoothType>()
  for (const [planId, wanted] of Map.groupBy(booths, (booth) => booth.floor_plan_id)) {
    const plan = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('id', '=', planId).executeTakeFirstOrThrow()
    const figures = await readBoothMeasurements(plan, await listBooths(ctx, planId))
    for (const { id } of wanted) types.set(id, figures.get(id)!.type)
  }
  return types
}

/** Returns the order lines to sell for a booth. Throws if one of its products has no price today. */
export function requireSellableOrderLines(number: string, { lines, notOnSale }: BoothPrice): BoothOrderLine[] {
  if (notOnSale.length > 0)
    throw preconditionFailed(
      `Booth ${number} has no price today: ${notOnSale.join(' and ')} is not on sale. Add a price to the product, or set priceOverride`,
    )
  return lines
}

interface CapacityChange {
  taken: readonly { productCode: string | null; quantity: number }[]
  freed: readonly OrderLineRemoval[]
}

/** Reduces the stock of products for sold booths, and increases it for credited booths. Test companies do not change the stock. */
export async function changeProductStock(
  ctx: ExhibitorContext,
  buyer: Pick<CompanyRow | OrderRow, 'id' | 'is_test_data'>,
  { taken, freed }: CapacityChange,
): Promise<void> {
  if (buyer.is_test_data) return
  const change = new Map<string, number>()
  const add = (code: string | null, units: number) => {
    if (code !== null) change.set(toProductInventoryKey(code), (change.get(toProductInventoryKey(code)) ?? 0) + units)
  }
  for (const { productCode, quantity } of taken) add(productCode, quantity)
  for (const { line, units } of freed) add(line.product_code, -units)
  const units = [...change].map(([key, quantity]) => ({ key, quantity }))
  const returned = units.filter(({ quantity }) => quantity < 0).map(({ key, quantity }) => ({ key, quantity: -quantity }))
  await returnSoldUnits(ctx, returned)
  const wanted = units.filter(({ quantity }) => quantity > 0)
  if (wanted.length === 0) return
  await requireStock(
    ctx,
    wanted.map(({ key }) => key),
  )
  // sellUnits first uses the stock that is reserved for the buyer. Companies never have reserved stock, so their id has no effect here.
  const full = await sellUnits(ctx, { participantId: buyer.id }, wanted)
  if (full !== null) throw await soldOutError(ctx, full)
}

async function soldOutError(ctx: ExhibitorContext, key: string) {
  const stock = (await readStockLevels(ctx, [key])).get(key)!
  const code = key.replace(/^product:/, '')
  return preconditionFailed(`The product ${code} is full (${stock.held + stock.sold} of ${stock.capacity}). Raise its capacity first`)
}

/** Throws if the event was never published, because stock exists and products are sold only after the first publication. */
async function requireStock(ctx: ExhibitorContext, keys: readonly string[]): Promise<void> {
  const stock = await readStockLevels(ctx, keys)
  const missing = keys.find((key) => !stock.has(key))
  if (missing !== undefined)
    throw preconditionFailed(`The product ${missing.replace(/^product:/, '')} is not published yet`, {
      fix: { tool: 'publish_event', arguments: {}, here: true },
    })
}

export interface SoldBooth {
  boothId: string
  lines: readonly BoothOrderLine[]
}

interface Sold {
  /** Ids of the new order lines, by the id of the booth that they sell. */
  lineIds: Map<string, string[]>
  orderNumber: string | null
}

/** Reduces the stock for order lines of booths, and adds the lines and one invoice to the company's order. The caller locks the company. */
export async function sellBooths(
  ctx: ExhibitorContext,
  sale: BoothPriceContext,
  company: CompanyRow,
  sold: readonly SoldBooth[],
): Promise<Sold> {
  await changeProductStock(ctx, company, { taken: sold.flatMap(({ lines }) => lines), freed: [] })
  return addBoothLinesToOrder(ctx, sale, company, sold)
}

/** Adds order lines of booths to a company's order. The caller has locked the company and reduced the stock. */
export async function addBoothLinesToOrder(
  ctx: ExhibitorContext,
  sale: BoothPriceContext,
  company: CompanyRow,
  sold: readonly SoldBooth[],
): Promise<Sold> {
  const items = sold.flatMap(({ boothId, lines }) => lines.map((line) => ({ boothId, line, id: newId() })))
  const lineIds = new Map(sold.map(({ boothId }) => [boothId, items.filter((item) => item.boothId === boothId).map(({ id }) => id)]))
  if (items.length === 0) return { lineIds, orderNumber: null }
  const owner = { companyId: company.id }
  const billTo = toCompanyBillingAddress(company)
  await setOrderBillTo(ctx, owner, billTo)
  const lines = items.map(({ line, id }) => ({ ...line, id, kind: 'sale' as const, participantId: null, pricedAt: sale.terms.at }))
  const { orderId, order } = await recordSale(ctx, {
    order: { owner, isTestData: company.is_test_data, billTo, discountCode: null, isFirst: false },
    lines,
    terms: sale.terms,
  })
  await createSoldLicences(ctx, sale.config, { orderId, lines })
  return { lineIds, orderNumber: order.number }
}

interface LineCrediting {
  removals: readonly OrderLineRemoval[]
  rule: RemovalCreditRule
  reason: string | null
}

/**
 * Returns the stock of the removed units of booth lines, and credits these units on orders that the caller has locked. Money that was paid
 * becomes credit; refunds are recorded separately.
 */
export async function creditBoothOrderLines(
  ctx: ExhibitorContext,
  sale: BoothPriceContext,
  orders: OrderRow | readonly OrderRow[],
  crediting: LineCrediting,
): Promise<BoothOrderChange['lines']> {
  const locked = [orders].flat() as OrderRow[]
  if (locked[0]) await changeProductStock(ctx, locked[0], { taken: [], freed: crediting.removals })
  return creditLinesOnOrders(ctx, sale, locked, crediting)
}

/** Credits units of order lines of booths. The caller has locked the orders and increased the stock. */
export async function creditLinesOnOrders(
  ctx: ExhibitorContext,
  sale: BoothPriceContext,
  orders: readonly OrderRow[],
  { removals, rule, reason }: LineCrediting,
): Promise<BoothOrderChange['lines']> {
  const credits = calculateLineCredits(removals, rule, sale.config, sale.terms.at)
  for (const order of orders) {
    const own = credits.filter(({ line }) => line.order_id === order.id)
    if (own.length > 0) await creditOrderLines(ctx, order, own, sale.terms, reason)
  }
  return credits.map(({ line, quantity, amounts: { net, tax, total } }) => ({
    productCode: line.product_code,
    description: line.description,
    quantity: -quantity,
    net: negative(net),
    tax: negative(tax),
    total: negative(total),
  }))
}

/** Returns the negative of an amount, and 0 instead of -0. */
const negative = (amount: number) => (amount === 0 ? 0 : -amount)

/**
 * Lists the order lines of these ids that are not credited. Usually all are on the order of the company; a company that was merged with
 * another also has booths on the other company's order. The lock on the company prevents changes.
 */
export async function listBoothOrderLines(ctx: ExhibitorContext, lineIds: readonly string[]): Promise<OrderLineWithCredits[]> {
  const rows = await eventDb(ctx)
    .selectFrom('order_lines')
    .select('order_id')
    .distinct()
    .where('id', '=', sql<string>`any(${lineIds})`)
    .execute()
  const lines: OrderLineWithCredits[] = []
  for (const { order_id } of rows) lines.push(...(await listOrderLinesWithCredits(ctx, { orderId: order_id })))
  return lines.filter(({ id, remaining }) => remaining > 0 && lineIds.includes(id))
}

/**
 * Locks the orders that contain these lines and the current order of the company. Returns the lines that are not credited; null without an
 * order.
 */
export async function lockBoothOrderLines(
  ctx: ExhibitorContext,
  companyId: string,
  lineIds: readonly string[],
): Promise<{ order: OrderRow; orders: OrderRow[]; lines: OrderLineWithCredits[] } | null> {
  const lines = await listBoothOrderLines(ctx, lineIds)
  const own = await findOrder(ctx, { companyId })
  const orders = await lockOrders(ctx, [...new Set([...(own ? [own.id] : []), ...lines.map(({ order_id }) => order_id)])])
  const order = orders.find(({ id }) => id === lines[0]?.order_id) ?? orders[0]
  return order ? { order, orders, lines } : null
}

export const toOrderChangeLine = ({
  productCode,
  description,
  quantity,
  net,
  tax,
  total,
}: BoothOrderLine): BoothOrderChange['lines'][number] => ({
  productCode,
  description,
  quantity,
  net,
  tax,
  total,
})
