import { type FieldError, preconditionFailed } from '../../kernel/errors.ts'
import { sumMinorUnits, multiplyMinorUnits, toMoney } from '../../kernel/money.ts'
import { listParticipantDataFields } from '../configuration/data-fields.ts'
import { isAnswerAboutParticipant } from '../configuration/field-descriptors.ts'
import { indexConfigByCode, toProductAnswerKey, listWidgetProducts } from '../configuration/flow/collected-answers.ts'
import { findQuestionRules } from '../configuration/flow/answer-rules.ts'
import { type Answers, normalizeAnswers } from '../registration/answers.ts'
import { readBookingsAsAnswers } from '../registration/flows/flow-participant.ts'
import { listSoldOrderLines } from '../registration/sale/holdings.ts'
import { listMissingFields } from '../registration/missing-fields.ts'
import { findAnswerEditRefusalReason, findEditRefusalReason } from '../registration/own/own-editing.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type RegistrationProgress, loadRegistrationProgress, recalculateVisiblePages } from './progress.ts'
import { isPolicyAcceptanceLocked } from './own-policies.ts'
import { toRoomAnswers } from '../housing/room-answers.ts'
import { removeUnfinishedRoomAnswers } from './room.ts'
import { NON_ANSWER_FORM_FIELDS, readSubmittedPage, type GetFormValues, type SubmittedPage, listPageWidgets } from './sent-page.ts'

/** Loads the form pages of a complete registration with its answers. Current products, guests and room are converted to answers. */
export async function loadCompletedRegistration(ctx: RegistrationContext, participantId: string): Promise<RegistrationProgress> {
  const progress = await loadRegistrationProgress(ctx, participantId)
  const { row, answers } = progress
  const snapshot = { ...progress.snapshot, isTest: row.is_test_data }
  return recalculateVisiblePages(
    { ...progress, snapshot },
    {
      ...answers,
      ...(await readBookingsAsAnswers(ctx, row)),
      ...(await readDonationAnswers(ctx, progress)),
      ...toCurrentRoomAnswers(progress),
    },
  )
}

/**
 * Converts the participant's confirmed room to answers, regardless of who booked or moved it. Without a room, only the room-share request
 * is kept from the answers.
 */
function toCurrentRoomAnswers({ room, answers }: RegistrationProgress): Answers {
  if (room?.reservation?.status === 'confirmed') return toRoomAnswers(room.reservation)
  const open = Object.keys(answers).filter((binding) => binding.startsWith('@housing.') && binding !== '@housing.shareWith')
  return Object.fromEntries(open.map((binding) => [binding, null]))
}

/** Reads donations as answers. They are stored as amounts, not as quantities. */
async function readDonationAnswers(ctx: RegistrationContext, { row, snapshot }: RegistrationProgress): Promise<Answers> {
  const { products } = indexConfigByCode(snapshot.config)
  const lines = (await listSoldOrderLines(ctx, [row.id])).filter(
    ({ product_code, remaining }) => remaining > 0 && products.get(product_code ?? '')?.category === 'donation',
  )
  const given = [...Map.groupBy(lines, ({ product_code }) => product_code!)].map(([code, same]): [string, string] => [
    toProductAnswerKey(code),
    toMoney(sumMinorUnits(same.map(({ unit_price, remaining }) => multiplyMinorUnits(unit_price, remaining))), snapshot.currency).amount,
  ])
  return Object.fromEntries(given)
}

export function assertRegistrationEditable({ row, flow, snapshot }: RegistrationProgress): void {
  if (row.status !== 'complete') throw preconditionFailed('Only a complete registration can be changed on these pages')
  const refusal = findEditRefusalReason(row, flow, { now: snapshot.at })
  if (refusal !== null) throw preconditionFailed(refusal)
}

/**
 * Whether participants can change this answer: all answers except name and email, products except donations, sessions, the room, and
 * policies that are not required.
 */
