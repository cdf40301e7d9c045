import { z } from 'zod'
import { toOneLine, truncationResult, flag, list, money, object, untrustedTextRegistry, text } from '../../../kernel/args.ts'
import { jsonByteLength, DEFAULT_MAX_LIST_BYTES, MAX_RESULT_LIST_BYTES } from '../../../kernel/bytes.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments } from '../../../kernel/errors.ts'
import { explainWhyElementIsHidden } from '../../configuration/review/preview-flow.ts'
import {
  type HiddenFlowElement,
  type FlowEvaluation,
  type EvaluatedPage,
  type EvaluatedWidget,
  evaluateFlow,
} from '../../configuration/flow/walk.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { Widget } from '../../configuration/schema/widgets.ts'
import { countAvailableUnits, toProductInventoryKey, readStockLevels } from '../../inventory/units.ts'
import { answerFormatFields, type BookableOptions, describeAnswerFormat, readBookableOptions } from './answer-formats.ts'
import { type FlowDescriptionRequest, type FlowParticipant, readFlowParticipant } from './flow-participant.ts'
import { readGuests } from '../guests.ts'
import { issueResumeRegistrationLink } from '../links.ts'
import { getQuestionLabel } from '../missing-fields.ts'
import { getChosenProducts } from './selection.ts'

const Question = object({
  id: text(),
  type: text(),
  binding: text().optional(),
  label: z.string().optional(),
  required: flag(),
  ...answerFormatFields,
  visible: flag(),
  answered: flag(),
  value: z.unknown().register(untrustedTextRegistry, { outside: true }).optional(),
  errors: list(z.string()),
})

export const ParticipantFlowDescription = {
  flowSlug: text(),
  versionId: text().nullable(),
  /** Whether the flow is available to participants with these tags. */
  open: flag(),
  pages: list(
    object({
      code: text(),
      title: z.string().nullable(),
      visible: flag(),
      why: z.string().optional(),
      widgets: toOneLine(
        list(Question, 100_000),
        'id, type, binding, label, required, responseType, choices, format, visible, value, errors',
      ),
    }),
  ),
  missing: toOneLine(list(object({ binding: text(), label: z.string(), page: text() }), 10_000), 'binding, label, page'),
  nextPage: text().nullable(),
  products: toOneLine(
    list(
      object({
        code: text(),
        price: money().optional(),
        available: z.int().nullable(),
        selected: z.number(),
        reason: z.string().optional(),
      }),
      10_000,
    ),
    'code, price, available, selected, reason',
  ),
  /** The link to continue the registration, valid for one day. */
  url: z.string().optional(),
  ...truncationResult,
}

type Missing = z.input<(typeof ParticipantFlowDescription)['missing']>[number]

/**
 * Describes a registration form as one participant sees it, and what is still missing. Uses `evaluateFlow`, as the web pages and submissions
 * do.
 */
export async function describeParticipantFlow(
  ctx: EventContext,
  { page, ...described }: FlowDescriptionRequest & { page?: string | undefined },
) {
  const person = await readFlowParticipant(ctx, described)
  const { configuration, flow, tags, answers } = person
  const { config, facts } = configuration
  const hidden: HiddenFlowElement[] = []
  const moment = { at: facts.now, timezone: facts.timezone }
  const walk = evaluateFlow(config, flow, {
    answers,
    tags,
    timezone: facts.timezone,
    now: facts.now,
    onHidden: (one) => void hidden.push(one),
  })
  const why = (kind: HiddenFlowElement['kind'], key: string) => {
    const one = hidden.find((seen) => seen.kind === kind && seen.key === key)
    return one ? explainWhyElementIsHidden(one, moment) : undefined
  }
  const missing = findMissingAnswers(person, walk)
  const bookable = await readBookableOptions(ctx, flow)
  const showsValues = ctx.permissions.has('personal.read')
  const pages = walk.pages.map((page) => ({
    code: page.code,
    title: page.title,
    visible: page.visible,
    ...(page.visible ? {} : { why: why('page', page.code) ?? 'the page is hidden' }),
    widgets: widgetsOf(person, walk, page, { showsValues, bookable }),
  }))
  const products = await productsOf(ctx, person, walk, (code) => why('product', code))
  return {
    flowSlug: flow.slug,
    versionId: configuration.versionId,
    open: walk.open,
    ...(page === undefined ? limitSize(pages, jsonByteLength([missing, products])) : { pages: onlyPage(pages, page) }),
    missing,
    nextPage: missing[0]?.page ?? null,
    products,
    ...(await buildFinishUrl(ctx, person)),
  }
}

