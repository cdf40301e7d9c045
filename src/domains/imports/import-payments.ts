import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor, toMoney } from '../../kernel/money.ts'
import { productKey, sellPlaces } from '../inventory/places.ts'
import { openOrders, payMany, sellMany } from '../orders/history.ts'
import { lockOrders, type OrderRow } from '../orders/orders.ts'
import { refreshTags } from '../registration/tags.ts'
import { pastLine } from './import-people.ts'
import { keepRows, knownRows, touchRows } from './known-rows.ts'
import type { ReadPayment } from './read-payment.ts'
import { hashOf } from './reading.ts'
import type { RunState } from './run-state.ts'
import { noteErrors } from './run-state.ts'
import type { RunCounts } from './runs.ts'
import { IMPORTED_FEE } from './setup-parts.ts'

/** One batch of payments, each key once. No card is touched: they were made elsewhere. */
export async function importPayments(
  ctx: EventContext,
  state: RunState,
  payments: readonly ReadPayment[],
  counts: RunCounts,
): Promise<void> {
  if (payments.length === 0) return
  const own = counts.payments
  const known = await knownRows(
    ctx,
    state,
    'payment',
    payments.map(({ key }) => key),
  )
  const people = await knownRows(ctx, state, 'participant', [...new Set(payments.flatMap(({ personKey }) => personKey ?? []))])
  const whose = ({ personKey }: ReadPayment) =>
    personKey === null ? null : people.has(personKey) || state.present.has(personKey) ? personKey : null
  const fresh: ReadPayment[] = []
  const again: string[] = []
  for (const payment of payments) {
    const before = known.get(payment.key)
    if (before && before.written.amount === payment.amount) again.push(payment.key)
    else if (before) {
      own.errors++
      const was = toMoney(Number(before.written.amount), state.rules.currency).amount
      await noteErrors(ctx, state, counts, [
        {
          sheet: payment.sheet,
          row: payment.row,
          column: 'amountPaid',
          value: toMoney(payment.amount, state.rules.currency).amount,
          code: 'amount',
          message: `This payment was imported with ${was}; a payment is never changed.`,
        },
      ])
    } else if (whose(payment) === null) own.orphans++
    else fresh.push(payment)
  }
  own.unchanged += again.length
  own.created += fresh.length
  own.amount += sumMinor(fresh.map(({ amount }) => amount))
  counts.money.paid += sumMinor(fresh.map(({ amount }) => amount))
  if (!state.rules.linesGiven) counts.money.ordered += sumMinor(fresh.map(({ amount }) => amount))
  if (state.run.dry_run) return
  await write(ctx, state, fresh, (payment) => people.get(payment.personKey!)!.entity_id)
  await touchRows(ctx, state, 'payment', again)
}

async function write(
  ctx: EventContext,
  state: RunState,
  payments: readonly ReadPayment[],
  personOf: (payment: ReadPayment) => string,
): Promise<void> {
  if (payments.length === 0) return
  const at = ({ receivedAt }: ReadPayment) => receivedAt ?? state.now
  const ids = [...new Set(payments.map(personOf))]
  const orders = await ordersOf(
    ctx,
    state,
    ids,
    payments.map((payment) => ({ participantId: personOf(payment), at: at(payment) })),
  )
  if (!state.rules.linesGiven) {
    // Nothing says what they bought, so what they paid is what they bought.
    if (!state.isTest)
      await sellPlaces(ctx, { participantId: '' }, [{ key: productKey(IMPORTED_FEE), quantity: payments.length }], { beyondCapacity: true })
    await sellMany(
      ctx,
      state.origin,
      payments.map((payment) => ({
        order: orders.get(personOf(payment))!,
        lines: [pastLine(state, { productCode: IMPORTED_FEE, quantity: 1, total: payment.amount }, personOf(payment), at(payment))],
        terms: { ...state.terms, at: at(payment) },
      })),
    )
    await refreshTags(ctx, state.rules.config, ids)
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
  await keepRows(
    ctx,
    state,
    'payment',
    rows.map(({ payment, id }) => ({
      key: payment.key,
      hash: hashOf({ amount: payment.amount }),
      written: { amount: payment.amount },
      entityId: id,
    })),
  )
}

/** Locked; those of people who had no order yet are made. */
async function ordersOf(
  ctx: EventContext,
  state: RunState,
  ids: readonly string[],
  wanted: readonly { participantId: string; at: Date }[],
): Promise<Map<string, OrderRow>> {
  const found = await ctx.db
    .selectFrom('orders')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', sql<string>`any(${ids})`)
    .execute()
  const locked = await lockOrders(
    ctx,
    found.map(({ id }) => id),
  )
  const having = new Set(locked.map((order) => order.participant_id))
  const first = new Map(wanted.filter(({ participantId }) => !having.has(participantId)).map((one) => [one.participantId, one]))
  const opened = await openOrders(
    ctx,
    state.origin,
    [...first.values()].map(({ participantId, at }) => ({ participantId, billTo: {}, externalNumber: null, createdAt: at })),
  )
  return new Map([...locked, ...opened].map((order) => [order.participant_id!, order]))
}
