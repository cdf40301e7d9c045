import { z } from 'zod'
import { brief, cut, flag, list, money, object, outsideWords, text } from '../../kernel/args.ts'
import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { because } from '../configuration/review/sees.ts'
import { type Hidden, type Walk, type WalkedPage, type WalkedWidget, walkFlow } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Widget } from '../configuration/schema/widgets.ts'
import { availableOf, productKey, stockOf } from '../inventory/places.ts'
import { type Described, type DescribedPerson, readDescribed } from './described-person.ts'
import { guestsIn } from './guests.ts'
import { finishLink } from './links.ts'
import { labelOf } from './missing.ts'
import { chosenProducts } from './selection.ts'

const Question = object({
  id: text(),
  type: text(),
  binding: text().optional(),
  label: z.string().optional(),
  required: flag(),
  visible: flag(),
  answered: flag(),
  value: z.unknown().register(outsideWords, { outside: true }).optional(),
  errors: list(z.string()),
})

export const DescribedFlow = {
  flowSlug: text(),
  versionId: text().nullable(),
  /** Whether the flow is for people with these tags at all. */
  open: flag(),
  pages: list(
    object({
      code: text(),
      title: z.string().nullable(),
      visible: flag(),
      why: z.string().optional(),
      widgets: brief(list(Question, 100_000), 'id, type, binding, label, required, visible, answered, value, errors[]'),
    }),
  ),
  missing: brief(list(object({ binding: text(), label: z.string(), page: text() }), 10_000), 'binding, label, page'),
  nextPage: text().nullable(),
  products: brief(
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
  /** Where the person goes on, good for a day. */
  url: z.string().optional(),
  ...cut,
}

type Missing = z.input<(typeof DescribedFlow)['missing']>[number]

/** What a registration form looks like to one person, and what they still have to do: by the function that pages and submissions go by. */
export async function describeParticipantFlow(ctx: EventContext, described: Described) {
  const person = await readDescribed(ctx, described)
  const { configuration, flow, tags, answers } = person
  const { config, facts } = configuration
  const hidden: Hidden[] = []
  const moment = { at: facts.now, timezone: facts.timezone }
  const walk = walkFlow(config, flow, {
    answers,
    tags,
    timezone: facts.timezone,
    now: facts.now,
    onHidden: (one) => void hidden.push(one),
  })
  const why = (kind: Hidden['kind'], key: string) => {
    const one = hidden.find((seen) => seen.kind === kind && seen.key === key)
    return one ? because(one, moment) : undefined
  }
  const missing = missingFor(person, walk)
  const showsValues = ctx.permissions.has('personal.read')
  const pages = walk.pages.map((page) => ({
    code: page.code,
    title: page.title,
    visible: page.visible,
    ...(page.visible ? {} : { why: why('page', page.code) ?? 'it is hidden' }),
    widgets: widgetsOf(person, walk, page, showsValues),
  }))
  return {
    flowSlug: flow.slug,
    versionId: configuration.versionId,
    open: walk.open,
    ...readable(pages),
    missing,
    nextPage: missing[0]?.page ?? null,
    products: await productsOf(ctx, person, walk, (code) => why('product', code)),
    ...(await finishing(ctx, person)),
  }
}

/** For who has not finished, and only for those who could do so in their place. */
async function finishing(ctx: EventContext, { participant }: DescribedPerson) {
  const open = participant?.status === 'incomplete' && ctx.permissions.has('registration.write')
  return open ? { url: await finishLink(ctx, participant) } : {}
}

function widgetsOf({ configuration: { config }, flow, errors }: DescribedPerson, walk: Walk, page: WalkedPage, showsValues: boolean) {
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
        label: labelIn(config, widgets.get(id), binding),
        required: required.includes(binding),
        visible,
        answered: value !== undefined,
        ...(showsValues && value !== undefined ? { value } : {}),
        errors: visible && wrong !== undefined ? [wrong] : [],
      }
    })
  })
}

