import type { FieldError } from '../../kernel/errors.ts'
import type { WalkedPage } from '../configuration/flow/walk.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { findHoldExpiry, type HoldResult, holdSelection } from './hold.ts'
import type { RegistrationProgress } from './progress.ts'

interface PageHold extends Pick<HoldResult, 'progress' | 'quote' | 'full'> {
  /** The errors about this page of the form. Errors about other pages are shown in a notice, and checked again before the completion. */
  errors: readonly FieldError[]
}

/**
 * Holds the capacity for the choices so far, at most until `limit`. A page with products or rooms restarts the 15-minute hold; other pages
 * keep the current hold, or start a new one if it has expired.
 */
export async function holdForPage(
  ctx: EventScope,
  progress: RegistrationProgress,
  page: WalkedPage,
  limit: Date | null,
): Promise<PageHold> {
  const current = hasCapacityWidgets(page) ? null : await findHoldExpiry(ctx, progress.row.id)
  const held = await holdSelection(ctx, progress, { until: current ?? limit, isCurrent: current !== null })
  const refused = held.quote.refused.filter(({ path }) => belongsToPage(page, path))
  const hasRoom = page.widgets.some(({ type, visible }) => visible && type === 'housing')
  return { progress: held.progress, quote: held.quote, full: held.full, errors: [...refused, ...(hasRoom ? held.roomErrors : [])] }
}

const hasCapacityWidgets = (page: WalkedPage) =>
  page.widgets.some(({ visible, products, type }) => visible && (products.length > 0 || type === 'housing'))

const belongsToPage = (page: WalkedPage, path: string) =>
  path === ''
    ? hasCapacityWidgets(page)
    : page.widgets.some(({ bindings }) => bindings.some((binding) => path === binding || path.startsWith(`${binding}.`)))
