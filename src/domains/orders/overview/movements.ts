import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { decryptCursor, encryptCursor } from '../../../kernel/page.ts'
import { endOfDay, startOfDay } from '../../../kernel/time.ts'
import { MAX_EXACT_TOTAL, type CappedTotal, toCappedTotal } from '../../../kernel/totals.ts'
import { buildEventCondition } from '../event-scope.ts'
import { buildOrderSearchSql } from '../invoice-list.ts'
import type { PaymentMethod } from '../tables.ts'
import { type Payer, PAYER_COLUMNS_SQL, PAYER_JOINS_SQL, type PayerRow, toPayer } from './payers.ts'

export const MONEY_MOVEMENT_KINDS = ['payment', 'refund', 'reversal'] as const
export type MoneyMovementKind = (typeof MONEY_MOVEMENT_KINDS)[number]

/** A payment, refund or reversal with one receipt number. Refunds and reversals are negative. */
export interface MoneyMovement {
  kind: MoneyMovementKind
  receiptNumber: string
  at: Date
  method: PaymentMethod
  /** The payment reference; null for callers without the permission personal.read. */
  reference: string | null
  provider: string | null
  amount: Money
  /** Whether the whole payment was reversed, for example because a cheque bounced. */
  isReversed: boolean
  payer: Payer
  orderNumbers: string[]
  invoiceNumbers: string[]
}

export interface MoneyMovementFilter {
  search?: string | undefined
  method?: PaymentMethod | undefined
  kind?: MoneyMovementKind | undefined
  /** The first day of the listed payments, refunds and reversals, in the event's time zone. */
  from?: string | undefined
  until?: string | undefined
  isTestData: boolean
}

interface Source {
  kind: MoneyMovementKind
  table: 'payments' | 'refunds' | 'payment_reversals'
  at: 'received_at' | 'refunded_at' | 'created_at'
}

const SOURCES: readonly Source[] = [
  { kind: 'payment', table: 'payments', at: 'received_at' },
  { kind: 'refund', table: 'refunds', at: 'refunded_at' },
  { kind: 'reversal', table: 'payment_reversals', at: 'created_at' },
]

