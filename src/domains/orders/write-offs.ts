import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { AppError, conflict, type FieldError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type Money, sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addDays, toDayInZone } from '../../kernel/time.ts'
import type { InvoiceRow } from './invoices.ts'
import { allocateAmountToReceivables, applyCreditToOpenInvoices, type LedgerEntry, postLedgerEntriesOfOrders } from './ledger.ts'
import { type LockedInvoices, lockInvoices, lockInvoicesByNumber, toPositiveMinorUnits } from './named-invoices.ts'
import type { OrderContext } from './orders.ts'

interface WriteOffRequest {
  invoiceNumbers?: readonly string[] | undefined
  overdueDays?: number | undefined
  maxBalance?: Money | undefined
  reason: string
  reverse: boolean
  expectedTotal?: Money | undefined
  dryRun?: boolean | undefined
}

const MAX_INVOICES = 1000

export function validateWriteOff({ invoiceNumbers, overdueDays, maxBalance, reverse }: Record<string, unknown>): FieldError[] {
  const problems: FieldError[] = []
  const addError = (path: string, message: string) => void problems.push({ path, message })
  if (invoiceNumbers === undefined && overdueDays === undefined) addError('invoiceNumbers', 'required: invoiceNumbers or overdueDays')
  if (invoiceNumbers !== undefined && overdueDays !== undefined) addError('overdueDays', 'pass invoiceNumbers or overdueDays, not both')
  if (maxBalance !== undefined && overdueDays === undefined) addError('maxBalance', 'requires overdueDays')
  if (reverse === true && overdueDays !== undefined)
    addError('overdueDays', 'selects open invoices; to reverse write-offs, pass invoiceNumbers')
  return problems
}

/** Writes off the balance of the selected invoices or reverses their write-offs, for all of them or for none. */
export async function writeOffInvoices(ctx: EventContext, request: WriteOffRequest) {
  const { invoiceNumbers, reverse, reason } = request
  const { currency } = ctx.event
  const { invoices, orders } = invoiceNumbers ? await lockInvoicesByNumber(ctx, invoiceNumbers) : await lockOverdueInvoices(ctx, request)
  const amountOf = (invoice: InvoiceRow) => (reverse ? invoice.written_off : invoice.balance)
  const processed = invoices.filter((invoice) => skipReason(invoice, reverse) === null)
  const total = sumMinorUnits(processed.map(amountOf))
  if (!request.dryRun) refuseUnexpectedTotal(ctx, request, total)

  await (reverse ? reverseWriteOffs : writeOff)(ctx, { invoices: processed, orders }, reason)
  for (const invoice of processed) {
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
    writtenOff: processed.map((invoice) => ({ number: invoice.number, amount: toMoney(amountOf(invoice), currency) })),
    count: processed.length,
    total: toMoney(total, currency),
    skipped: invoices.flatMap((invoice) => {
      const why = skipReason(invoice, reverse)
      return why === null ? [] : [{ number: invoice.number, reason: why }]
    }),
  }
}

/** Returns why an invoice is skipped; null if it is processed. */
function skipReason({ kind, status, balance, written_off }: InvoiceRow, reverse: boolean): string | null {
  if (kind === 'credit_note') return 'is a credit note'
  if (reverse) return written_off > 0 ? null : 'was not written off'
  if (balance > 0) return null
  return status === 'void' ? 'is void' : status === 'written_off' ? 'is already written off' : 'is paid'
}

/** Rejects a write-off of invoices selected by a rule unless expectedTotal equals their total, which confirms the total of a dry run. */
function refuseUnexpectedTotal(ctx: EventContext, { invoiceNumbers, expectedTotal }: WriteOffRequest, total: number): void {
  const is = toMoney(total, ctx.event.currency)
  if (expectedTotal === undefined) {
    if (invoiceNumbers) return
    throw conflict(
      `Invoices chosen by overdueDays come to ${is.amount} ${is.currency}: pass that as expectedTotal once the person has agreed`,
    )
  }
  const expected = toMoney(toPositiveMinorUnits(ctx, expectedTotal, 'expectedTotal'), ctx.event.currency)
  if (expected.amount !== is.amount)
    throw conflict(
      `These invoices now come to ${is.amount} ${is.currency}, not ${expected.amount} ${expected.currency}. Repeat the dry run`,
    )
}

async function lockOverdueInvoices(ctx: EventContext, { overdueDays = 0, maxBalance }: WriteOffRequest): Promise<LockedInvoices> {
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  let overdue = eventDb(ctx)
    .selectFrom('invoices')
    .select(['id', 'order_id'])
    .where('is_test_data', '=', false)
    .where('balance', '>', 0)
    .where('due_on', '<=', addDays(today, -overdueDays))
  if (maxBalance) overdue = overdue.where('balance', '<=', toPositiveMinorUnits(ctx, maxBalance, 'maxBalance'))
  const found = await overdue.limit(MAX_INVOICES + 1).execute()
  if (found.length > MAX_INVOICES)
    throw new AppError('limit_exceeded', `More than ${MAX_INVOICES} invoices match. Use a higher overdueDays or a lower maxBalance first`)
  return lockInvoices(ctx, found)
}

async function writeOff(ctx: OrderContext, { invoices, orders }: LockedInvoices, reason: string): Promise<void> {
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
  await postLedgerEntriesOfOrders(
    ctx,
    rows.map(({ id, invoice }) => ({
      order: orders.get(invoice.order_id)!,
      entry: { kind: 'write_off', amount: -invoice.balance, sourceId: id, invoiceId: invoice.id, note: reason },
    })),
  )
}

async function reverseWriteOffs(ctx: OrderContext, { invoices, orders }: LockedInvoices, reason: string): Promise<void> {
  const entries = await buildWriteOffReversals(
    ctx,
    invoices.map((invoice) => ({ invoice, amount: invoice.written_off })),
    reason,
  )
  const orderOf = new Map(invoices.map((invoice) => [invoice.id, orders.get(invoice.order_id)!]))
  await postLedgerEntriesOfOrders(
    ctx,
    entries.map((entry) => ({ order: orderOf.get(entry.invoiceId!)!, entry })),
  )
  for (const { id, unapplied } of orders.values()) if (unapplied < 0) await applyCreditToOpenInvoices(ctx, id)
}

/** Builds ledger entries that reverse write-offs by the given amounts, oldest write-off first. */
export async function buildWriteOffReversals(
  ctx: OrderContext,
  claimed: readonly { invoice: Pick<InvoiceRow, 'id'>; amount: number }[],
  note: string | null,
): Promise<LedgerEntry[]> {
  if (claimed.length === 0) return []
  const { rows } = await sql<{ invoiceId: string; sourceId: string; reversesId: number; balance: number }>`
    select invoice_id as "invoiceId", source_id as "sourceId", min(id) as "reversesId", -sum(amount)::bigint as balance
    from ledger_entries
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and invoice_id = any(${claimed.map(({ invoice }) => invoice.id)})
      and kind in ('write_off', 'write_off_reversal')
    group by invoice_id, source_id having sum(amount) < 0 order by min(id)`.execute(ctx.db)
  const given = Map.groupBy(rows, ({ invoiceId }) => invoiceId)
  return claimed.flatMap(({ invoice, amount }) =>
    allocateAmountToReceivables(given.get(invoice.id) ?? [], amount).map(({ claim, amount: share }) => ({
      kind: 'write_off_reversal' as const,
      amount: share,
      sourceId: claim.sourceId,
      invoiceId: claim.invoiceId,
      reversesId: claim.reversesId,
      note,
    })),
  )
}