export const labelIn = (config: EventConfig, widget: Widget | undefined, binding: string) =>
  (widget?.type === 'field' ? widget.label : null) ?? labelOf(config, binding)

/** What keeps a submission from going through: what is not answered, what is answered wrongly, and what does not go together. */
export function missingFor(person: DescribedPerson, walk: Walk): Missing[] {
  const { configuration, flow, errors } = person
  const { config } = configuration
  const shown = walk.pages.flatMap((page) => page.widgets.filter(({ visible }) => visible).map((widget) => ({ page: page.code, widget })))
  const pageOf = (binding: string) => shown.find(({ widget }) => asks(widget, binding))?.page
  const wrong = [...errors.keys()].flatMap((binding) => {
    const page = pageOf(binding)
    return page === undefined ? [] : [{ binding, label: labelOf(config, binding), page }]
  })
  const unanswered = walk.missing.map(({ binding, page }) => ({ binding, label: labelOf(config, binding), page }))
  const found = [...unanswered, ...wrong]
  const misfits =
    found.length > 0 ? [] : misfitsIn(person, walk).map((one) => ({ ...one, page: pageOf(one.binding) ?? flow.pages[0]!.code }))
  const order = new Map(flow.pages.map(({ code }, at) => [code, at]))
  return [...found, ...misfits].toSorted((a, b) => order.get(a.page)! - order.get(b.page)!)
}

const asks = ({ bindings }: WalkedWidget, binding: string) =>
  bindings.some((one) => one === binding || (one.endsWith('.') && binding.startsWith(one)))

/** Choices that exclude each other, too many of something, too many guests: as a submission would refuse them. */
function misfitsIn({ configuration, flow, answers, participant }: DescribedPerson, walk: Walk): { binding: string; label: string }[] {
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
  const held = participant?.status === 'complete' ? heldIn(counted) : new Map<string, number>()
  return [
    ...refused('@product.', () => chosenProducts({ config, flow, walk, answers: counted, currency: facts.currency, held })),
    ...refused('@guest.', () => guestsIn(flow, counted)),
  ]
}

const PRODUCT = '@product.'

const heldIn = (answers: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(answers).flatMap(([binding, value]) =>
      binding.startsWith(PRODUCT) ? [[binding.slice(PRODUCT.length), Number(value)] as const] : [],
    ),
  )

const MAX_BYTES = 60_000
const CUT = 'The widgets of later pages are left out to stay readable; missing names all that is still to be answered.'

function readable<Page extends { widgets: z.input<typeof Question>[] }>(pages: readonly Page[]) {
  let bytes = 0
  const kept = pages.map((page) => ((bytes += bytesOf(page)) > MAX_BYTES ? { ...page, widgets: [] } : page))
  return bytes > MAX_BYTES ? { pages: kept, truncated: true as const, note: CUT } : { pages: kept }
}

const MAX_PRODUCTS = 100

/** What the flow sells, offered to this person or not. */
async function productsOf(
  ctx: EventContext,
  { configuration: { facts }, answers }: DescribedPerson,
  walk: Walk,
  whyNot: (code: string) => string | undefined,
) {
  const offers = new Map(
    walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.map((one) => [one.code, one] as const))),
  )
  const codes = [...new Set([...offers.keys(), ...soldIn(walk)])].slice(0, MAX_PRODUCTS)
  const stock = await stockOf(ctx, codes.map(productKey))
  return codes.map((code) => {
    const offer = offers.get(code)
    const places = stock.get(productKey(code))
    const available = places ? availableOf(places) : null
    const reason = offer
      ? available !== null && available <= 0
        ? 'it is full'
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

const soldIn = (walk: Walk): string[] =>
  walk.pages.flatMap(({ widgets }) =>
    widgets.flatMap(({ bindings }) => bindings.flatMap((binding) => (binding.startsWith(PRODUCT) ? [binding.slice(PRODUCT.length)] : []))),
  )
