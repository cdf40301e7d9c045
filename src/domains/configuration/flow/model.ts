import type { Condition, SingleCondition, TagRule } from '../../../kernel/conditions.ts'
import { isConditionMet } from '../../../kernel/conditions.ts'
import { runTaskSynchronously, type CooperativeTask } from '../../../kernel/cooperative.ts'
import type { EventConfig, Flow, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import { classifyAnswers, isAnswerAcceptedByWidget, groupConditionsByAnswerKey, listSingleConditions, NO_ANSWER } from './answer-classes.ts'
import {
  listCollectedAnswers,
  type DirectoryFactsByConnection,
  buildDirectoryOutcomeAnswerKey,
  LOOKUP_OUTCOMES,
  buildLookupOutcomeAnswerKey,
  isBlockedByDirectoryLookup,
  getLookupTags,
  toProductAnswerKey,
  listSoldProducts,
  listParticipantTagSources,
  UNVERIFIED_MEMBERSHIP_TAG,
} from './collected-answers.ts'
import {
  andConditionOutcomes,
  CONDITION_FALSE,
  type ConditionOutcome,
  toConditionOutcome,
  orConditionOutcomes,
  CONDITION_TRUE,
} from './masks.ts'
import { isPriceInForce } from './prices.ts'

/** A flow prepared for the solver: answers and earlier tags of the participant (variables), pages and widgets in order (steps). */
export interface FlowSolverModel {
  config: EventConfig
  flow: Flow
  now: Date
  timezone: string
  connections: DirectoryFactsByConnection
  variables: readonly FlowSolverVariable[]
  byId: ReadonlyMap<string, number>
  steps: readonly FlowSolverStep[]
  /** Every tag that a rule, condition or price of the flow uses. */
  tags: readonly string[]
  sources: ReadonlyMap<string, TagOrigins>
  directory: { variable: number; email: number | null; tags: readonly (readonly string[])[] } | null
}

export interface FlowSolverVariable {
  id: string
  /**
   * The code of the tag, if the variable is a tag that the participant may have before entering the flow; null if the variable is an
   * answer.
   */
  tag: string | null
  values: readonly unknown[]
  classes: readonly number[]
  /** The widgets that ask for the answer, as indexes into the steps (pages and widgets) of the model. */
  askedAt: readonly number[]
  product: Product | null
}

export interface FlowSolverStep {
  index: number
  page: number
  pageStep: number
  widget: Widget | null
  rule: TagRule | null
  condition: CompiledCondition | null
  asks: readonly StepQuestion[]
  sells: readonly OfferedProductVariable[]
  lookup: { variable: number; tags: readonly (readonly string[])[]; blocks: readonly boolean[] } | null
}

interface StepQuestion {
  variable: number
  legal: readonly boolean[]
}

export interface OfferedProductVariable {
  product: Product
  variable: number
  donation: boolean
  /** Price rows currently in force, each with the tags of the participants it applies to. */
  rows: readonly { row: number; tags: readonly string[] }[]
}

/** A condition with the result of each comparison precomputed for each possible answer. */
export type CompiledCondition =
  | { all: readonly CompiledCondition[] }
  | { any: readonly CompiledCondition[] }
  | { constant: ConditionOutcome }
  | { tagsLeaf: SingleCondition }
  | { variable: number; outcomes: readonly ConditionOutcome[]; unset: ConditionOutcome }

export interface TagOrigins {
  external: number
  lookups: readonly number[]
  products: readonly number[]
}

export interface FlowSolverModelOptions {
  timezone: string
  now: Date
  connections?: DirectoryFactsByConnection
}

const tagId = (tag: string) => `tag:${tag}`

/** Builds the model in parts, so that other requests run in between: a flow with thousands of widgets takes a long time. */
export function* buildModelInParts(
  config: EventConfig,
  flow: Flow,
  { timezone, now, connections = {} }: FlowSolverModelOptions,
): CooperativeTask<FlowSolverModel> {
  const elements = flow.pages.flatMap((page, index) => [
    { page: index, node: page, widget: null as Widget | null },
    ...page.widgets.map((widget) => ({ page: index, node: widget, widget: widget as Widget | null })),
  ])
  const tags = tagsAskedFor(config, flow, connections)
  const variables = yield* variablesOf(config, flow, elements, tags, timezone)
  const byId = new Map(variables.map(({ id }, index) => [id, index]))
  const context = { config, flow, variables, byId, timezone, now, connections }
  const firstStep = flow.pages.map((_, page) => elements.findIndex((element) => element.page === page))
  const steps: FlowSolverStep[] = []
  for (const [index, { page, node, widget }] of elements.entries()) {
    yield
    steps.push({
      index,
      page,
      pageStep: firstStep[page]!,
      widget,
      rule: node.visibleForTags,
      condition: node.showWhen && compileCondition(context, node.showWhen),
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

export const buildFlowSolverModel = (config: EventConfig, flow: Flow, options: FlowSolverModelOptions): FlowSolverModel =>
  runTaskSynchronously(buildModelInParts(config, flow, options))

interface Context {
  config: EventConfig
  flow: Flow
  variables: readonly FlowSolverVariable[]
  byId: ReadonlyMap<string, number>
  timezone: string
  now: Date
  connections: DirectoryFactsByConnection
}

function tagsAskedFor(config: EventConfig, flow: Flow, connections: DirectoryFactsByConnection): string[] {
  const nodes = flow.pages.flatMap((page) => [page, ...page.widgets])
  const products = flow.pages.flatMap((page) => page.widgets).flatMap((widget) => listSoldProducts(config, widget))
  const rules = [flow, ...nodes, ...products].flatMap(({ visibleForTags }) => visibleForTags?.required ?? [])
  const prices = products.flatMap((product) => product.prices.flatMap((price) => price.tags))
  const leaves = nodes.flatMap(({ showWhen }) => listSingleConditions(showWhen)).filter(({ binding }) => binding === '@participant.tags')
  // A condition that compares the participant's whole list of tags depends on every tag that a participant can get in the flow.
  const whole = leaves.some(({ op }) => op !== 'contains' && op !== 'in')
  const obtainable = whole ? listParticipantTagSources(config, flow, connections).map(({ tag }) => tag) : []
  const compared = leaves
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => typeof value === 'string')
  const asked = new Set([...rules, ...prices, ...compared.map((tag) => tag.toLowerCase()), ...obtainable])
  // Tags that the flow does not use have equal effects on a comparison with the whole tag list, so one of them represents all.
  const another = whole ? config.tags.find(({ code }) => !asked.has(code)) : undefined
  return [...asked, ...(another ? [another.code] : [])]
}

interface FlowElement {
  page: number
  node: Pick<Widget, 'showWhen' | 'visibleForTags'>
  widget: Widget | null
}

/** Lists the variables of a flow: first the earlier tags of participants, then the answers that conditions use, in flow order. */
function* variablesOf(
  config: EventConfig,
  flow: Flow,
  elements: readonly FlowElement[],
  tags: readonly string[],
  timezone: string,
): CooperativeTask<FlowSolverVariable[]> {
  const leaves = groupConditionsByAnswerKey(flow)
  const askedAt = new Map<string, number[]>()
  for (const [index, { widget }] of elements.entries()) {
    yield
    if (!widget) continue
    const exact = listCollectedAnswers(config, widget).map(({ binding }) => binding)
    const prefixed = exact
      .filter((binding) => binding.endsWith('.'))
      .flatMap((prefix) => [...leaves.keys()].filter((one) => one.startsWith(prefix)))
    const always = widget.type === 'membershipLookup' || listSoldProducts(config, widget).length > 0
    const wanted = [...exact, ...prefixed].filter(
      (one) => always || leaves.has(one) || (one === '@participant.email' && flow.directory !== null),
    )
    for (const binding of wanted) askedAt.set(binding, [...(askedAt.get(binding) ?? []), index])
  }
  const products = new Map(
    elements
      .flatMap(({ widget }) => (widget ? listSoldProducts(config, widget) : []))
      .map((product) => [toProductAnswerKey(product.code), product]),
  )
  const asked: FlowSolverVariable[] = []
  for (const [id, at] of askedAt) {
    yield
    const own = leaves.get(id) ?? []
    const widgets = at.map((index) => elements[index]!.widget!)
    const product = products.get(id) ?? null
    const { values, classes } = yield* classifyAnswers(config, timezone, id, widgets, own)
    asked.push({ id, tag: null, values, classes: sortValues(id, values, classes), askedAt: at, product })
  }
  const external = tags
    .filter((tag) => tag !== UNVERIFIED_MEMBERSHIP_TAG && (!flow.addsTags.includes(tag) || flow.visibleForTags?.required.includes(tag)))
    .map((tag): FlowSolverVariable => ({ id: tagId(tag), tag, values: [false, true], classes: [0, 1], askedAt: [], product: null }))
  const own: FlowSolverVariable[] =
    flow.directory === null
      ? []
      : [
          {
            id: buildDirectoryOutcomeAnswerKey(flow.directory),
            tag: null,
            values: [...LOOKUP_OUTCOMES],
            classes: [1, 0, 2, 3],
            askedAt: [],
            product: null,
          },
        ]
  return [...external, ...own, ...asked]
}

/**
 * Sorts the values of an answer or tag in the order in which the solver tries them. Not buying a product comes before buying it, and an
 * unsuccessful lookup before a successful one. Giving an email address comes before giving none, because the address triggers the directory
 * lookup.
 */
function sortValues(id: string, values: readonly unknown[], classes: readonly number[]): readonly number[] {
  const unset = values.indexOf(NO_ANSWER)
  const set = classes.filter((index) => index !== unset)
  if (id.startsWith('@product.')) return [unset, ...set]
  if (id.startsWith('@lookup.')) return [1, 0, 2, 3, unset]
  return id === '@participant.email' ? [...set, unset] : classes
}

function compileCondition(context: Context, condition: Condition): CompiledCondition {
  if ('all' in condition) return { all: condition.all.map((inner) => compileCondition(context, inner)) }
  if ('any' in condition) return { any: condition.any.map((inner) => compileCondition(context, inner)) }
  if (condition.binding === '@participant.tags') return { tagsLeaf: condition }
  const outcome = (value: unknown) => toConditionOutcome(isConditionMet(condition, () => value, context.timezone))
  if (condition.binding === '@flow.slug') return { constant: outcome(context.flow.slug) }
  const variable = context.byId.get(condition.binding)
  const unset = outcome(NO_ANSWER)
  if (variable === undefined) return { constant: unset }
  return { variable, outcomes: context.variables[variable]!.values.map(outcome), unset }
}

function asksOf({ config, variables, byId }: Context, widget: Widget): StepQuestion[] {
  const bindings = listCollectedAnswers(config, widget).map(({ binding }) => binding)
  const prefixes = bindings.filter((binding) => binding.endsWith('.'))
  const under = variables.map(({ id }) => id).filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return [...bindings, ...under].flatMap((binding) => {
    const variable = byId.get(binding)
    if (variable === undefined || listSoldProducts(config, widget).length > 0) return []
    const { values } = variables[variable]!
    return [{ variable, legal: values.map((value) => isAnswerAcceptedByWidget(config, widget, binding, value)) }]
  })
}

function salesOf({ config, byId, now, timezone }: Context, widget: Widget): OfferedProductVariable[] {
  return listSoldProducts(config, widget).map((product) => ({
    product,
    variable: byId.get(toProductAnswerKey(product.code))!,
    donation: widget.type === 'donation',
    rows: product.prices.flatMap((price, row) => (isPriceInForce(price, now, timezone) ? [{ row, tags: price.tags }] : [])),
  }))
}

function lookupOf({ byId, variables, connections }: Context, widget: Widget): FlowSolverStep['lookup'] {
  if (widget.type !== 'membershipLookup') return null
  const variable = byId.get(buildLookupOutcomeAnswerKey(widget.id))!
  const facts = connections[widget.connection]
  const { values } = variables[variable]!
  return {
    variable,
    tags: values.map((outcome) => getLookupTags(widget.memberTags, facts, outcome)),
    blocks: values.map((outcome) => isBlockedByDirectoryLookup(widget, facts, outcome)),
  }
}

function directoryOf({ flow, byId, variables, connections }: Context): FlowSolverModel['directory'] {
  if (flow.directory === null) return null
  const variable = byId.get(buildDirectoryOutcomeAnswerKey(flow.directory))!
  const facts = connections[flow.directory]
  const tags = variables[variable]!.values.map((outcome) => getLookupTags([], facts, outcome))
  return { variable, email: byId.get('@participant.email') ?? null, tags }
}

function sourcesOf(tags: readonly string[], byId: ReadonlyMap<string, number>, steps: readonly FlowSolverStep[]): Map<string, TagOrigins> {
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

type LeafTest = Exclude<CompiledCondition, { all: unknown } | { any: unknown } | { constant: unknown }>

/** Evaluates a condition while some answers are undecided. `leaf` returns the possible results of a single comparison. */
export function evaluateCondition(test: CompiledCondition, leaf: (test: LeafTest) => ConditionOutcome): ConditionOutcome {
  if ('constant' in test) return test.constant
  if ('all' in test)
    return test.all.reduce<ConditionOutcome>(
      (mask, inner) => (mask === CONDITION_FALSE ? mask : andConditionOutcomes(mask, evaluateCondition(inner, leaf))),
      CONDITION_TRUE,
    )
  if ('any' in test)
    return test.any.reduce<ConditionOutcome>(
      (mask, inner) => (mask === CONDITION_TRUE ? mask : orConditionOutcomes(mask, evaluateCondition(inner, leaf))),
      CONDITION_FALSE,
    )
  return leaf(test)
}
