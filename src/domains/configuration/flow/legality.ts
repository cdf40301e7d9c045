import { UNSET } from './classes.ts'
import { canBe, FALSE, maskOf, TRUE } from './masks.ts'
import type { Model, Step } from './model.ts'
import { type Outlook, ruleMask, setMask } from './outlook.ts'

/**
 * Whether a person can still get through the flow: may enter it, has an answer wherever one is required and only legal ones, buys what goes
 * together, and is not held up by a lookup before the page `until`.
 */
export function isPassable(outlook: Outlook, until: number): boolean {
  return (
    mayEnter(outlook) &&
    outlook.slice.steps.every((index) => stepIsPassable(outlook, outlook.model.steps[index]!, until)) &&
    cartFits(outlook)
  )
}

/** What the flow gives cannot open it, so only tags from outside count. */
function mayEnter({ model, domains }: Outlook): boolean {
  const rule = model.flow.visibleForTags
  if (!rule) return true
  const held = new Map(
    rule.required.map((tag) => {
      const external = model.sources.get(tag)?.external ?? -1
      return [tag, (domains[external] ?? []).reduce((mask, index) => mask | maskOf(index === 1), 0) || FALSE]
    }),
  )
  return canBe(ruleMask(held, rule), true)
}

function stepIsPassable(outlook: Outlook, step: Step, until: number): boolean {
  if (outlook.visible.get(step.index) !== TRUE) return true
  const { domains, slice } = outlook
  const wrong = step.asks.find(({ variable, legal }) => slice.has.has(variable) && !(domains[variable] ?? []).some((index) => legal[index]))
  if (wrong) return false
  const { lookup } = step
  if (lookup && step.page < until && (domains[lookup.variable] ?? []).every((index) => lookup.blocks[index])) return false
  return numbersFit(outlook, step)
}

/** How many of a widget's products are chosen at least, and can be at most. */
function numbersFit(outlook: Outlook, { index, widget, sells }: Step): boolean {
  // Whoever is to see an empty offer cannot choose from it.
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

function quantitiesOf(outlook: Outlook, variable: number): [number, number] {
  const mask = setMask(outlook, variable)
  if (mask === FALSE) return [0, 0]
  const { values } = outlook.model.variables[variable]!
  const set = (outlook.domains[variable] ?? []).map((index) => values[index]).filter((value) => value !== UNSET) as number[]
  return [mask === TRUE ? Math.min(...set) : 0, Math.max(0, ...set)]
}

function cartFits(outlook: Outlook): boolean {
  const { model, slice } = outlook
  return slice.variables.every((index) => {
    const { product } = model.variables[index]!
    if (!product || setMask(outlook, index) !== TRUE) return true
    const bought = (code: string) => {
      const other = model.byId.get(`@product.${code}`)
      return other === undefined ? FALSE : setMask(outlook, other)
    }
    return product.requires.every((code) => canBe(bought(code), true)) && !product.excludes.some((code) => bought(code) === TRUE)
  })
}

/** Whether products that were chosen for different reasons can be bought by one person. */
export function fitTogether(model: Model, chosen: ReadonlySet<number>): boolean {
  const codes = new Set([...chosen].map((index) => model.variables[index]!.product!.code))
  const excluded = [...chosen].some((index) => model.variables[index]!.product!.excludes.some((code) => codes.has(code)))
  if (excluded) return false
  return model.steps.every(({ widget, sells }) => {
    if (widget?.type !== 'products') return true
    const own = sells.filter(({ variable }) => chosen.has(variable)).length
    return own <= (widget.selection === 'single' ? 1 : (widget.max ?? Infinity))
  })
}
