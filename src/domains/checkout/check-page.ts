import type { FieldError } from '../../kernel/errors.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { listMissingFields } from '../registration/missing-fields.ts'
import { type RegistrationProgress, recalculateVisiblePages } from './progress.ts'
import { removeUnfinishedRoomAnswers } from './room.ts'
import type { GetFormValues } from './sent-page.ts'
import { findSessionChoiceErrors, restorePreviousSessionAnswers } from './session-choice.ts'

interface SubmittedPage {
  page: EvaluatedPage
  sent: GetFormValues
  before: RegistrationProgress
  after: RegistrationProgress
  /** Errors that were found while the answers of the page were read. */
  errors: readonly FieldError[]
}

/**
 * Checks the answers of a page before the participant continues. Returns all errors, and the registration in progress without invalid and
 * hidden answers.
 */
export async function validateSubmittedPage(
  ctx: RegistrationContext,
  { page, sent, before, after, errors }: SubmittedPage,
): Promise<{ progress: RegistrationProgress; errors: FieldError[] }> {
  const sessionErrors = await findSessionChoiceErrors(ctx, after, { page: page.code, sent })
  const all = [...errors, ...listMissingOnPage(after, page, errors), ...sessionErrors]
  const progress = sessionErrors.length > 0 ? restorePreviousSessionAnswers(before, after) : after
  if (all.length > 0) return { progress, errors: all }
  return { progress: dropHiddenAnswers(recalculateVisiblePages(progress, removeUnfinishedRoomAnswers(progress.answers))), errors: [] }
}

function listMissingOnPage({ snapshot, walk }: RegistrationProgress, page: EvaluatedPage, errors: readonly FieldError[]): FieldError[] {
  const here = new Set(walk.missing.filter((missing) => missing.page === page.code).map(({ binding }) => binding))
  const known = new Set(errors.map(({ path }) => path))
  return listMissingFields(snapshot.config, walk, { skipRequired: false }).filter(
    ({ path }) => here.has(path) && !known.has(path) && path !== '@housing.roomTypeCode',
  )
}

/** Removes answers to questions that are no longer shown. Completing the registration removes the same answers. */
function dropHiddenAnswers(progress: RegistrationProgress): RegistrationProgress {
  const counted = Object.entries(progress.answers).filter(
    ([binding]) => isIdentity(binding) || progress.walk.answer(binding) !== undefined || isLaterProduct(progress, binding),
  )
  return recalculateVisiblePages(progress, Object.fromEntries(counted))
}

/** Name, email address, language, lookup results and the invitation are kept even if the form does not show them. */
const isIdentity = (binding: string) => /^@(participant\.(email|firstName|lastName|language)|lookup\.|directory\.|invite\.)/.test(binding)

/**
 * Whether the answer is a product on a visible page. A product may have no valid price for a while, between two price periods; whether it
 * is on sale is checked when it is bought.
 */
const isLaterProduct = ({ walk }: RegistrationProgress, binding: string) =>
  binding.startsWith('@product.') &&
  walk.pages.some(({ visible, widgets }) => visible && widgets.some((one) => one.visible && one.bindings.includes(binding)))
