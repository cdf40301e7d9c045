import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import type { WalkedPage } from '../configuration/flow/walk.ts'
import { toAnswerColumns, readAnswers } from '../registration/answers.ts'
import { toIdentity } from '../registration/add.ts'
import { listMissingFields } from '../registration/missing-fields.ts'
import { findDuplicate, updateParticipant } from '../registration/participant-rows.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { emailExistingRegistration } from './start-registration.ts'
import { readBoothRequest } from './booth-request.ts'
import { checkGroupCode } from './group-choice.ts'
import { findHoldExpiry, holdSelection } from './hold.ts'
import { readInviteCode, linkInvite } from './invite-choice.ts'
import { toAgreements, saveProgress, lockProgress, type Progress, loadProgress, recalculatePages } from './progress.ts'
import { readPartialPayment } from './partial-payment.ts'
import { buildQuote } from './quote.ts'
import { hasUnfinishedRoom, dropUnfinishedRoom } from './room.ts'
import { readSentPage, type SentValues, type SentPage } from './sent-page.ts'
import { findSessionChoiceErrors, restoreSessions } from './session-choice.ts'
import { recordPageStep } from './visit.ts'

export type SavePageResult =
  /** The registration is already complete. */
  | { kind: 'over' }
  /** The page is no longer visible to this participant. */
  | { kind: 'elsewhere'; page: string | null }
  /** The same person already has a registration. Its link was emailed to them. */
  | { kind: 'twin' }
  | { kind: 'saved'; progress: Progress; next: string | null }
  /** Valid answers were saved; `errors` lists the rest. `full` is an inventory key that was sold out in the meantime. */
  | { kind: 'refused'; progress: Progress; errors: readonly FieldError[]; full: string | null }

interface SavePageRequest {
  participantId: string
  page: string
  sent: SentValues
  /** Answers that are not text fields: files, lookups, guests. */
  more?: (progress: Progress) => Promise<Readonly<Record<string, unknown>>>
  /** Tags from a directory lookup. */
  directoryTags?: readonly string[]
  /** Saves without leaving the page, so required answers are not checked. */
  stays?: boolean
}

/** Saves a page and determines the next one. Capacity is held before the participant row is written, to respect the lock order. */
export async function savePage(ctx: EventScope, saving: SavePageRequest): Promise<SavePageResult> {
  await lockProgress(ctx, saving.participantId)
  let before = await loadProgress(ctx, saving.participantId)
  if (before.row.status !== 'incomplete') return { kind: 'over' }
  const page = before.pages.find(({ code }) => code === saving.page)
  if (!page) return { kind: 'elsewhere', page: before.pages[0]?.code ?? null }
  const sent = readSentPage(before, page, saving.sent)
  const { snapshot, flow, row } = before
  const read = readAnswers({ config: snapshot.config, flow, previous: before.answers }, sent.answers)
  const errors = [...sent.errors, ...read.errors]
  const merged = { ...before.answers, ...read.answers, ...(await saving.more?.(before)) }
  const { answers, invite, errors: ofCode } = await readInviteCode(ctx, before, merged)
  errors.push(...ofCode, ...(await checkGroupCode(ctx, before, answers)))
  if (await hasDuplicate(ctx, before, answers)) return { kind: 'twin' }

  // From here on the tags of the invitation apply.
  if (invite) before = { ...before, row: { ...row, manual_tags: [...new Set([...row.manual_tags, ...invite.tags])] } }
  const stored = { ...before.stored, ...mergeChoices(before, page, sent) }
  let after = recalculatePages({ ...before, stored }, answers)
  if (!saving.stays) {
    const here = new Set(after.walk.missing.filter((missing) => missing.page === page.code).map(({ binding }) => binding))
    const known = new Set(errors.map(({ path }) => path))
    errors.push(
      ...listMissingFields(snapshot.config, after.walk, { skipRequired: false }).filter(
        ({ path }) => here.has(path) && !known.has(path) && path !== '@housing.roomTypeCode',
      ),
    )
    const sessions = await findSessionChoiceErrors(ctx, after, { page: page.code, sent: saving.sent })
    errors.push(...sessions)
    if (sessions.length > 0) after = restoreSessions(before, after)
    if (errors.length === 0) after = dropHiddenAnswers(recalculatePages(after, dropUnfinishedRoom(after.answers)))
  }
  const held = saving.stays ? null : await holdForPage(ctx, after, page)
  const refused = held?.quote.refused.filter(({ path }) => belongsToPage(page, path)) ?? []
  errors.push(...refused)
  // Room errors are shown on the page with the room widget. On later pages, a notice and the final check report them.
  if (page.widgets.some(({ type, visible }) => visible && type === 'housing')) errors.push(...(held?.roomErrors ?? []))
  const full = held?.full ?? null
  if (held) after = held.progress
  if (page.widgets.some(({ type, visible }) => visible && type === 'payment')) {
    const partial = readPartialPayment(after, buildQuote(after).due, saving.sent)
    if (!saving.stays) errors.push(...partial.errors)
    if (partial.part !== undefined) after = { ...after, stored: { ...after.stored, pay_now: partial.part } }
  }
  const booth = await readBoothRequest(ctx, before, page.code, saving.sent)
  errors.push(...booth.errors)
  if (booth.request !== undefined) after = { ...after, stored: { ...after.stored, booth_request: booth.request } }
  const isDone = !saving.stays && errors.length === 0 && full === null
  if (isDone) after.stored = { ...after.stored, pages_done: [...new Set([...after.stored.pages_done, page.code])] }
  else if (hasUnfinishedRoom(after.answers)) after.stored = { ...after.stored, pages_done: after.stored.pages_done.filter((code) => code !== page.code) }
  const written = await updateParticipant(ctx, row, {
    ...toAnswerColumns(withClearedAnswers(before.answers, after.answers)),
    version_id: snapshot.versionId,
    ...(saving.directoryTags ? { directory_tags: [...saving.directoryTags] } : {}),
    ...(invite ? { manual_tags: before.row.manual_tags } : {}),
    ...toSharingColumns(before, sent),
  })
  await saveProgress(ctx, row, {
    pages_done: after.stored.pages_done,
    policies: JSON.stringify(after.stored.policies),
    method: after.stored.method,
    pay_now: after.stored.pay_now,
    booth_request: after.stored.booth_request && JSON.stringify(after.stored.booth_request),
    waits: after.stored.waits,
  })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { ...before.answers }, after: { ...after.answers } })
  if (invite) await linkInvite(ctx, invite, row.id)
  if (saving.directoryTags || invite) await recalculateTags(ctx, snapshot.config, [row.id])
  after = recalculatePages({ ...after, row: written }, after.answers)
  if (!saving.stays) {
    const wrong = [...errors.map(({ path }) => path), ...(full === null ? [] : [full])]
    await recordPageStep(ctx, after, page.code, wrong.length > 0 ? { errors: wrong } : { next: findNextPage(after, page.code) })
  }
  if (errors.length > 0 || full !== null) return { kind: 'refused', progress: after, errors, full }
  return { kind: 'saved', progress: after, next: saving.stays ? page.code : findNextPage(after, page.code) }
}

