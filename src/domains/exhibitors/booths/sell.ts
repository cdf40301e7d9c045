import { preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { calculateCredits, type CreditRule, type Removal } from '../../orders/credits.ts'
import { creditLines } from '../../orders/invoices.ts'
import { listLines, type LineState } from '../../orders/lines.ts'
import { findOrder, lockOrder, type OrderRow, setOrderBillTo } from '../../orders/orders.ts'
import { recordSale } from '../../orders/record-sale.ts'
import type { CompanyRow } from '../companies.ts'
import { type EventScope, readConfigurationFor } from '../context.ts'
import type { BoothType } from '../floor/booth-figures.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import { createSoldLicences } from '../licences.ts'
import { readBoothFigures } from './plan-cache.ts'
import { type BoothLine, type BoothPrice, type BoothSale, priceBooth, toBoothSale, toCompanyBillTo } from './price.ts'

/** What a change of booths did to a company's order. Amounts are in minor units; credits are negative. */
export interface OrderChange {
  companyId: string
  orderNumber: string
  lines: { productCode: string | null; description: string; quantity: number; net: number; tax: number; total: number }[]
  net: number
  tax: number
  total: number
}

/** The prices of today for a company: real companies pay those of the published configuration, test companies those of the draft. */
export const loadBoothSale = async (ctx: EventScope, { is_test_data }: Pick<CompanyRow, 'is_test_data'>): Promise<BoothSale> =>
  toBoothSale(await readConfigurationFor(ctx, is_test_data))

/** Prices booths for a company. The open sides decide about corner surcharges, so the other booths of the plans are read too. */
export async function priceBoothsFor(
  ctx: EventScope,
  sale: BoothSale,
  booths: readonly BoothRow[],
  company: CompanyRow | null,
): Promise<Map<string, BoothPrice>> {
  const types = await readTypes(ctx, booths)
  const billTo = company ? toCompanyBillTo(company) : {}
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

async function readTypes(ctx: EventScope, booths: readonly BoothRow[]): Promise<Map<string, BoothType>> {
  const types = new Map<string, BoothType>()
  for (const [planId, wanted] of Map.groupBy(booths, (booth) => booth.floor_plan_id)) {
    const plan = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('id', '=', planId).executeTakeFirstOrThrow()
    const figures = await readBoothFigures(plan, await listBooths(ctx, planId))
    for (const { id } of wanted) types.set(id, figures.get(id)!.type)
  }
  return types
}

/** The lines to sell for a booth; refused if one of its products has no price today. */
export function requirePriced(number: string, { lines, notOnSale }: BoothPrice): BoothLine[] {
  if (notOnSale.length > 0)
    throw preconditionFailed(
      `Booth ${number} has no price today: ${notOnSale.join(' and ')} is not on sale. Add a price to the product, or set priceOverride`,
    )
  return lines
}

export interface SoldBooth {
  boothId: string
  lines: readonly BoothLine[]
}

/** Adds booth lines to the order of a locked company, with one invoice. Returns the ids of the lines by booth. */
export async function sellBooths(
  ctx: EventScope,
  sale: BoothSale,
  company: CompanyRow,
  sold: readonly SoldBooth[],
): Promise<{ lineIds: Map<string, string[]>; orderNumber: string | null }> {
  const items = sold.flatMap(({ boothId, lines }) => lines.map((line) => ({ boothId, line, id: newId() })))
  const lineIds = new Map(sold.map(({ boothId }) => [boothId, items.filter((item) => item.boothId === boothId).map(({ id }) => id)]))
  if (items.length === 0) return { lineIds, orderNumber: null }
  const owner = { companyId: company.id }
  const billTo = toCompanyBillTo(company)
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

/** Credits units of booth lines on a company's locked order. Money that was paid becomes credit; refunds are recorded separately. */
export async function creditBooths(
  ctx: EventScope,
  sale: BoothSale,
  order: OrderRow,
  { removals, rule, reason }: { removals: readonly Removal[]; rule: CreditRule; reason: string | null },
): Promise<OrderChange['lines']> {
  if (removals.length === 0) return []
  const credits = calculateCredits(removals, rule, sale.config, sale.terms.at)
  await creditLines(ctx, order, credits, sale.terms, reason)
  return credits.map(({ line, quantity, amounts: { net, tax, total } }) => ({
    productCode: line.product_code,
    description: line.description,
    quantity: -quantity,
    net: negative(net),
    tax: negative(tax),
    total: negative(total),
  }))
}

/** Avoids -0. */
const negative = (amount: number) => (amount === 0 ? 0 : -amount)

/** The company's locked order with the lines that are not credited; null without an order. */
export async function lockBoothLines(
  ctx: EventScope,
  companyId: string,
  lineIds: readonly string[],
): Promise<{ order: OrderRow; lines: LineState[] } | null> {
  const found = await findOrder(ctx, { companyId })
  if (!found) return null
  const order = await lockOrder(ctx, found.id)
  const lines = (await listLines(ctx, { orderId: order.id })).filter(({ id, remaining }) => remaining > 0 && lineIds.includes(id))
  return { order, lines }
}

export const toChangeLine = ({ productCode, description, quantity, net, tax, total }: BoothLine): OrderChange['lines'][number] => ({
  productCode,
  description,
  quantity,
  net,
  tax,
  total,
})
