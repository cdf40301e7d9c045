import { isConditionMet, type SingleCondition, type TagRule } from '../../../kernel/conditions.ts'
import { NO_ANSWER } from './answer-classes.ts'
import {
  andConditionOutcomes,
  isTruthValuePossible,
  CONDITION_UNDECIDED,
  CONDITION_FALSE,
  type ConditionOutcome,
  toConditionOutcome,
  negateConditionOutcome,
  orConditionOutcomes,
  CONDITION_TRUE,
} from './masks.ts'
import { type FlowSolverModel, type OfferedProductVariable, type FlowSolverStep, evaluateCondition } from './model.ts'
import { findPrice } from './prices.ts'
import { type TestRunGoalCondition, listTagsInCondition, type FlowPartForTestRunGoal } from './slices.ts'

/**
 * The remaining possible values of each variable (answer or tag), by the variable's index. Contains only the variables that can affect the
 * goal.
 */
export type RemainingAnswerValues = readonly (readonly number[])[]

/**
 * The possible outcomes in the part of a flow that affects a goal (its slice) while some variables are undecided. Excluded outcomes are
 * impossible. Once every variable has one value, the result equals that of evaluateFlow.
 */
export interface PossibleFlowOutcomes {
  model: FlowSolverModel
  slice: FlowPartForTestRunGoal
  domains: RemainingAnswerValues
  visible: Map<number, ConditionOutcome>
  /** For each variable (answer), whether a visible widget has asked for it so far. */
  open: Map<number, ConditionOutcome>
  tags: Map<string, ConditionOutcome>
  /** The tags that decide prices: all except tags that chosen products give. */
  priceTags: Map<string, ConditionOutcome>
  /** For each product, the prices that may apply, as a bit mask of the rows of its price list. */
  rows: Map<number, number>
  nothingOffered: Map<number, ConditionOutcome>
}

export function evaluatePossibleFlowOutcomes(
  model: FlowSolverModel,
  slice: FlowPartForTestRunGoal,
  domains: RemainingAnswerValues,
): PossibleFlowOutcomes {
  const outlook: PossibleFlowOutcomes = {
    model,
    slice,
    domains,
    visible: new Map(),
    open: new Map(),
    tags: new Map(),
    priceTags: new Map(),
    rows: new Map(),
    nothingOffered: new Map(),
  }
  for (const tag of slice.tags) setTag(outlook, tag, heldBefore(outlook, tag))
  for (const tag of model.flow.addsTags) setTag(outlook, tag, CONDITION_TRUE)
  for (const index of slice.steps) takeStep(outlook, model.steps[index]!)
  leavePages(outlook)
  return outlook
}

function setTag({ tags, priceTags }: PossibleFlowOutcomes, tag: string, mask: ConditionOutcome): void {
  tags.set(tag, mask)
  priceTags.set(tag, mask)
}

/** Whether the participant has this tag before entering the flow. */
function heldBefore({ model, domains }: PossibleFlowOutcomes, tag: string): ConditionOutcome {
  const external = model.sources.get(tag)?.external ?? -1
  return external < 0
    ? CONDITION_FALSE
    : (domains[external] ?? []).reduce((mask, index) => mask | (index === 1 ? CONDITION_TRUE : CONDITION_FALSE), 0)
}

function takeStep(outlook: PossibleFlowOutcomes, step: FlowSolverStep): void {
  if (step.widget === null) leavePages(outlook)
  const shown = step.widget === null ? CONDITION_TRUE : outlook.visible.get(step.pageStep)!
  const mask =
    shown === CONDITION_FALSE
      ? CONDITION_FALSE
      : andConditionOutcomes(shown, andConditionOutcomes(evaluateTagRule(outlook.tags, step.rule), conditionMask(outlook, step)))
  outlook.visible.set(step.index, mask)
  if (mask === CONDITION_FALSE) return
  for (const { variable } of step.asks) if (outlook.slice.has.has(variable)) open(outlook, variable, mask)
  if (step.lookup) giveTags(outlook, step.lookup.tags, step.lookup.variable, mask)
  takeSales(outlook, step, mask)
}

