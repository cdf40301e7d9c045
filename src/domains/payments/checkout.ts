import { sql } from 'kysely'
import type { z } from 'zod'
import type { CheckoutLineItem, CheckoutUrls } from '../../kernel/cards.ts'
import { toCanonicalJson } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { SerializationConflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import {
  scheduleExternalCall,
  ExternalCallPendingError,
  type ExternalCallContext,
  ExternalCallRejectedError,
  getExternalCallInput,
  makeExternalCallDueNow,
} from '../../kernel/external-calls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildPaymentReturnUrl } from './return-url.ts'
import {
  PROCESSOR_POLL_SECONDS,
  type ExternalChargeCall,
  defineChargeKind,
  type FinalChargeResult,
  toFinalChargeResult,
  type ChargeKindDefinition,
} from './charge-kinds.ts'
import { type ChargeScope, type ChargeRow, type ChargeContext } from './charges.ts'
import { getPaymentProcessor, getPaymentProcessorByName, usesSandboxProcessor } from './processor.ts'

export { readChargeStatus as standingOf, type ChargeStatus as Standing } from './charges.ts'

/** Defines a kind of charge that the participant pays on the processor's page. */
export const defineCheckoutCharge = <More extends z.ZodRawShape>(purpose: ChargeKindDefinition<More>): ExternalChargeCall<More> =>
  defineChargeKind(pollCheckout, purpose)

export interface NewCheckout {
  participantId: string
  /** The order that the charge pays, if the order exists already. */
  orderId?: string | null
  isTestData: boolean
  /** The purpose of the charge as shown to organizers. */
  purpose: string
  amount: number
  currency: string
  lines: readonly CheckoutLineItem[]
  urls: CheckoutUrls
  /** The consent text that the participant accepted; null if the card is not saved. */
  consent?: string | null
  /** The time when the hold on the purchased items ends. */
  endsAt: Date
}

/** A started checkout. The page or tool passes `callId` to `getCheckoutPaymentPage` after the commit. */
export interface StartedCheckout {
  chargeId: string
  callId: string
}

/** An open checkout that must be ended before the new one starts, so that a purchase cannot be paid twice. */
export interface BlockedCheckout {
  blockedBy: { chargeId: string }
}

export const isBlockedCheckout = (start: StartedCheckout | BlockedCheckout): start is BlockedCheckout => 'blockedBy' in start

/**
 * Starts a checkout in the caller's transaction. The processor is called only after the commit. An open checkout for exactly the same
 * purchase is reused. Any other open checkout is returned as `blockedBy`: the caller ends it with `endCheckout`, waits until the processor
 * has confirmed that it can no longer be paid, and starts again.
 */
export async function startCheckout<More extends z.ZodRawShape>(
  ctx: ChargeContext,
  kind: ExternalChargeCall<More>,
  checkout: NewCheckout,
  more: z.output<z.ZodObject<More>>,
  { isSame = areEqual }: { isSame?: (open: z.output<z.ZodObject<More>>, wanted: z.output<z.ZodObject<More>>) => boolean } = {},
): Promise<StartedCheckout | BlockedCheckout> {
  const { name: provider } = getPaymentProcessor(ctx, checkout)
  const open = await findOpenCharge(ctx, checkout)
  if (open) {
    const reusable = isSamePayment(open, checkout) && (await buysSame(ctx, kind, open, (input) => isSame(input.more, more)))
    return reusable ? { chargeId: open.id, callId: open.call_id! } : { blockedBy: { chargeId: open.id } }
  }
  const id = newId()
  const { callId } = await scheduleExternalCall(ctx, kind, { chargeId: id, more }, { eventId: ctx.event.id }, { here: true })
  const sum = sumMinorUnits(checkout.lines.map(({ amount }) => amount))
  // If credit or an earlier payment covers a part of the purchase, the lines do not add up to the amount, so a single line is shown.
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
      return_url: buildPaymentReturnUrl(checkout.urls.returnUrl, 'charge', id),
      cancel_url: buildPaymentReturnUrl(checkout.urls.cancelUrl, 'charge', id),
      consent: checkout.consent ?? null,
      ends_at: checkout.endsAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  // A concurrent request started a checkout. The retry of this transaction finds that checkout.
  if (!kept) throw new SerializationConflict('a checkout was started concurrently')
  return { chargeId: id, callId }
}

async function findOpenCharge(
  ctx: ChargeScope,
  { participantId, orderId = null }: Pick<NewCheckout, 'participantId' | 'orderId'>,
): Promise<ChargeRow | undefined> {
  return eventDb(ctx)
    .selectFrom('charges')
    .selectAll()
    .where((eb) => eb.or([eb('participant_id', '=', participantId), ...(orderId === null ? [] : [eb('order_id', '=', orderId)])]))
    .where('entry_id', 'is', null)
    .where('hotel_entry_id', 'is', null)
    .where('status', 'in', ['pending', 'unknown'])
    .executeTakeFirst()
}

const areEqual = (a: unknown, b: unknown): boolean => toCanonicalJson(a) === toCanonicalJson(b)

const isSamePayment = (open: ChargeRow, { amount, currency, purpose }: NewCheckout): boolean =>
  open.amount === amount && open.currency === currency && open.purpose === purpose && open.ending === null

/**
 * Whether the open charge is for exactly this purchase. The stored input of a charge never changes: a payment buys what its page was opened
 * for.
 */
async function buysSame<More extends z.ZodRawShape>(
  ctx: ChargeContext,
  kind: ExternalChargeCall<More>,
  { call_id: callId }: ChargeRow,
  matches: (input: { more: z.output<z.ZodObject<More>> }) => boolean,
): Promise<boolean> {
  if (callId === null) return false
  const known = kind.input.safeParse(await getExternalCallInput(ctx, callId))
  return known.success && matches(known.data)
}

/**
 * Asks the payment processor to close all open payment pages of a participant, for example on cancellation. The outcome of the charge is
 * decided by the processor's response, because the participant may have just paid.
 */
export async function endCheckoutsOfParticipant(ctx: ChargeContext, participantId: string): Promise<void> {
  const { rows } = await sql<{ id: string; callId: string }>`
    select c.id, c.call_id as "callId" from charges c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.participant_id = ${participantId} and ${canEnd}`.execute(
    ctx.db,
  )
  for (const { id, callId } of rows) await markEnding(ctx, id, callId)
}

/**
 * Asks the payment processor to close one payment page. Call this before capacity is locked, in the same lock order as the settlement of
 * the payment.
 */
export async function endCheckout(ctx: ChargeContext, chargeId: string): Promise<void> {
  const { rows } = await sql<{ callId: string }>`
    select c.call_id as "callId" from charges c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId} and ${canEnd}`.execute(ctx.db)
  for (const { callId } of rows) await markEnding(ctx, chargeId, callId)
}

const canEnd = sql`c.entry_id is null and c.status in ('pending', 'unknown') and c.return_url is not null and c.ending is null`

async function markEnding(ctx: ChargeContext, chargeId: string, callId: string): Promise<void> {
  // Locks the request to the payment processor before the charge, in the same order as the worker that settles the charge.
  await makeExternalCallDueNow(ctx, callId)
  await sql`
    update charges set ending = 'cancelled' where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${chargeId}
      and status in ('pending', 'unknown') and ending is null`.execute(ctx.db)
}

/** Lifetime of a payment page. Stripe requires at least 30 minutes. Holds last 15 minutes, after which Lanyard closes the page. */
const CHECKOUT_PAGE_MINUTES = 31
const FIRST_POLL_SECONDS = 120

async function pollCheckout({ cards, signal, inTransaction }: ExternalCallContext<'event'>, chargeId: string): Promise<FinalChargeResult> {
  const { charge, email, at, eventName, inSandbox } = await inTransaction((ctx) => recordAttempt(ctx, chargeId))
  const processor = getPaymentProcessorByName({ cards }, charge.provider)
  const ageSeconds = (at.getTime() - charge.created_at.getTime()) / 1000
  let { checkout_ref: checkoutRef } = charge
  if (checkoutRef === null) {
    // The processor may have forgotten the idempotency key, so the payment page is not created again; an earlier page has expired by now.
    if (ageSeconds >= processor.keyLifetimeSeconds) {
      const found = await processor.fetch({ id: chargeId, checkoutRef, at }, signal)
      return toFinalChargeResult(found ?? { status: 'failed', failureCode: 'expired', providerRef: null })
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
        isTestData: inSandbox,
        expiresAt: new Date(charge.created_at.getTime() + CHECKOUT_PAGE_MINUTES * 60_000),
      },
      { returnUrl: charge.return_url!, cancelUrl: charge.cancel_url! },
      signal,
    )
    checkoutRef = page.ref
    await inTransaction((ctx) => storeCheckoutPage(ctx, chargeId, page))
  }
  const asked = { id: chargeId, checkoutRef, at }
  const endReason = charge.ending ?? (charge.ends_at !== null && charge.ends_at <= at ? 'expired' : null)
  const answer = endReason ? await processor.expire(asked, signal) : await processor.fetch(asked, signal)
  if (answer?.status === 'pending') throw new ExternalCallPendingError(secondsToNextPoll(charge, at, ageSeconds))
  const settled = toFinalChargeResult(answer)
  return settled.status === 'failed' && endReason === 'cancelled' ? { ...settled, failureCode: 'cancelled' } : settled
}

