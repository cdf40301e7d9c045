import { AppError, type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { toMinor } from '../../kernel/money.ts'
import { indexOf, productBinding } from '../configuration/flow/collects.ts'
import type { Walk, WalkedWidget } from '../configuration/flow/walk.ts'
import type { EventConfig, Flow, Product } from '../configuration/schema/event-config.ts'
import type { Widget } from '../configuration/schema/widgets.ts'
import { type Answers, chosenAmount } from './answers.ts'

/** A product that somebody chose on what they were shown. */
export interface Chosen {
  product: Product
  quantity: number
  /** In minor units, of a donation. */
  amount: number | null
}

interface Choosing {
  config: EventConfig
  flow: Flow
  walk: Walk
  answers: Answers
  currency: string
  /** What they hold already: that may stay, whatever is on offer today. */
  held?: ReadonlyMap<string, number>
}

const isChosen = (value: unknown) => Number(value ?? 0) > 0

/** What was chosen, when all of it may be: on sale to this person, as many as one may have, and fitting together. */
export function chosenProducts({ config, flow, walk, answers, currency, held = new Map() }: Choosing): Chosen[] {
  const { products } = indexOf(config)
  const wanted = Object.entries(answers).flatMap(([binding, value]) => {
    const product = binding.startsWith('@product.') && isChosen(value) ? products.get(binding.slice('@product.'.length)) : undefined
    return product ? [{ product, value }] : []
  })
  const offered = new Set(walk.pages.flatMap((page) => page.widgets.flatMap((widget) => widget.products.map(({ code }) => code))))
  for (const { product, value } of wanted) {
    const grows = product.category === 'donation' || Number(value) > (held.get(product.code) ?? 0)
    if (grows && !offered.has(product.code)) throw preconditionFailed(`${product.name} is not on sale to this person now`)
    if (product.category !== 'donation' && Number(value) > product.perPerson) {
      throw new AppError('limit_exceeded', `${product.name}: ${String(value)} are too many — ${product.perPerson} per person`)
    }
  }
  refuseExcluded(wanted.map(({ product }) => product))
  refuseTooMany(flow, walk)
  return wanted.map(({ product, value }) =>
    product.category === 'donation'
      ? { product, quantity: 1, amount: donated(flow, product, value, currency) }
      : { product, quantity: Number(value), amount: null },
  )
}

function refuseExcluded(chosen: readonly Product[]): void {
  for (const product of chosen) {
    const other = chosen.find(({ code }) => product.excludes.includes(code))
    if (other) throw preconditionFailed(`${product.name} cannot be had together with ${other.name}`)
  }
}

const widgetsOf = (flow: Flow) => new Map<string, Widget>(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget.id, widget])))

/** One of a list where only one is to be chosen, and no more than a list allows. */
function refuseTooMany(flow: Flow, walk: Walk): void {
  const widgets = widgetsOf(flow)
  const errors = walk.pages.flatMap((page) => page.widgets.flatMap((walked): FieldError[] => tooMany(widgets.get(walked.id), walked)))
  if (errors.length > 0) throw invalidArguments(errors)
}

function tooMany(widget: Widget | undefined, { products }: WalkedWidget): FieldError[] {
  const chosen = products.filter(({ quantity }) => quantity > 0)
  const [first] = chosen
  if (widget?.type !== 'products' || !first) return []
  const path = productBinding(first.code)
  if (widget.selection === 'single' && chosen.length > 1) {
    return [{ path, message: `choose one of ${chosen.map(({ code }) => code).join(', ')}` }]
  }
  const count = chosen.reduce((sum, { quantity }) => sum + quantity, 0)
  return widget.max !== null && count > widget.max ? [{ path, message: `choose at most ${widget.max} here` }] : []
}

function donated(flow: Flow, { code, name }: Product, value: unknown, currency: string): number {
  const text = chosenAmount(value)
  if (text === null) throw invalidArguments([{ path: productBinding(code), message: 'is no amount' }])
  const given = toMinor(text, currency, productBinding(code))
  const widget = flow.pages.flatMap((page) => page.widgets).find((one) => one.type === 'donation' && one.product === code)
  if (widget?.type === 'donation' && widget.minAmount !== null && given < toMinor(widget.minAmount, currency)) {
    throw invalidArguments([{ path: productBinding(code), message: `${name} begins at ${widget.minAmount} ${currency}` }])
  }
  return given
}
