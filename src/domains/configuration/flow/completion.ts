import { NO_ANSWER } from './answer-classes.ts'
import { isTruthValuePossible, CONDITION_FALSE, toConditionOutcome, CONDITION_TRUE } from './masks.ts'
import type { FlowSolverModel, FlowSolverStep } from './model.ts'
import { type PossibleFlowOutcomes, evaluateTagRule, evaluateIfQuestionAnswered } from './partial-outcome.ts'

/**
 * Whether a participant can still complete the flow: may enter it, can give a valid answer to every required question, can buy a valid
 * combination of products, and is not blocked by a directory lookup before page `until`.
 */
export function canCompleteFlow(outlook: PossibleFlowOutcomes, until: number): boolean {
  return (
    canEnterFlow(outlook) &&
    outlook.slice.steps.every((index) => stepIsPassable(outlook, outlook.model.steps[index]!, until)) &&
    canBuyCart(outlook)
  )
}

/**
 * Whether the participant has the tags needed to enter the flow. Tags that the flow itself gives do not count, because it gives them after
 * entry.
 */
function canEnterFlow({ model, domains }: PossibleFlowOutcomes): boolean {
  const rule = model.flow.visibleForTags
  if (!rule) return true
  const held = new Map(
    rule.required.map((tag) => {
      const external = model.sources.get(tag)?.external ?? -1
      return [tag, (domains[external] ?? []).reduce((mask, index) => mask | toConditionOutcome(index === 1), 0) || CONDITION_FALSE]
    }),
  )
  return isTruthValuePossible(evaluateTagRule(held, rule), true)
}

function stepIsPassable(outlook: PossibleFlowOutcomes, step: FlowSolverStep, until: number): boolean {
  if (outlook.visible.get(step.index) !== CONDITION_TRUE) return true
  const { domains, slice } = outlook
  const wrong = step.asks.find(({ variable, legal }) => slice.has.has(variable) && !(domains[variable] ?? []).some((index) => legal[index]))
  if (wrong) return false
  const { lookup } = step
  if (lookup && step.page < until && (domains[lookup.variable] ?? []).every((index) => lookup.blocks[index])) return false
  return canMeetQuantities(outlook, step)
}

/** Whether the quantities of a widget's products can satisfy its minimum and maximum. */
function canMeetQuantities(outlook: PossibleFlowOutcomes, { index, widget, sells }: FlowSolverStep): boolean {
  // If the tested outcome requires that this widget offers no product, its minimum number of chosen products does not apply.
  if (widget?.type !== 'products' || outlook.slice.offers.has(index)) return true
  const counts = sells.map(({ variable, product }) =>
    outlook.slice.has.has(variable) ? quantitiesOf(outlook, variable) : [0, product.perPerson],
  )
  const chosen = counts.filter(([least]) => least! > 0)
  const least = chosen.reduce((sum, [own]) => sum + own!, 0)
  const most =
    widget.selection === 'single' ? Math.max(0, ...counts.map(([, own]) => own!)) : counts.reduce((sum, [, own]) => sum + own!, 0)
  return !(widget.selection === 'single' && chosen.length > 1) && least <= (widget.max ?? Infinity) && most >= widget.min
}

function quantitiesOf(outlook: PossibleFlowOutcomes, variable: number): [number, number] {
  const mask = evaluateIfQuestionAnswered(outlook, variable)
  if (mask === CONDITION_FALSE) return [0, 0]
  const { values } = outlook.model.variables[variable]!
  const set = (outlook.domains[variable] ?? []).map((index) => values[index]).filter((value) => value !== NO_ANSWER) as number[]
  return [mask === CONDITION_TRUE ? Math.min(...set) : 0, Math.max(0, ...set)]
}

function canBuyCart(outlook: PossibleFlowOutcomes): boolean {
  const { model, slice } = outlook
  return slice.variables.every((index) => {
    const { product } = model.variables[index]!
    if (!product || evaluateIfQuestionAnswered(outlook, index) !== CONDITION_TRUE) return true
    const bought = (code: string) => {
      const other = model.byId.get(`@product.${code}`)
      return other === undefined ? CONDITION_FALSE : evaluateIfQuestionAnswered(outlook, other)
    }
    return (
      product.requires.every((code) => isTruthValuePossible(bought(code), true)) &&
      !product.excludes.some((code) => bought(code) === CONDITION_TRUE)
    )
  })
}

/** Whether one participant can buy all these products together: none excludes another, and no widget exceeds its maximum. */
export function canBuyAllProducts(model: FlowSolverModel, chosen: ReadonlySet<number>): boolean {
  const codes = new Set([...chosen].map((index) => model.variables[index]!.product!.code))
  const excluded = [...chosen].some((index) => model.variables[index]!.product!.excludes.some((code) => codes.has(code)))
  if (excluded) return false
  return model.steps.every(({ widget, sells }) => {
    if (widget?.type !== 'products') return true
    const own = sells.filter(({ variable }) => chosen.has(variable)).length
    return own <= (widget.selection === 'single' ? 1 : (widget.max ?? Infinity))
  })
}
