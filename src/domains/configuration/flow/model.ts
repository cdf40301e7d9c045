import type { Condition, ConditionLeaf, TagRule } from '../../../kernel/conditions.ts'
import { conditionHolds } from '../../../kernel/conditions.ts'
import { atOnce, type InParts } from '../../../kernel/turns.ts'
import type { EventConfig, Flow, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import { answersFor, isLegalAt, leavesByBinding, leavesOf, UNSET } from './classes.ts'
import {
  collectedBy,
  type Connections,
  directoryBinding,
  LOOKUP_OUTCOMES,
  lookupBinding,
  lookupBlocks,
  lookupTags,
  productBinding,
  soldBy,
  tagSourcesOf,
  UNVERIFIED_TAG,
} from './collects.ts'
import { and, FALSE, type Mask, maskOf, or, TRUE } from './masks.ts'
import { isInForce } from './prices.ts'

/** A flow as the solver sees it: what can be answered (variables) and what is shown in turn (steps). */
export interface Model {
  config: EventConfig
  flow: Flow
  now: Date
  timezone: string
  connections: Connections
  variables: readonly Variable[]
  byId: ReadonlyMap<string, number>
  steps: readonly Step[]
  /** Every tag that anything in the flow asks for. */
  tags: readonly string[]
  sources: ReadonlyMap<string, TagSources>
  directory: { variable: number; email: number | null; tags: readonly (readonly string[])[] } | null
}

export interface Variable {
  id: string
  /** Set for a tag that the person may hold from outside. */
  tag: string | null
  values: readonly unknown[]
  classes: readonly number[]
  /** Steps that ask for it. */
  askedAt: readonly number[]
  product: Product | null
}

export interface Step {
  index: number
  page: number
  pageStep: number
  widget: Widget | null
  rule: TagRule | null
  condition: Test | null
  asks: readonly Ask[]
  sells: readonly Sale[]
  lookup: { variable: number; tags: readonly (readonly string[])[]; blocks: readonly boolean[] } | null
}

interface Ask {
  variable: number
  legal: readonly boolean[]
}

export interface Sale {
  product: Product
  variable: number
  donation: boolean
  /** Rows that apply today to whoever has their tags. */
  rows: readonly { row: number; tags: readonly string[] }[]
}

/** A condition with the outcome of each leaf for each value worked out. */
export type Test =
  | { all: readonly Test[] }
  | { any: readonly Test[] }
  | { constant: Mask }
  | { tagsLeaf: ConditionLeaf }
  | { variable: number; outcomes: readonly Mask[]; unset: Mask }

export interface TagSources {
  external: number
  lookups: readonly number[]
  products: readonly number[]
}

export interface ModelOptions {
  timezone: string
  now: Date
  connections?: Connections
}

const tagId = (tag: string) => `tag:${tag}`

/** A flow of two thousand widgets that all depend on one another takes its time. */
export function* modelInParts(config: EventConfig, flow: Flow, { timezone, now, connections = {} }: ModelOptions): InParts<Model> {
  const places = flow.pages.flatMap((page, index) => [
    { page: index, node: page, widget: null as Widget | null },
    ...page.widgets.map((widget) => ({ page: index, node: widget, widget: widget as Widget | null })),
  ])
  const tags = tagsAskedFor(config, flow, connections)
  const variables = yield* variablesOf(config, flow, places, tags, timezone)
  const byId = new Map(variables.map(({ id }, index) => [id, index]))
  const context = { config, flow, variables, byId, timezone, now, connections }
  const firstStep = flow.pages.map((_, page) => places.findIndex((place) => place.page === page))
  const steps: Step[] = []
  for (const [index, { page, node, widget }] of places.entries()) {
    yield
    steps.push({
      index,
      page,
      pageStep: firstStep[page]!,
      widget,
      rule: node.visibleForTags,
      condition: node.showWhen && testOf(context, node.showWhen),
      asks: widget ? asksOf(context, widget) : [],
      sells: widget ? salesOf(context, widget) : [],
      lookup: widget ? lookupOf(context, widget) : null,
    })
  }
  return {
    config,
    flow,
    now,
    timezone,
    connections,
    variables,
    byId,
    steps,
    tags,
    sources: sourcesOf(tags, byId, steps),
    directory: directoryOf(context),
  }
}

export const modelOf = (config: EventConfig, flow: Flow, options: ModelOptions): Model => atOnce(modelInParts(config, flow, options))

interface Context {
  config: EventConfig
  flow: Flow
  variables: readonly Variable[]
  byId: ReadonlyMap<string, number>
  timezone: string
  now: Date
  connections: Connections
}

function tagsAskedFor(config: EventConfig, flow: Flow, connections: Connections): string[] {
  const nodes = flow.pages.flatMap((page) => [page, ...page.widgets])
  const products = flow.pages.flatMap((page) => page.widgets).flatMap((widget) => soldBy(config, widget))
  const rules = [flow, ...nodes, ...products].flatMap(({ visibleForTags }) => visibleForTags?.required ?? [])
  const prices = products.flatMap((product) => product.prices.flatMap((price) => price.tags))
  const leaves = nodes.flatMap(({ showWhen }) => leavesOf(showWhen)).filter(({ binding }) => binding === '@participant.tags')
  // A comparison with the whole list is decided by every tag that somebody could get on the way.
  const whole = leaves.some(({ op }) => op !== 'contains' && op !== 'in')
  const obtainable = whole ? tagSourcesOf(config, flow, connections).map(({ tag }) => tag) : []
  const compared = leaves
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => typeof value === 'string')
  const asked = new Set([...rules, ...prices, ...compared.map((tag) => tag.toLowerCase()), ...obtainable])
  // To such a comparison tags that nothing names are all alike: one stands for them.
  const another = whole ? config.tags.find(({ code }) => !asked.has(code)) : undefined
  return [...asked, ...(another ? [another.code] : [])]
}

