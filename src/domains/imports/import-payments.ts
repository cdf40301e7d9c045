import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type InventoryUnits, toProductInventoryKey } from '../inventory/units.ts'
import { createOrders, importPayments, importSales } from '../orders/import-history.ts'
import { lockOrders, type OrderRow } from '../orders/orders.ts'
import { recalculateTags } from '../registration/tags.ts'
import { toOrderLine } from './imported-lines.ts'
import { saveImportedRows, readKnownRows, markRowsSeen } from './known-rows.ts'
import type { ParsedPayment } from './read-payment.ts'
import { hashContent } from './reading.ts'
import type { PlannedPeople } from './import-people.ts'
import type { RunState } from './run-state.ts'
import type { ErrorRow, RunCounts } from './runs.ts'
import { IMPORTED_FEE_CODE } from './setup-parts.ts'

/** Planned changes for the payments of one batch. */
export interface PlannedPayments {
  fresh: readonly ParsedPayment[]
  /** Keys of payments that an earlier run imported. */
  again: readonly string[]
  errors: readonly ErrorRow[]
  /** Ids of the payers who were registered before this batch, by source key. */
  payers: ReadonlyMap<string, string>
}

/** Decides which payments of a batch are new, by unique keys, and counts them. Writes nothing. */
export async function planPayments(
  ctx: EventContext,
  state: RunState,
  payments: readonly ParsedPayment[],
  { created }: Pick<PlannedPeople, 'created'>,
  counts: RunCounts,
): Promise<PlannedPayments> {
  const own = counts.payments
  const known = await readKnownRows(
    ctx,
    state,
    'payment',
    payments.map(({ key }) => key),
  )
  const people = await readKnownRows(ctx, state, 'participant', [...new Set(payments.flatMap(({ personKey }) => personKey ?? []))])
  const createdKeys = new Set(created.map(({ key }) => key))
  const hasPayer = ({ personKey }: ParsedPayment) =>
    personKey !== null && (people.has(personKey) || createdKeys.has(personKey) || state.present.has(personKey))
  const fresh: ParsedPayment[] = []
  const again: string[] = []
  const errors: ErrorRow[] = []
  for (const payment of payments) {
    const before = known.get(payment.key)
    if (before && before.written.amount === payment.amount) again.push(payment.key)
    else if (before) errors.push(toAmountError(state, payment, Number(before.written.amount)))
    else if (!hasPayer(payment)) own.orphans++
    else fresh.push(payment)
  }
  own.errors += errors.length
  own.unchanged += again.length
  own.created += fresh.length
  own.amount += sumMinorUnits(fresh.map(({ amount }) => amount))
  counts.money.paid += sumMinorUnits(fresh.map(({ amount }) => amount))
  if (!state.rules.linesGiven) counts.money.ordered += sumMinorUnits(fresh.map(({ amount }) => amount))
  return { fresh, again, errors, payers: new Map([...people].map(([key, { entity_id }]) => [key, entity_id])) }
}

const toAmountError = ({ rules }: RunState, { sheet, row, amount }: ParsedPayment, before: number): ErrorRow => ({
  sheet,
  row,
  column: 'amountPaid',
  value: toMoney(amount, rules.currency).amount,
  code: 'amount',
  message: `This payment was imported with ${toMoney(before, rules.currency).amount}. Imported payments cannot be changed.`,
})

/** Lists the product units that payments take: without order lines, each payment becomes an order line of the same amount. */
export const listPaymentUnits = ({ rules }: RunState, { fresh }: PlannedPayments): InventoryUnits[] =>
  rules.linesGiven || fresh.length === 0 ? [] : [{ key: toProductInventoryKey(IMPORTED_FEE_CODE), quantity: fresh.length }]

/** Locks the orders of payers who were registered before this batch. Orders are locked before participants. */
export async function lockOrdersOfPayers(ctx: EventContext, { fresh, payers }: PlannedPayments): Promise<void> {
  const ids = fresh.flatMap(({ personKey }) => payers.get(personKey!) ?? [])
  if (ids.length > 0) await lockOrders(ctx, await listOrderIds(ctx, ids))
}

/** Imports the new payments of a batch. Payments are only recorded: no card is charged. `created` has the ids of the new people. */
export async function writePayments(
  ctx: EventContext,
  state: RunState,
  { fresh: payments, again, payers }: PlannedPayments,
  created: ReadonlyMap<string, string>,
): Promise<void> {
  await markRowsSeen(ctx, state, 'payment', again)
  if (payments.length === 0) return
  const personOf = ({ personKey }: ParsedPayment) => (payers.get(personKey!) ?? created.get(personKey!))!
  const at = ({ receivedAt }: ParsedPayment) => receivedAt ?? state.now
  const ids = [...new Set(payments.map(personOf))]
  const orders = await lockOrCreateOrders(
    ctx,
    state,
    ids,
    payments.map((payment) => ({ participantId: personOf(payment), at: at(payment) })),
  )
  if (!state.rules.linesGiven) {
    await importSales(
      ctx,
      state.origin,
      payments.map((payment) => ({
        order: orders.get(personOf(payment))!,
        lines: [toOrderLine(state, { productCode: IMPORTED_FEE_CODE, quantity: 1, total: payment.amount }, personOf(payment), at(payment))],
        terms: { ...state.terms, at: at(payment) },
      })),
    )
    await recalculateTags(ctx, state.rules.config, ids)
  }
  const rows = payments.map((payment) => ({ payment, id: newId() }))
  const origin = `${ctx.event.id}:${state.isTest ? 'test' : 'live'}:${state.setup.source_system}`
  await importPayments(
    ctx,
    state.origin,
    rows.map(({ payment, id }) => ({
      id,
      order: orders.get(personOf(payment))!,
      amount: payment.amount,
      method: payment.method,
      reference: payment.reference,
      receivedAt: at(payment),
      providerRef: `${origin}:${payment.key}`,
    })),
  )
  await saveImportedRows(
    ctx,
    state,
    'payment',
    rows.map(({ payment, id }) => ({
      key: payment.key,
      hash: hashContent({ amount: payment.amount }),
      written: { amount: payment.amount },
      entityId: id,
    })),
  )
}

/** Locks and returns the orders of these participants. Missing orders are created. */
async function lockOrCreateOrders(
  ctx: EventContext,
  state: RunState,
  ids: readonly string[],
  wanted: readonly { participantId: string; at: Date }[],
): Promise<Map<string, OrderRow>> {
  const locked = await lockOrders(ctx, await listOrderIds(ctx, ids))
  const having = new Set(locked.map((order) => order.participant_id))
  const first = new Map(wanted.filter(({ participantId }) => !having.has(participantId)).map((one) => [one.participantId, one]))
  const opened = await createOrders(
    ctx,
    state.origin,
    [...first.values()].map(({ participantId, at }) => ({ participantId, billTo: {}, externalNumber: null, createdAt: at })),
  )
  return new Map([...locked, ...opened].map((order) => [order.participant_id!, order]))
}

const listOrderIds = async (ctx: EventContext, participantIds: readonly string[]): Promise<string[]> =>
  (
    await eventDb(ctx)
      .selectFrom('orders')
      .select('id')
      .where('participant_id', '=', sql<string>`any(${participantIds})`)
      .execute()
  ).map(({ id }) => id)
