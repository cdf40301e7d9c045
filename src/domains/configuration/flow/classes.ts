import { type Condition, type ConditionLeaf, conditionHolds } from '../../../kernel/conditions.ts'
import type { InParts } from '../../../kernel/turns.ts'
import { bindingType } from '../data-fields.ts'
import type { EventConfig, Flow } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import { collectedBy, indexOf, LOOKUP_OUTCOMES } from './collects.ts'
import { type Compared, typedValues } from './typed-values.ts'
import { checkAnswer, rulesOf, rulesOfType } from './values.ts'

/** The leaves of a tree, in order. */
export function leavesOf(condition: Condition | null): ConditionLeaf[] {
  if (!condition) return []
  if ('all' in condition) return condition.all.flatMap(leavesOf)
  if ('any' in condition) return condition.any.flatMap(leavesOf)
  return [condition]
}

export function leavesByBinding(flow: Flow): Map<string, ConditionLeaf[]> {
  const nodes = flow.pages.flatMap((page) => [page, ...page.widgets])
  return Map.groupBy(
    nodes.flatMap(({ showWhen }) => leavesOf(showWhen)),
    ({ binding }) => binding,
  )
}

/** Unset is the last resort: it is a class of its own only where no answer behaves the same. */
export const UNSET = undefined

export interface Answers {
  values: readonly unknown[]
  /** One place in `values` for each way in which the conditions can come out. */
  classes: readonly number[]
}

/** The answers to try at a binding: each legal for at least one of the widgets that ask, and unset. */
export function* answersFor(
  config: EventConfig,
  timezone: string,
  binding: string,
  widgets: readonly Widget[],
  leaves: readonly ConditionLeaf[],
): InParts<Answers> {
  const compared = comparedBy(leaves)
  const legal = widgets.flatMap((widget) => valuesFor(config, widget, binding, compared))
  const values = [...new Map(legal.map((value) => [JSON.stringify(value), value])).values(), UNSET]
  const accepted = (value: unknown) => widgets.map((widget) => isLegalAt(config, widget, binding, value))
  // Values that neither a condition nor a widget can tell apart are one class, named by the first of them.
  const classes = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    yield
    const outcomes = [...leaves.map((leaf) => conditionHolds(leaf, () => value, timezone)), ...accepted(value)]
    const key = outcomes.map(Number).join('')
    // Who is never spared the question has no way to leave it open.
    if (!classes.has(key) && accepted(value).includes(true)) classes.set(key, index)
  }
  return { values, classes: classes.size > 0 ? [...classes.values()] : [values.length - 1] }
}

/** Whether a widget that is shown lets the answer pass. */
export function isLegalAt(config: EventConfig, widget: Widget, binding: string, value: unknown): boolean {
  if (value === UNSET) return !collectedBy(config, widget).some((one) => one.binding === binding && one.required)
  if (widget.type === 'address')
    return binding !== '@participant.country' || !widget.countries || widget.countries.includes(value as string)
  if (widget.type !== 'field') return true
  if (widget.readOnly && widget.default !== null) return JSON.stringify(widget.default) === JSON.stringify(value)
  const rules = rulesOf(config, binding)
  return rules === null || checkAnswer(rules, widget, value, { country: config.details.venue?.country ?? null }) === null
}

function valuesFor(config: EventConfig, widget: Widget, binding: string, compared: Compared): unknown[] {
  if (widget.type === 'membershipLookup') return [...LOOKUP_OUTCOMES]
  if (widget.type === 'policy' || widget.type === 'sessions') return [true]
  if (widget.type === 'products') return quantities(config, binding, compared)
  if (widget.type === 'donation') return donations(widget.suggested, widget.minAmount, compared)
  if (widget.type === 'discountCode') return discountCodes(config, compared)
  if (widget.type === 'field' && widget.default !== null && widget.readOnly) return [widget.default]
  const rules = rulesOf(config, binding) ?? rulesOfType(typeBehind(config, binding))
  return typedValues(rules, widget.type === 'field' ? widget : null, compared).filter((value) => isLegalAt(config, widget, binding, value))
}

const typeBehind = (config: EventConfig, binding: string) => {
  const type = binding.startsWith('@housing.') ? bindingType(config, binding) : null
  return type === null || type === 'list' ? 'text' : type
}

function comparedBy(leaves: readonly ConditionLeaf[]): Compared {
  const values = leaves
    .filter(({ op }) => op !== 'contains')
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  const parts = leaves.filter(({ op }) => op === 'contains').flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  return { values: values.filter((value) => value !== undefined && value !== null), parts: [...new Set(parts.map(String))] }
}

function quantities(config: EventConfig, binding: string, { values }: Compared): number[] {
  const most = indexOf(config).products.get(binding.slice('@product.'.length))?.perPerson ?? 1
  const wanted = values.map(Number).flatMap((value) => [Math.floor(value), Math.floor(value) - 1, Math.floor(value) + 1])
  return [...new Set([1, ...wanted])].filter((quantity) => quantity >= 1 && quantity <= most)
}

function donations(suggested: readonly string[], minAmount: string | null, { values }: Compared): number[] {
  const least = Number(minAmount ?? 1)
  const wanted = values.map(Number).filter(Number.isFinite)
  const all = [...suggested.map(Number), least, ...wanted.flatMap((value) => [value, value - 1, value + 1])]
  return [...new Set(all)].filter((amount) => amount >= least && amount > 0)
}

const discountCodes = (config: EventConfig, { values }: Compared) => [
  ...values.filter((value) => typeof value === 'string'),
  ...config.discounts.filter(({ retired }) => !retired).map(({ code }) => code),
]
