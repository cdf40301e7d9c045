import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, id, instant, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { CompanyRow } from '../companies.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { BOOTH_TYPES, type BoothMeasurements } from '../floor/booth-figures.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { readBoothMeasurements } from './plan-cache.ts'
import { type BoothPrice, type BoothPriceContext, priceBooth, toBoothPriceContext, toCompanyBillingAddress } from './price.ts'

export const LISTED_BOOTH_STATUSES = ['available', 'held', 'assigned', 'blocked'] as const

const number = () => z.number()

const Price = toOneLine(object({ net: money(), tax: money(), total: money() }), 'net, tax, total')

export const Booth = object({
  id: id('booth'),
  number: text(),
  floorPlanCode: text(),
  status: oneOf(LISTED_BOOTH_STATUSES),
  type: oneOf(BOOTH_TYPES),
  area: number(),
  width: number(),
  depth: number(),
  openSides: count(0, 4),
  sizeCode: text().optional(),
  zoneCode: text().optional(),
  price: Price.optional(),
  company: toOneLine(object({ companyId: text(), name: untrustedText() }), 'companyId, name').optional(),
  heldUntil: instant().optional(),
  quality: number().optional(),
})
export type BoothSummary = z.input<typeof Booth>

export const BoothTotals = toOneLine(
  object({ count: count(), area: number(), areaM2: number(), price: Price }),
  'count, area, areaM2, price',
)

/** The columns of a company that are shown with its booths. */
export type BoothCompany = Pick<
  CompanyRow,
  'id' | 'code' | 'name' | 'country' | 'contact_name' | 'contact_email' | 'billing' | 'is_test_data'
>

/** A booth with its plan, figures, company and price. */
export interface ListedBooth {
  row: BoothRow
  plan: FloorPlanRow
  figures: BoothMeasurements
  /** The company that has the booth, or that it is held for. */
  company: BoothCompany | null
  price: BoothPrice
}

/** Returns the floor plan with the given code, otherwise all plans of the event without archived ones, in the order of creation. */
export async function listUnarchivedFloorPlans(ctx: ExhibitorContext, floorPlanCode?: string): Promise<FloorPlanRow[]> {
  const plans = eventDb(ctx).selectFrom('floor_plans').selectAll().orderBy('id')
  if (floorPlanCode === undefined) return plans.where('status', '<>', 'archived').execute()
  const found = await plans.where('code', '=', floorPlanCode).execute()
  if (found.length === 0) throw notFound(`No floor plan ${floorPlanCode} at this event. Use list_floor_plans to see the plans`)
  return found
}

/** Reads all booths of these plans with their figures, companies and prices of today. */
export async function readBoothsOfPlans(ctx: ExhibitorContext, plans: readonly FloorPlanRow[]): Promise<ListedBooth[]> {
  const sale = toBoothPriceContext(await readLiveOrTestConfiguration(ctx, false))
  const companies = await readBoothCompanies(ctx)
  const booths: ListedBooth[] = []
  for (const plan of plans) {
    const rows = await listBooths(ctx, plan.id)
    const figures = await readBoothMeasurements(plan, rows)
    for (const row of rows)
      booths.push(toListed(sale, { row, plan, figures: figures.get(row.id)!, company: companies.get(row.id) ?? null }))
  }
  return booths
}

/** Adds today's price for the company that has the booth. Without a company, it is the price for a domestic company. */
const toListed = (sale: BoothPriceContext, booth: Omit<ListedBooth, 'price'>): ListedBooth => ({
  ...booth,
  price: priceBooth(
    sale,
    {
      number: booth.row.number,
      sizeCode: booth.row.size_code,
      priceOverride: booth.row.price_override,
      type: booth.figures.type,
    },
    booth.company ? toCompanyBillingAddress(booth.company) : {},
  ),
})

/** Reads the company that has each booth, or that it is held for, by booth id. */
async function readBoothCompanies({ db, tenantId, event }: ExhibitorContext): Promise<Map<string, BoothCompany>> {
  const { rows } = await sql<BoothCompany & { boothId: string }>`
    select b.id as "boothId", c.id, c.code, c.name, c.country, c.contact_name, c.contact_email, c.billing, c.is_test_data from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    join companies c on c.tenant_id = b.tenant_id and c.event_id = b.event_id and c.id = coalesce(b.held_for, a.company_id)
    where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.status in ('held', 'assigned')`.execute(db)
  return new Map(rows.map(({ boothId, ...company }) => [boothId, company]))
}

export function toBoothSummary(
  { event: { currency } }: ExhibitorContext,
  { row, plan, figures, company, price }: ListedBooth,
): BoothSummary {
  const { area, width, depth, openSides, type } = figures
  return {
    id: row.id,
    number: row.number,
    floorPlanCode: plan.code,
    status: row.status as BoothSummary['status'],
    type,
    area,
    width,
    depth,
    openSides,
    ...(row.size_code === null ? {} : { sizeCode: row.size_code }),
    ...(row.zone_code === null ? {} : { zoneCode: row.zone_code }),
    ...(price.lines.length > 0 ? { price: toMoneyAmounts(price, currency) } : {}),
    ...(company ? { company: { companyId: company.id, name: company.name } } : {}),
    ...(row.held_until === null ? {} : { heldUntil: formatInstant(row.held_until) }),
  }
}

export const toMoneyAmounts = ({ net, tax, total }: Pick<BoothPrice, 'net' | 'tax' | 'total'>, currency: string) => ({
  net: toMoney(net, currency),
  tax: toMoney(tax, currency),
  total: toMoney(total, currency),
})
