import { AppError, type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { toMinorUnits } from '../../../kernel/money.ts'
import { indexConfigByCode, toProductAnswerKey } from '../../configuration/flow/collected-answers.ts'
import type { FlowEvaluation, EvaluatedWidget } from '../../configuration/flow/walk.ts'
import type { EventConfig, Flow, Product } from '../../configuration/schema/event-config.ts'
import type { Widget } from '../../configuration/schema/widgets.ts'
import { type Answers, parseProductAnswerAmount } from '../answers.ts'

/** A product that the participant selected from the offered products. */
export interface ChosenProduct {
  product: Product
  quantity: number
  /** The amount of a new donation in minor units; null for other products and earlier donations. */
  amount: number | null
}

interface ProductSelection {
  config: EventConfig
  flow: Flow
  walk: FlowEvaluation
  answers: Answers
  currency: string
  /** The quantities that the participant already holds, by product code. They can be kept even if the product is no longer on sale. */
  held?: ReadonlyMap<string, number>
}

const isChosen = (value: unknown) => Number(value ?? 0) > 0

/**
 * Returns the selected products. Throws if a product is not on sale to this participant, exceeds the limit per person, or excludes another
 * selected product. Products of which the participant gets no more units than they hold are kept, also if a limit was lowered since.
 */
export function getChosenProducts({ config, flow, walk, answers, currency, held = new Map() }: ProductSelection): ChosenProduct[] {
  const { products } = indexConfigByCode(config)
  const wanted = Object.entries(answers).flatMap(([binding, value]) => {
    const product = binding.startsWith('@product.') && isChosen(value) ? products.get(binding.slice('@product.'.length)) : undefined
    return product ? [{ product, value }] : []
  })
  const offered = new Set(walk.pages.flatMap((page) => page.widgets.flatMap((widget) => widget.products.map(({ code }) => code))))
  // The answer for an earlier donation is not its amount, so it cannot be compared with limits.
  const growing = wanted.filter(({ product: { category, code }, value }) =>
    category === 'donation' ? !held.has(code) : Number(value) > (held.get(code) ?? 0),
  )
  for (const { product, value } of growing) {
    if (!offered.has(product.code))
      throw preconditionFailed(`${product.name} is not on sale to this person now`, { pageReason: { key: 'error.notOnSale' } })
    if (product.category !== 'donation' && Number(value) > product.perPerson) {
      throw new AppError('limit_exceeded', `${product.name}: ${String(value)} is too many. The limit is ${product.perPerson} per person.`, {
        pageReason: { key: 'error.chooseAtMost', values: { limit: String(product.perPerson) } },
      })
    }
  }
  const growingCodes = new Set(growing.map(({ product }) => product.code))
  assertNoExclusions(
    wanted.map(({ product }) => product),
    growingCodes,
  )
  assertWithinLimits(flow, walk, growingCodes)
  return wanted.map(({ product, value }) => {
    if (product.category !== 'donation') return { product, quantity: Number(value), amount: null }
    const amount = growingCodes.has(product.code) ? getDonationAmount(flow, product, value, currency) : null
    return { product, quantity: 1, amount }
  })
}

function assertNoExclusions(chosen: readonly Product[], growing: ReadonlySet<string>): void {
  for (const product of chosen) {
    const other = chosen.find(({ code }) => product.excludes.includes(code) && (growing.has(code) || growing.has(product.code)))
    if (other) throw preconditionFailed(`${product.name} cannot be combined with ${other.name}`, { pageReason: { key: 'error.together' } })
  }
}

const widgetsOf = (flow: Flow) => new Map<string, Widget>(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget.id, widget])))

/** Throws if more products of a product widget are selected than the widget allows. */
function assertWithinLimits(flow: Flow, walk: FlowEvaluation, growing: ReadonlySet<string>): void {
  const widgets = widgetsOf(flow)
  const errors = walk.pages.flatMap((page) =>
    page.widgets.flatMap((walked): FieldError[] => findLimitErrors(widgets.get(walked.id), walked, growing)),
  )
  if (errors.length > 0) throw invalidArguments(errors)
}

function findLimitErrors(widget: Widget | undefined, { products }: EvaluatedWidget, growing: ReadonlySet<string>): FieldError[] {
  const chosen = products.filter(({ quantity }) => quantity > 0)
  const first = chosen.find(({ code }) => growing.has(code))
  if (widget?.type !== 'products' || !first) return []
  const path = toProductAnswerKey(first.code)
  if (widget.selection === 'single' && chosen.length > 1) {
    return [{ path, message: `choose one of ${chosen.map(({ code }) => code).join(', ')}`, reason: { key: 'error.choose' } }]
  }
  const count = chosen.reduce((sum, { quantity }) => sum + quantity, 0)
  if (widget.max === null || count <= widget.max) return []
  const reason = { key: 'error.chooseAtMost' as const, values: { limit: String(widget.max) } }
  return [{ path, message: `choose at most ${widget.max} here`, reason }]
}

function getDonationAmount(flow: Flow, { code, name }: Product, value: unknown, currency: string): number {
  const text = parseProductAnswerAmount(value)
  if (text === null)
    throw invalidArguments([{ path: toProductAnswerKey(code), message: 'is not a valid amount', reason: { key: 'error.number' } }])
  const given = toMinorUnits(text, currency, toProductAnswerKey(code))
  const widget = flow.pages.flatMap((page) => page.widgets).find((one) => one.type === 'donation' && one.product === code)
  if (widget?.type === 'donation' && widget.minAmount !== null && given < toMinorUnits(widget.minAmount, currency)) {
    const limit = `${widget.minAmount} ${currency}`
    const reason = { key: 'error.atLeast' as const, values: { limit } }
    throw invalidArguments([{ path: toProductAnswerKey(code), message: `${name} begins at ${limit}`, reason }])
  }
  return given
}
