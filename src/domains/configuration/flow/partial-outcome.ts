import { isConditionMet, type SingleCondition, type TagRule } from '../../../kernel/conditions.ts'
import { UNANSWERED } from './answer-classes.ts'
import {
  andMasks,
  canMaskHaveValue,
  TRUE_OR_FALSE,
  MASK_OF_FALSE,
  type TruthMask,
  toTruthMask,
  negateMask,
  orMasks,
  MASK_OF_TRUE,
} from './masks.ts'
import { type FlowSolverModel, type OfferedProductVariable, type FlowSolverStep, evaluateCondition } from './model.ts'
import { findPrice } from './prices.ts'
import { type GoalCondition, listComparedTags, type GoalRelevantFlowPart } from './slices.ts'

/**
 * The remaining possible values of each variable (answer or tag), by the variable's index. Contains only the variables that can affect the
 * goal.
 */
export type RemainingAnswerValues = readonly (readonly number[])[]

/**
 * The possible outcomes in the part of a flow that affects a goal (its slice) while some variables are undecided. Excluded outcomes are
 * impossible. Once every variable has one value, the result equals that of evaluateFlow.
 */
export interface PartialFlowOutcome {
  model: FlowSolverModel
  slice: GoalRelevantFlowPart
  domains: RemainingAnswerValues
  visible: Map<number, TruthMask>
  /** For each variable (answer), whether a visible widget has asked for it so far. */
  open: Map<number, TruthMask>
  tags: Map<string, TruthMask>
  /** The tags that decide prices: all except tags that chosen products give. */
  priceTags: Map<string, TruthMask>
  /** For each product, the prices that may apply, as a bit mask of the rows of its price list. */
  rows: Map<number, number>
  nothingOffered: Map<number, TruthMask>
}

