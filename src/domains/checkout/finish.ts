import { sql } from 'kysely'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { runAndKeepIf } from '../../kernel/savepoint.ts'
import { joinGroup } from '../groups/add-member.ts'
import { getGroup } from '../groups/groups.ts'
import { type BlockedCheckout, endAllCheckouts, isBlocked, type StartedCheckout } from '../payments/checkout.ts'
import { notifyOfJoin } from '../groups/join-notice.ts'
import { assertFlowOpen } from '../registration/flows/assert-flow-open.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { submitRegistration } from '../registration/submit.ts'
import { runCompletionFollowUps } from './completion-follow-ups.ts'
import { GROUP_CODE, lockGroupToRegisterIn } from './group-choice.ts'
import { findHoldExpiry, type HoldResult, holdSelection, noteFirstHold } from './hold.ts'
import { findHoldLimit } from './hold-limit.ts'
import { checkInviteStillHeld } from './invite-choice.ts'
import { findChosenMethod, listPaymentMethods } from './payment-methods.ts'
import { beginPaidRegistration } from './paid-registration.ts'
import { amountToPayNow, readPartialPayment } from './partial-payment.ts'
import { emailDuplicate } from './page-answers.ts'
import { findFirstUnfinishedPage, saveProgress, lockProgress, type Progress, loadProgress, toSubmission } from './progress.ts'
import { toFieldErrors, type Quote, buildQuote } from './quote.ts'
import type { SentValues } from './sent-page.ts'
import { findBlockingSessions } from './session-choice.ts'
import type { PaymentMethod } from './tables.ts'

export type FinishResult =
  | { kind: 'done'; participant: ParticipantRow }
  /** The registration will be completed after payment on the processor's page. */
  | { kind: 'pays'; begun: StartedCheckout }
  /** A payment page for another selection or amount is still open. It must be ended first. */
  | { kind: 'blocked'; chargeId: string }
  /** The participant has not chosen a payment method yet and must choose one. */
  | { kind: 'chooses' }
  /** A price or the availability has changed since the participant confirmed, so they must confirm again. */
  | { kind: 'changed'; full: string | null }
  | { kind: 'unfinished'; page: string }
  /** The same person already has a registration. They were notified by email. */
  | { kind: 'twin' }
  | { kind: 'refused'; errors: readonly FieldError[] }

interface FinishRequest {
  participantId: string
  /** The digest of the quote that the participant confirmed. */
  digest: string
  method: PaymentMethod | null
  /** The form fields about paying a part now; omitted if the page had no such fields. */
  sent?: SentValues
  urls: CheckoutUrls
}

/** Completes a registration: immediately, possibly with an open invoice, or after payment by card. */
export async function finishRegistration(
  ctx: EventScope,
  { participantId, digest, method, sent, urls }: FinishRequest,
): Promise<FinishResult> {
  await lockProgress(ctx, participantId)
  const begun = await loadProgress(ctx, participantId)
  if (begun.row.status !== 'incomplete') return { kind: 'done', participant: begun.row }
  const page = findFirstUnfinishedPage(begun)
  if (page !== null) return { kind: 'unfinished', page }
  const refused = [...listRefusals(begun), ...(await checkInviteStillHeld(ctx, begun)), ...(await findBlockingSessions(ctx, begun))]
  if (refused.length > 0) return { kind: 'refused', errors: refused }
  if (await emailDuplicate(ctx, begun, begun.answers)) return { kind: 'twin' }
  const methods = listPaymentMethods(ctx, begun)
  const chosen = method !== null && methods.includes(method) ? method : findChosenMethod(begun, methods)
  if (method !== null) await saveProgress(ctx, begun.row, { method: chosen })
  const partial = chosen === 'card' && sent ? readPartialPayment(begun, buildQuote(begun).due, sent) : { part: undefined, errors: [] }
  if (partial.errors.length > 0) return { kind: 'refused', errors: partial.errors }
  if (partial.part !== undefined) {
    begun.stored = { ...begun.stored, pay_now: partial.part }
    await saveProgress(ctx, begun.row, { pay_now: partial.part })
  }
  const { due } = buildQuote(begun)
  if (due > 0 && chosen === null) return { kind: 'chooses' }
  // Without a card payment, an open payment page is not needed any more. It ends before capacity is locked.
  if (due === 0 || chosen !== 'card') await endAllCheckouts(ctx, participantId)
  // The group lock must be taken before capacity locks.
  const group = await lockGroupToRegisterIn(ctx, begun)
  const current = await findHoldExpiry(ctx, participantId)
  const limit = current ?? (await findHoldLimit(ctx, begun, 'payment'))
  const outcome = (held: HoldResult) => findObstacle(held, { digest, limit, paysByCard: held.quote.due > 0 && chosen === 'card' })
  const held = await runAndKeepIf(
    ctx,
    () => holdSelection(ctx, { ...begun, group }, { until: limit, isCurrent: current !== null }),
    (done) => outcome(done)?.kind !== 'refused' && done.full === null,
  )
  const obstacle = outcome(held)
  if (obstacle?.kind !== 'refused' && held.full === null) await noteFirstHold(ctx, held)
  if (obstacle) return obstacle
  await notifyPayingGroup(ctx, begun, { ...held, group })
  if (held.quote.due > 0 && chosen === 'card') {
    const start = await startPaying(ctx, held, urls)
    return isBlocked(start) ? { kind: 'blocked', ...start.blockedBy } : { kind: 'pays', begun: start }
  }
  const { participant } = await submitRegistration(ctx, toSubmission(held.progress))
  await runCompletionFollowUps(ctx, participant)
  return { kind: 'done', participant }
}