export function isAnswerChangeable(progress: RegistrationProgress, binding: string): boolean {
  const { row, snapshot } = progress
  const { config } = snapshot
  if (binding.startsWith('@product.'))
    return indexConfigByCode(config).products.get(binding.slice('@product.'.length))?.category !== 'donation'
  if (binding.startsWith('@session.')) return true
  if (binding.startsWith('@housing.')) return config.housing.enabled
  if (binding.startsWith('@policy.')) return !isPolicyAcceptanceLocked(progress, binding)
  const field = isAnswerAboutParticipant(binding) ? listParticipantDataFields(config).find((one) => one.binding === binding) : undefined
  return field !== undefined && (field.type === 'file' || findAnswerEditRefusalReason(row, field, null) === null)
}

interface OwnEdit {
  /** The registration as it would be with the submitted form values. */
  after: RegistrationProgress
  /** The answers to store. Answers to questions that the change hides are removed. */
  own: Answers
  form: SubmittedPage
  errors: FieldError[]
}

/** Reads the submitted form of a page that changes a complete registration, by the same rules as during registration. */
export function parseRegistrationEditForm(before: RegistrationProgress, code: string, sent: GetFormValues): OwnEdit {
  const { snapshot, flow } = before
  const page = before.pages.find((one) => one.code === code)
  if (!page) throw preconditionFailed('This page is not available for this registration')
  const form = readSubmittedPage(before, page, sent)
  const sentAnswers = { ...form.answers, ...deselectReplacedProducts(before, code, sent) }
  const given = Object.fromEntries(Object.entries(sentAnswers).filter(([binding]) => isAnswerChangeable(before, binding)))
  const read = normalizeAnswers({ config: snapshot.config, flow, previous: before.answers, isPublic: true }, given)
  const after = recalculateVisiblePages(before, removeUnfinishedRoomAnswers({ ...before.answers, ...read.answers }))
  const errors = [...form.errors.filter(({ path }) => isAsked(before, path)), ...read.errors]
  const known = new Set(errors.map(({ path }) => path))
  const here = new Set(after.walk.missing.filter((missing) => missing.page === code).map(({ binding }) => binding))
  // A required product that was missing before the edit too is no error, because it may no longer be on sale.
  const open = new Set(before.walk.missing.map(({ binding }) => binding).filter((binding) => binding.startsWith('@product.')))
  errors.push(
    ...listMissingFields(snapshot.config, after.walk, { skipRequired: false }).filter(
      ({ path }) => here.has(path) && !known.has(path) && !open.has(path) && isAnswerChangeable(before, path) && !isFile(before, path),
    ),
  )
  const own = Object.entries(read.answers).filter(
    ([binding, value]) => isAnswerAboutParticipant(binding) && (value === null || after.walk.answer(binding) !== undefined),
  )
  return { after, own: Object.fromEntries(own), form, errors }
}

const isAsked = (progress: RegistrationProgress, path: string) =>
  path === NON_ANSWER_FORM_FIELDS.sharedBy || isAnswerChangeable(progress, path.replace(/\.again$/, ''))

/** Whether the question asks for a file. Uploaded files are stored separately, before the other answers are read. */
const isFile = ({ snapshot }: RegistrationProgress, binding: string) => findQuestionRules(snapshot.config, binding)?.type === 'file'

/**
 * In a product list that allows one selection, deselects all products but the selected one, including a product that the participant
 * already has and that is no longer offered.
 */
function deselectReplacedProducts(progress: RegistrationProgress, code: string, sent: GetFormValues): Answers {
  const shown = new Set(sent(NON_ANSWER_FORM_FIELDS.shown))
  const others = listPageWidgets(progress, code).flatMap((widget) => {
    const [one = ''] = widget.type === 'products' && widget.selection === 'single' ? sent(NON_ANSWER_FORM_FIELDS.one(widget)) : []
    if (widget.type !== 'products' || one === '' || !shown.has(widget.id)) return []
    return listWidgetProducts(progress.snapshot.config, widget).flatMap((product) =>
      product.code === one ? [] : [toProductAnswerKey(product.code)],
    )
  })
  return Object.fromEntries(others.map((binding) => [binding, 0]))
}
