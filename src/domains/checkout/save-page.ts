import type { FieldError } from '../../kernel/errors.ts'
import { runWithConditionalRollback } from '../../kernel/savepoint.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { validateSubmittedPage } from './check-page.ts'
import { findDiscountErrors, usedUpDiscountCodeError } from './discount-code.ts'
import type { InviteListEntry } from '../registration/invitations/invites.ts'
import { notifyIfAlreadyRegistered, validateAndMergePageAnswers } from './page-answers.ts'
import { addPageAnswersToRegistration, readPaymentAndBoothRequest } from './page-choices.ts'
import { hasFinishedAllPages, storeFirstHoldTime } from './hold.ts'
import { findCapacityHoldLimit } from './hold-limit.ts'
import { holdCapacityForPage } from './page-hold.ts'
import { loadRegistrationProgress, lockRegistrationProgress, type RegistrationProgress } from './progress.ts'
import { hasUnfinishedRoomChoice } from './room.ts'
import { readSubmittedPage, type GetFormValues } from './sent-page.ts'
import { recordVisitPageSubmission } from './visit.ts'
import { storeSubmittedFormPage } from './write-page.ts'

export type SubmitFormPageResult =
  /** The registration is already complete. */
  | { kind: 'over' }
  /** The page is no longer visible to this participant. */
  | { kind: 'elsewhere'; page: string | null }
  /** The same person already has a registration. They were notified by email. */
  | { kind: 'twin' }
  | { kind: 'saved'; progress: RegistrationProgress; next: string | null }
  /**
   * The page was not accepted: valid answers were saved, and `errors` lists the problems with the others. `full` is an inventory key (such
   * as `product:dinner`) that was sold out in the meantime.
   */
  | { kind: 'refused'; progress: RegistrationProgress; errors: readonly FieldError[]; full: string | null }

interface OtherAnswers {
  answers: Readonly<Record<string, unknown>>
  errors: readonly FieldError[]
}

interface SavePageRequest {
  participantId: string
  page: string
  sent: GetFormValues
  /** Reads the answers to fields that are not plain text: files, directory lookups and guests. */
  more?: (progress: RegistrationProgress) => Promise<OtherAnswers>
  /** Tags from a directory lookup. */
  directoryTags?: readonly string[]
  /** Whether too many wrong group codes were entered recently, so that the code on this page is not checked. */
  isGroupCodeLimited?: boolean
  /** Whether the participant saves without leaving the page, so that required answers are not checked. */
  stays?: boolean
}

/**
 * Saves a page and determines the next one. Capacity is held before the participant row is written, to respect the lock order. A page with
 * errors holds nothing new.
 */
export async function submitFormPage(ctx: RegistrationContext, saving: SavePageRequest): Promise<SubmitFormPageResult> {
  const { stays = false } = saving
  await lockRegistrationProgress(ctx, saving.participantId)
  const before = await loadRegistrationProgress(ctx, saving.participantId)
  if (before.row.status !== 'incomplete') return { kind: 'over' }
  const page = before.pages.find(({ code }) => code === saving.page)
  if (!page) return { kind: 'elsewhere', page: before.pages[0]?.code ?? null }
  const sent = readSubmittedPage(before, page, saving.sent)
  const more = await saving.more?.(before)
  const others = { others: more, isGroupCodeLimited: saving.isGroupCodeLimited ?? false }
  const { answers, invite, joinCode, ...read } = await validateAndMergePageAnswers(ctx, before, sent, others)
  if (await notifyIfAlreadyRegistered(ctx, before, answers)) return { kind: 'twin' }

  const joined = { ...before, stored: { ...before.stored, group_join_code: joinCode } }
  const merged = addPageAnswersToRegistration(withInviteTags(joined, invite), page, sent, answers)
  const checked = stays
    ? { progress: merged, errors: read.errors }
    : await validateSubmittedPage(ctx, { page, sent: saving.sent, before, after: merged, errors: read.errors })
  const { chosen, errors, full } = stays
    ? await readWithoutHold(ctx, checked, page, saving.sent)
    : await readAndHold(ctx, checked, page, saving.sent)

  const isDone = !stays && errors.length === 0 && full === null
  const after = await storeSubmittedFormPage(ctx, {
    before,
    after: markPage(chosen.progress, page.code, isDone),
    sent,
    invite,
    directoryTags: saving.directoryTags,
  })
  const next = stays ? page.code : findNextPage(after, page.code)
  if (!stays) {
    const wrong = [...errors.map(({ path }) => path), ...(full === null ? [] : [full])]
    await recordVisitPageSubmission(ctx, after, page.code, isDone ? { next } : { errors: wrong })
  }
  return errors.length > 0 || full !== null ? { kind: 'refused', progress: after, errors, full } : { kind: 'saved', progress: after, next }
}