/** Returns the link to the unfinished registration form, if the caller has the permission to finish it on the participant's behalf. */
async function buildFinishUrl(ctx: EventContext, { participant }: FlowParticipant) {
  const open = participant?.status === 'incomplete' && ctx.permissions.has('registration.write')
  return open ? { url: await issueResumeRegistrationLink(ctx, participant) } : {}
}

function widgetsOf(
  { configuration: { config }, flow, errors }: FlowParticipant,
  walk: FlowEvaluation,
  page: EvaluatedPage,
  { showsValues, bookable }: { showsValues: boolean; bookable: BookableOptions },
) {
  const widgets = new Map<string, Widget>(flow.pages.flatMap((one) => one.widgets.map((widget) => [widget.id, widget])))
  return page.widgets.flatMap((walked): z.input<typeof Question>[] => {
    const { id, type, visible, bindings, required } = walked
    if (bindings.length === 0) return [{ id, type, required: false, visible, answered: false, errors: [] }]
    return bindings.map((binding) => {
      const value = visible ? walk.answer(binding) : undefined
      const wrong = errors.get(binding)
      return {
        id,
        type,
        binding,
        label: getWidgetLabel(config, widgets.get(id), binding),
        required: required.includes(binding),
        ...describeAnswerFormat(config, bookable, { binding, widget: widgets.get(id) }),
        visible,
        answered: value !== undefined,
        ...(showsValues && value !== undefined ? { value } : {}),
        errors: visible && wrong !== undefined ? [wrong] : [],
      }
    })
  })
}

export const getWidgetLabel = (config: EventConfig, widget: Widget | undefined, binding: string) =>
  (widget?.type === 'field' ? widget.label : null) ?? getQuestionLabel(config, binding)

/** Lists everything that blocks a submission: unanswered questions, invalid answers, and conflicting choices. */
export function findMissingAnswers(person: FlowParticipant, walk: FlowEvaluation): Missing[] {
  const { configuration, flow, errors } = person
  const { config } = configuration
  const shown = walk.pages.flatMap((page) => page.widgets.filter(({ visible }) => visible).map((widget) => ({ page: page.code, widget })))
  const pageOf = (binding: string) => shown.find(({ widget }) => hasBinding(widget, binding))?.page
  const wrong = [...errors.keys()].flatMap((binding) => {
    const page = pageOf(binding)
    return page === undefined ? [] : [{ binding, label: getQuestionLabel(config, binding), page }]
  })
  const unanswered = walk.missing.map(({ binding, page }) => ({ binding, label: getQuestionLabel(config, binding), page }))
  const found = [...unanswered, ...wrong]
  const misfits =
    found.length > 0 ? [] : findConflicts(person, walk).map((one) => ({ ...one, page: pageOf(one.binding) ?? flow.pages[0]!.code }))
  const order = new Map(flow.pages.map(({ code }, at) => [code, at]))
  return [...found, ...misfits].toSorted((a, b) => order.get(a.page)! - order.get(b.page)!)
}

const hasBinding = ({ bindings }: EvaluatedWidget, binding: string) =>
  bindings.some((one) => one === binding || (one.endsWith('.') && binding.startsWith(one)))

