import { type FieldError, preconditionFailed } from '../../kernel/errors.ts'
import { sumMinor, timesMinor, toMoney } from '../../kernel/money.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { isOwnAnswer } from '../configuration/field-descriptors.ts'
import { indexOf, productBinding, productsOf } from '../configuration/flow/collects.ts'
import { rulesOf } from '../configuration/flow/values.ts'
import { type Answers, readAnswers } from '../registration/answers.ts'
import { heldBy } from '../registration/described-person.ts'
import { holdingsOf } from '../registration/holdings.ts'
import { missingFields } from '../registration/missing.ts'
import { refusalOfAnswer, refusalOfEdits } from '../registration/own-editing.ts'
import type { AtEvent } from '../registration/scene.ts'
import { type Progress, progressOf, walked } from './progress.ts'
import { isSettledPolicy } from './own-policies.ts'
import { answersOfStay } from '../registration/rooms.ts'
import { withoutOpenRoom } from './room.ts'
import { FIELDS, readSentPage, type Sent, type SentPage, widgetsOn } from './sent-page.ts'

/** The pages of a flow for somebody who has finished it: with what they answered, and what they hold as if they chose it now. */
export async function heldProgress(ctx: AtEvent, participantId: string): Promise<Progress> {
  const progress = await progressOf(ctx, participantId)
  const { row, answers } = progress
  const scene = { ...progress.scene, isTest: row.is_test_data }
  return walked({ ...progress, scene }, { ...answers, ...(await heldBy(ctx, row)), ...(await donated(ctx, progress)), ...roomOf(progress) })
}

/** The room as it is, whoever booked or moved it; without one only the bed that was asked for is left of what was answered. */
function roomOf({ room, answers }: Progress): Answers {
  if (room?.reservation?.status === 'confirmed') return answersOfStay(room.reservation)
  const open = Object.keys(answers).filter((binding) => binding.startsWith('@housing.') && binding !== '@housing.shareWith')
  return Object.fromEntries(open.map((binding) => [binding, null]))
}

/** Donations are chosen by their amount. */
async function donated(ctx: AtEvent, { row, scene }: Progress): Promise<Answers> {
  const { products } = indexOf(scene.config)
  const lines = (await holdingsOf(ctx, [row.id])).filter(
    ({ product_code, remaining }) => remaining > 0 && products.get(product_code ?? '')?.category === 'donation',
  )
  const given = [...Map.groupBy(lines, ({ product_code }) => product_code!)].map(([code, same]): [string, string] => [
    productBinding(code),
    toMoney(sumMinor(same.map(({ unit_price, remaining }) => timesMinor(unit_price, remaining))), scene.currency).amount,
  ])
  return Object.fromEntries(given)
}

export function refuseClosed({ row, flow, scene }: Progress): void {
  if (row.status !== 'complete') throw preconditionFailed('Only a finished registration is changed on these pages')
  const refusal = refusalOfEdits(row, flow, { now: scene.at })
  if (refusal !== null) throw preconditionFailed(refusal)
}

/**
 * What a person changes here themselves: their answers, but not their name and address; what they bought, but not what they gave; what they hear;
 * their room;
 * and what they agreed to, unless they must.
 */
export function isChangeable(progress: Progress, binding: string): boolean {
  const { row, scene } = progress
  const { config } = scene
  if (binding.startsWith('@product.')) return indexOf(config).products.get(binding.slice('@product.'.length))?.category !== 'donation'
  if (binding.startsWith('@session.')) return true
  if (binding.startsWith('@housing.')) return config.housing.enabled
  if (binding.startsWith('@policy.')) return !isSettledPolicy(progress, binding)
  const field = isOwnAnswer(binding) ? dataFieldsOf(config).find((one) => one.binding === binding) : undefined
  return field !== undefined && (field.type === 'file' || refusalOfAnswer(row, field, null) === null)
}

interface OwnEdit {
  /** As it would be with what was sent. */
  after: Progress
  /** Answers that are to be kept. What was answered and is not asked any more is not among them. */
  own: Answers
  form: SentPage
  errors: FieldError[]
}

/** What a filled-in page says now, by the same reader as when it was filled in first. */
export function readOwnEdit(before: Progress, code: string, sent: Sent): OwnEdit {
  const { scene, flow } = before
  const page = before.pages.find((one) => one.code === code)
  if (!page) throw preconditionFailed('This page is not asked of this person')
  const form = readSentPage(before, page, sent)
  const said = { ...form.answers, ...makingWay(before, code, sent) }
  const given = Object.fromEntries(Object.entries(said).filter(([binding]) => isChangeable(before, binding)))
  const read = readAnswers({ config: scene.config, flow, previous: before.answers }, given)
  const after = walked(before, withoutOpenRoom({ ...before.answers, ...read.answers }))
  const errors = [...form.errors.filter(({ path }) => isAsked(before, path)), ...read.errors]
  const known = new Set(errors.map(({ path }) => path))
  const here = new Set(after.walk.missing.filter((missing) => missing.page === code).map(({ binding }) => binding))
  // Of what is sold, an edit may leave open what was open before: it may not be on sale any more.
  const open = new Set(before.walk.missing.map(({ binding }) => binding).filter((binding) => binding.startsWith('@product.')))
  errors.push(
    ...missingFields(scene.config, after.walk, { skipRequired: false }).filter(
      ({ path }) => here.has(path) && !known.has(path) && !open.has(path) && isChangeable(before, path) && !isFile(before, path),
    ),
  )
  const own = Object.entries(read.answers).filter(
    ([binding, value]) => isOwnAnswer(binding) && (value === null || after.walk.answer(binding) !== undefined),
  )
  return { after, own: Object.fromEntries(own), form, errors }
}

const isAsked = (progress: Progress, path: string) => path === FIELDS.sharedBy || isChangeable(progress, path.replace(/\.again$/, ''))

/** Files are kept before the rest of the page is read. */
const isFile = ({ scene }: Progress, binding: string) => rulesOf(scene.config, binding)?.type === 'file'

/** Where only one is to be had, what they hold and is not offered any more makes way for what they chose instead. */
function makingWay(progress: Progress, code: string, sent: Sent): Answers {
  const shown = new Set(sent(FIELDS.shown))
  const others = widgetsOn(progress, code).flatMap((widget) => {
    const [one = ''] = widget.type === 'products' && widget.selection === 'single' ? sent(FIELDS.one(widget)) : []
    if (widget.type !== 'products' || one === '' || !shown.has(widget.id)) return []
    return productsOf(progress.scene.config, widget).flatMap((product) => (product.code === one ? [] : [productBinding(product.code)]))
  })
  return Object.fromEntries(others.map((binding) => [binding, 0]))
}
