import { sql } from 'kysely'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { runWithConditionalRollback } from '../../kernel/savepoint.ts'
import { addRegistrationToGroup } from '../groups/add-member.ts'
import { getGroup } from '../groups/groups.ts'
import { type BlockedCheckout, endCheckoutsOfParticipant, isBlockedCheckout, type StartedCheckout } from '../payments/checkout.ts'
import { emailGroupAboutNewMember } from '../groups/join-notice.ts'
import { hasAllRequestedUnits, readStockExcludingOwnHolds, type StockLevel } from '../inventory/units.ts'
import { assertFlowOpen } from '../registration/flows/assert-flow-open.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { submitRegistration, type RegistrationSubmission } from '../registration/submit.ts'
import { splitCompletionFollowUps } from './completion-follow-ups.ts'
import { GROUP_CODE_ANSWER_KEY, lockGroupToRegisterIn } from './group-choice.ts'
import { findCapacityHoldExpiry, type CapacityHoldResult, holdSelectedCapacity, storeFirstHoldTime } from './hold.ts'
import { findCapacityHoldLimit } from './hold-limit.ts'
import { findInvitationTakenErrors } from './invite-choice.ts'
import { findChosenPaymentMethod, listPaymentMethods } from './payment-methods.ts'
import { beginPaidRegistration } from './paid-registration.ts'
import { computeAmountDueNow, readPartialPayment } from './partial-payment.ts'
import { notifyIfAlreadyRegistered } from './page-answers.ts'
import {
  findFirstUnfinishedPage,
  saveRegistrationProgress,
  lockRegistrationProgress,
  type RegistrationProgress,
  findRegistrationProgress,
  toRegistrationSubmission,
} from './progress.ts'
import { toFieldErrorsOrRethrow, type RegistrationQuote, buildRegistrationQuote } from './quote.ts'
import type { GetFormValues } from './sent-page.ts'
import { listBlockingSessionErrors } from './session-choice.ts'
import type { CheckoutPaymentMethod } from './tables.ts'

export type FinishResult =
  | { kind: 'done'; participant: ParticipantRow }
  /** The registration will be completed after payment on the processor's page. */
  | { kind: 'pays'; begun: StartedCheckout }
  /** A payment page for another selection or amount is still open. It must be ended first. */
  | { kind: 'blocked'; chargeId: string }
  /** The participant must choose a payment method first. */
  | { kind: 'chooses' }
  /** A price or the availability has changed since the participant confirmed, so they must confirm again. */
  | { kind: 'changed'; full: string | null }
  | { kind: 'unfinished'; page: string }
  /** The registration belongs to another flow, or cannot be continued. */
  | { kind: 'elsewhere' }
  /** The registration was started before the event entered or left test mode, and must be started again. */
  | { kind: 'outdated' }
  /** The same person already has a registration. They were notified by email. */
  | { kind: 'twin'; email: string | null }
  | { kind: 'refused'; errors: readonly FieldError[] }

interface FinishRequest {
  participantId: string
  /** The slug of the flow whose page was submitted. */
  flowSlug: string
  /** The digest of the quote that the participant confirmed. */
  digest: string
  method: CheckoutPaymentMethod | null
  /** The form fields about a partial payment; omitted if the page had no such fields. */
  sent?: GetFormValues
  urls: CheckoutUrls
}

