import { type Condition, isConditionMet, type TagRule, isTagRuleMet } from '../../../kernel/conditions.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES, type Widget, type WidgetOfType, type WidgetType } from '../schema/widgets.ts'
import {
  type CollectedAnswer,
  listCollectedAnswers,
  type DirectoryFactsByConnection,
  buildDirectoryOutcomeAnswerKey,
  canEnterFlowWithTags,
  buildLookupOutcomeAnswerKey,
  isBlockedByDirectoryLookup,
  getLookupTags,
  toProductAnswerKey,
  listSoldProducts,
} from './collected-answers.ts'
import { findPrice } from './prices.ts'

export interface FlowEvaluationInput {
  /** Answers by binding (identifier of the question). `@lookup.<widget>` and `@directory.<connection>` hold the outcomes of lookups. */
  answers: Readonly<Record<string, unknown>>
  /**
   * Tags that the participant has from outside the flow: from organizers, groups and invite lists. evaluateFlow adds the flow's own tags
   * where the flow gives them.
   */
  tags: Iterable<string>
  timezone: string
  now: Date
  connections?: DirectoryFactsByConnection
  /** Called as soon as a page, widget or product turns out to be hidden, but not for the contents of a hidden page. */
  onHidden?: (hidden: HiddenFlowElement) => void
}

/** A hidden page, widget or product, with the possible causes: tag rule, condition, or a product without a price. */
export interface HiddenFlowElement {
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
  /** The price row that applies; null for a donation, whose amount the participant chooses. */
  row: number | null
  amount: string | null
  /** Chosen quantity, or the amount of a donation; 0 if not chosen. */
  quantity: number
}

export interface EvaluatedWidget {
  id: string
  type: WidgetType
  visible: boolean
  terminal: boolean
  /** The bindings (identifiers) of the questions that the widget asks, whether visible or not. */
  bindings: readonly string[]
  /** Bindings (identifiers) of the questions in this widget that the participant must answer; empty while the widget is hidden. */
  required: readonly string[]
  /** The products that this participant can choose now. */
  products: readonly OfferedProduct[]
}

export interface EvaluatedPage {
  code: string
  title: string | null
  visible: boolean
  widgets: readonly EvaluatedWidget[]
}

export interface MissingAnswer {
  page: string
  widget: string
  binding: string
  /** An answer to any one of these bindings (questions) is sufficient. */
  oneOf?: readonly string[]
  why: 'required' | 'tooFew' | 'neededByProduct' | 'lookupFailed'
}

export interface FlowEvaluation {
  /** Whether participants with these tags may enter the flow. If not, the pages are evaluated nevertheless. */
  open: boolean
  pages: readonly EvaluatedPage[]
  /** Returns the visible page after the given one; null after the last one. With null as argument, returns the first visible page. */
  next: (page: string | null) => string | null
  /** Missing answers in page order. Empty if the participant can complete the flow. */
  missing: readonly MissingAnswer[]
  /** Tags that the participant has at the end of the flow, sorted by code. */
  tags: readonly string[]
  /** The tags that prices depend on: all except those that chosen products add. */
  priceTags: ReadonlySet<string>
  /** Returns an answer, or undefined if only hidden widgets ask for it, because such an answer does not count. */
  answer: (binding: string) => unknown
}

/**
 * Decides which pages, widgets and products a participant sees, which answers are required and which prices apply. Pages, submissions,
 * descriptions, reviews and test runs all use this function. Pages and widgets are processed in order. An answer counts from the first
 * visible widget that asks for it, so hiding only affects later widgets, and a binding asked only by hidden or later widgets is unset. A
 * binding that no widget of the flow asks for counts as given. Given tags and the flow's own tags apply from the start, tags of a lookup
 * after its widget, and tags of chosen products from the next page. Tags of products affect visibility, but never prices.
 */
export function evaluateFlow(config: EventConfig, flow: Flow, input: FlowEvaluationInput): FlowEvaluation {
  const state = startWalk(config, flow, input)
  const pages = flow.pages.map((page) => walkPage(state, page))
  addProductNeeds(state)
  return {
    open: canEnterFlowWithTags(flow, state.given),
    pages,
    next: (page) => nextPage(pages, page),
    missing: state.missing,
    tags: [...state.tags].sort(),
    priceTags: state.priceTags,
    answer: state.answer,
  }
}

function nextPage(pages: readonly EvaluatedPage[], page: string | null): string | null {
  const after = page === null ? -1 : pages.findIndex(({ code }) => code === page)
  if (page !== null && after < 0) return null
  return pages.find(({ visible }, index) => visible && index > after)?.code ?? null
}

