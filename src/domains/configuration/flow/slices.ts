import type { SingleCondition } from '../../../kernel/conditions.ts'
import type { FlowSolverModel, FlowSolverStep, CompiledCondition } from './model.ts'

/** One condition that a test participant must fulfil to reach a goal of the test run. */
export type TestRunGoalCondition =
  | { kind: 'visible'; step: number; shown: boolean }
  /** The test participant must see the question and give one of these answers. */
  | { kind: 'answered'; variable: number; values: readonly number[] }
  /** The test participant must buy the product, at the price in this row of the price list if a row is given. */
  | { kind: 'bought'; variable: number; row: number | null }
  /** The test participant must see the product widget, and the widget must offer them no product. */
  | { kind: 'offersNothing'; step: number }

/** The part of a flow that can influence the conditions of a goal: steps (pages and widgets), variables (answers) and tags. */
export interface FlowPartForTestRunGoal {
  steps: readonly number[]
  variables: readonly number[]
  has: ReadonlySet<number>
  tags: readonly string[]
  /** Indexes of the product widgets that must not offer the test participant any product. Pages and widgets are numbered together. */
  offers: ReadonlySet<number>
}

/**
 * A minimum quantity can be reached with any product of a widget. The search for answers tries all products of the widget if it has at most
 * this many.
 */
const MAX_SIBLINGS = 8

export function selectFlowPartForGoal(model: FlowSolverModel, literals: readonly TestRunGoalCondition[]): FlowPartForTestRunGoal {
  const steps = new Set<number>()
  const variables = new Set<number>()
  const tags = new Set<string>()
  const offers = new Set<number>()

  const addTag = (tag: string): void => {
    if (tags.has(tag)) return
    tags.add(tag)
    const sources = model.sources.get(tag)
    if (!sources) return
    if (sources.external >= 0) addVariable(sources.external)
    for (const step of sources.lookups) addStep(step)
    for (const variable of sources.products) addVariable(variable)
    if (model.directory?.tags.some((list) => list.includes(tag))) addDirectory(model.directory)
  }
  const addDirectory = ({ variable, email }: NonNullable<FlowSolverModel['directory']>): void => {
    addVariable(variable)
    if (email !== null) addVariable(email)
  }
  const addTest = (test: CompiledCondition): void => {
    if ('all' in test) test.all.forEach(addTest)
    else if ('any' in test) test.any.forEach(addTest)
    else if ('tagsLeaf' in test) (listTagsInCondition(test.tagsLeaf) ?? model.tags).forEach(addTag)
    else if ('variable' in test) addVariable(test.variable)
  }
  const addStep = (index: number): void => {
    if (steps.has(index)) return
    steps.add(index)
    const { pageStep, rule, condition, lookup } = model.steps[index]!
    addStep(pageStep)
    rule?.required.forEach(addTag)
    if (condition) addTest(condition)
    if (lookup) addVariable(lookup.variable)
  }
  const addVariable = (index: number): void => {
    if (variables.has(index)) return
    variables.add(index)
    const { askedAt, product, id } = model.variables[index]!
    askedAt.forEach(addStep)
    if (id.startsWith('@directory.') && model.directory) addDirectory(model.directory)
    if (!product) return
    product.visibleForTags?.required.forEach(addTag)
    for (const price of product.prices) price.tags.forEach(addTag)
    for (const code of [...product.requires, ...product.excludes]) addProduct(code)
    for (const step of askedAt) addSiblings(model.steps[step]!)
  }
  const addProduct = (code: string): void => {
    const variable = model.byId.get(`@product.${code}`)
    if (variable !== undefined) addVariable(variable)
  }
  const addSiblings = ({ widget, sells }: FlowSolverStep): void => {
    if (widget?.type === 'products' && widget.min > 0 && sells.length <= MAX_SIBLINGS)
      for (const { variable } of sells) addVariable(variable)
  }
  const addOffers = ({ index, sells }: FlowSolverStep): void => {
    offers.add(index)
    for (const { product } of sells) {
      product.visibleForTags?.required.forEach(addTag)
      for (const price of product.prices) price.tags.forEach(addTag)
    }
  }

  model.flow.visibleForTags?.required.forEach(addTag)
  for (const literal of literals) {
    if ('variable' in literal) addVariable(literal.variable)
    else addStep(literal.step)
    if (literal.kind === 'offersNothing') addOffers(model.steps[literal.step]!)
  }
  return { steps: ascending(steps), variables: ascending(variables), has: variables, tags: [...tags], offers }
}

const ascending = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b)

/** Lists the tags that a condition on the participant's tags looks for; null if the condition depends on all tags of the participant. */
export function listTagsInCondition({ op, value }: SingleCondition): string[] | null {
  if (op !== 'contains' && op !== 'in') return null
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((tag) => typeof tag === 'string').map((tag) => tag.toLowerCase())
}
