import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type { BillTo } from '../orders/tables.ts'
import { checkTaxNumber } from '../tenancy/tax-numbers.ts'
import type { TaxAssessmentData } from './basis.ts'
import { toTaxCountryCode } from './places.ts'
import type { AssessedOrderLine } from './tally.ts'

/** The number of orders per batch. An order is never split between batches. */
const ORDERS_PER_BATCH = 1000

interface LineRow extends Omit<AssessedOrderLine, 'buyer' | 'unverified' | 'terms'> {
  billTo: BillTo
  taxCode: string | null
  rate: string
  inclusive: boolean
}

export interface OrderLineBatch {
  lines: AssessedOrderLine[]
  /** The cursor of the next batch; null if there is none. */
  lastOrderId: string | null
}

export async function countAssessableOrderLines(ctx: EventContext, { asOf, timezone }: TaxAssessmentData): Promise<number> {
  const { rows } = await sql<{ lines: number }>`
    select count(*) as lines from order_lines l
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and not l.is_test_data and l.kind in ('sale', 'credit')
      and (l.priced_at at time zone ${timezone})::date <= ${asOf}::date`.execute(ctx.db)
  return rows[0]!.lines
}

/** Reads the lines of the next orders, sorted by order id, so that new sales come last. Fees and deposits are excluded. */
export async function readNextOrderLineBatch(
  ctx: EventContext,
  { asOf, timezone }: TaxAssessmentData,
  after: string | null,
): Promise<OrderLineBatch> {
  const lastOrderId = await findLastOrderId(ctx, after ?? '')
  if (lastOrderId === null) return { lines: [], lastOrderId }
  // The query limits the order id on both sides, so that it scans a contiguous part of the index.
  const { rows } = await sql<LineRow>`
    select l.order_id as "orderId", o.bill_to as "billTo", l.invoice_id as "invoiceId", l.kind, l.product_code as "productCode",
      (coalesce(s.priced_at, l.priced_at) at time zone ${timezone})::date as "on",
      l.net, l.tax, l.total, l.tax_code as "taxCode", l.tax_rate::text as rate, l.tax_inclusive as inclusive
    from order_lines l
    join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id and o.id = l.order_id
    left join order_lines s on s.tenant_id = l.tenant_id and s.event_id = l.event_id and s.id = l.reverses_line_id
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.order_id > ${after ?? ''} and l.order_id <= ${lastOrderId}
      and not l.is_test_data and l.kind in ('sale', 'credit') and (l.priced_at at time zone ${timezone})::date <= ${asOf}::date
    order by l.order_id, l.position`.execute(ctx.db)
  return { lines: rows.map(toLine), lastOrderId }
}

async function findLastOrderId(ctx: EventContext, after: string): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    select max(id) as last from (
      select o.id from orders o where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.id > ${after}
      order by o.id limit ${sql.lit(ORDERS_PER_BATCH)}) next`.execute(ctx.db)
  return rows[0]!.last
}

function toLine({
  billTo,
  taxCode,
  rate,
  inclusive,
  orderId,
  invoiceId,
  kind,
  productCode,
  on,
  net,
  tax,
  total,
}: LineRow): AssessedOrderLine {
  const country = toTaxCountryCode(billTo.country)
  const taxIdStatus = billTo.taxIdStatus ?? 'unchecked'
  return {
    orderId,
    invoiceId,
    kind,
    productCode,
    on,
    buyer: { country, region: billTo.region ?? null, taxIdStatus },
    unverified: isUnverified(country, taxIdStatus, billTo.taxId),
    terms: { taxCode, rate, inclusive },
    net,
    tax,
    total,
  }
}

function isUnverified(country: string | null, status: NonNullable<BillTo['taxIdStatus']>, taxId: string | undefined): boolean {
  if (status === 'format_ok') return true
  return status === 'unchecked' && country !== null && taxId !== undefined && checkTaxNumber(country, taxId) === 'format_ok'
}
