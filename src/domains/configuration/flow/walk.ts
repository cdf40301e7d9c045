import { type Condition, conditionHolds, type TagRule, visibleFor } from '../../../kernel/conditions.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import { TERMINAL_TYPES, type Widget, type WidgetOf, type WidgetType } from '../schema/widgets.ts'
import {
  type Collected,
  collectedBy,
  type Connections,
  directoryBinding,
  isFlowFor,
  lookupBinding,
  lookupBlocks,
  lookupTags,
  productBinding,
  soldBy,
} from './collects.ts'
import { priceFor } from './prices.ts'

export interface WalkInput {
  /** By binding, with `@lookup.<widget>` and `@directory.<connection>` for how lookups ended. */
  answers: Readonly<Record<string, unknown>>
  /** Held without this flow: from organizers, groups and invite lists. What the flow itself gives is added where it gives it. */
  tags: Iterable<string>
  timezone: string
  now: Date
  connections?: Connections
  /** Told of everything that this person is not shown, at the moment it is decided. What stands on a hidden page goes with the page. */
  onHidden?: (hidden: Hidden) => void
}

/** What was not shown, and by what it could have been hidden then: rule, condition, or that a product has no price. */
export interface Hidden {
  kind: 'page' | 'widget' | 'product'
  key: string
  rule: TagRule | null
  condition: Condition | null
  product: Product | null
  tags: ReadonlySet<string>
  answer: (binding: string) => unknown
}

export interface OfferedProduct {
  code: string
  /** Price row that applies, null for a donation, whose amount people choose. */
  row: number | null
  amount: string | null
  /** Chosen quantity, of a donation the amount; 0 when it was not chosen. */
  quantity: number
}

export interface WalkedWidget {
  id: string
  type: WidgetType
  visible: boolean
  terminal: boolean
  /** What it asks for, shown or not. */
  bindings: readonly string[]
  /** What must be answered here; empty while hidden. */
  required: readonly string[]
  /** Of what it sells, that which this person may choose now. */
  products: readonly OfferedProduct[]
}

export interface WalkedPage {
  code: string
  title: string | null
  visible: boolean
  widgets: readonly WalkedWidget[]
}

export interface Missing {
  page: string
  widget: string
  binding: string
  /** Answering any of these is enough. */
  oneOf?: readonly string[]
  why: 'required' | 'tooFew' | 'neededByProduct' | 'lookupFailed'
}

export interface Walk {
  /** Whether the flow is for people with these tags at all; the pages are walked either way. */
  open: boolean
  pages: readonly WalkedPage[]
  /** First visible page after this one; from null the first of all; null at the end. */
  next: (page: string | null) => string | null
  /** In page order. Empty when the person could finish. */
  missing: readonly Missing[]
  /** Held at the end, in order of code. */
  tags: readonly string[]
  /** Those that decide prices: without what chosen products give. */
  priceTags: ReadonlySet<string>
  /** An answer as the flow counts it: unset when it was only asked where nothing was shown. */
  answer: (binding: string) => unknown
}

/**
 * Who sees what, must answer what and pays which price: the one function behind pages, submissions, descriptions, reviews and rehearsals.
 * Pages and widgets are taken in order. An answer counts from the first visible widget that asks for it, so hiding works forwards only, and
 * what only hidden or later widgets ask for is unset. An answer that no widget of the flow asks for counts as it was given.
 * Tags are those given and the flow's own, those of a lookup after its widget, and those of chosen products from the next page; products'
 * tags decide what is seen, never a price.
 */
export function walkFlow(config: EventConfig, flow: Flow, input: WalkInput): Walk {
  const state = startOf(config, flow, input)
  const pages = flow.pages.map((page) => walkPage(state, page))
  addProductNeeds(state)
  return {
    open: isFlowFor(flow, state.given),
    pages,
    next: (page) => nextPage(pages, page),
    missing: state.missing,
    tags: [...state.tags].sort(),
    priceTags: state.priceTags,
    answer: state.answer,
  }
}

function nextPage(pages: readonly WalkedPage[], page: string | null): string | null {
  const after = page === null ? -1 : pages.findIndex(({ code }) => code === page)
  if (page !== null && after < 0) return null
  return pages.find(({ visible }, index) => visible && index > after)?.code ?? null
}

export const isUnset = (binding: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (value === false && binding.startsWith('@policy.')) ||
  // A product that was left at 0 was not chosen.
  (binding.startsWith('@product.') && Number(value) === 0)

interface Asked {
  widget: Widget
  collected: readonly Collected[]
  bindings: readonly string[]
  required: readonly string[]
  products: readonly Product[]
}

interface AskedFlow {
  widgets: ReadonlyMap<Widget, Asked>
  bindings: ReadonlySet<string>
  prefixes: readonly string[]
}

const askedFlows = new WeakMap<Flow, { config: EventConfig; asked: AskedFlow }>()

/** What each widget asks for; found once per flow, as the same flow is walked by everybody. */
function askedIn(config: EventConfig, flow: Flow): AskedFlow {
  const known = askedFlows.get(flow)
  if (known?.config === config) return known.asked
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget, askedBy(config, widget)] as const)))
  const all = new Set([...widgets.values()].flatMap(({ bindings }) => bindings))
  const asked = { widgets, bindings: all, prefixes: [...all].filter((binding) => binding.endsWith('.')) }
  askedFlows.set(flow, { config, asked })
  return asked
}