const open = ({ open: masks }: PossibleFlowOutcomes, variable: number, mask: ConditionOutcome) =>
  masks.set(variable, orConditionOutcomes(masks.get(variable) ?? CONDITION_FALSE, mask))

/**
 * Applies the effects of leaving a page: the tags of products bought so far take effect, and the directory lookup runs if the email is
 * known.
 */
function leavePages(outlook: PossibleFlowOutcomes): void {
  const { model, slice, tags } = outlook
  for (const variable of slice.variables) {
    const { product } = model.variables[variable]!
    for (const tag of product?.addsTags ?? []) {
      const mask = tags.get(tag)
      if (mask !== undefined && mask !== CONDITION_TRUE)
        tags.set(tag, orConditionOutcomes(mask, evaluateIfQuestionAnswered(outlook, variable)))
    }
  }
  const { directory } = model
  if (!directory || !slice.has.has(directory.variable)) return
  const known = directory.email === null ? CONDITION_FALSE : evaluateIfQuestionAnswered(outlook, directory.email)
  open(outlook, directory.variable, known)
  giveTags(outlook, directory.tags, directory.variable, known)
}

function giveTags(outlook: PossibleFlowOutcomes, given: readonly (readonly string[])[], variable: number, when: ConditionOutcome): void {
  const values = outlook.domains[variable] ?? []
  for (const tag of outlook.slice.tags) {
    if (!given.some((list) => list.includes(tag))) continue
    const gives = values.reduce((mask, index) => mask | toConditionOutcome(given[index]?.includes(tag) ?? false), 0)
    const mask = andConditionOutcomes(when, gives)
    outlook.tags.set(tag, orConditionOutcomes(outlook.tags.get(tag) ?? CONDITION_FALSE, mask))
    outlook.priceTags.set(tag, orConditionOutcomes(outlook.priceTags.get(tag) ?? CONDITION_FALSE, mask))
  }
}

/** Returns whether the question is asked and answered: true, false, or still undecided. */
export function evaluateIfQuestionAnswered({ model, domains, open: masks }: PossibleFlowOutcomes, variable: number): ConditionOutcome {
  const { values } = model.variables[variable]!
  const set = (domains[variable] ?? []).reduce((mask, index) => mask | toConditionOutcome(values[index] !== NO_ANSWER), 0)
  return andConditionOutcomes(masks.get(variable) ?? CONDITION_FALSE, set)
}

export function evaluateTagRule(tags: ReadonlyMap<string, ConditionOutcome>, rule: TagRule | null): ConditionOutcome {
  if (!rule) return CONDITION_TRUE
  const masks = rule.required.map((tag) => tags.get(tag) ?? CONDITION_FALSE)
  if (rule.type === 'all') return masks.reduce(andConditionOutcomes, CONDITION_TRUE)
  const any = masks.reduce(orConditionOutcomes, CONDITION_FALSE)
  return rule.type === 'any' ? any : negateConditionOutcome(any)
}

function conditionMask(outlook: PossibleFlowOutcomes, { condition }: FlowSolverStep): ConditionOutcome {
  if (!condition) return CONDITION_TRUE
  return evaluateCondition(condition, (leaf) => {
    if ('tagsLeaf' in leaf) return tagsMask(outlook, leaf.tagsLeaf)
    const asked = outlook.open.get(leaf.variable) ?? CONDITION_FALSE
    const answered = isTruthValuePossible(asked, true)
      ? (outlook.domains[leaf.variable] ?? []).reduce((mask, index) => mask | leaf.outcomes[index]!, 0)
      : 0
    return answered | (isTruthValuePossible(asked, false) ? leaf.unset : 0)
  })
}