export const isAnswerUnset = (binding: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (value === false && binding.startsWith('@policy.')) ||
  // A product with quantity 0 is not chosen.
  (binding.startsWith('@product.') && Number(value) === 0)

interface WidgetQuestions {
  widget: Widget
  collected: readonly CollectedAnswer[]
  bindings: readonly string[]
  required: readonly string[]
  products: readonly Product[]
}

interface FlowQuestions {
  widgets: ReadonlyMap<Widget, WidgetQuestions>
  bindings: ReadonlySet<string>
  prefixes: readonly string[]
}

const askedFlows = new WeakMap<Flow, { config: EventConfig; asked: FlowQuestions }>()

/** Lists the answers that each widget collects. Cached per flow, because every participant walks the same flow. */
function getFlowQuestions(config: EventConfig, flow: Flow): FlowQuestions {
  const known = askedFlows.get(flow)
  if (known?.config === config) return known.asked
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget, toWidgetQuestions(config, widget)] as const)))
  const all = new Set([...widgets.values()].flatMap(({ bindings }) => bindings))
  const asked = { widgets, bindings: all, prefixes: [...all].filter((binding) => binding.endsWith('.')) }
  askedFlows.set(flow, { config, asked })
  return asked
}

function toWidgetQuestions(config: EventConfig, widget: Widget): WidgetQuestions {
  const collected = listCollectedAnswers(config, widget)
  const required = collected.filter((one) => one.required).map(({ binding }) => binding)
  return { widget, collected, bindings: collected.map(({ binding }) => binding), required, products: listSoldProducts(config, widget) }
}

interface State {
  config: EventConfig
  flow: Flow
  input: FlowEvaluationInput
  now: Date
  asked: FlowQuestions
  given: ReadonlySet<string>
  tags: Set<string>
  /** The tags that prices depend on: all except those that chosen products add. */
  priceTags: Set<string>
  shown: Set<string>
  chosen: Map<string, { product: Product; page: string; widget: string }>
  missing: MissingAnswer[]
  lookedUp: boolean
  answer: (binding: string) => unknown
}

