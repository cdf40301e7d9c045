import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { AppError, conflict, type FieldError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type Money, sumMinor, toMoney } from '../../kernel/money.ts'
import { addDays, dayIn } from '../../kernel/time.ts'
import type { InvoiceRow } from './invoices.ts'
import { allocate, applyCredit, type Entry, postAll } from './ledger.ts'
import { type Locked, lockInvoices, lockInvoicesByNumber, minorOf } from './named-invoices.ts'
import type { OrderContext } from './orders.ts'

interface Request {
  invoiceNumbers?: readonly string[] | undefined
  overdueDays?: number | undefined
  maxBalance?: Money | undefined
  reason: string
  reverse: boolean
  expectedTotal?: Money | undefined
  dryRun?: boolean | undefined
}

const MAX_AT_ONCE = 1000

export function faultsOfWriteOff({ invoiceNumbers, overdueDays, maxBalance, reverse }: Record<string, unknown>): FieldError[] {
  const faults: FieldError[] = []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if (invoiceNumbers === undefined && overdueDays === undefined) fault('invoiceNumbers', 'say which: invoiceNumbers, or overdueDays')
  if (invoiceNumbers !== undefined && overdueDays !== undefined) fault('overdueDays', 'pass invoiceNumbers or overdueDays, not both')
  if (maxBalance !== undefined && overdueDays === undefined) fault('maxBalance', 'goes with overdueDays')
  if (reverse === true && overdueDays !== undefined) fault('overdueDays', 'finds open invoices; to reverse, pass invoiceNumbers')
  return faults
}

/** Gives up what is still claimed on invoices, or claims again what was given up. All of them or none. */
export async function writeOffInvoices(ctx: EventContext, request: Request) {
  const { invoiceNumbers, reverse, reason } = request
  const { currency } = ctx.event
  const { invoices, orders } = invoiceNumbers ? await lockInvoicesByNumber(ctx, invoiceNumbers) : await lockOverdue(ctx, request)
  const amountOf = (invoice: InvoiceRow) => (reverse ? invoice.written_off : invoice.balance)
  const concerned = invoices.filter((invoice) => skippedFor(invoice, reverse) === null)
  const total = sumMinor(concerned.map(amountOf))
  if (!request.dryRun) refuseUnexpected(ctx, request, total)

  await (reverse ? claimAgain : giveUp)(ctx, { invoices: concerned, orders }, reason)
  for (const invoice of concerned) {
    const writtenOff = reverse ? 0 : invoice.written_off + invoice.balance
    recordChange(ctx, {
      kind: 'invoice',
      id: invoice.id,
      before: { writtenOff: toMoney(invoice.written_off, currency).amount },
      after: { writtenOff: toMoney(writtenOff, currency).amount, number: invoice.number, reason },
    })
    ctx.effects.add('changes', `${reverse ? 'claim' : 'give up'} ${invoice.number} ${amountOf(invoice)}`, { invoice: invoice.number })
  }
  return {
    writtenOff: concerned.map((invoice) => ({ number: invoice.number, amount: toMoney(amountOf(invoice), currency) })),
    count: concerned.length,
    total: toMoney(total, currency),
    skipped: invoices.flatMap((invoice) => {
      const why = skippedFor(invoice, reverse)
      return why === null ? [] : [{ number: invoice.number, reason: why }]
    }),
  }
}

/** Why there is nothing to do about an invoice; null when there is. */
function skippedFor({ kind, status, balance, written_off }: InvoiceRow, reverse: boolean): string | null {
  if (kind === 'credit_note') return 'is a credit note'
  if (reverse) return written_off > 0 ? null : 'was not written off'
  if (balance > 0) return null
  return status === 'void' ? 'is void' : status === 'written_off' ? 'is written off already' : 'is paid'
}