interface CheckedPage {
  progress: RegistrationProgress
  errors: readonly FieldError[]
}

interface ReadChoices {
  chosen: { progress: RegistrationProgress }
  errors: readonly FieldError[]
  full: string | null
}

async function readWithoutHold(
  ctx: RegistrationContext,
  { progress, errors }: CheckedPage,
  page: EvaluatedPage,
  sent: GetFormValues,
): Promise<ReadChoices> {
  const chosen = await readPaymentAndBoothRequest(ctx, progress, page, sent)
  const codeErrors = await findDiscountErrors(ctx, chosen.progress, page)
  return { chosen, errors: [...errors, ...chosen.boothErrors, ...codeErrors], full: null }
}

/**
 * Checks the rest of the page while its selection is held. The hold is undone if the page has errors, or if the registration may not hold
 * capacity yet; in that case the hold has only verified that the selection is available.
 */
async function readAndHold(ctx: RegistrationContext, checked: CheckedPage, page: EvaluatedPage, sent: GetFormValues): Promise<ReadChoices> {
  const at = hasFinishedAllPages(markPage(checked.progress, page.code, true)) ? 'checkout' : 'page'
  const limit = await findCapacityHoldLimit(ctx, checked.progress, at)
  const keeps = (read: ReadChoices) => limit !== null && read.errors.length === 0 && read.full === null
  const read = await runWithConditionalRollback(
    ctx,
    async () => {
      const held = await holdCapacityForPage(ctx, checked.progress, page, limit)
      const chosen = await readPaymentAndBoothRequest(ctx, held.progress, page, sent)
      const isUsedUp = held.full?.startsWith('discount:') ?? false
      const errors = [
        ...checked.errors,
        ...held.errors,
        ...chosen.paymentErrors,
        ...chosen.boothErrors,
        ...(isUsedUp ? [usedUpDiscountCodeError] : []),
      ]
      return { held, chosen, errors, full: isUsedUp ? null : held.full }
    },
    keeps,
  )
  if (keeps(read)) {
    await storeFirstHoldTime(ctx, read.held)
    return read
  }
  // The check of the page was rolled back with the room hold that it made, so the participant has their previous room again.
  return { ...read, chosen: { progress: { ...read.chosen.progress, room: checked.progress.room } } }
}

/** Adds the tags of an invitation, which apply as soon as its code is accepted. */
const withInviteTags = (progress: RegistrationProgress, invite: InviteListEntry | null): RegistrationProgress =>
  invite ? { ...progress, row: { ...progress.row, manual_tags: [...new Set([...progress.row.manual_tags, ...invite.tags])] } } : progress

/** Marks a form page as done, or as not done if its room choice is unfinished. Other errors do not change the mark. */
function markPage(progress: RegistrationProgress, page: string, isDone: boolean): RegistrationProgress {
  const { pages_done } = progress.stored
  if (isDone) return { ...progress, stored: { ...progress.stored, pages_done: [...new Set([...pages_done, page])] } }
  if (!hasUnfinishedRoomChoice(progress.answers)) return progress
  return { ...progress, stored: { ...progress.stored, pages_done: pages_done.filter((code) => code !== page) } }
}

const findNextPage = ({ pages }: RegistrationProgress, page: string): string | null =>
  pages[pages.findIndex(({ code }) => code === page) + 1]?.code ?? null
