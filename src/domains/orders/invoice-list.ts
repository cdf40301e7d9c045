import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { addDays, toDayInZone, endOfDay, startOfDay } from '../../kernel/time.ts'
import { createInvoiceLinkBuilder } from './invoice-links.ts'
import { type ListedLedgerEntry, type ListedInvoiceLine, toInvoice } from './invoice-shape.ts'
import { createUnknownInvoicesError } from './named-invoices.ts'
import { getOrderByNumber } from './orders.ts'
import { INVOICE_STATES } from './states.ts'

export const INVOICE_STATUSES = INVOICE_STATES.all
export const OPTIONAL_INVOICE_FIELDS = ['lines', 'entries', 'pdfUrl'] as const

interface InvoiceFilter {
  orderNumber?: string | undefined
  invoiceNumber?: string | undefined
  participantId?: string | undefined
  groupCode?: string | undefined
  companyId?: string | undefined
  status?: readonly (typeof INVOICE_STATUSES)[number][] | undefined
  kind?: 'invoice' | 'credit_note' | undefined
  overdueOnly: boolean
  issuedFrom?: string | undefined
  issuedUntil?: string | undefined
  search?: string | undefined
}

interface InvoiceListRequest extends InvoiceFilter {
  include?: readonly (typeof OPTIONAL_INVOICE_FIELDS)[number][] | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * Lists invoices and credit notes, newest first. Test data is included only if the request names its order, invoice, participant, group
 * or company.
 */
export async function listInvoices(ctx: EventContext, request: InvoiceListRequest) {
  await refuseUnknownFilters(ctx, request)
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const linkTo = request.include?.includes('pdfUrl') ? await createInvoiceLinkBuilder(ctx) : null
  const rows = selectMatching(ctx, request, today)
  const { items, ...page } = await readPage(ctx, request, {
    rows: rows.selectAll('invoices').select(['orders.number as order_number', ...partColumns(request.include ?? [])]),
    order: [
      { by: sql`invoices.issued_at`, type: 'timestamptz', descending: true, of: (row) => row.issued_at.toISOString() },
      { by: sql`invoices.id`, type: 'text', descending: true, of: (row) => row.id },
    ],
    shape: (row) => toInvoice(ctx, row, { today, linkTo }),
  })
  return { invoices: items, totals: await readTotals(ctx, rows, today), ...page }
}

async function refuseUnknownFilters(ctx: EventContext, request: InvoiceFilter): Promise<void> {
  const { orderNumber, invoiceNumber, groupCode, issuedFrom, issuedUntil } = request
  if (issuedFrom && issuedUntil && issuedFrom > issuedUntil)
    throw invalidArguments([{ path: 'issuedFrom', message: `${issuedFrom} is after issuedUntil, ${issuedUntil}` }])
  if (orderNumber !== undefined) await getOrderByNumber(ctx, orderNumber)
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}`
  if (invoiceNumber !== undefined) {
    const { rows } = await sql`select 1 from invoices where ${at} and number = ${invoiceNumber.toUpperCase()}`.execute(ctx.db)
    if (rows.length === 0) throw createUnknownInvoicesError([invoiceNumber.toUpperCase()])
  }
  if (groupCode !== undefined) {
    const { rows } = await sql`select 1 from managed_groups where ${at} and code = ${groupCode} and deleted_at is null`.execute(ctx.db)
    if (rows.length === 0) throw notFound(`No group ${cleanText(groupCode, 63)} at this event. Use list_managed_groups to find group codes`)
  }
}

function selectMatching(ctx: EventContext, filter: InvoiceFilter, today: string) {
  const { orderNumber, invoiceNumber, participantId, groupCode, companyId, status, kind, overdueOnly } = filter
  const { timezone } = ctx.event
  let rows = eventDb(ctx)
    .selectFrom('invoices')
    .innerJoin('orders', (join) => joinRowsOfSameEvent(join, 'orders.id', 'invoices.order_id'))
  const named = [orderNumber, invoiceNumber, participantId, groupCode, companyId].some((name) => name !== undefined)
  if (!named) rows = rows.where('invoices.is_test_data', '=', false)
  if (orderNumber !== undefined) rows = rows.where('orders.number', '=', orderNumber.toUpperCase())
  if (invoiceNumber !== undefined) rows = rows.where('invoices.number', '=', invoiceNumber.toUpperCase())
  if (companyId !== undefined) rows = rows.where('orders.company_id', '=', companyId)
  if (groupCode !== undefined)
    rows = rows.where(sql<boolean>`orders.group_id = (select g.id from managed_groups g where g.tenant_id = ${ctx.tenantId}
      and g.event_id = ${ctx.event.id} and g.code = ${groupCode} and g.deleted_at is null)`)
  // Includes invoices paid by a host, group or company. Uses a UNION of two index lookups, because OR would scan the table.
  if (participantId !== undefined) {
    const at = (table: string) =>
      sql`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenantId} and ${sql.ref(`${table}.event_id`)} = ${ctx.event.id}`
    rows = rows.where(sql<boolean>`invoices.id in (
      select i.id from orders o join invoices i on i.tenant_id = o.tenant_id and i.event_id = o.event_id and i.order_id = o.id
      where ${at('o')} and o.participant_id = ${participantId}
      union select l.invoice_id from order_lines l where ${at('l')} and l.participant_id = ${participantId} and l.invoice_id is not null)`)
  }
  if (status?.length) rows = rows.where('invoices.status', 'in', status)
  if (kind) rows = rows.where('invoices.kind', '=', kind)
  if (overdueOnly) rows = rows.where('invoices.balance', '>', 0).where('invoices.due_on', '<', today)
  if (filter.issuedFrom) rows = rows.where('invoices.issued_at', '>=', startOfDay(timezone, filter.issuedFrom))
  if (filter.issuedUntil) rows = rows.where('invoices.issued_at', '<', endOfDay(timezone, filter.issuedUntil))
  if (filter.search) rows = rows.where(matchesSearch(ctx, filter.search))
  return rows
}

const invoiceSearchText = sql<string>`lanyard_searched(s.number, s.external_number, s.bill_to ->> 'name', s.bill_to ->> 'company', s.bill_to ->> 'email')`
const orderSearchText = sql<string>`lanyard_searched(s.number, s.external_number)`

/**
 * SQL condition: the search text matches the invoice, its order number, or its owner. A UNION of index lookups is used, because OR would
 * scan the tables.
 */
const matchesSearch = (ctx: EventContext, search: string) => sql<boolean>`invoices.id in (${buildInvoiceSearchSql(ctx, search)})`

/** SQL query for the ids of invoices whose number, text, order number or owner matches the search text. */
export function buildInvoiceSearchSql(ctx: EventContext, search: string) {
  const ofOrders = sql`select i.id from orders s join invoices i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.order_id = s.id where`
  return sql.join(
    [
      sql`select s.id from invoices s where ${atEvent(ctx)} and ${buildWordMatchCondition(invoiceSearchText, search)}`,
      ...matchesOrder(ctx, search).map((condition) => sql`${ofOrders} ${atEvent(ctx)} and ${condition}`),
    ],
    sql` union all `,
  )
}

/** SQL query for the ids of orders that match the search text by their number, their owner, or the text of an invoice. */
export const buildOrderSearchSql = (ctx: EventContext, search: string) =>
  sql.join(
    [
      ...matchesOrder(ctx, search).map((condition) => sql`select s.id from orders s where ${atEvent(ctx)} and ${condition}`),
      sql`select s.order_id from invoices s where ${atEvent(ctx)} and ${buildWordMatchCondition(invoiceSearchText, search)}`,
    ],
    sql` union all `,
  )

/** SQL conditions for an order with the alias `s`: its number or its owner matches the search text. */
function matchesOrder(ctx: EventContext, search: string) {
  const at = atEvent(ctx)
  const found = buildWordMatchCondition(sql`s.searched`, search)
  return [
    buildWordMatchCondition(orderSearchText, search),
    sql`s.participant_id in (select s.id from participants s where ${at} and ${found})`,
    sql`s.group_id in (select s.id from managed_groups s where ${at} and ${found})`,
  ]
}

const atEvent = (ctx: EventContext) => sql`s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id}`

const MAX_PARTS = 100

const partColumns = (include: readonly (typeof OPTIONAL_INVOICE_FIELDS)[number][]) => {
  const own = sql`l.tenant_id = invoices.tenant_id and l.event_id = invoices.event_id and l.invoice_id = invoices.id`
  const lines = sql<
    ListedInvoiceLine[] | null
  >`(select json_agg(json_build_object('kind', n.kind, 'productCode', n.product_code, 'description', n.description,
      'quantity', n.quantity, 'discount', n.discount, 'net', n.net, 'tax', n.tax, 'total', n.total, 'taxRate', n.tax_rate::text) order by n.position)
    from (select * from order_lines l where ${own} order by l.position limit ${sql.lit(MAX_PARTS)}) n)`
  const entries = sql<
    ListedLedgerEntry[] | null
  >`(select json_agg(json_build_object('kind', n.kind, 'amount', n.amount, 'at', n.at, 'sourceId', n.source_id) order by n.id)
    from (select * from ledger_entries l where ${own} order by l.id limit ${sql.lit(MAX_PARTS)}) n)`
  return [
    (include.includes('lines') ? lines : sql<null>`null`).as('lines'),
    (include.includes('entries') ? entries : sql<null>`null`).as('entries'),
  ] as const
}

type InvoiceQuery = SelectQueryBuilder<Tables, 'invoices' | 'orders', object>

/** Reads the totals of all matching invoices, not only of the current page. Credit notes count as negative. */
async function readTotals(ctx: EventContext, rows: InvoiceQuery, today: string) {
  const open = (from: number, until: number | null) =>
    sql<number>`coalesce(sum(invoices.balance) filter (where invoices.due_on <= ${addDays(today, -from)}::date
      and (${until === null} or invoices.due_on > ${addDays(today, -(until ?? 0) - 1)}::date)), 0)::bigint`
  const sums = await rows
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(case invoices.kind when 'invoice' then invoices.total else -invoices.total end), 0)::bigint`.as('total'),
      sql<number>`coalesce(sum(invoices.balance), 0)::bigint`.as('balance'),
      sql<number>`coalesce(sum(invoices.balance) filter (where invoices.due_on >= ${today}::date), 0)::bigint`.as('current'),
      open(1, 30).as('d1to30'),
      open(31, 60).as('d31to60'),
      open(61, 90).as('d61to90'),
      open(91, null).as('over90'),
    ])
    .executeTakeFirstOrThrow()
  const shown = (minor: number) => toMoney(minor, ctx.event.currency)
  const { current, d1to30, d31to60, d61to90, over90 } = sums
  return {
    count: sums.count,
    total: shown(sums.total),
    balance: shown(sums.balance),
    aging: { current: shown(current), d1to30: shown(d1to30), d31to60: shown(d31to60), d61to90: shown(d61to90), over90: shown(over90) },
  }
}