interface Place {
  page: number
  node: Pick<Widget, 'showWhen' | 'visibleForTags'>
  widget: Widget | null
}

/** First the tags that people bring along, then what decides anything, in the order in which it is asked. */
function* variablesOf(
  config: EventConfig,
  flow: Flow,
  places: readonly Place[],
  tags: readonly string[],
  timezone: string,
): InParts<Variable[]> {
  const leaves = leavesByBinding(flow)
  const askedAt = new Map<string, number[]>()
  for (const [index, { widget }] of places.entries()) {
    yield
    if (!widget) continue
    const exact = collectedBy(config, widget).map(({ binding }) => binding)
    const prefixed = exact
      .filter((binding) => binding.endsWith('.'))
      .flatMap((prefix) => [...leaves.keys()].filter((one) => one.startsWith(prefix)))
    const always = widget.type === 'membershipLookup' || soldBy(config, widget).length > 0
    const wanted = [...exact, ...prefixed].filter(
      (one) => always || leaves.has(one) || (one === '@participant.email' && flow.directory !== null),
    )
    for (const binding of wanted) askedAt.set(binding, [...(askedAt.get(binding) ?? []), index])
  }
  const products = new Map(
    places.flatMap(({ widget }) => (widget ? soldBy(config, widget) : [])).map((product) => [productBinding(product.code), product]),
  )
  const asked: Variable[] = []
  for (const [id, at] of askedAt) {
    yield
    const own = leaves.get(id) ?? []
    const widgets = at.map((index) => places[index]!.widget!)
    const product = products.get(id) ?? null
    const { values, classes } = yield* answersFor(config, timezone, id, widgets, own)
    asked.push({ id, tag: null, values, classes: triedFirst(id, values, classes), askedAt: at, product })
  }
  const external = tags
    .filter((tag) => tag !== UNVERIFIED_TAG && (!flow.addsTags.includes(tag) || flow.visibleForTags?.required.includes(tag)))
    .map((tag): Variable => ({ id: tagId(tag), tag, values: [false, true], classes: [0, 1], askedAt: [], product: null }))
  const own: Variable[] =
    flow.directory === null
      ? []
      : [
          {
            id: directoryBinding(flow.directory),
            tag: null,
            values: [...LOOKUP_OUTCOMES],
            classes: [1, 0, 2, 3],
            askedAt: [],
            product: null,
          },
        ]
  return [...external, ...own, ...asked]
}

