import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import type { WalkedPage } from '../configuration/flow/walk.ts'
import { columnsOf, readAnswers } from '../registration/answers.ts'
import { identityOf } from '../registration/add.ts'
import { missingFields } from '../registration/missing.ts'
import { findTwin, updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { refreshTags } from '../registration/tags.ts'
import { mailKnown } from './begin.ts'
import { readBoothRequest } from './booth-request.ts'
import { groupFaults } from './group-choice.ts'
import { heldUntil, holdChosen } from './hold.ts'
import { inviteChosen, noteOpened } from './invite-choice.ts'
import { agreementsOf, keepProgress, oneAtATime, type Progress, progressOf, walked } from './progress.ts'
import { sentPart } from './part.ts'
import { quoteOf } from './quote.ts'
import { isOpenRoom, withoutOpenRoom } from './room.ts'
import { readSentPage, type Sent, type SentPage } from './sent-page.ts'
import { sessionFaults, withSessionsOf } from './session-choice.ts'
import { noteStep } from './visit.ts'

export type Saved =
  /** The registration is finished, or another person's page was sent. */
  | { kind: 'over' }
  /** This page is not for them any more. */
  | { kind: 'elsewhere'; page: string | null }
  /** The same person has a registration already: they were sent the way to it. */
  | { kind: 'twin' }
  | { kind: 'saved'; progress: Progress; next: string | null }
  /** What could be kept is kept; the rest is told field by field. `full`: a place that was just taken by others. */
  | { kind: 'refused'; progress: Progress; errors: readonly FieldError[]; full: string | null }

interface Saving {
  participantId: string
  page: string
  sent: Sent
  /** Answers that came another way than as a text: files, lookups, guests. */
  more?: (progress: Progress) => Promise<Readonly<Record<string, unknown>>>
  /** What a directory said of them. */
  directoryTags?: readonly string[]
  /** Only to see what follows from it: nothing has to be answered yet. */
  stays?: boolean
}

/** Keeps what a page says and, when it is answered, leads on. Places are held before the registration is written, in the order of locks. */
export async function savePage(ctx: AtEvent, saving: Saving): Promise<Saved> {
  await oneAtATime(ctx, saving.participantId)
  let before = await progressOf(ctx, saving.participantId)
  if (before.row.status !== 'incomplete') return { kind: 'over' }
  const page = before.pages.find(({ code }) => code === saving.page)
  if (!page) return { kind: 'elsewhere', page: before.pages[0]?.code ?? null }
  const sent = readSentPage(before, page, saving.sent)
  const { scene, flow, row } = before
  const read = readAnswers({ config: scene.config, flow, previous: before.answers }, sent.answers)
  const errors = [...sent.errors, ...read.errors]
  const said = { ...before.answers, ...read.answers, ...(await saving.more?.(before)) }
  const { answers, invite, errors: ofCode } = await inviteChosen(ctx, before, said)
  errors.push(...ofCode, ...(await groupFaults(ctx, before, answers)))
  if (await isKnown(ctx, before, answers)) return { kind: 'twin' }

  // What the list says of them counts from here on.
  if (invite) before = { ...before, row: { ...row, manual_tags: [...new Set([...row.manual_tags, ...invite.tags])] } }
  const kept = { ...before.kept, ...choicesIn(before, page, sent) }
  let after = walked({ ...before, kept }, answers)
  if (!saving.stays) {
    const here = new Set(after.walk.missing.filter((missing) => missing.page === page.code).map(({ binding }) => binding))
    const known = new Set(errors.map(({ path }) => path))
    errors.push(
      ...missingFields(scene.config, after.walk, { skipRequired: false }).filter(
        ({ path }) => here.has(path) && !known.has(path) && path !== '@housing.roomTypeCode',
      ),
    )
    const sessions = await sessionFaults(ctx, after, { page: page.code, sent: saving.sent })
    errors.push(...sessions)
    if (sessions.length > 0) after = withSessionsOf(before, after)
    if (errors.length === 0) after = withoutHidden(walked(after, withoutOpenRoom(after.answers)))
  }
  const held = saving.stays ? null : await holdHere(ctx, after, page)
  const refused = held?.quote.refused.filter(({ path }) => concerns(page, path)) ?? []
  errors.push(...refused)
  // A room is told of where it is chosen; on later pages by the notice that it is not held any more, and at the end.
  if (page.widgets.some(({ type, visible }) => visible && type === 'housing')) errors.push(...(held?.roomFaults ?? []))
  const full = held?.full ?? null
  if (held) after = held.progress
  if (page.widgets.some(({ type, visible }) => visible && type === 'payment')) {
    const said = sentPart(after, quoteOf(after).due, saving.sent)
    if (!saving.stays) errors.push(...said.errors)
    if (said.part !== undefined) after = { ...after, kept: { ...after.kept, pay_now: said.part } }
  }
  const booth = await readBoothRequest(ctx, before, page.code, saving.sent)
  errors.push(...booth.errors)
  if (booth.request !== undefined) after = { ...after, kept: { ...after.kept, booth_request: booth.request } }
  const isDone = !saving.stays && errors.length === 0 && full === null
  if (isDone) after.kept = { ...after.kept, pages_done: [...new Set([...after.kept.pages_done, page.code])] }
  else if (isOpenRoom(after.answers)) after.kept = { ...after.kept, pages_done: after.kept.pages_done.filter((code) => code !== page.code) }
  const written = await updateParticipant(ctx, row, {
    ...columnsOf(cleared(before.answers, after.answers)),
    version_id: scene.versionId,
    ...(saving.directoryTags ? { directory_tags: [...saving.directoryTags] } : {}),
    ...(invite ? { manual_tags: before.row.manual_tags } : {}),
    ...sharingIn(before, sent),
  })
  await keepProgress(ctx, row, {
    pages_done: after.kept.pages_done,
    policies: JSON.stringify(after.kept.policies),
    method: after.kept.method,
    pay_now: after.kept.pay_now,
    booth_request: after.kept.booth_request && JSON.stringify(after.kept.booth_request),
    waits: after.kept.waits,
  })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { ...before.answers }, after: { ...after.answers } })
  if (invite) await noteOpened(ctx, invite, row.id)
  if (saving.directoryTags || invite) await refreshTags(ctx, scene.config, [row.id])
  after = walked({ ...after, row: written }, after.answers)
  if (!saving.stays) {
    const wrong = [...errors.map(({ path }) => path), ...(full === null ? [] : [full])]
    await noteStep(ctx, after, page.code, wrong.length > 0 ? { errors: wrong } : { next: nextOf(after, page.code) })
  }
  if (errors.length > 0 || full !== null) return { kind: 'refused', progress: after, errors, full }
  return { kind: 'saved', progress: after, next: saving.stays ? page.code : nextOf(after, page.code) }
}

