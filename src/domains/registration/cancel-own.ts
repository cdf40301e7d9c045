import { preconditionFailed } from '../../kernel/errors.ts'
import { type Money, sumMinor, toMoney } from '../../kernel/money.ts'
import { findOrderOf } from '../orders/orders.ts'
import { readLines } from '../orders/order-record.ts'
import { sql } from 'kysely'
import { cancelRegistration } from './cancel.ts'
import { sendCancellation } from './confirmation.ts'
import { type GivenUp, givenUpBy } from './given-up.ts'
import { holdingsOf } from './holdings.ts'
import { nameOf } from './participant-shape.ts'
import { payerOf } from './payer.ts'
import { getParticipant, guestsOf } from './people.ts'
import { type AtEvent, openScene } from './scene.ts'

/** What somebody gives up and gets back by cancelling. */
export interface OwnCancellation {
  /** Themselves and the guests who go with them. */
  people: string[]
  givenUp: GivenUp
  /** What was bought, with what of its price comes back. */
  lines: { description: string; price: Money; back: Money }[]
  back: Money
  /** After it: what is still owed, or is held for them as credit. */
  balance: Money
  creditHeld: Money
}

/** A person cancels their own registration: by the event's own terms, never better or worse than these. */
export async function cancelOwn(ctx: AtEvent, participantId: string): Promise<OwnCancellation> {
  const row = await getParticipant(ctx, participantId)
  if (row.status === 'cancelled') throw preconditionFailed('This registration is already cancelled')
  const scene = await openScene(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  const owner = await payerOf(ctx, row)
  const guests = await guestsOf(ctx, row.id)
  const held = await heldLines(ctx, [row.id, ...guests.map(({ id }) => id)])
  const givenUp = await givenUpBy(ctx, scene, row, guests)
  const rule = { rule: { by: 'policy' as const }, reason: 'cancelled by the participant' }
  const { participants, creditNotes } = await cancelRegistration(ctx, scene, row, rule)
  await sendCancellation(ctx, row.id)
  const order = await findOrderOf(ctx, owner)
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  const back = await backByLine(ctx, creditNotes)
  return {
    people: participants.map(nameOf),
    givenUp,
    lines: held.map(({ id, description, total }) => ({ description, price: total, back: money(back.get(id) ?? 0) })),
    back: money(sumMinor([...back.values()])),
    balance: money(Math.max(0, order?.balance ?? 0)),
    creditHeld: money(-(order?.unapplied ?? 0)),
  }
}

async function heldLines(ctx: AtEvent, participantIds: readonly string[]) {
  const held = (await holdingsOf(ctx, participantIds)).filter(({ remaining }) => remaining > 0).map(({ id }) => id)
  return held.length === 0 ? [] : readLines(ctx, sql<boolean>`l.id = any(${held})`)
}

/** What comes back for each line that was bought, in minor units. */
async function backByLine(ctx: AtEvent, creditNotes: readonly { id: string }[]): Promise<Map<string, number>> {
  if (creditNotes.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('order_lines')
    .select(['reverses_line_id as line', (eb) => eb.fn.sum<number>('total').as('total')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where(
      'invoice_id',
      'in',
      creditNotes.map(({ id }) => id),
    )
    .groupBy('reverses_line_id')
    .execute()
  return new Map(rows.map(({ line, total }) => [line ?? '', -Number(total)]))
}
