import { type Condition, type SingleCondition, isConditionMet } from '../../../kernel/conditions.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { findAnswerType } from '../data-fields.ts'
import type { EventConfig, Flow } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import { listCollectedAnswers, indexConfigByCode, LOOKUP_OUTCOMES } from './collected-answers.ts'
import { type ConditionComparisonValues, listValidAnswers } from './legal-answers.ts'
import { findAnswerErrorMessage, findQuestionRules, getResponseTypeRules } from './answer-rules.ts'

/** Lists the single comparisons of a nested condition, in order. */
export function listSingleConditions(condition: Condition | null): SingleCondition[] {
  if (!condition) return []
  if ('all' in condition) return condition.all.flatMap(listSingleConditions)
  if ('any' in condition) return condition.any.flatMap(listSingleConditions)
  return [condition]
}

export function groupConditionsByAnswerKey(flow: Flow): Map<string, SingleCondition[]> {
  const nodes = flow.pages.flatMap((page) => [page, ...page.widgets])
  return Map.groupBy(
    nodes.flatMap(({ showWhen }) => listSingleConditions(showWhen)),
    ({ binding }) => binding,
  )
}

/**
 * Stands for an unanswered question. It is the last of the possible answers, so it gets a class of its own only if every other answer has a
 * different effect on the conditions.
 */
export const NO_ANSWER = undefined

export interface AnswerEquivalenceClasses {
  values: readonly unknown[]
  /** Indexes into `values` of one representative answer for each combination of condition results. */
  classes: readonly number[]
}

/**
 * Lists the answers to try for a binding (question): no answer, and values that at least one of its widgets accepts. Groups answers with
 * the same effect on all conditions.
 */
export function* classifyAnswers(
  config: EventConfig,
  timezone: string,
  binding: string,
  widgets: readonly Widget[],
  leaves: readonly SingleCondition[],
): CooperativeTask<AnswerEquivalenceClasses> {
  const compared = collectOperands(leaves)
  const legal = widgets.flatMap((widget) => listCandidateValues(config, widget, binding, compared))
  const values = [...new Map(legal.map((value) => [JSON.stringify(value), value])).values(), NO_ANSWER]
  const accepted = (value: unknown) => widgets.map((widget) => isAnswerAcceptedByWidget(config, widget, binding, value))
  // Values that all conditions and widgets treat alike form one class, represented by the first of them.
  const classes = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    yield
    const outcomes = [...leaves.map((leaf) => isConditionMet(leaf, () => value, timezone)), ...accepted(value)]
    const key = outcomes.map(Number).join('')
    // A required question cannot be left unanswered.
    if (!classes.has(key) && accepted(value).includes(true)) classes.set(key, index)
  }
  return { values, classes: classes.size > 0 ? [...classes.values()] : [values.length - 1] }
}

/** Whether a visible widget accepts the answer. */
export function isAnswerAcceptedByWidget(config: EventConfig, widget: Widget, binding: string, value: unknown): boolean {
  if (value === NO_ANSWER) return !listCollectedAnswers(config, widget).some((one) => one.binding === binding && one.required)
  if (widget.type === 'address')
    return binding !== '@participant.country' || !widget.countries || widget.countries.includes(value as string)
  if (widget.type !== 'field') return true
  if (widget.readOnly && widget.default !== null) return JSON.stringify(widget.default) === JSON.stringify(value)
  const rules = findQuestionRules(config, binding)
  return rules === null || findAnswerErrorMessage(rules, widget, value, { country: config.details.venue?.country ?? null }) === null
}

function listCandidateValues(config: EventConfig, widget: Widget, binding: string, compared: ConditionComparisonValues): unknown[] {
  if (widget.type === 'membershipLookup') return [...LOOKUP_OUTCOMES]
  if (widget.type === 'policy' || widget.type === 'sessions') return [true]
  if (widget.type === 'products') return quantities(config, binding, compared)
  if (widget.type === 'donation') return donations(widget.suggested, widget.minAmount, compared)
  if (widget.type === 'discountCode') return discountCodes(config, compared)
  if (widget.type === 'field' && widget.default !== null && widget.readOnly) return [widget.default]
  const rules = findQuestionRules(config, binding) ?? getResponseTypeRules(typeBehind(config, binding))
  return listValidAnswers(rules, widget.type === 'field' ? widget : null, compared).filter((value) =>
    isAnswerAcceptedByWidget(config, widget, binding, value),
  )
}

const typeBehind = (config: EventConfig, binding: string) => {
  const type = binding.startsWith('@housing.') ? findAnswerType(config, binding) : null
  return type === null || type === 'list' ? 'text' : type
}

function collectOperands(leaves: readonly SingleCondition[]): ConditionComparisonValues {
  const values = leaves
    .filter(({ op }) => op !== 'contains')
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  const parts = leaves.filter(({ op }) => op === 'contains').flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  return { values: values.filter((value) => value !== undefined && value !== null), parts: [...new Set(parts.map(String))] }
}

function quantities(config: EventConfig, binding: string, { values }: ConditionComparisonValues): number[] {
  const most = indexConfigByCode(config).products.get(binding.slice('@product.'.length))?.perPerson ?? 1
  const wanted = values.map(Number).flatMap((value) => [Math.floor(value), Math.floor(value) - 1, Math.floor(value) + 1])
  return [...new Set([1, ...wanted])].filter((quantity) => quantity >= 1 && quantity <= most)
}

function donations(suggested: readonly string[], minAmount: string | null, { values }: ConditionComparisonValues): number[] {
  const least = Number(minAmount ?? 1)
  const wanted = values.map(Number).filter(Number.isFinite)
  const all = [...suggested.map(Number), least, ...wanted.flatMap((value) => [value, value - 1, value + 1])]
  return [...new Set(all)].filter((amount) => amount >= least && amount > 0)
}

const discountCodes = (config: EventConfig, { values }: ConditionComparisonValues) => [
  ...values.filter((value) => typeof value === 'string'),
  ...config.discounts.filter(({ retired }) => !retired).map(({ code }) => code),
]
