import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type InventoryQuantity, toProductInventoryKey } from '../inventory/units.ts'
import { importPayments, importSales } from '../orders/import-history.ts'
import { importOrders, type ImportedOrder } from '../orders/import-orders.ts'
import { lockOrders, type OrderRow } from '../orders/orders.ts'
import { recalculateTags } from '../registration/tags.ts'
import { toImportedOrderLine } from './imported-lines.ts'
import {
  saveImportedRows,
  type PreviouslyImportedRow,
  readPreviouslyImportedRows,
  readPreviouslyImportedRowsByPrefix,
  markRowsPresentInRun,
} from './known-rows.ts'
import { type ParsedPayment, toPaymentKeyPrefix, toPersonKeyOfPayment } from './read-payment.ts'
import { hashRowContent } from './reading.ts'
import type { CreatedRegistrations, PeopleImportPlan } from './import-people.ts'
import type { ImportRunState } from './run-state.ts'
import type { ImportErrorRow, ImportRunCounts } from './runs.ts'
import { IMPORTED_FEE_CODE } from './setup-parts.ts'

/** Planned changes for the payments of one batch. */
export interface PaymentImportPlan {
  fresh: readonly ParsedPayment[]
  /** Unique keys of payments in the file that an earlier run imported. */
  again: readonly string[]
  errors: readonly ImportErrorRow[]
  /** Ids of the paying participants who were registered before this batch, by their key in the imported file. */
  payers: ReadonlyMap<string, string>
}