/** Completes a registration: immediately, possibly with an open invoice, or after payment by card. */
export async function finishRegistration(ctx: RegistrationContext, request: FinishRequest): Promise<FinishResult> {
  const { participantId, digest, method, sent, urls } = request
  await lockRegistrationProgress(ctx, participantId)
  const begun = await findRegistrationProgress(ctx, participantId)
  if (!begun || begun.flow.slug !== request.flowSlug || begun.row.status === 'cancelled') return { kind: 'elsewhere' }
  if (begun.row.status !== 'incomplete') return { kind: 'done', participant: begun.row }
  if (begun.row.is_test_data !== begun.snapshot.isTest) return { kind: 'outdated' }
  const page = findFirstUnfinishedPage(begun)
  if (page !== null) return { kind: 'unfinished', page }
  const refused = [
    ...listRefusals(begun),
    ...(await findInvitationTakenErrors(ctx, begun)),
    ...(await listBlockingSessionErrors(ctx, begun)),
  ]
  if (refused.length > 0) return { kind: 'refused', errors: refused }
  const methods = listPaymentMethods(ctx, begun)
  const chosen = method !== null && methods.includes(method) ? method : findChosenPaymentMethod(begun, methods)
  const partial =
    chosen === 'card' && sent ? readPartialPayment(begun, buildRegistrationQuote(begun).due, sent) : { part: undefined, errors: [] }
  if (partial.part !== undefined) begun.stored = { ...begun.stored, pay_now: partial.part }
  const { due, capacity } = buildRegistrationQuote(begun)
  const paysByCard = due > 0 && chosen === 'card'
  const [isDuplicate, stock] = await Promise.all([
    notifyIfAlreadyRegistered(ctx, begun, begun.answers),
    readStockExcludingOwnHolds(
      ctx,
      { participantId },
      capacity.map(({ key }) => key),
    ),
    saveChoices(ctx, begun, {
      ...(method === null ? {} : { method: chosen }),
      ...(partial.part === undefined ? {} : { pay_now: partial.part }),
    }),
    // Without a card payment, an open payment page is not needed any more. It ends before capacity is locked.
    paysByCard ? null : endCheckoutsOfParticipant(ctx, participantId),
  ])
  if (isDuplicate) return { kind: 'twin', email: begun.row.email }
  if (partial.errors.length > 0) return { kind: 'refused', errors: partial.errors }
  if (due > 0 && chosen === null) return { kind: 'chooses' }
  // The group lock must be taken before capacity locks.
  const ready = { ...begun, group: await lockGroupToRegisterIn(ctx, begun) }
  if (!paysByCard && isReadyToSell(ready, digest, stock)) return complete(ctx, ready, { stock })
  const current = await findCapacityHoldExpiry(ctx, participantId)
  const limit = current ?? (await findCapacityHoldLimit(ctx, begun, 'payment'))
  const outcome = (held: CapacityHoldResult) => findObstacle(held, { digest, limit, paysByCard: held.quote.due > 0 && chosen === 'card' })
  const held = await runWithConditionalRollback(
    ctx,
    () => holdSelectedCapacity(ctx, ready, { until: limit, isCurrent: current !== null }),
    (done) => outcome(done)?.kind !== 'refused' && done.full === null,
  )
  const obstacle = outcome(held)
  if (obstacle?.kind !== 'refused' && held.full === null) await storeFirstHoldTime(ctx, held)
  if (obstacle) return obstacle
  if (held.quote.due === 0 || chosen !== 'card') return complete(ctx, held.progress)
  await notifyPayingGroup(ctx, held.progress)
  const start = await startPaying(ctx, held, urls)
  return isBlockedCheckout(start) ? { kind: 'blocked', ...start.blockedBy } : { kind: 'pays', begun: start }
}

const saveChoices = async (
  ctx: RegistrationContext,
  { row }: RegistrationProgress,
  columns: Parameters<typeof saveRegistrationProgress>[2],
) => (Object.keys(columns).length === 0 ? undefined : saveRegistrationProgress(ctx, row, columns))

/**
 * Whether the registration can be sold without holding its capacity first: it has no waiting list choices and no room, its price is the
 * confirmed one, and everything seems available. A hold would lock the capacity counters, for which all buyers wait, earlier than the sale
 * does.
 */
function isReadyToSell(ready: RegistrationProgress, digest: string, stock: ReadonlyMap<string, StockLevel>): boolean {
  const quote = buildRegistrationQuote(ready)
  const isAvailable = ready.snapshot.isTest || (quote.capacity.length > 0 && hasAllRequestedUnits(stock, quote.capacity))
  return ready.room === null && ready.stored.waits.length === 0 && quote.digest === digest && isAvailable
}

