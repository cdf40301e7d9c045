import { computePercentOfAmount, sumMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import type { RegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'

/** Returns the minimum percentage to pay now; null if partial payment is not allowed. */
function minimumPercent({ flow, walk }: Pick<RegistrationProgress, 'flow' | 'walk'>): number | null {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((one) => one.visible).map(({ id }) => id)))
  for (const widget of flow.pages.flatMap((page) => page.widgets))
    if (widget.type === 'payment' && widget.allowPartial && visible.has(widget.id)) return widget.minPartialPercent ?? 1
  return null
}

/** Returns the minimum amount to pay by card now, with the rest on an open invoice; null if the full amount is required. */
export function computeMinimumPayment(progress: Pick<RegistrationProgress, 'flow' | 'walk'>, due: number): number | null {
  const percent = minimumPercent(progress)
  if (percent === null || due === 0) return null
  const share = computePercentOfAmount(due, String(percent))
  // Rounds up, so that the amount is never below the configured percentage.
  const least = share * 100 < due * percent ? sumMinorUnits([share, 1]) : share
  return least > 0 && least < due ? least : null
}

/**
 * Returns the amount to charge now. If the partial amount that the participant chose is no longer allowed for the current total, the full
 * amount is charged.
 */
export function computeAmountDueNow(progress: Pick<RegistrationProgress, 'flow' | 'walk' | 'stored'>, due: number): number {
  const { pay_now: part } = progress.stored
  const least = computeMinimumPayment(progress, due)
  return part !== null && least !== null && part >= least && part < due ? part : due
}

/** Reads from the form how much to pay now: an amount, null for the full amount, or undefined if the page had no such fields. */
export function readPartialPayment(
  progress: RegistrationProgress,
  due: number,
  sent: GetFormValues,
): { part: number | null | undefined; errors: readonly FieldError[] } {
  const [chosen] = sent(NON_ANSWER_FORM_FIELDS.part)
  const least = computeMinimumPayment(progress, due)
  if (chosen === undefined || least === null) return { part: undefined, errors: [] }
  if (chosen !== 'part') return { part: null, errors: [] }
  const part = parseMinor(sent(NON_ANSWER_FORM_FIELDS.partAmount)[0] ?? '', progress.snapshot.currency)
  return part !== null && part >= least && part <= due
    ? { part: part === due ? null : part, errors: [] }
    : { part: undefined, errors: [toFieldError(NON_ANSWER_FORM_FIELDS.partAmount, 'error.part')] }
}

function parseMinor(typed: string, currency: string): number | null {
  try {
    return toMinorUnits(typed.trim().replace(',', '.'), currency)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