export function evaluatePartialFlowOutcome(
  model: FlowSolverModel,
  slice: GoalRelevantFlowPart,
  domains: RemainingAnswerValues,
): PartialFlowOutcome {
  const outlook: PartialFlowOutcome = {
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
  for (const tag of model.flow.addsTags) setTag(outlook, tag, MASK_OF_TRUE)
  for (const index of slice.steps) takeStep(outlook, model.steps[index]!)
  leavePages(outlook)
  return outlook
}

function setTag({ tags, priceTags }: PartialFlowOutcome, tag: string, mask: TruthMask): void {
  tags.set(tag, mask)
  priceTags.set(tag, mask)
}

/** Whether the participant has this tag before entering the flow. */
function heldBefore({ model, domains }: PartialFlowOutcome, tag: string): TruthMask {
  const external = model.sources.get(tag)?.external ?? -1
  return external < 0
    ? MASK_OF_FALSE
    : (domains[external] ?? []).reduce((mask, index) => mask | (index === 1 ? MASK_OF_TRUE : MASK_OF_FALSE), 0)
}

function takeStep(outlook: PartialFlowOutcome, step: FlowSolverStep): void {
  if (step.widget === null) leavePages(outlook)
  const shown = step.widget === null ? MASK_OF_TRUE : outlook.visible.get(step.pageStep)!
  const mask =
    shown === MASK_OF_FALSE
      ? MASK_OF_FALSE
      : andMasks(shown, andMasks(evaluateTagRule(outlook.tags, step.rule), conditionMask(outlook, step)))
  outlook.visible.set(step.index, mask)
  if (mask === MASK_OF_FALSE) return
  for (const { variable } of step.asks) if (outlook.slice.has.has(variable)) open(outlook, variable, mask)
  if (step.lookup) giveTags(outlook, step.lookup.tags, step.lookup.variable, mask)
  takeSales(outlook, step, mask)
}

const open = ({ open: masks }: PartialFlowOutcome, variable: number, mask: TruthMask) =>
  masks.set(variable, orMasks(masks.get(variable) ?? MASK_OF_FALSE, mask))

/**
 * Applies the effects of leaving a page: the tags of products bought so far take effect, and the directory lookup runs if the email is
 * known.
 */
function leavePages(outlook: PartialFlowOutcome): void {
  const { model, slice, tags } = outlook
  for (const variable of slice.variables) {
    const { product } = model.variables[variable]!
    for (const tag of product?.addsTags ?? []) {
      const mask = tags.get(tag)
      if (mask !== undefined && mask !== MASK_OF_TRUE) tags.set(tag, orMasks(mask, getAnsweredMask(outlook, variable)))
    }
  }
  const { directory } = model
  if (!directory || !slice.has.has(directory.variable)) return
  const known = directory.email === null ? MASK_OF_FALSE : getAnsweredMask(outlook, directory.email)
  open(outlook, directory.variable, known)
  giveTags(outlook, directory.tags, directory.variable, known)
}

function giveTags(outlook: PartialFlowOutcome, given: readonly (readonly string[])[], variable: number, when: TruthMask): void {
  const values = outlook.domains[variable] ?? []
  for (const tag of outlook.slice.tags) {
    if (!given.some((list) => list.includes(tag))) continue
    const gives = values.reduce((mask, index) => mask | toTruthMask(given[index]?.includes(tag) ?? false), 0)
    const mask = andMasks(when, gives)
    outlook.tags.set(tag, orMasks(outlook.tags.get(tag) ?? MASK_OF_FALSE, mask))
    outlook.priceTags.set(tag, orMasks(outlook.priceTags.get(tag) ?? MASK_OF_FALSE, mask))
  }
}

/** Returns whether the question is asked and answered: true, false, or still undecided. */
export function getAnsweredMask({ model, domains, open: masks }: PartialFlowOutcome, variable: number): TruthMask {
  const { values } = model.variables[variable]!
  const set = (domains[variable] ?? []).reduce((mask, index) => mask | toTruthMask(values[index] !== UNANSWERED), 0)
  return andMasks(masks.get(variable) ?? MASK_OF_FALSE, set)
}

export function evaluateTagRule(tags: ReadonlyMap<string, TruthMask>, rule: TagRule | null): TruthMask {
  if (!rule) return MASK_OF_TRUE
  const masks = rule.required.map((tag) => tags.get(tag) ?? MASK_OF_FALSE)
  if (rule.type === 'all') return masks.reduce(andMasks, MASK_OF_TRUE)
  const any = masks.reduce(orMasks, MASK_OF_FALSE)
  return rule.type === 'any' ? any : negateMask(any)
}

function conditionMask(outlook: PartialFlowOutcome, { condition }: FlowSolverStep): TruthMask {
  if (!condition) return MASK_OF_TRUE
  return evaluateCondition(condition, (leaf) => {
    if ('tagsLeaf' in leaf) return tagsMask(outlook, leaf.tagsLeaf)
    const asked = outlook.open.get(leaf.variable) ?? MASK_OF_FALSE
    const answered = canMaskHaveValue(asked, true)
      ? (outlook.domains[leaf.variable] ?? []).reduce((mask, index) => mask | leaf.outcomes[index]!, 0)
      : 0
    return answered | (canMaskHaveValue(asked, false) ? leaf.unset : 0)
  })
}

function tagsMask({ model, tags }: PartialFlowOutcome, leaf: SingleCondition): TruthMask {
  const named = listComparedTags(leaf)
  const deciding = named ?? [...tags.keys()]
  if (deciding.some((tag) => tags.get(tag) === TRUE_OR_FALSE)) return TRUE_OR_FALSE
  const held = deciding.filter((tag) => tags.get(tag) === MASK_OF_TRUE)
  return toTruthMask(isConditionMet(leaf, () => held, model.timezone))
}

function takeSales(outlook: PartialFlowOutcome, step: FlowSolverStep, visible: TruthMask): void {
  const all = outlook.slice.offers.has(step.index)
  let anything: TruthMask = MASK_OF_FALSE
  for (const sale of step.sells) {
    const inSlice = outlook.slice.has.has(sale.variable)
    if (!inSlice && !all) continue
    const rows = rowsOf(outlook, sale)
    const offered = andMasks(visible, andMasks(evaluateTagRule(outlook.tags, sale.product.visibleForTags), rows.mask))
    anything = orMasks(anything, offered)
    if (!inSlice) continue
    open(outlook, sale.variable, offered)
    if (canMaskHaveValue(offered, true)) outlook.rows.set(sale.variable, (outlook.rows.get(sale.variable) ?? 0) | rows.bits)
  }
  if (all) outlook.nothingOffered.set(step.index, andMasks(visible, negateMask(anything)))
}

function rowsOf(
  { model, priceTags }: PartialFlowOutcome,
  { product, donation, rows }: OfferedProductVariable,
): { mask: TruthMask; bits: number } {
  if (donation) return { mask: MASK_OF_TRUE, bits: 0 }
  const tags = new Set(rows.flatMap((row) => row.tags))
  const can = (tag: string, held: boolean) => canMaskHaveValue(priceTags.get(tag) ?? MASK_OF_FALSE, held)
  if (![...tags].some((tag) => can(tag, true) && can(tag, false))) {
    const price = findPrice(product, { tags: [...tags].filter((tag) => can(tag, true)), at: model.now, timezone: model.timezone })
    return price ? { mask: MASK_OF_TRUE, bits: 1 << price.row } : { mask: MASK_OF_FALSE, bits: 0 }
  }
  const possible = rows.filter((row) => row.tags.length === 0 || row.tags.some((tag) => can(tag, true)))
  const certain = rows.some((row) => row.tags.length === 0 || row.tags.some((tag) => !can(tag, false)))
  return {
    mask: certain ? MASK_OF_TRUE : possible.length > 0 ? TRUE_OR_FALSE : MASK_OF_FALSE,
    bits: possible.reduce((bits, { row }) => bits | (1 << row), 0),
  }
}

/** Whether this condition of a goal can still become true with the answers that are not decided yet. */
export function isConditionStillPossible(outlook: PartialFlowOutcome, literal: GoalCondition): boolean {
  if (literal.kind === 'visible') return canMaskHaveValue(outlook.visible.get(literal.step) ?? MASK_OF_FALSE, literal.shown)
  if (literal.kind === 'offersNothing') return canMaskHaveValue(outlook.nothingOffered.get(literal.step) ?? MASK_OF_FALSE, true)
  if (literal.kind === 'answered') {
    return (
      canMaskHaveValue(outlook.open.get(literal.variable) ?? MASK_OF_FALSE, true) &&
      (outlook.domains[literal.variable] ?? []).some((index) => literal.values.includes(index))
    )
  }
  const rows = outlook.rows.get(literal.variable) ?? 0
  return canMaskHaveValue(getAnsweredMask(outlook, literal.variable), true) && (literal.row === null || (rows & (1 << literal.row)) !== 0)
}