/** Decides which payments of a batch are new, by unique keys, and counts them. Writes nothing. */
export async function planPaymentImport(
  ctx: EventContext,
  state: ImportRunState,
  payments: readonly ParsedPayment[],
  { created, update: { rejected } }: Pick<PeopleImportPlan, 'created' | 'update'>,
  counts: ImportRunCounts,
): Promise<PaymentImportPlan> {
  const own = counts.payments
  const known = await readPreviouslyImportedRows(
    ctx,
    state,
    'payment',
    payments.map(({ key }) => key),
  )
  const people = await readPreviouslyImportedRows(ctx, state, 'participant', [
    ...new Set(payments.flatMap(({ personKey }) => personKey ?? [])),
  ])
  const earlier = await readEarlierPaymentsOfRows(
    ctx,
    state,
    payments.filter(({ personKey }) => personKey !== null && people.has(personKey)),
  )
  const createdKeys = new Set(created.map(({ key }) => key))
  const hasPayer = ({ personKey }: ParsedPayment) =>
    personKey !== null && (people.has(personKey) || createdKeys.has(personKey) || state.present.has(personKey))
  const fresh: ParsedPayment[] = []
  const again: string[] = []
  const errors: ImportErrorRow[] = []
  for (const payment of payments) {
    const before = findEarlierPayment(payment, known.get(payment.key), earlier.get(payment) ?? [])
    if (payment.amount === 0) {
      if (before === undefined) continue
      own.rows++
    }
    if (before && before.written['amount'] === payment.amount) again.push(before.source_key)
    else if (before) errors.push(toAmountError(state, payment, Number(before.written['amount'])))
    else if (payment.inPersonRow && rejected.has(payment.personKey!)) errors.push(toRejectedError(state, payment))
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

/**
 * Reads the payments without a reference that earlier imports booked for the people of these rows. The amount is part of the key of a payment,
 * but a person's own row gives all that the person paid, so a changed amount there is not another payment.
 */
async function readEarlierPaymentsOfRows(
  ctx: EventContext,
  state: ImportRunState,
  payments: readonly ParsedPayment[],
): Promise<Map<ParsedPayment, PreviouslyImportedRow[]>> {
  const asked = payments.filter(({ inPersonRow, reference }) => inPersonRow && reference === null)
  const prefixes = asked.map(({ personKey }) => toPaymentKeyPrefix(personKey!))
  const rows = await readPreviouslyImportedRowsByPrefix(ctx, state, 'payment', prefixes)
  const byPerson = Map.groupBy(rows, ({ source_key }) => toPersonKeyOfPayment(source_key))
  return new Map(asked.map((payment) => [payment, byPerson.get(payment.personKey!) ?? []]))
}

/**
 * Finds the payment that an earlier import booked for a row. A person's own row has one payment, whatever its amount was. Imports of earlier
 * versions did not store whether a payment was in the row of its person: it was, unless the row now says that nothing was paid.
 */
function findEarlierPayment(
  { inPersonRow, amount }: ParsedPayment,
  sameKey: PreviouslyImportedRow | undefined,
  ofPerson: readonly PreviouslyImportedRow[],
): PreviouslyImportedRow | undefined {
  if (!inPersonRow) return sameKey
  const ofRow = [...ofPerson, ...(sameKey ? [sameKey] : [])].filter(({ written }) => written['inPersonRow'] === true)
  const first = (rows: readonly PreviouslyImportedRow[]) => rows.find(({ written }) => written['amount'] === amount) ?? rows[0]
  if (ofRow.length > 0 || amount === 0) return first(ofRow)
  return sameKey ?? first(ofPerson.filter(({ written }) => written['inPersonRow'] === undefined))
}

const toRejectedError = ({ rules }: ImportRunState, { sheet, row, amount }: ParsedPayment): ImportErrorRow => ({
  sheet,
  row,
  column: 'amountPaid',
  value: toMoney(amount, rules.currency).amount,
  code: 'row',
  message: 'The payment was not imported, because the row has another error.',
})

const toAmountError = ({ rules }: ImportRunState, { sheet, row, amount }: ParsedPayment, before: number): ImportErrorRow => ({
  sheet,
  row,
  column: 'amountPaid',
  value: toMoney(amount, rules.currency).amount,
  code: 'amount',
  message: `This payment was imported with ${toMoney(before, rules.currency).amount}. Imported payments cannot be changed.`,
})

/**
 * Lists the product stock that imported payments use up. If no file contains order lines, each payment becomes one unit of the product
 * "imported fee".
 */
export const listStockUsedByPaymentImport = ({ rules }: ImportRunState, { fresh }: PaymentImportPlan): InventoryQuantity[] =>
  rules.linesGiven || fresh.length === 0 ? [] : [{ key: toProductInventoryKey(IMPORTED_FEE_CODE), quantity: fresh.length }]

/** Locks and returns the orders of paying participants who were registered before this batch. Orders are locked before participants. */
export async function lockOrdersOfPayers(ctx: EventContext, { fresh, payers }: PaymentImportPlan): Promise<OrderRow[]> {
  const ids = fresh.flatMap(({ personKey }) => payers.get(personKey!) ?? [])
  return ids.length === 0 ? [] : lockOrders(ctx, await listOrderIds(ctx, ids))
}

/**
 * Imports the orders of new people and the new payments of a batch. Payments are only recorded: no card is charged. `locked` are the orders
 * that existed before this batch.
 */
export async function writeOrdersAndPayments(
  ctx: EventContext,
  state: ImportRunState,
  { fresh, again, payers }: PaymentImportPlan,
  { created: { ids, orders }, locked }: { created: CreatedRegistrations; locked: readonly OrderRow[] },
): Promise<void> {
  await markRowsPresentInRun(ctx, state, 'payment', again)
  const toPayment = createPaymentConverter(ctx, state)
  const payments = fresh.map((payment) => toPayment(payment, (payers.get(payment.personKey!) ?? ids.get(payment.personKey!))!))
  const orderOf = new Map(locked.map((order) => [order.participant_id, order]))
  const added = payments.flatMap((payment) => {
    const order = orderOf.get(payment.participantId)
    return order ? [{ ...payment, order }] : []
  })
  const opened = addToNewOrders(
    orders,
    payments.filter(({ participantId }) => !orderOf.has(participantId)),
  )
  await importOrders(ctx, state.origin, opened)
  await importSales(
    ctx,
    state.origin,
    added.flatMap(({ sales, order }) => sales.map((sale) => ({ ...sale, order }))),
  )
  await importPayments(
    ctx,
    state.origin,
    added.map(({ paid, order }) => ({ ...paid, order })),
  )
  const imported = payments.map(({ key, inPersonRow, paid: { id, amount } }) => ({
    key,
    hash: hashRowContent({ amount }),
    written: { amount, inPersonRow },
    entityId: id,
  }))
  await saveImportedRows(ctx, state, 'payment', imported)
  const buyers = new Set([...ids.values(), ...payments.filter(({ sales }) => sales.length > 0).map(({ participantId }) => participantId)])
  if (buyers.size > 0) await recalculateTags(ctx, state.rules.config, [...buyers])
}

/**
 * Returns a function that converts a payment in the file to a payment on an order. If no file contains order lines, the payment also
 * creates an order line of the same amount.
 */
function createPaymentConverter({ event }: EventContext, state: ImportRunState) {
  const origin = `${event.id}:${state.isTest ? 'test' : 'live'}:${state.setup.source_system}`
  return ({ key, amount, method, reference, receivedAt, inPersonRow }: ParsedPayment, participantId: string) => {
    const at = receivedAt ?? state.now
    const lines = [toImportedOrderLine(state, { productCode: IMPORTED_FEE_CODE, quantity: 1, total: amount }, participantId, at)]
    return {
      key,
      inPersonRow,
      participantId,
      paid: { id: newId(), amount, method, reference, receivedAt: at, providerRef: `${origin}:${key}` },
      sales: state.rules.linesGiven ? [] : [{ lines, terms: { ...state.terms, at } }],
    }
  }
}

/** Adds payments to the orders of newly imported people, and to new orders for paying participants who have no order. */
function addToNewOrders(
  orders: readonly ImportedOrder[],
  payments: readonly (Pick<ImportedOrder, 'participantId' | 'sales'> & { paid: ImportedOrder['payments'][number] })[],
): ImportedOrder[] {
  const opened = new Map(orders.map((order) => [order.participantId, order]))
  for (const { participantId, paid, sales } of payments) {
    const order = opened.get(participantId) ?? { ...EMPTY_ORDER, participantId, createdAt: paid.receivedAt }
    opened.set(participantId, { ...order, sales: [...order.sales, ...sales], payments: [...order.payments, paid] })
  }
  return [...opened.values()]
}

const EMPTY_ORDER = { billTo: {}, externalNumber: null, sales: [], payments: [] }

const listOrderIds = async (ctx: EventContext, participantIds: readonly string[]): Promise<string[]> =>
  (
    await eventDb(ctx)
      .selectFrom('orders')
      .select('id')
      .where('participant_id', '=', sql<string>`any(${participantIds})`)
      .execute()
  ).map(({ id }) => id)
