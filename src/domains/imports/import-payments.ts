import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { productKey, sellUnits } from '../inventory/units.ts'
import { createOrders, payMany, importSales } from '../orders/import-history.ts'
import { lockOrders, type OrderRow } from '../orders/orders.ts'
import { recalculateTags } from '../registration/tags.ts'
import { toOrderLine } from './imported-lines.ts'
import { saveImportedRows, readKnownRows, markRowsSeen } from './known-rows.ts'
import type { ReadPayment } from './read-payment.ts'
import { hashContent } from './reading.ts'
import type { RunState } from './run-state.ts'
import { saveErrors } from './run-state.ts'
import type { RunCounts } from './runs.ts'
import { IMPORTED_FEE_CODE } from './setup-parts.ts'

/** Imports one batch of payments with unique keys. They are recorded only: no card is charged. */
export async function importPayments(
  ctx: EventContext,
  state: RunState,
  payments: readonly ReadPayment[],
  counts: RunCounts,
): Promise<void> {
  if (payments.length === 0) return
  const own = counts.payments
  const known = await readKnownRows(
    ctx,
    state,
    'payment',
    payments.map(({ key }) => key),
  )
  const people = await readKnownRows(ctx, state, 'participant', [...new Set(payments.flatMap(({ personKey }) => personKey ?? []))])
  const findPayer = ({ personKey }: ReadPayment) =>
    personKey === null ? null : people.has(personKey) || state.present.has(personKey) ? personKey : null
  const fresh: ReadPayment[] = []
  const again: string[] = []
  for (const payment of payments) {
    const before = known.get(payment.key)
    if (before && before.written.amount === payment.amount) again.push(payment.key)
    else if (before) {
      own.errors++
      const was = toMoney(Number(before.written.amount), state.rules.currency).amount
      await saveErrors(ctx, state, counts, [
        {
          sheet: payment.sheet,
          row: payment.row,
          column: 'amountPaid',
          value: toMoney(payment.amount, state.rules.currency).amount,
          code: 'amount',
          message: `This payment was imported with ${was}. Imported payments cannot be changed.`,
        },
      ])
    } else if (findPayer(payment) === null) own.orphans++
    else fresh.push(payment)
  }
  own.unchanged += again.length
  own.created += fresh.length
  own.amount += sumMinorUnits(fresh.map(({ amount }) => amount))
  counts.money.paid += sumMinorUnits(fresh.map(({ amount }) => amount))
  if (!state.rules.linesGiven) counts.money.ordered += sumMinorUnits(fresh.map(({ amount }) => amount))
  if (state.run.dry_run) return
  await writePayments(ctx, state, fresh, (payment) => people.get(payment.personKey!)!.entity_id)
  await markRowsSeen(ctx, state, 'payment', again)
}

async function writePayments(
  ctx: EventContext,
  state: RunState,
  payments: readonly ReadPayment[],
  personOf: (payment: ReadPayment) => string,
): Promise<void> {
  if (payments.length === 0) return
  const at = ({ receivedAt }: ReadPayment) => receivedAt ?? state.now
  const ids = [...new Set(payments.map(personOf))]
  const orders = await lockOrCreateOrders(
    ctx,
    state,
    ids,
    payments.map((payment) => ({ participantId: personOf(payment), at: at(payment) })),
  )
  if (!state.rules.linesGiven) {
    // Without order lines, each payment becomes an order line of the same amount.
    if (!state.isTest)
      await sellUnits(ctx, { participantId: '' }, [{ key: productKey(IMPORTED_FEE_CODE), quantity: payments.length }], {
        beyondCapacity: true,
      })
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
  await payMany(
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
  const found = await eventDb(ctx)
    .selectFrom('orders')
    .select('id')
    .where('participant_id', '=', sql<string>`any(${ids})`)
    .execute()
  const locked = await lockOrders(
    ctx,
    found.map(({ id }) => id),
  )
  const having = new Set(locked.map((order) => order.participant_id))
  const first = new Map(wanted.filter(({ participantId }) => !having.has(participantId)).map((one) => [one.participantId, one]))
  const opened = await createOrders(
    ctx,
    state.origin,
    [...first.values()].map(({ participantId, at }) => ({ participantId, billTo: {}, externalNumber: null, createdAt: at })),
  )
  return new Map([...locked, ...opened].map((order) => [order.participant_id!, order]))
}