const findNextPage = ({ pages }: Progress, page: string): string | null => pages[pages.findIndex(({ code }) => code === page) + 1]?.code ?? null

/** Columns not mentioned keep their value, so removed answers must be set to null explicitly. */
const withClearedAnswers = (before: Progress['answers'], after: Progress['answers']) => ({
  ...Object.fromEntries(Object.keys(before).map((binding) => [binding, null])),
  ...after,
})

/** Removes answers to questions that are no longer shown, as a submission would. */
function dropHiddenAnswers(progress: Progress): Progress {
  const counted = Object.entries(progress.answers).filter(
    ([binding]) => isIdentity(binding) || progress.walk.answer(binding) !== undefined || isLaterProduct(progress, binding),
  )
  return recalculatePages(progress, Object.fromEntries(counted))
}

/** The participant's identity is kept regardless of the form. */
const isIdentity = (binding: string) => /^@(participant\.(email|firstName|lastName|language)|lookup\.|directory\.|invite\.)/.test(binding)

/** A product may have no valid price for a while, between two price periods. Whether it is on sale is checked when it is bought. */
const isLaterProduct = ({ walk }: Progress, binding: string) =>
  binding.startsWith('@product.') &&
  walk.pages.some(({ visible, widgets }) => visible && widgets.some((one) => one.visible && one.bindings.includes(binding)))

const hasDuplicate = async (ctx: EventScope, { row, snapshot }: Progress, answers: Progress['answers']): Promise<boolean> => {
  if (snapshot.isTest) return false
  const twin = await findDuplicate(ctx, toIdentity({ ...answers, '@participant.email': row.email }, null))
  if (!twin || twin.id === row.id) return false
  await emailExistingRegistration(ctx, twin)
  return true
}

/** `default` means the organizer's setting, so it is not stored. */
function toSharingColumns({ row }: Progress, { sharing }: SentPage) {
  if (!sharing) return {}
  const chosen = Object.entries({ ...row.sharing, ...sharing.fields }).filter(([, choice]) => choice !== 'default')
  return {
    sharing: JSON.stringify(Object.fromEntries(chosen)),
    ...(sharing.visible === null ? {} : { visible_to_participants: sharing.visible }),
  }
}

function mergeChoices({ snapshot, stored }: Progress, page: WalkedPage, { agreed, method, waits }: SentPage) {
  // Products on this page were chosen again with it; waiting list choices of other pages are kept.
  const here = new Set(page.widgets.flatMap(({ bindings }) => bindings.map((binding) => binding.replace('@product.', 'product:'))))
  return {
    policies: { ...stored.policies, ...toAgreements(snapshot, agreed) },
    method: method ?? stored.method,
    waits: [...stored.waits.filter((key) => !here.has(key)), ...waits],
  }
}

const hasCapacityWidgets = (page: WalkedPage) =>
  page.widgets.some(({ visible, products, type }) => visible && (products.length > 0 || type === 'housing'))

/** A page with products or rooms restarts the 15-minute hold. Other pages keep the current hold, or start a new one if it has expired. */
async function holdForPage(ctx: EventScope, progress: Progress, page: WalkedPage) {
  const until = hasCapacityWidgets(page) ? null : await findHoldExpiry(ctx, progress.row.id)
  return holdSelection(ctx, progress, until)
}

const belongsToPage = (page: WalkedPage, path: string) =>
  path === ''
    ? hasCapacityWidgets(page)
    : page.widgets.some(({ bindings }) => bindings.some((binding) => path === binding || path.startsWith(`${binding}.`)))
