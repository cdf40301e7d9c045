import type { EventContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { buildProductOrderLine, toCompanyBillingAddress } from '../booths/price.ts'
import { creditBoothOrderLines, loadBoothPriceContext, lockBoothOrderLines, sellBooths } from '../booths/sell.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'

/** Charges a paid staff pass on the company's order, and returns its order line. */
export async function sellStaffPass(ctx: ExhibitorContext, company: CompanyRow, name: string): Promise<string> {
  const sale = await loadBoothPriceContext(ctx, company)
  const code = sale.config.exhibitorConfig.staffPassProduct
  const product = sale.config.products.find((one) => one.code === code)
  if (!product)
    throw preconditionFailed(
      'This event sells no staff passes: set exhibitorConfig.staffPassProduct to the product for a paid pass, and publish',
    )
  const line = buildProductOrderLine(sale, product, `${product.name} (${name})`, toCompanyBillingAddress(company))
  if (!line) throw preconditionFailed(`The staff pass has no price today: ${product.code} is not on sale`)
  const pass = newId()
  const { lineIds } = await sellBooths(ctx, sale, company, [{ boothId: pass, lines: [line] }])
  return lineIds.get(pass)![0]!
}

/** The price of a paid staff pass today with tax, in minor units; null if the event sells none. */
export async function quoteStaffPass(ctx: ExhibitorContext, company: CompanyRow): Promise<number | null> {
  const sale = await loadBoothPriceContext(ctx, company)
  const product = sale.config.products.find(({ code }) => code === sale.config.exhibitorConfig.staffPassProduct)
  return (product && buildProductOrderLine(sale, product, product.name, toCompanyBillingAddress(company))?.total) ?? null
}

/** Credits a paid staff pass according to the refund rules of its product. */
export async function creditStaffPass(ctx: EventContext, company: CompanyRow, orderLineId: string, reason: string): Promise<void> {
  const sold = await lockBoothOrderLines(ctx, company.id, [orderLineId])
  if (!sold) return
  const removals = sold.lines.map((line) => ({ line, units: line.remaining }))
  await creditBoothOrderLines(ctx, await loadBoothPriceContext(ctx, company), sold.order, { removals, rule: { by: 'policy' }, reason })
}