/** SQL condition: the value of the column begins with the search text. */
const beginsWith = (text: RawBuilder<unknown>, search: string) =>
  sql<boolean>`${text} like ${`${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`

/**
 * SQL condition that the receipt's order, invoice, number or reference matches the search text. The matches are arrays, which the database
 * computes once per statement; a subquery might be computed for every row.
 */
function matchesSearch(ctx: EventContext, { kind, table }: Source, search: string) {
  const receipts = sql`select q.receipt_number from ${sql.table(table)} q where ${buildEventCondition(ctx, 'q')}`
  const references =
    kind === 'reversal' || !ctx.permissions.has('personal.read')
      ? sql``
      : sql`union all ${receipts} and q.reference is not null
          and ${beginsWith(sql`lower(q.reference) collate "C"`, search.toLowerCase())}`
  return sql<boolean>`m.receipt_number = any(array(
    ${receipts} and q.order_id = any(array(${buildOrderSearchSql(ctx, search)}))
    union all ${receipts} and ${beginsWith(sql`q.receipt_number`, search.toUpperCase())} ${references}))`
}

/**
 * Selects the first row of each matching receipt: a transfer that pays several invoices is stored as several rows with one receipt number.
 */
function selectReceipts(ctx: EventContext, source: Source, filter: MoneyMovementFilter): RawBuilder<unknown> {
  const { kind, table, at } = source
  const { timezone } = ctx.event
  const time = sql.ref(`m.${at}`)
  const conditions = [
    buildEventCondition(ctx, 'm'),
    sql`m.is_test_data = ${filter.isTestData}`,
    sql`not exists (select from ${sql.table(table)} e where ${buildEventCondition(ctx, 'e')} and e.receipt_number = m.receipt_number and e.id < m.id)`,
    ...(filter.from ? [sql`${time} >= ${startOfDay(timezone, filter.from)}`] : []),
    ...(filter.until ? [sql`${time} < ${endOfDay(timezone, filter.until)}`] : []),
    ...(filter.method === undefined
      ? []
      : [
          kind === 'reversal'
            ? sql`exists (select from payments b where ${buildEventCondition(ctx, 'b')} and b.id = m.payment_id and b.method = ${filter.method})`
            : sql`m.method = ${filter.method}`,
        ]),
    ...(filter.search ? [matchesSearch(ctx, source, filter.search)] : []),
  ]
  return sql`select ${sql.lit(kind)} as kind, m.id, ${time} as at, m.receipt_number, m.order_id from ${sql.table(table)} m
    where ${sql.join(conditions, sql` and `)}`
}

const sourcesOf = ({ kind }: MoneyMovementFilter) => SOURCES.filter((source) => kind === undefined || source.kind === kind)

interface MovementRow extends PayerRow {
  kind: MoneyMovementKind
  id: string
  at: Date
  receiptNumber: string
  method: PaymentMethod
  reference: string | null
  provider: string | null
  amount: number
  returned: number
  orderNumbers: string[]
  invoiceNumbers: string[]
}

/** SQL for the parts of a payment, refund or reversal. One with several orders or invoices has several rows with its receipt number. */
const receiptParts = (ctx: EventContext) => sql`
  select y.order_id, y.invoice_id, y.method, y.reference, y.provider, y.amount, coalesce((
      select sum(v.amount) from payment_reversals v where ${buildEventCondition(ctx, 'v')} and v.order_id = y.order_id and v.payment_id = y.id), 0) as returned
    from payments y where found.kind = 'payment' and ${buildEventCondition(ctx, 'y')} and y.receipt_number = found.receipt_number
  union all
  select y.order_id, null, y.method, y.reference, y.provider, -y.amount, 0
    from refunds y where found.kind = 'refund' and ${buildEventCondition(ctx, 'y')} and y.receipt_number = found.receipt_number
  union all
  select y.order_id, b.invoice_id, b.method, b.reference, y.provider, -y.amount, 0
    from payment_reversals y join payments b on ${buildEventCondition(ctx, 'b')} and b.id = y.payment_id
    where found.kind = 'reversal' and ${buildEventCondition(ctx, 'y')} and y.receipt_number = found.receipt_number`

/** Lists payments, refunds and reversals, newest first. */
export async function listMoneyMovements(ctx: EventContext, request: MoneyMovementFilter & { limit: number; cursor?: string | undefined }) {
  const { limit, cursor } = request
  const [at, id] = cursor === undefined ? [] : decryptCursor(ctx, cursor).values
  const pages = sourcesOf(request).map((source) => {
    const after = at === undefined ? sql`` : sql`and (${sql.ref(`m.${source.at}`)}, m.id) < (${at}::timestamptz, ${id}::text collate "C")`
    return sql`(${selectReceipts(ctx, source, request)} ${after} order by ${sql.ref(`m.${source.at}`)} desc, m.id desc limit ${limit + 1})`
  })
  const { rows } = await sql<MovementRow & { cursorAt: string }>`
    select found.kind, found.id, found.at, found.at::text as "cursorAt", found.receipt_number as "receiptNumber", parts.*, ${PAYER_COLUMNS_SQL}
    from (select * from (${sql.join(pages, sql` union all `)}) page order by page.at desc, page.id desc limit ${limit + 1}) found
    join orders o on ${buildEventCondition(ctx, 'o')} and o.id = found.order_id ${PAYER_JOINS_SQL}
    cross join lateral (
      select min(part.method) as method, min(part.reference) as reference, min(part.provider) as provider, sum(part.amount)::bigint as amount,
        sum(part.returned)::bigint as returned, array_agg(distinct n.number) as "orderNumbers",
        coalesce(array_agg(distinct i.number) filter (where i.number is not null), '{}') as "invoiceNumbers"
      from (${receiptParts(ctx)}) part join orders n on ${buildEventCondition(ctx, 'n')} and n.id = part.order_id
      left join invoices i on ${buildEventCondition(ctx, 'i')} and i.id = part.invoice_id) parts
    order by found.at desc, found.id desc`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    movements: shown.map((row) => toMovement(ctx, row)),
    nextCursor: rows.length > limit && last ? encryptCursor(ctx, { values: [last.cursorAt, last.id], pin: null }) : null,
  }
}

const toMovement = ({ event, permissions }: EventContext, row: MovementRow): MoneyMovement => ({
  kind: row.kind,
  receiptNumber: row.receiptNumber,
  at: row.at,
  method: row.method,
  reference: permissions.has('personal.read') ? row.reference : null,
  provider: row.provider,
  amount: toMoney(row.amount, event.currency),
  isReversed: row.kind === 'payment' && row.returned >= row.amount,
  payer: toPayer(row),
  orderNumbers: row.orderNumbers,
  invoiceNumbers: row.invoiceNumbers,
})

/** Counts the receipts that match the filter, up to `MAX_EXACT_TOTAL`. */
export async function countMoneyMovements(ctx: EventContext, filter: MoneyMovementFilter): Promise<CappedTotal> {
  const all = sourcesOf(filter).map((source) => selectReceipts(ctx, source, filter))
  const { rows } = await sql<{ counted: number }>`
    select count(*)::int as counted from (${sql.join(all, sql` union all `)} limit ${MAX_EXACT_TOTAL + 1}) one`.execute(ctx.db)
  return toCappedTotal(rows[0]!.counted)
}
