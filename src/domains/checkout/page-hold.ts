import type { FieldError } from '../../kernel/errors.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { findCapacityHoldExpiry, type CapacityHoldResult, holdSelectedCapacity } from './hold.ts'
import type { RegistrationProgress } from './progress.ts'

interface PageHold extends Pick<CapacityHoldResult, 'progress' | 'quote' | 'full'> {
  /** The errors about this page of the form. Errors about other pages are shown in a notice, and checked again before the completion. */
  errors: readonly FieldError[]
}

/**
 * Holds the capacity for the choices so far, at most until `limit`. A page with products or rooms restarts the 15-minute hold; other pages
 * keep the current hold, or start a new one if it has expired.
 */
export async function holdCapacityForPage(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  page: EvaluatedPage,
  limit: Date | null,
): Promise<PageHold> {
  const current = hasCapacityWidgets(page) ? null : await findCapacityHoldExpiry(ctx, progress.row.id)
  const held = await holdSelectedCapacity(ctx, progress, { until: current ?? limit, isCurrent: current !== null })
  const refused = held.quote.refused.filter(({ path }) => belongsToPage(page, path))
  const hasRoom = page.widgets.some(({ type, visible }) => visible && type === 'housing')
  return { progress: held.progress, quote: held.quote, full: held.full, errors: [...refused, ...(hasRoom ? held.roomErrors : [])] }
}

const hasCapacityWidgets = (page: EvaluatedPage) =>
  page.widgets.some(({ visible, products, type }) => visible && (products.length > 0 || type === 'housing'))

const belongsToPage = (page: EvaluatedPage, path: string) =>
  path === ''
    ? hasCapacityWidgets(page)
    : page.widgets.some(({ bindings }) => bindings.some((binding) => path === binding || path.startsWith(`${binding}.`)))