function tagsMask({ model, tags }: PossibleFlowOutcomes, leaf: SingleCondition): ConditionOutcome {
  const named = listTagsInCondition(leaf)
  const deciding = named ?? [...tags.keys()]
  if (deciding.some((tag) => tags.get(tag) === CONDITION_UNDECIDED)) return CONDITION_UNDECIDED
  const held = deciding.filter((tag) => tags.get(tag) === CONDITION_TRUE)
  return toConditionOutcome(isConditionMet(leaf, () => held, model.timezone))
}

function takeSales(outlook: PossibleFlowOutcomes, step: FlowSolverStep, visible: ConditionOutcome): void {
  const all = outlook.slice.offers.has(step.index)
  let anything: ConditionOutcome = CONDITION_FALSE
  for (const sale of step.sells) {
    const inSlice = outlook.slice.has.has(sale.variable)
    if (!inSlice && !all) continue
    const rows = rowsOf(outlook, sale)
    const offered = andConditionOutcomes(
      visible,
      andConditionOutcomes(evaluateTagRule(outlook.tags, sale.product.visibleForTags), rows.mask),
    )
    anything = orConditionOutcomes(anything, offered)
    if (!inSlice) continue
    open(outlook, sale.variable, offered)
    if (isTruthValuePossible(offered, true)) outlook.rows.set(sale.variable, (outlook.rows.get(sale.variable) ?? 0) | rows.bits)
  }
  if (all) outlook.nothingOffered.set(step.index, andConditionOutcomes(visible, negateConditionOutcome(anything)))
}

function rowsOf(
  { model, priceTags }: PossibleFlowOutcomes,
  { product, donation, rows }: OfferedProductVariable,
): { mask: ConditionOutcome; bits: number } {
  if (donation) return { mask: CONDITION_TRUE, bits: 0 }
  const tags = new Set(rows.flatMap((row) => row.tags))
  const can = (tag: string, held: boolean) => isTruthValuePossible(priceTags.get(tag) ?? CONDITION_FALSE, held)
  if (![...tags].some((tag) => can(tag, true) && can(tag, false))) {
    const price = findPrice(product, { tags: [...tags].filter((tag) => can(tag, true)), at: model.now, timezone: model.timezone })
    return price ? { mask: CONDITION_TRUE, bits: 1 << price.row } : { mask: CONDITION_FALSE, bits: 0 }
  }
  const possible = rows.filter((row) => row.tags.length === 0 || row.tags.some((tag) => can(tag, true)))
  const certain = rows.some((row) => row.tags.length === 0 || row.tags.some((tag) => !can(tag, false)))
  return {
    mask: certain ? CONDITION_TRUE : possible.length > 0 ? CONDITION_UNDECIDED : CONDITION_FALSE,
    bits: possible.reduce((bits, { row }) => bits | (1 << row), 0),
  }
}

/** Whether this condition of a goal (such as "this page is shown") can still become true with the answers that are not decided yet. */
export function isConditionStillPossible(outlook: PossibleFlowOutcomes, literal: TestRunGoalCondition): boolean {
  if (literal.kind === 'visible') return isTruthValuePossible(outlook.visible.get(literal.step) ?? CONDITION_FALSE, literal.shown)
  if (literal.kind === 'offersNothing') return isTruthValuePossible(outlook.nothingOffered.get(literal.step) ?? CONDITION_FALSE, true)
  if (literal.kind === 'answered') {
    return (
      isTruthValuePossible(outlook.open.get(literal.variable) ?? CONDITION_FALSE, true) &&
      (outlook.domains[literal.variable] ?? []).some((index) => literal.values.includes(index))
    )
  }
  const rows = outlook.rows.get(literal.variable) ?? 0
  return (
    isTruthValuePossible(evaluateIfQuestionAnswered(outlook, literal.variable), true) &&
    (literal.row === null || (rows & (1 << literal.row)) !== 0)
  )
}