function askedBy(config: EventConfig, widget: Widget): Asked {
  const collected = collectedBy(config, widget)
  const required = collected.filter((one) => one.required).map(({ binding }) => binding)
  return { widget, collected, bindings: collected.map(({ binding }) => binding), required, products: soldBy(config, widget) }
}

interface State {
  config: EventConfig
  flow: Flow
  input: WalkInput
  now: Date
  asked: AskedFlow
  given: ReadonlySet<string>
  tags: Set<string>
  /** Without those of products. */
  priceTags: Set<string>
  shown: Set<string>
  chosen: Map<string, { product: Product; page: string; widget: string }>
  missing: Missing[]
  lookedUp: boolean
  answer: (binding: string) => unknown
}

function startOf(config: EventConfig, flow: Flow, input: WalkInput): State {
  const given = new Set(input.tags)
  const asked = askedIn(config, flow)
  const tags = new Set([...given, ...flow.addsTags])
  const shown = new Set<string>()
  const hasPrefix = (set: (prefix: string) => boolean, binding: string) =>
    asked.prefixes.some((prefix) => binding.startsWith(prefix) && set(prefix))
  const counts = (binding: string) => {
    if (shown.has(binding) || hasPrefix((prefix) => shown.has(prefix), binding)) return true
    return !asked.bindings.has(binding) && !hasPrefix(() => true, binding)
  }
  const answer = (binding: string) => {
    if (binding === '@participant.tags') return [...tags]
    if (binding === '@flow.slug') return flow.slug
    const value = counts(binding) ? input.answers[binding] : undefined
    return isUnset(binding, value) ? undefined : value
  }
  const state: State = {
    config,
    flow,
    input,
    now: input.now,
    asked,
    given,
    tags,
    priceTags: new Set(tags),
    shown,
    chosen: new Map(),
    missing: [],
    lookedUp: false,
    answer,
  }
  lookUpByEmail(state)
  return state
}

type Ruled = Pick<FlowPage, 'showWhen' | 'visibleForTags'>

const holds = (state: State, { showWhen, visibleForTags }: Ruled) =>
  visibleFor(visibleForTags, state.tags) && conditionHolds(showWhen, state.answer, state.input.timezone)

function walkPage(state: State, page: FlowPage): WalkedPage {
  const visible = holds(state, page)
  if (!visible) hide(state, 'page', page.code, page)
  const boughtBefore = state.chosen.size
  const widgets = page.widgets.map((widget) => walkWidget(state, page, widget, visible))
  if (state.chosen.size > boughtBefore) for (const { product } of state.chosen.values()) add(state.tags, product.addsTags)
  lookUpByEmail(state)
  return { code: page.code, title: page.title, visible, widgets }
}

function walkWidget(state: State, page: FlowPage, widget: Widget, onPage: boolean): WalkedWidget {
  const asked = state.asked.widgets.get(widget) ?? askedBy(state.config, widget)
  const visible = onPage && holds(state, widget)
  if (onPage && !visible) hide(state, 'widget', widget.id, widget)
  const products = visible ? offered(state, asked) : []
  if (visible) show(state, page, asked, products)
  return {
    id: widget.id,
    type: widget.type,
    visible,
    terminal: TERMINAL_TYPES.includes(widget.type),
    bindings: asked.bindings,
    required: visible ? asked.required : [],
    products,
  }
}

function hide(state: State, kind: Hidden['kind'], key: string, ruled: Ruled, product: Product | null = null): void {
  const { visibleForTags: rule, showWhen: condition } = ruled
  state.input.onHidden?.({ kind, key, rule, condition, product, tags: state.tags, answer: state.answer })
}

function offered(state: State, { widget, products }: Asked): OfferedProduct[] {
  const { tags, priceTags, now, input } = state
  const without = (product: Product) => {
    hide(state, 'product', product.code, { visibleForTags: product.visibleForTags, showWhen: null }, product)
    return []
  }
  return products.flatMap((product): OfferedProduct[] => {
    if (!visibleFor(product.visibleForTags, tags)) return without(product)
    const quantity = quantityOf(input.answers[productBinding(product.code)])
    if (widget.type === 'donation') return [{ code: product.code, row: null, amount: null, quantity }]
    const price = priceFor(product, { tags: priceTags, at: now, timezone: input.timezone })
    return price ? [{ code: product.code, ...price, quantity }] : without(product)
  })
}