/** Lists problems that would make a submission fail: conflicting products, quantities above the limit, too many guests. */
function findConflicts(
  { configuration, flow, answers, participant }: FlowParticipant,
  walk: FlowEvaluation,
): { binding: string; label: string }[] {
  const counted = Object.fromEntries(Object.entries(answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const refused = (binding: string, run: () => unknown) => {
    try {
      run()
      return []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { fields } = error.details
      return fields ? fields.map(({ path, message }) => ({ binding: path, label: message })) : [{ binding, label: error.message }]
    }
  }
  const { config, facts } = configuration
  const held = participant?.status === 'complete' ? heldQuantities(counted) : new Map<string, number>()
  return [
    ...refused('@product.', () => getChosenProducts({ config, flow, walk, answers: counted, currency: facts.currency, held })),
    ...refused('@guest.', () => readGuests(flow, counted)),
  ]
}

const PRODUCT_PREFIX = '@product.'

const heldQuantities = (answers: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(answers).flatMap(([binding, value]) =>
      binding.startsWith(PRODUCT_PREFIX) ? [[binding.slice(PRODUCT_PREFIX.length), Number(value)] as const] : [],
    ),
  )

/** Minimum size, in bytes, that the result reserves for the pages of the form, however large its other fields are. */
const MIN_PAGE_BYTES = 8_000
const CHOICES_NOTE =
  'Choices are left out to keep the result short: their names are understood too, and page: <code> shows those of one page.'
const describeLeftOut = (codes: readonly string[]) =>
  `The widgets of ${codes.join(', ')} are left out to keep the result short: page: <code> shows them; missing lists everything that is still to be answered.`

interface DescribedPage {
  code: string
  widgets: z.input<typeof Question>[]
}

/** Shortens the description of a long form: first leaves out the choices of its questions, then the widgets of pages that do not fit. */
function limitSize<Page extends DescribedPage>(pages: readonly Page[], otherBytes: number) {
  const maxBytes = Math.max(MIN_PAGE_BYTES, DEFAULT_MAX_LIST_BYTES - otherBytes)
  if (jsonByteLength(pages) <= maxBytes) return { pages: [...pages] }
  const leftOut: string[] = []
  let bytes = 0
  const limited = pages.map((page) => {
    const short = { ...page, widgets: page.widgets.map(omitChoices) }
    const own = jsonByteLength(short)
    if (bytes + own <= maxBytes) {
      bytes += own
      return short
    }
    leftOut.push(page.code)
    return { ...page, widgets: [] }
  })
  return { pages: limited, truncated: true as const, note: leftOut.length > 0 ? describeLeftOut(leftOut) : CHOICES_NOTE }
}

/** Returns one page of the form. Its choices are left out only if the page alone is too long. */
function onlyPage<Page extends DescribedPage>(pages: readonly Page[], code: string): Page[] {
  const found = pages.filter((page) => page.code === code)
  if (found.length === 0)
    throw invalidArguments([{ path: 'page', message: 'is not a page of this flow', allowed: pages.map((page) => page.code) }])
  return found.map((page) => (jsonByteLength(page) <= MAX_RESULT_LIST_BYTES ? page : { ...page, widgets: page.widgets.map(omitChoices) }))
}

/** Leaves out a long list of choices, except hotels and conference sessions, which no other tool lists. */
const omitChoices = (question: z.input<typeof Question>) => {
  const { choices, ...rest } = question
  return choices && choices.length > MAX_KEPT_CHOICES && question.binding?.startsWith('@custom.') ? rest : question
}

const MAX_KEPT_CHOICES = 3

const MAX_PRODUCTS = 100

/** Lists all products that the flow sells. A product that is not offered to this participant has a reason. */
async function productsOf(
  ctx: EventContext,
  { configuration: { facts }, answers }: FlowParticipant,
  walk: FlowEvaluation,
  whyNot: (code: string) => string | undefined,
) {
  const offers = new Map(
    walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.map((one) => [one.code, one] as const))),
  )
  const codes = [...new Set([...offers.keys(), ...listSoldCodes(walk)])].slice(0, MAX_PRODUCTS)
  const stock = await readStockLevels(ctx, codes.map(toProductInventoryKey))
  return codes.map((code) => {
    const offer = offers.get(code)
    const places = stock.get(toProductInventoryKey(code))
    const available = places ? countAvailableUnits(places) : null
    const reason = offer
      ? available !== null && available <= 0
        ? 'it is sold out'
        : undefined
      : (whyNot(code) ?? 'its page or list is hidden')
    return {
      code,
      ...(offer?.amount != null ? { price: { amount: offer.amount, currency: facts.currency } } : {}),
      available,
      selected: offer ? offer.quantity : Number(answers[`@product.${code}`] ?? 0),
      ...(reason === undefined ? {} : { reason }),
    }
  })
}

const listSoldCodes = (walk: FlowEvaluation): string[] =>
  walk.pages.flatMap(({ widgets }) =>
    widgets.flatMap(({ bindings }) =>
      bindings.flatMap((binding) => (binding.startsWith(PRODUCT_PREFIX) ? [binding.slice(PRODUCT_PREFIX.length)] : [])),
    ),
  )
