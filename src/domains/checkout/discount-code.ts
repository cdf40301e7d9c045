import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import { hasAllRequestedUnits, readStockExcludingOwnHolds } from '../inventory/units.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'
import { buildRegistrationQuote } from './quote.ts'

export const DISCOUNT_CODE_ANSWER_KEY = '@discount.code'

/** The error for a discount code that has no uses left. */
export const usedUpDiscountCodeError: FieldError = toFieldError(DISCOUNT_CODE_ANSWER_KEY, 'error.usedCode')

/**
 * Lists the reasons why the discount code on this page gives no discount, for participants who apply it without leaving the page. Holds no
 * capacity.
 */
export async function findDiscountErrors(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  page: EvaluatedPage,
): Promise<readonly FieldError[]> {
  const isAsked = page.widgets.some(({ visible, bindings }) => visible && bindings.includes(DISCOUNT_CODE_ANSWER_KEY))
  if (!isAsked || !progress.answers[DISCOUNT_CODE_ANSWER_KEY]) return []
  const { refused, capacity } = buildRegistrationQuote(progress)
  const errors = refused.filter(({ path }) => path === DISCOUNT_CODE_ANSWER_KEY)
  const uses = capacity.filter(({ key }) => key.startsWith('discount:'))
  if (errors.length > 0 || uses.length === 0 || progress.snapshot.isTest) return errors
  const stock = await readStockExcludingOwnHolds(
    ctx,
    { participantId: progress.row.id },
    uses.map(({ key }) => key),
  )
  return hasAllRequestedUnits(stock, uses) ? [] : [usedUpDiscountCodeError]
}

/** Returns the registration without its discount code, to price it without the discount. */
export const omitDiscountCode = (progress: RegistrationProgress): RegistrationProgress => {
  const { [DISCOUNT_CODE_ANSWER_KEY]: _, ...answers } = progress.answers
  return { ...progress, answers }
}