/** Chosen by a rule, they are known only once they were counted: whoever means them says what they counted to. */
function refuseUnexpected(ctx: EventContext, { invoiceNumbers, expectedTotal }: Request, total: number): void {
  const is = toMoney(total, ctx.event.currency)
  if (expectedTotal === undefined) {
    if (invoiceNumbers) return
    throw conflict(
      `Invoices chosen by overdueDays come to ${is.amount} ${is.currency}: pass that as expectedTotal once the person has agreed`,
    )
  }
  const expected = toMoney(minorOf(ctx, expectedTotal, 'expectedTotal'), ctx.event.currency)
  if (expected.amount !== is.amount)
    throw conflict(
      `These invoices come to ${is.amount} ${is.currency} now, not to ${expected.amount} ${expected.currency}: make the dry run again`,
    )
}

async function lockOverdue(ctx: EventContext, { overdueDays = 0, maxBalance }: Request): Promise<Locked> {
  const today = dayIn(ctx.event.timezone, await databaseTime(ctx))
  let overdue = ctx.db
    .selectFrom('invoices')
    .select(['id', 'order_id'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('is_test_data', '=', false)
    .where('balance', '>', 0)
    .where('due_on', '<=', addDays(today, -overdueDays))
  if (maxBalance) overdue = overdue.where('balance', '<=', minorOf(ctx, maxBalance, 'maxBalance'))
  const found = await overdue.limit(MAX_AT_ONCE + 1).execute()
  if (found.length > MAX_AT_ONCE)
    throw new AppError(
      'limit_exceeded',
      `More than ${MAX_AT_ONCE} invoices match — take those with more overdueDays or a lower maxBalance first`,
    )
  return lockInvoices(ctx, found)
}

async function giveUp(ctx: OrderContext, { invoices, orders }: Locked, reason: string): Promise<void> {
  if (invoices.length === 0) return
  const rows = invoices.map((invoice) => ({ id: newId(), invoice }))
  await ctx.db
    .insertInto('write_offs')
    .values(
      rows.map(({ id, invoice }) => ({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id,
        order_id: invoice.order_id,
        invoice_id: invoice.id,
        is_test_data: invoice.is_test_data,
        amount: invoice.balance,
        reason,
        written_by: ctx.actor.id,
      })),
    )
    .execute()
  await postAll(
    ctx,
    rows.map(({ id, invoice }) => ({
      order: orders.get(invoice.order_id)!,
      entry: { kind: 'write_off', amount: -invoice.balance, sourceId: id, invoiceId: invoice.id, note: reason },
    })),
  )
}

async function claimAgain(ctx: OrderContext, { invoices, orders }: Locked, reason: string): Promise<void> {
  const entries = await contraEntries(
    ctx,
    invoices.map((invoice) => ({ invoice, amount: invoice.written_off })),
    reason,
  )
  const orderOf = new Map(invoices.map((invoice) => [invoice.id, orders.get(invoice.order_id)!]))
  await postAll(
    ctx,
    entries.map((entry) => ({ order: orderOf.get(entry.invoiceId!)!, entry })),
  )
  for (const { id, unapplied } of orders.values()) if (unapplied < 0) await applyCredit(ctx, id)
}

/** Takes write-offs back by an amount each, the oldest first. */
export async function contraEntries(
  ctx: OrderContext,
  claimed: readonly { invoice: Pick<InvoiceRow, 'id'>; amount: number }[],
  note: string | null,
): Promise<Entry[]> {
  if (claimed.length === 0) return []
  const { rows } = await sql<{ invoiceId: string; sourceId: string; reversesId: number; balance: number }>`
    select invoice_id as "invoiceId", source_id as "sourceId", min(id) as "reversesId", -sum(amount)::bigint as balance
    from ledger_entries
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and invoice_id = any(${claimed.map(({ invoice }) => invoice.id)})
      and kind in ('write_off', 'write_off_reversal')
    group by invoice_id, source_id having sum(amount) < 0 order by min(id)`.execute(ctx.db)
  const given = Map.groupBy(rows, ({ invoiceId }) => invoiceId)
  return claimed.flatMap(({ invoice, amount }) =>
    allocate(given.get(invoice.id) ?? [], amount).map(({ claim, amount: share }) => ({
      kind: 'write_off_reversal' as const,
      amount: share,
      sourceId: claim.sourceId,
      invoiceId: claim.invoiceId,
      reversesId: claim.reversesId,
      note,
    })),
  )
}