/** Completes the registration without a card payment. */
async function complete(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  more: Pick<RegistrationSubmission, 'stock'> = {},
): Promise<FinishResult> {
  await notifyPayingGroup(ctx, progress)
  const { besideSale, afterSale } = splitCompletionFollowUps(progress.stored)
  const { participant } = await submitRegistration(ctx, {
    ...toRegistrationSubmission(progress),
    ...more,
    alongside: (scope, _submission, completed) => besideSale(scope, progress.row, completed),
  })
  await afterSale(ctx, participant)
  return { kind: 'done', participant }
}

/**
 * Notifies a paying group about a member whom it has not invited. The participant's own room deposit is not included, because the group
 * does not pay it.
 */
async function notifyPayingGroup(ctx: RegistrationContext, progress: RegistrationProgress): Promise<void> {
  const { row, answers, group } = progress
  if (group?.payBy !== 'group' || row.group_id !== null || typeof answers[GROUP_CODE_ANSWER_KEY] !== 'string') return
  const quote = buildRegistrationQuote(progress)
  await emailGroupAboutNewMember(ctx, group.id, row, quote.total - quote.due)
}

/**
 * Returns the reason why the registration cannot be finished now. If it may not hold capacity (`limit` is null), it can still be finished
 * immediately, but it cannot wait for a card payment or for another confirmation of a room.
 */
function findObstacle(
  { full, roomErrors, quote, progress }: CapacityHoldResult,
  { digest, limit, paysByCard }: { digest: string; limit: Date | null; paysByCard: boolean },
): FinishResult | null {
  if (roomErrors.length > 0) return { kind: 'refused', errors: roomErrors }
  if (full !== null) return { kind: 'changed', full }
  const isChanged = quote.digest !== digest
  const mustHold = paysByCard || (isChanged && progress.room !== null)
  if (limit === null && mustHold)
    return { kind: 'refused', errors: [toFieldError('', progress.row.email_unverified ? 'error.verifyToHold' : 'error.tooManyHolds')] }
  return isChanged ? { kind: 'changed', full: null } : null
}

function listRefusals(progress: RegistrationProgress): readonly FieldError[] {
  try {
    assertFlowOpen(progress.flow, progress.snapshot)
  } catch (error) {
    return toFieldErrorsOrRethrow(error)
  }
  return buildRegistrationQuote(progress).refused
}

/**
 * Starts the card payment. Products on a waiting list are not paid for. The participant joins the group before paying, so that the
 * membership exists when the payment arrives.
 */
async function startPaying(
  ctx: RegistrationContext,
  { progress, quote }: { progress: RegistrationProgress; quote: RegistrationQuote },
  urls: CheckoutUrls,
): Promise<StartedCheckout | BlockedCheckout> {
  const { group, snapshot, row } = progress
  const member =
    group !== null && row.group_id === null ? await addRegistrationToGroup(ctx, snapshot, row, await getGroup(ctx, group.id)) : row
  const bought = new Set(quote.chosen.map(({ product }) => `@product.${product.code}`))
  const answers = Object.fromEntries(
    Object.entries(progress.answers).filter(([binding]) => !binding.startsWith('@product.') || bought.has(binding)),
  )
  const submission = { ...toRegistrationSubmission({ ...progress, answers }), participant: member }
  const part = computeAmountDueNow(progress, quote.due)
  return beginPaidRegistration(ctx, {
    submission,
    urls,
    deposit: progress.room?.deposit ?? null,
    ...(part < quote.due ? { part } : {}),
  })
}

/** Finds the participant's charge with the given id, or their latest one. */
export async function findLatestCharge(
  { db, tenantId, event }: RegistrationContext,
  participantId: string,
  named: string | undefined,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from charges where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and entry_id is null and hotel_entry_id is null
    order by id = ${named ?? ''} desc, created_at desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}