function startWalk(config: EventConfig, flow: Flow, input: FlowEvaluationInput): State {
  const given = new Set(input.tags)
  const asked = getFlowQuestions(config, flow)
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
    return isAnswerUnset(binding, value) ? undefined : value
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
  isTagRuleMet(visibleForTags, state.tags) && isConditionMet(showWhen, state.answer, state.input.timezone)

function walkPage(state: State, page: FlowPage): EvaluatedPage {
  const visible = holds(state, page)
  if (!visible) reportHidden(state, 'page', page.code, page)
  const boughtBefore = state.chosen.size
  const widgets = page.widgets.map((widget) => walkWidget(state, page, widget, visible))
  if (state.chosen.size > boughtBefore) for (const { product } of state.chosen.values()) add(state.tags, product.addsTags)
  lookUpByEmail(state)
  return { code: page.code, title: page.title, visible, widgets }
}

function walkWidget(state: State, page: FlowPage, widget: Widget, onPage: boolean): EvaluatedWidget {
  const asked = state.asked.widgets.get(widget) ?? toWidgetQuestions(state.config, widget)
  const visible = onPage && holds(state, widget)
  if (onPage && !visible) reportHidden(state, 'widget', widget.id, widget)
  const products = visible ? offered(state, asked) : []
  if (visible) show(state, page, asked, products)
  return {
    id: widget.id,
    type: widget.type,
    visible,
    terminal: FLOW_ENDING_WIDGET_TYPES.includes(widget.type),
    bindings: asked.bindings,
    required: visible ? asked.required : [],
    products,
  }
}

function reportHidden(state: State, kind: HiddenFlowElement['kind'], key: string, ruled: Ruled, product: Product | null = null): void {
  const { visibleForTags: rule, showWhen: condition } = ruled
  state.input.onHidden?.({ kind, key, rule, condition, product, tags: state.tags, answer: state.answer })
}

function offered(state: State, { widget, products }: WidgetQuestions): OfferedProduct[] {
  const { tags, priceTags, now, input } = state
  const without = (product: Product) => {
    reportHidden(state, 'product', product.code, { visibleForTags: product.visibleForTags, showWhen: null }, product)
    return []
  }
  return products.flatMap((product): OfferedProduct[] => {
    if (!isTagRuleMet(product.visibleForTags, tags)) return without(product)
    const quantity = quantityOf(input.answers[toProductAnswerKey(product.code)])
    if (widget.type === 'donation') return [{ code: product.code, row: null, amount: null, quantity }]
    const price = findPrice(product, { tags: priceTags, at: now, timezone: input.timezone })
    return price ? [{ code: product.code, ...price, quantity }] : without(product)
  })
}

const quantityOf = (value: unknown) => {
  const quantity = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return quantity > 0 ? quantity : 0
}

/** Marks the answers of a visible widget as given, and records its missing ones. */
function show(
  state: State,
  page: FlowPage,
  { widget, bindings, required, products }: WidgetQuestions,
  offers: readonly OfferedProduct[],
): void {
  const at = { page: page.code, widget: widget.id }
  if (products.length === 0) for (const binding of bindings) state.shown.add(binding)
  for (const { code, quantity } of offers) {
    state.shown.add(toProductAnswerKey(code))
    const product = quantity > 0 && products.find((one) => one.code === code)
    if (product) state.chosen.set(code, { product, ...at })
  }
  for (const binding of sharesRoom(state, widget) ? [] : required) {
    if (isAnswerUnset(binding, state.answer(binding))) state.missing.push({ ...at, binding, why: 'required' })
  }
  if (widget.type === 'membershipLookup') lookUp(state, at, widget)
  else state.missing.push(...listTooFew(state, widget, offers).map((one) => ({ ...at, ...one, why: 'tooFew' as const })))
}

/** Whether the participant shares another participant's room, and therefore needs no room of their own. */
const sharesRoom = (state: State, widget: Widget) =>
  widget.type === 'housing' &&
  widget.allowShare &&
  !isAnswerUnset('@housing.shareWith', state.answer('@housing.shareWith')) &&
  isAnswerUnset('@housing.hotelId', state.answer('@housing.hotelId'))

function lookUp(state: State, at: { page: string; widget: string }, widget: WidgetOfType<'membershipLookup'>): void {
  const facts = state.input.connections?.[widget.connection]
  const binding = buildLookupOutcomeAnswerKey(widget.id)
  const outcome = state.answer(binding)
  if (isBlockedByDirectoryLookup(widget, facts, outcome)) state.missing.push({ ...at, binding, why: 'lookupFailed' })
  addTags(state, getLookupTags(widget.memberTags, facts, outcome))
}

/** Runs the flow's own directory lookup after the page with the email, or at the start if the email was already known. */
function lookUpByEmail(state: State): void {
  const { directory } = state.flow
  if (directory === null || state.lookedUp || isAnswerUnset('@participant.email', state.answer('@participant.email'))) return
  state.lookedUp = true
  addTags(state, getLookupTags([], state.input.connections?.[directory], state.input.answers[buildDirectoryOutcomeAnswerKey(directory)]))
}

function addTags({ tags, priceTags }: State, given: readonly string[]): void {
  add(tags, given)
  add(priceTags, given)
}

const add = (set: Set<string>, items: Iterable<string>) => {
  for (const item of items) set.add(item)
}

/** Lists requirements on several answers together, such as a minimum number of products, guests or sessions. */
function listTooFew(state: State, widget: Widget, offers: readonly OfferedProduct[]): Pick<MissingAnswer, 'binding' | 'oneOf'>[] {
  if (widget.type === 'products' && widget.min > 0) {
    const chosen = offers.reduce((sum, { quantity }) => sum + quantity, 0)
    const oneOf = offers.map(({ code }) => toProductAnswerKey(code))
    return chosen >= widget.min ? [] : [{ binding: oneOf[0] ?? '@product.', oneOf }]
  }
  if (widget.type === 'sessions' && widget.required) return hasAny(state, '@session.') ? [] : [{ binding: '@session.' }]
  if (widget.type === 'group' && widget.mode === 'both' && widget.codeRequired) {
    const oneOf = ['@group.code', '@group.name']
    return oneOf.some((binding) => !isAnswerUnset(binding, state.answer(binding))) ? [] : [{ binding: '@group.code', oneOf }]
  }
  return widget.type === 'guests' ? missingOfGuests(state, widget.min) : []
}

const hasAny = ({ input }: State, prefix: string) =>
  Object.entries(input.answers).some(([binding, value]) => binding.startsWith(prefix) && value !== false && !isAnswerUnset(binding, value))

/**
 * Lists missing answers about guests. Every guest, existing or required by `min`, needs a name, a type if the flow has types, and the
 * fields that the flow requires for guests.
 */
function missingOfGuests(state: State, min: number): Pick<MissingAnswer, 'binding'>[] {
  const { guests } = state.flow
  const numbers = Object.entries(state.input.answers).map(([binding, value]) =>
    isAnswerUnset(binding, value) ? 0 : Number(/^@guest\.(\d{1,2})\./.exec(binding)?.[1] ?? 0),
  )
  const required = (guests?.fields ?? [])
    .filter((field) => field.required)
    .map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1))
  const properties = new Set(['firstName', 'lastName', ...(guests && guests.types.length > 0 ? ['type'] : []), ...required])
  return Array.from({ length: Math.max(min, ...numbers) }, (_, index) => index + 1)
    .flatMap((n) => [...properties].map((property) => ({ binding: `@guest.${n}.${property}` })))
    .filter(({ binding }) => isAnswerUnset(binding, state.answer(binding)))
}

/** Records products that a chosen product requires and that are not chosen in any widget of the flow. */
function addProductNeeds({ chosen, missing }: State): void {
  for (const { product, page, widget } of chosen.values()) {
    for (const code of product.requires) {
      if (!chosen.has(code)) missing.push({ page, widget, binding: toProductAnswerKey(code), why: 'neededByProduct' })
    }
  }
}
