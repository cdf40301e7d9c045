import { sql } from 'kysely'
import type { z } from 'zod'
import type { CheckoutLine, CheckoutUrls } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, MetAnother } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor } from '../../kernel/money.ts'
import { askOutside, NotYet, type Outside, RefusedOutside, wakeOutsideCall } from '../../kernel/outside-calls.ts'
import { backTo } from './back-to.ts'
import { ASK_SECONDS, type ChargeCall, chargeKind, type Known, known, type Purpose } from './charge-kinds.ts'
import { type At, type ChargeRow, type Charging, moneyIn } from './charges.ts'
import { getProcessor, processorNamed } from './processor.ts'

export { standingOf, type Standing } from './charges.ts'

/** A charge that the person pays on the processor's page. Until it is known whether they did, nothing that waits for it moves. */
export const defineCheckout = <More extends z.ZodRawShape>(purpose: Purpose<More>): ChargeCall<More> => chargeKind(ask, purpose)

export interface NewCheckout {
  participantId: string
  /** What it pays, if that is there already. */
  orderId?: string | null
  isTestData: boolean
  /** As readers find it. */
  purpose: string
  amount: number
  currency: string
  lines: readonly CheckoutLine[]
  urls: CheckoutUrls
  /** The words to which the person agreed; null: their card is not kept. */
  consent?: string | null
  /** When what is paid for is held no longer. */
  endsAt: Date
}

/** `callId` is given to `openCheckout` of the surface, once this is kept. */
export interface Begun {
  chargeId: string
  callId: string
}

/**
 * Writes down that somebody is about to pay, in the caller's transaction. The processor is asked for its page when that is kept, and never
 * before. Whoever has an open checkout for the same gets that one; for another amount it has to be ended first.
 */
export async function beginCheckout<More extends z.ZodRawShape>(
  ctx: Charging,
  kind: ChargeCall<More>,
  checkout: NewCheckout,
  more: z.output<z.ZodObject<More>>,
): Promise<Begun> {
  const { name: provider } = getProcessor(ctx, checkout)
  const open = await openChargeOf(ctx, checkout)
  if (open) return reuse(ctx, open, checkout, more)
  const id = newId()
  const { callId } = await askOutside(ctx, kind, { chargeId: id, more }, { eventId: ctx.event.id }, { here: true })
  const sum = sumMinor(checkout.lines.map(({ amount }) => amount))
  // What is paid in part, as after credit, is one line: the page's lines add up.
  const lines = sum === checkout.amount ? checkout.lines : [{ name: ctx.event.name, amount: checkout.amount }]
  const kept = await ctx.db
    .insertInto('charges')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      participant_id: checkout.participantId,
      order_id: checkout.orderId ?? null,
      is_test_data: checkout.isTestData,
      purpose: checkout.purpose,
      amount: checkout.amount,
      currency: checkout.currency,
      provider,
      call_id: callId,
      lines: JSON.stringify(lines),
      return_url: backTo(checkout.urls.returnUrl, 'charge', id),
      cancel_url: backTo(checkout.urls.cancelUrl, 'charge', id),
      consent: checkout.consent ?? null,
      ends_at: checkout.endsAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  // Pressed twice at once: done again, this finds what the other began.
  if (!kept) throw new MetAnother('a checkout was begun meanwhile')
  return { chargeId: id, callId }
}

async function openChargeOf(
  { db, tenantId, event }: At,
  { participantId, orderId = null }: Pick<NewCheckout, 'participantId' | 'orderId'>,
): Promise<ChargeRow | undefined> {
  return db
    .selectFrom('charges')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where((eb) => eb.or([eb('participant_id', '=', participantId), ...(orderId === null ? [] : [eb('order_id', '=', orderId)])]))
    .where('entry_id', 'is', null)
    .where('status', 'in', ['pending', 'unknown'])
    .executeTakeFirst()
}

/** The same amount for the same purpose. What was chosen may have been named anew since, as a guest: what is confirmed last counts. */
async function reuse(ctx: Charging, open: ChargeRow, checkout: NewCheckout, more: unknown): Promise<Begun> {
  const same =
    open.amount === checkout.amount && open.currency === checkout.currency && open.purpose === checkout.purpose && open.ending === null
  if (!same || open.call_id === null) {
    throw conflict(`A payment of ${moneyIn(open)} is still open — finish it, or cancel it and wait until that is known`)
  }
  await sql`
    update outside_calls set input = ${JSON.stringify({ chargeId: open.id, more })}::jsonb
    where tenant_id = ${ctx.tenantId} and id = ${open.call_id} and status in ('waiting', 'calling')`.execute(ctx.db)
  return { chargeId: open.id, callId: open.call_id }
}

