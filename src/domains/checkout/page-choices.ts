import type { FieldError } from '../../kernel/errors.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { MAX_ALTERNATIVE_HOTELS } from '../housing/waitlist-alternatives.ts'
import { readBoothRequest } from './booth-request.ts'
import { readPartialPayment } from './partial-payment.ts'
import { type RegistrationProgress, recalculateVisiblePages, toPolicyAcceptances } from './progress.ts'
import { buildRegistrationQuote } from './quote.ts'
import type { SubmittedPage, GetFormValues } from './sent-page.ts'

/** Adds the answers of a page to the registration, with its accepted policies, payment method, waiting lists and alternative hotels. */
export function addPageAnswersToRegistration(
  progress: RegistrationProgress,
  page: EvaluatedPage,
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
    other_hotels: otherHotels?.slice(0, MAX_ALTERNATIVE_HOTELS) ?? stored.other_hotels,
  }
  return recalculateVisiblePages({ ...progress, stored: merged }, answers)
}

interface PaymentAndBooth {
  progress: RegistrationProgress
  paymentErrors: readonly FieldError[]
  boothErrors: readonly FieldError[]
}

/** Reads the partial payment and the booth request. A partial payment depends on the total, so capacity must be held before this call. */
export async function readPaymentAndBoothRequest(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  page: EvaluatedPage,
  sent: GetFormValues,
): Promise<PaymentAndBooth> {
  const stored = { ...progress.stored }
  const asksPayment = page.widgets.some(({ type, visible }) => visible && type === 'payment')
  const payment = asksPayment ? readPartialPayment(progress, buildRegistrationQuote(progress).due, sent) : { part: undefined, errors: [] }
  if (payment.part !== undefined) stored.pay_now = payment.part
  const booth = await readBoothRequest(ctx, progress, page.code, sent)
  if (booth.request !== undefined) stored.booth_request = booth.request
  return { progress: { ...progress, stored }, paymentErrors: payment.errors, boothErrors: booth.errors }
}
