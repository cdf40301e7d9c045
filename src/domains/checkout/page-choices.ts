import type { FieldError } from '../../kernel/errors.ts'
import type { WalkedPage } from '../configuration/flow/walk.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { MAX_ALTERNATIVES } from '../housing/waitlist-alternatives.ts'
import { readBoothRequest } from './booth-request.ts'
import { readPartialPayment } from './partial-payment.ts'
import { type RegistrationProgress, recalculatePages, toPolicyAcceptances } from './progress.ts'
import { buildQuote } from './quote.ts'
import type { SubmittedPage, GetFormValues } from './sent-page.ts'

/** Adds the answers of a page to the registration, with its accepted policies, payment method, waiting lists and alternative hotels. */
export function mergeChoices(
  progress: RegistrationProgress,
  page: WalkedPage,
  { agreed, method, waits, otherHotels }: SubmittedPage,
  answers: RegistrationProgress['answers'],
): RegistrationProgress {
  const { snapshot, stored } = progress
  // The products on this page were submitted again, so their waiting list choices are replaced; those of other pages are kept.
  const here = new Set(page.widgets.flatMap(({ bindings }) => bindings.map((binding) => binding.replace('@product.', 'product:'))))
  const merged = {
    ...stored,
    policies: { ...stored.policies, ...toPolicyAcceptances(snapshot, agreed) },
    method: method ?? stored.method,
    waits: [...stored.waits.filter((key) => !here.has(key)), ...waits],
    other_hotels: otherHotels?.slice(0, MAX_ALTERNATIVES) ?? stored.other_hotels,
  }
  return recalculatePages({ ...progress, stored: merged }, answers)
}

interface PaymentAndBooth {
  progress: RegistrationProgress
  paymentErrors: readonly FieldError[]
  boothErrors: readonly FieldError[]
}

/** Reads the partial payment and the booth request. A partial payment depends on the total, so capacity must be held before this call. */
export async function readPaymentAndBooth(
  ctx: EventScope,
  progress: RegistrationProgress,
  page: WalkedPage,
  sent: GetFormValues,
): Promise<PaymentAndBooth> {
  const stored = { ...progress.stored }
  const asksPayment = page.widgets.some(({ type, visible }) => visible && type === 'payment')
  const payment = asksPayment ? readPartialPayment(progress, buildQuote(progress).due, sent) : { part: undefined, errors: [] }
  if (payment.part !== undefined) stored.pay_now = payment.part
  const booth = await readBoothRequest(ctx, progress, page.code, sent)
  if (booth.request !== undefined) stored.booth_request = booth.request
  return { progress: { ...progress, stored }, paymentErrors: payment.errors, boothErrors: booth.errors }
}