const quantityOf = (value: unknown) => {
  const quantity = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return quantity > 0 ? quantity : 0
}

/** From here on the answers of a visible widget count. */
function show(state: State, page: FlowPage, { widget, bindings, required, products }: Asked, offers: readonly OfferedProduct[]): void {
  const at = { page: page.code, widget: widget.id }
  if (products.length === 0) for (const binding of bindings) state.shown.add(binding)
  for (const { code, quantity } of offers) {
    state.shown.add(productBinding(code))
    const product = quantity > 0 && products.find((one) => one.code === code)
    if (product) state.chosen.set(code, { product, ...at })
  }
  for (const binding of sharesRoom(state, widget) ? [] : required) {
    if (isUnset(binding, state.answer(binding))) state.missing.push({ ...at, binding, why: 'required' })
  }
  if (widget.type === 'membershipLookup') lookUp(state, at, widget)
  else state.missing.push(...tooFew(state, widget, offers).map((one) => ({ ...at, ...one, why: 'tooFew' as const })))
}

/** Whoever sleeps in another's room needs none of their own. */
const sharesRoom = (state: State, widget: Widget) =>
  widget.type === 'housing' &&
  widget.allowShare &&
  !isUnset('@housing.shareWith', state.answer('@housing.shareWith')) &&
  isUnset('@housing.hotelId', state.answer('@housing.hotelId'))

function lookUp(state: State, at: { page: string; widget: string }, widget: WidgetOf<'membershipLookup'>): void {
  const facts = state.input.connections?.[widget.connection]
  const binding = lookupBinding(widget.id)
  const outcome = state.answer(binding)
  if (lookupBlocks(widget, facts, outcome)) state.missing.push({ ...at, binding, why: 'lookupFailed' })
  give(state, lookupTags(widget.memberTags, facts, outcome))
}

/** The flow's own lookup is made when the page with the email has been answered, or at once when the email was known before. */
function lookUpByEmail(state: State): void {
  const { directory } = state.flow
  if (directory === null || state.lookedUp || isUnset('@participant.email', state.answer('@participant.email'))) return
  state.lookedUp = true
  give(state, lookupTags([], state.input.connections?.[directory], state.input.answers[directoryBinding(directory)]))
}

function give({ tags, priceTags }: State, given: readonly string[]): void {
  add(tags, given)
  add(priceTags, given)
}

const add = (set: Set<string>, items: Iterable<string>) => {
  for (const item of items) set.add(item)
}

/** What a widget wants of several answers together. */
function tooFew(state: State, widget: Widget, offers: readonly OfferedProduct[]): Pick<Missing, 'binding' | 'oneOf'>[] {
  if (widget.type === 'products' && widget.min > 0) {
    const chosen = offers.reduce((sum, { quantity }) => sum + quantity, 0)
    const oneOf = offers.map(({ code }) => productBinding(code))
    return chosen >= widget.min ? [] : [{ binding: oneOf[0] ?? '@product.', oneOf }]
  }
  if (widget.type === 'sessions' && widget.required) return hasAny(state, '@session.') ? [] : [{ binding: '@session.' }]
  if (widget.type === 'group' && widget.mode === 'both' && widget.codeRequired) {
    const oneOf = ['@group.code', '@group.name']
    return oneOf.some((binding) => !isUnset(binding, state.answer(binding))) ? [] : [{ binding: '@group.code', oneOf }]
  }
  return widget.type === 'guests' ? missingOfGuests(state, widget.min) : []
}

const hasAny = ({ input }: State, prefix: string) =>
  Object.entries(input.answers).some(([binding, value]) => binding.startsWith(prefix) && value !== false && !isUnset(binding, value))

/** Each guest there is, or has to be, needs a name, a type where there are types, and what the flow requires of guests. */
function missingOfGuests(state: State, min: number): Pick<Missing, 'binding'>[] {
  const { guests } = state.flow
  const numbers = Object.entries(state.input.answers).map(([binding, value]) =>
    isUnset(binding, value) ? 0 : Number(/^@guest\.(\d{1,2})\./.exec(binding)?.[1] ?? 0),
  )
  const required = (guests?.fields ?? [])
    .filter((field) => field.required)
    .map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1))
  const properties = new Set(['firstName', 'lastName', ...(guests && guests.types.length > 0 ? ['type'] : []), ...required])
  return Array.from({ length: Math.max(min, ...numbers) }, (_, index) => index + 1)
    .flatMap((n) => [...properties].map((property) => ({ binding: `@guest.${n}.${property}` })))
    .filter(({ binding }) => isUnset(binding, state.answer(binding)))
}

/** A chosen product wants those it requires, wherever in the flow they are sold. */
function addProductNeeds({ chosen, missing }: State): void {
  for (const { product, page, widget } of chosen.values()) {
    for (const code of product.requires) {
      if (!chosen.has(code)) missing.push({ page, widget, binding: productBinding(code), why: 'neededByProduct' })
    }
  }
}
