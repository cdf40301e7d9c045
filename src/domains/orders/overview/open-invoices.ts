import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { decryptCursor, encryptCursor } from '../../../kernel/page.ts'
import { addDays, toDayInZone, daysBetween } from '../../../kernel/time.ts'
import { buildInvoiceSearchSql } from '../invoice-list.ts'
import { type Payer, PAYER_COLUMNS_SQL, PAYER_JOINS_SQL, type PayerRow, toPayer } from './payers.ts'

/**
 * Age ranges of open invoices in days since the due date. `until` is null in the last range; `from` is null for invoices that are not yet
 * due.
 */
export const INVOICE_AGE_RANGES = {
  open: { from: null, until: null },
  current: { from: null, until: 0 },
  overdue: { from: 1, until: null },
  d1to30: { from: 1, until: 30 },
  d31to60: { from: 31, until: 60 },
  d61to90: { from: 61, until: 90 },
  over90: { from: 91, until: null },
} as const

export type InvoiceAgeRange = keyof typeof INVOICE_AGE_RANGES

export interface OpenInvoice {
  number: string
  orderNumber: string
  payer: Payer
  issuedAt: Date
  dueOn: string
  daysOverdue: number
  total: Money
  balance: Money
}

interface OpenInvoiceRequest {
  age: InvoiceAgeRange
  search?: string | undefined
  isTestData: boolean
  limit: number
  cursor?: string | undefined
}

type OpenInvoiceRow = PayerRow & { id: string; number: string; issuedAt: Date; dueOn: string; total: number; balance: number }

const inAge = (age: InvoiceAgeRange, today: string) => {
  const { from, until } = INVOICE_AGE_RANGES[age]
  const latest = from === null ? sql`true` : sql`i.due_on <= ${addDays(today, -from)}::date`
  const earliest = until === null ? sql`true` : sql`i.due_on >= ${addDays(today, -until)}::date`
  return sql<boolean>`(${latest} and ${earliest})`
}

const isOpen = ({ tenantId, event }: Pick<EventContext, 'tenantId' | 'event'>, isTestData: boolean) =>
  sql<boolean>`i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.is_test_data = ${isTestData} and i.balance > 0`

export const readCurrentDayAtEvent = async (ctx: EventContext): Promise<string> =>
  toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))

/** Lists open invoices, earliest due date first. */
export async function listOpenInvoices(ctx: EventContext, { age, search, isTestData, limit, cursor }: OpenInvoiceRequest) {
  const today = await readCurrentDayAtEvent(ctx)
  const [dueOn, id] = cursor === undefined ? [] : decryptCursor(ctx, cursor).values
  const after = dueOn === undefined ? sql`true` : sql`(i.due_on, i.id) > (${dueOn}::date, ${id}::text collate "C")`
  const found = search ? sql`i.id = any(array(${buildInvoiceSearchSql(ctx, search)}))` : sql`true`
  const { rows } = await sql<OpenInvoiceRow>`
    select i.id, i.number, i.issued_at as "issuedAt", to_char(i.due_on, 'YYYY-MM-DD') as "dueOn", i.total, i.balance, ${PAYER_COLUMNS_SQL}
    from invoices i join orders o on o.tenant_id = i.tenant_id and o.event_id = i.event_id and o.id = i.order_id ${PAYER_JOINS_SQL}
    where ${isOpen(ctx, isTestData)} and ${inAge(age, today)} and ${after} and ${found}
    order by i.due_on, i.id limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const invoices = shown.map((row): OpenInvoice => ({
    number: row.number,
    orderNumber: row.orderNumber,
    payer: toPayer(row),
    issuedAt: row.issuedAt,
    dueOn: row.dueOn,
    daysOverdue: Math.max(0, daysBetween(row.dueOn, today)),
    total: toMoney(row.total, ctx.event.currency),
    balance: toMoney(row.balance, ctx.event.currency),
  }))
  return {
    invoices,
    today,
    nextCursor: rows.length > limit && last ? encryptCursor(ctx, { values: [last.dueOn, last.id], pin: null }) : null,
  }
}

export interface OpenInvoiceTotals {
  count: number
  balance: Money
}

/** Reads the number and balance of open invoices by age. The balances equal the totals of `list_order_invoices`. */
export async function readOpenInvoiceTotals(
  ctx: EventContext,
  { isTestData }: { isTestData: boolean },
): Promise<Record<InvoiceAgeRange, OpenInvoiceTotals>> {
  const today = await readCurrentDayAtEvent(ctx)
  const ages = Object.keys(INVOICE_AGE_RANGES) as InvoiceAgeRange[]
  const columns = ages.map(
    (age) => sql`count(*) filter (where ${inAge(age, today)})::int as ${sql.ref(`${age}_count`)},
      coalesce(sum(i.balance) filter (where ${inAge(age, today)}), 0)::bigint as ${sql.ref(`${age}_balance`)}`,
  )
  const { rows } = await sql<Record<string, number>>`
    select ${sql.join(columns)} from invoices i where ${isOpen(ctx, isTestData)}`.execute(ctx.db)
  const sums = rows[0]!
  return Object.fromEntries(
    ages.map((age) => [age, { count: sums[`${age}_count`]!, balance: toMoney(sums[`${age}_balance`]!, ctx.event.currency) }]),
  ) as Record<InvoiceAgeRange, OpenInvoiceTotals>
}