/** Asks the processor to close its page: then nobody pays any more, unless they just did. What becomes of it is settled by its call. */
export async function endCheckout(ctx: Charging, chargeId: string, why: 'cancelled' | 'expired' = 'cancelled'): Promise<void> {
  await endOpen(ctx, sql`c.id = ${chargeId}`, why)
}

/** The same for everything that somebody is about to pay, as when they cancel. */
export async function endCheckoutsOf(ctx: Charging, participantId: string): Promise<void> {
  await endOpen(ctx, sql`c.participant_id = ${participantId} and c.entry_id is null`, 'cancelled')
}

async function endOpen(ctx: Charging, which: ReturnType<typeof sql>, why: 'cancelled' | 'expired'): Promise<void> {
  const { rows } = await sql<{ id: string; callId: string }>`
    select c.id, c.call_id as "callId" from charges c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and ${which} and c.status in ('pending', 'unknown')
      and c.return_url is not null and c.ending is null`.execute(ctx.db)
  for (const { id, callId } of rows) {
    // The call's row before the charge's, as whoever settles it takes them.
    await wakeOutsideCall(ctx, callId)
    await sql`
      update charges set ending = ${why} where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${id}
        and status in ('pending', 'unknown') and ending is null`.execute(ctx.db)
  }
}

/** Stripe allows no page that ends earlier than after 30 minutes; places are held for 15, and then the page is closed. */
const PAGE_MINUTES = 31
const REST_SECONDS = 120

async function ask({ cards, signal, look }: Outside<'event'>, chargeId: string): Promise<Known> {
  const { charge, email, at, eventName } = await look((ctx) => noteTry(ctx, chargeId))
  const processor = processorNamed({ cards }, charge.provider)
  const ageSeconds = (at.getTime() - charge.created_at.getTime()) / 1000
  let { checkout_ref: checkoutRef } = charge
  if (checkoutRef === null) {
    // The key may be forgotten, and with it whether there ever was a page; if there was, it is long closed.
    if (ageSeconds >= processor.keySeconds) {
      const found = await processor.fetch({ id: chargeId, checkoutRef, at }, signal)
      return known(found ?? { status: 'failed', failureCode: 'expired', providerRef: null })
    }
    const page = await processor.createCheckout(
      {
        key: `charge:${charge.id}`,
        chargeId: charge.id,
        orderId: charge.order_id,
        eventId: charge.event_id,
        amount: charge.amount,
        currency: charge.currency,
        lines: charge.lines,
        description: `${eventName}: ${charge.purpose}`,
        email,
        saveCard: charge.consent !== null,
        isTestData: charge.is_test_data,
        expiresAt: new Date(charge.created_at.getTime() + PAGE_MINUTES * 60_000),
      },
      { returnUrl: charge.return_url!, cancelUrl: charge.cancel_url! },
      signal,
    )
    checkoutRef = page.ref
    await look((ctx) => notePage(ctx, chargeId, page))
  }
  const asked = { id: chargeId, checkoutRef, at }
  const over = charge.ending ?? (charge.ends_at !== null && charge.ends_at <= at ? 'expired' : null)
  const answer = over ? await processor.expire(asked, signal) : await processor.fetch(asked, signal)
  if (answer?.status === 'pending') throw new NotYet(nextLook(charge, at, ageSeconds))
  const settled = known(answer)
  return settled.status === 'failed' && over === 'cancelled' ? { ...settled, failureCode: 'cancelled' } : settled
}

/** Every minute once it is two minutes old, and when what is paid for is held no longer. */
function nextLook({ ends_at, ending }: ChargeRow, at: Date, ageSeconds: number): number {
  const next = Math.max(ASK_SECONDS, REST_SECONDS - ageSeconds)
  if (ends_at === null || ending !== null || ends_at <= at) return ASK_SECONDS
  return Math.min(next, (ends_at.getTime() - at.getTime()) / 1000)
}

async function noteTry(ctx: EventContext, chargeId: string) {
  const { rows } = await sql<ChargeRow & { email: string | null; at: Date }>`
    update charges c set attempts = c.attempts + 1 from participants p
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId}
      and p.tenant_id = c.tenant_id and p.event_id = c.event_id and p.id = c.participant_id
    returning c.*, p.email, lanyard_now() as at`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new RefusedOutside('The charge was removed')
  const { email, at, ...charge } = row
  return { charge, email, at, eventName: ctx.event.name }
}

async function notePage(
  { db, tenantId, event }: EventContext,
  chargeId: string,
  { ref, url }: { ref: string; url: string },
): Promise<void> {
  await db
    .updateTable('charges')
    .set({ checkout_ref: ref, checkout_url: url })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', chargeId)
    .where('checkout_ref', 'is', null)
    .execute()
}
