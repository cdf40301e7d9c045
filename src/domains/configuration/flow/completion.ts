import { UNANSWERED } from './answer-classes.ts'
import { canMaskHaveValue, MASK_OF_FALSE, toTruthMask, MASK_OF_TRUE } from './masks.ts'
import type { FlowSolverModel, FlowSolverStep } from './model.ts'
import { type PartialFlowOutcome, evaluateTagRule, getAnsweredMask } from './partial-outcome.ts'

/**
 * Whether a participant can still complete the flow: may enter it, can give a valid answer to every required question, can buy a valid
 * combination of products, and is not blocked by a directory lookup before page `until`.
 */
export function canCompleteFlow(outlook: PartialFlowOutcome, until: number): boolean {
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
function canEnterFlow({ model, domains }: PartialFlowOutcome): boolean {
  const rule = model.flow.visibleForTags
  if (!rule) return true
  const held = new Map(
    rule.required.map((tag) => {
      const external = model.sources.get(tag)?.external ?? -1
      return [tag, (domains[external] ?? []).reduce((mask, index) => mask | toTruthMask(index === 1), 0) || MASK_OF_FALSE]
    }),
  )
  return canMaskHaveValue(evaluateTagRule(held, rule), true)
}

function stepIsPassable(outlook: PartialFlowOutcome, step: FlowSolverStep, until: number): boolean {
  if (outlook.visible.get(step.index) !== MASK_OF_TRUE) return true
  const { domains, slice } = outlook
  const wrong = step.asks.find(({ variable, legal }) => slice.has.has(variable) && !(domains[variable] ?? []).some((index) => legal[index]))
  if (wrong) return false
  const { lookup } = step
  if (lookup && step.page < until && (domains[lookup.variable] ?? []).every((index) => lookup.blocks[index])) return false
  return canMeetQuantities(outlook, step)
}

/** Whether the quantities of a widget's products can satisfy its minimum and maximum. */
function canMeetQuantities(outlook: PartialFlowOutcome, { index, widget, sells }: FlowSolverStep): boolean {
  // If the search looks for answers with which this widget offers no product at all, its minimum number of chosen products does not apply.
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

function quantitiesOf(outlook: PartialFlowOutcome, variable: number): [number, number] {
  const mask = getAnsweredMask(outlook, variable)
  if (mask === MASK_OF_FALSE) return [0, 0]
  const { values } = outlook.model.variables[variable]!
  const set = (outlook.domains[variable] ?? []).map((index) => values[index]).filter((value) => value !== UNANSWERED) as number[]
  return [mask === MASK_OF_TRUE ? Math.min(...set) : 0, Math.max(0, ...set)]
}

function canBuyCart(outlook: PartialFlowOutcome): boolean {
  const { model, slice } = outlook
  return slice.variables.every((index) => {
    const { product } = model.variables[index]!
    if (!product || getAnsweredMask(outlook, index) !== MASK_OF_TRUE) return true
    const bought = (code: string) => {
      const other = model.byId.get(`@product.${code}`)
      return other === undefined ? MASK_OF_FALSE : getAnsweredMask(outlook, other)
    }
    return (
      product.requires.every((code) => canMaskHaveValue(bought(code), true)) &&
      !product.excludes.some((code) => bought(code) === MASK_OF_TRUE)
    )
  })
}

/** Whether one participant can buy all the products that different goals require. */
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
