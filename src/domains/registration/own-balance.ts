import { z } from 'zod'
import { brief, day, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import { findOrderOf, type OrderRow } from '../orders/orders.ts'
import { payPath } from './links.ts'
import type { AtRegistration } from './own-flow.ts'
import { payerOf } from './payer.ts'
import { getParticipant } from './people.ts'

export const OwnBalance = {
  paidBy: oneOf(['self', 'group', 'host']),
  total: money(),
  paid: money(),
  balance: money(),
  creditHeld: money(),
  dueOn: day().optional(),
  invoices: brief(
    list(
      object({
        number: text(),
        kind: oneOf(['invoice', 'credit_note']),
        total: money(),
        balance: money(),
        dueOn: day(),
        status: oneOf(['open', 'paid', 'written_off', 'void']),
      }),
    ),
    'number, kind, total, balance, dueOn, status',
  ),
  payUrl: z.string().optional(),
}

/** What somebody owes themselves. What their group or host owes for them is not theirs to see. */
export async function checkOwnBalance(ctx: AtRegistration): Promise<z.input<z.ZodObject<typeof OwnBalance>>> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const payer = await payerOf(ctx, row)
  const paidBy = 'groupId' in payer ? 'group' : 'participantId' in payer && payer.participantId !== row.id ? 'host' : 'self'
  const order = paidBy === 'self' ? await findOrderOf(ctx, payer) : null
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  // What is held as credit is told apart: it is not less owed until it is put to an invoice.
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
    ...(owed > 0 ? { payUrl: await payPath(ctx, row) } : {}),
  }
}

const MAX_INVOICES = 1000

const invoicesOf = ({ db, tenantId, event }: AtRegistration, { id }: OrderRow) =>
  db
    .selectFrom('invoices')
    .select(['number', 'kind', 'total', 'balance', 'due_on', 'status'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('order_id', '=', id)
    .orderBy('issued_at')
    .orderBy('id')
    .limit(MAX_INVOICES)
    .execute()
