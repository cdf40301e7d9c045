import { z } from 'zod'
import { toOneLine, day, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { findOrder, type OrderRow } from '../../orders/orders.ts'
import { issuePaymentPagePath } from '../links.ts'
import type { OwnRegistrationContext } from './own-flow.ts'
import { getOrderOwner } from '../sale/payer.ts'
import { getParticipant } from '../participant-rows.ts'
import { INVOICE_STATES } from '../../orders/states.ts'

export const OwnRegistrationBalance = {
  paidBy: oneOf(['self', 'group', 'host']),
  total: money(),
  paid: money(),
  balance: money(),
  creditHeld: money(),
  dueOn: day().optional(),
  invoices: toOneLine(
    list(
      object({
        number: text(),
        kind: oneOf(['invoice', 'credit_note']),
        total: money(),
        balance: money(),
        dueOn: day(),
        status: oneOf(INVOICE_STATES.all),
      }),
    ),
    'number, kind, total, balance, dueOn, status',
  ),
  payUrl: z.string().optional(),
}

/** Returns the participant's own balance. The order of a group or host who pays for the participant stays hidden. */
export async function getOwnBalance(ctx: OwnRegistrationContext): Promise<z.input<z.ZodObject<typeof OwnRegistrationBalance>>> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const payer = await getOrderOwner(ctx, row)
  const paidBy = 'groupId' in payer ? 'group' : 'participantId' in payer && payer.participantId !== row.id ? 'host' : 'self'
  const order = paidBy === 'self' ? await findOrder(ctx, payer) : null
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  // Credit is shown separately, because it does not reduce the balance until it is applied to an invoice.
  const owed = order ? order.balance - order.unapplied : 0
  const invoices = order ? await invoicesOf(ctx, order) : []
  const [first] = invoices
    .filter(({ balance }) => balance > 0)
    .map(({ due_on }) => due_on)
    .toSorted((a, b) => (a < b ? -1 : 1))
  return {
    paidBy,
    total: amount(order?.total ?? 0),
    paid: amount(order?.paid ?? 0),
    balance: amount(owed),
    creditHeld: amount(-(order?.unapplied ?? 0)),
    ...(first === undefined ? {} : { dueOn: first }),
    invoices: invoices.map(({ number, kind, total, balance, due_on, status }) => ({
      number,
      kind,
      total: amount(total),
      balance: amount(balance),
      dueOn: due_on,
      status,
    })),
    ...(owed > 0 ? { payUrl: await issuePaymentPagePath(ctx, row) } : {}),
  }
}

const MAX_INVOICES = 1000

const invoicesOf = (ctx: OwnRegistrationContext, { id }: OrderRow) =>
  eventDb(ctx)
    .selectFrom('invoices')
    .select(['number', 'kind', 'total', 'balance', 'due_on', 'status'])
    .where('order_id', '=', id)
    .orderBy('issued_at')
    .orderBy('id')
    .limit(MAX_INVOICES)
    .execute()