const nextOf = ({ pages }: Progress, page: string): string | null => pages[pages.findIndex(({ code }) => code === page) + 1]?.code ?? null

/** Columns are written whole: what was taken away has to be named. */
const cleared = (before: Progress['answers'], after: Progress['answers']) => ({
  ...Object.fromEntries(Object.keys(before).map((binding) => [binding, null])),
  ...after,
})

/** What somebody answered and is not asked any more goes, as it would when they finish. */
function withoutHidden(progress: Progress): Progress {
  const counted = Object.entries(progress.answers).filter(
    ([binding]) => isOwn(binding) || progress.walk.answer(binding) !== undefined || isLaterProduct(progress, binding),
  )
  return walked(progress, Object.fromEntries(counted))
}

/** Who they are stays, whatever the form asks. */
const isOwn = (binding: string) => /^@(participant\.(email|firstName|lastName|language)|lookup\.|directory\.|invite\.)/.test(binding)

/** A product can lose its price for a while, as between two rows of its prices; whether it is sold is said when they buy. */
const isLaterProduct = ({ walk }: Progress, binding: string) =>
  binding.startsWith('@product.') &&
  walk.pages.some(({ visible, widgets }) => visible && widgets.some((one) => one.visible && one.bindings.includes(binding)))

const isKnown = async (ctx: AtEvent, { row, scene }: Progress, answers: Progress['answers']): Promise<boolean> => {
  if (scene.isTest) return false
  const twin = await findTwin(ctx, identityOf({ ...answers, '@participant.email': row.email }, null))
  if (!twin || twin.id === row.id) return false
  await mailKnown(ctx, twin)
  return true
}

/** Fields that go by the organizer again are not kept as a choice of theirs. */
function sharingIn({ row }: Progress, { sharing }: SentPage) {
  if (!sharing) return {}
  const chosen = Object.entries({ ...row.sharing, ...sharing.fields }).filter(([, choice]) => choice !== 'default')
  return {
    sharing: JSON.stringify(Object.fromEntries(chosen)),
    ...(sharing.visible === null ? {} : { visible_to_participants: sharing.visible }),
  }
}

function choicesIn({ scene, kept }: Progress, page: WalkedPage, { agreed, method, waits }: SentPage) {
  // What is sold on this page was chosen anew with it; what waits of other pages goes on waiting.
  const here = new Set(page.widgets.flatMap(({ bindings }) => bindings.map((binding) => binding.replace('@product.', 'product:'))))
  return {
    policies: { ...kept.policies, ...agreementsOf(scene, agreed) },
    method: method ?? kept.method,
    waits: [...kept.waits.filter((key) => !here.has(key)), ...waits],
  }
}

const sells = (page: WalkedPage) =>
  page.widgets.some(({ visible, products, type }) => visible && (products.length > 0 || type === 'housing'))

/** From the page where something is chosen the 15 minutes begin anew; elsewhere they go on, or begin again where they were over. */
async function holdHere(ctx: AtEvent, progress: Progress, page: WalkedPage) {
  const until = sells(page) ? null : await heldUntil(ctx, progress.row.id)
  return holdChosen(ctx, progress, until)
}

const concerns = (page: WalkedPage, path: string) =>
  path === ''
    ? sells(page)
    : page.widgets.some(({ bindings }) => bindings.some((binding) => path === binding || path.startsWith(`${binding}.`)))