/** Nobody buys without a reason; a lookup without success gives least; and whether there is an email decides about the lookup by it. */
function triedFirst(id: string, values: readonly unknown[], classes: readonly number[]): readonly number[] {
  const unset = values.indexOf(UNSET)
  const set = classes.filter((index) => index !== unset)
  if (id.startsWith('@product.')) return [unset, ...set]
  if (id.startsWith('@lookup.')) return [1, 0, 2, 3, unset]
  return id === '@participant.email' ? [...set, unset] : classes
}

function testOf(context: Context, condition: Condition): Test {
  if ('all' in condition) return { all: condition.all.map((inner) => testOf(context, inner)) }
  if ('any' in condition) return { any: condition.any.map((inner) => testOf(context, inner)) }
  if (condition.binding === '@participant.tags') return { tagsLeaf: condition }
  const outcome = (value: unknown) => maskOf(conditionHolds(condition, () => value, context.timezone))
  if (condition.binding === '@flow.slug') return { constant: outcome(context.flow.slug) }
  const variable = context.byId.get(condition.binding)
  const unset = outcome(UNSET)
  if (variable === undefined) return { constant: unset }
  return { variable, outcomes: context.variables[variable]!.values.map(outcome), unset }
}

function asksOf({ config, variables, byId }: Context, widget: Widget): Ask[] {
  const bindings = collectedBy(config, widget).map(({ binding }) => binding)
  const prefixes = bindings.filter((binding) => binding.endsWith('.'))
  const under = variables.map(({ id }) => id).filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return [...bindings, ...under].flatMap((binding) => {
    const variable = byId.get(binding)
    if (variable === undefined || soldBy(config, widget).length > 0) return []
    const { values } = variables[variable]!
    return [{ variable, legal: values.map((value) => isLegalAt(config, widget, binding, value)) }]
  })
}

function salesOf({ config, byId, now, timezone }: Context, widget: Widget): Sale[] {
  return soldBy(config, widget).map((product) => ({
    product,
    variable: byId.get(productBinding(product.code))!,
    donation: widget.type === 'donation',
    rows: product.prices.flatMap((price, row) => (isInForce(price, now, timezone) ? [{ row, tags: price.tags }] : [])),
  }))
}

function lookupOf({ byId, variables, connections }: Context, widget: Widget): Step['lookup'] {
  if (widget.type !== 'membershipLookup') return null
  const variable = byId.get(lookupBinding(widget.id))!
  const facts = connections[widget.connection]
  const { values } = variables[variable]!
  return {
    variable,
    tags: values.map((outcome) => lookupTags(widget.memberTags, facts, outcome)),
    blocks: values.map((outcome) => lookupBlocks(widget, facts, outcome)),
  }
}

function directoryOf({ flow, byId, variables, connections }: Context): Model['directory'] {
  if (flow.directory === null) return null
  const variable = byId.get(directoryBinding(flow.directory))!
  const facts = connections[flow.directory]
  const tags = variables[variable]!.values.map((outcome) => lookupTags([], facts, outcome))
  return { variable, email: byId.get('@participant.email') ?? null, tags }
}

function sourcesOf(tags: readonly string[], byId: ReadonlyMap<string, number>, steps: readonly Step[]): Map<string, TagSources> {
  const has = (lists: readonly (readonly string[])[], tag: string) => lists.some((list) => list.includes(tag))
  return new Map(
    tags.map((tag) => [
      tag,
      {
        external: byId.get(tagId(tag)) ?? -1,
        lookups: steps.filter(({ lookup }) => lookup && has(lookup.tags, tag)).map(({ index }) => index),
        products: [
          ...new Set(
            steps.flatMap(({ sells }) => sells.filter(({ product }) => product.addsTags.includes(tag)).map(({ variable }) => variable)),
          ),
        ],
      },
    ]),
  )
}

type LeafTest = Exclude<Test, { all: unknown } | { any: unknown } | { constant: unknown }>

/** What a test comes to while some of it is open; `leaf` says what its single comparisons can come to. */
export function testMask(test: Test, leaf: (test: LeafTest) => Mask): Mask {
  if ('constant' in test) return test.constant
  if ('all' in test) return test.all.reduce<Mask>((mask, inner) => (mask === FALSE ? mask : and(mask, testMask(inner, leaf))), TRUE)
  if ('any' in test) return test.any.reduce<Mask>((mask, inner) => (mask === TRUE ? mask : or(mask, testMask(inner, leaf))), FALSE)
  return leaf(test)
}