/** A group that pays is informed about a member whom it has not invited. The participant's own deposit for a room is not the group's. */
async function notifyPayingGroup(
  ctx: EventScope,
  { row, answers }: Progress,
  { group, quote }: { group: Progress['group']; quote: Quote },
): Promise<void> {
  if (group?.payBy !== 'group' || row.group_id !== null || typeof answers[GROUP_CODE] !== 'string') return
  await notifyOfJoin(ctx, group.id, row, quote.total - quote.due)
}

/**
 * Why the registration cannot be finished now. Without permission to hold (`limit` is null) it can still be finished at once, but neither
 * wait for a card payment nor for another confirmation of a room.
 */
function findObstacle(
  { full, roomErrors, quote, progress }: HoldResult,
  { digest, limit, paysByCard }: { digest: string; limit: Date | null; paysByCard: boolean },
): FinishResult | null {
  if (roomErrors.length > 0) return { kind: 'refused', errors: roomErrors }
  if (full !== null) return { kind: 'changed', full }
  const isChanged = quote.digest !== digest
  const mustHold = paysByCard || (isChanged && progress.room !== null)
  if (limit === null && mustHold)
    return { kind: 'refused', errors: [{ path: '', message: progress.row.email_unverified ? 'verifyToHold' : 'tooManyHolds' }] }
  return isChanged ? { kind: 'changed', full: null } : null
}

function listRefusals(progress: Progress): readonly FieldError[] {
  try {
    assertFlowOpen(progress.flow, progress.snapshot)
  } catch (error) {
    return toFieldErrors(error)
  }
  return buildQuote(progress).refused
}

/**
 * Starts the card payment. Products on a waiting list are not paid for. The participant joins the group before paying, so that the
 * membership exists when the payment arrives.
 */
async function startPaying(
  ctx: EventScope,
  { progress, quote }: { progress: Progress; quote: Quote },
  urls: CheckoutUrls,
): Promise<StartedCheckout | BlockedCheckout> {
  const { group, snapshot, row } = progress
  const member = group !== null && row.group_id === null ? await joinGroup(ctx, snapshot, row, await getGroup(ctx, group.id)) : row
  const bought = new Set(quote.chosen.map(({ product }) => `@product.${product.code}`))
  const answers = Object.fromEntries(
    Object.entries(progress.answers).filter(([binding]) => !binding.startsWith('@product.') || bought.has(binding)),
  )
  const submission = { ...toSubmission({ ...progress, answers }), participant: member }
  const part = amountToPayNow(progress, quote.due)
  return beginPaidRegistration(ctx, {
    submission,
    urls,
    deposit: progress.room?.deposit ?? null,
    ...(part < quote.due ? { part } : {}),
  })
}

/** The participant's charge with the given ID, or their latest one. */
export async function findLatestCharge(
  { db, tenantId, event }: EventScope,
  participantId: string,
  named: string | undefined,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from charges where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and entry_id is null
    order by id = ${named ?? ''} desc, created_at desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}