/**
 * Returns the seconds until the charge is polled next: every minute once it is two minutes old, and when the hold on the purchased items
 * ends.
 */
function secondsToNextPoll({ ends_at, ending }: ChargeRow, at: Date, ageSeconds: number): number {
  const next = Math.max(PROCESSOR_POLL_SECONDS, FIRST_POLL_SECONDS - ageSeconds)
  if (ends_at === null || ending !== null || ends_at <= at) return PROCESSOR_POLL_SECONDS
  return Math.min(next, (ends_at.getTime() - at.getTime()) / 1000)
}

async function recordAttempt(ctx: EventContext, chargeId: string) {
  const { rows } = await sql<ChargeRow & { email: string | null; at: Date }>`
    update charges c set attempts = c.attempts + 1 from participants p
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId}
      and p.tenant_id = c.tenant_id and p.event_id = c.event_id and p.id = c.participant_id
    returning c.*, p.email, lanyard_now() as at`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new ExternalCallRejectedError('The charge was removed')
  const { email, at, ...charge } = row
  return { charge, email, at, eventName: ctx.event.name, inSandbox: usesSandboxProcessor(ctx.event, charge.is_test_data) }
}

async function storeCheckoutPage(ctx: EventContext, chargeId: string, { ref, url }: { ref: string; url: string }): Promise<void> {
  await eventDb(ctx)
    .updateTable('charges')
    .set({ checkout_ref: ref, checkout_url: url })
    .where('id', '=', chargeId)
    .where('checkout_ref', 'is', null)
    .execute()
}
