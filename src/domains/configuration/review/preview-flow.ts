import { z } from 'zod'
import { dayOrInstant } from '../schema/builders.ts'
import { flag, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import { type Condition, isConditionMet, type TagRule, isTagRuleMet } from '../../../kernel/conditions.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { isCalendarDay, startOfDay } from '../../../kernel/time.ts'
import { getAnswerTypeLookup, listParticipantDataFields } from '../data-fields.ts'
import { indexConfigByCode } from '../flow/collected-answers.ts'
import { isPriceInForce } from '../flow/prices.ts'
import { type HiddenFlowElement, type OfferedProduct, type FlowEvaluation, evaluateFlow } from '../flow/walk.ts'
import { formatCondition, findLabel } from '../labels.ts'
import type { Flow, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import {
  isWidgetInputRequired,
  getDirectoryConnectionFacts,
  joinWithAnd,
  buildFlowReviewContext,
  type ReviewContext,
  describeWidget,
} from './context.ts'

const DescribedParticipant = object({
  tags: list(text(63), 300).default([]),
  answers: z.record(z.string(), z.unknown()).default({}),
  asOf: dayOrInstant().optional(),
})
export type PreviewedParticipant = z.output<typeof DescribedParticipant>

/** Parses the description of a participant: tags, answers, and the date of the visit. */
export function parseParticipantDescription({ config }: ReviewContext, described: unknown): PreviewedParticipant {
  const parsed = DescribedParticipant.safeParse(described)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => ({ path: ['personJson', ...path.map(String)].join('/'), message }))
    throw invalidArguments(
      wrong.map((one) => ({ ...one, message: `${one.message}; use the form {"tags":["member"],"answers":{"@custom.diet":"vegan"}}` })),
    )
  }
  const { tags, answers, asOf } = parsed.data
  const given = Object.fromEntries(Object.entries(answers).map(([name, value]) => [name.startsWith('@') ? name : `@${name}`, value]))
  const typeOf = getAnswerTypeLookup(config)
  const isKnown = (binding: string) => typeOf(binding) !== null || /^@(lookup|directory|group|invite)\./.test(binding)
  const wrong = [
    ...unknown(
      tags,
      config.tags.map(({ code }) => code),
      'tag',
      'personJson/tags',
    ),
    ...unknown(
      Object.keys(given).filter((binding) => !isKnown(binding)),
      listParticipantDataFields(config).map(({ binding }) => binding),
      'data field',
      'personJson/answers',
    ),
  ]
  if (wrong.length > 0) throw invalidArguments(wrong)
  return { tags, answers: given, ...(asOf === undefined ? {} : { asOf }) }
}

const unknown = (names: readonly string[], known: readonly string[], what: string, path: string): FieldError[] =>
  names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = findMostSimilarName(name, known)
      return { path, message: `No ${what} ${JSON.stringify(name.slice(0, 80))}${near ? ` — did you mean ${near}?` : ''}` }
    })

export const FlowPreview = object({
  pages: list(object({ slug: text(), widgets: list(object({ key: text(), label: z.string(), required: flag() })) })),
  products: list(object({ code: text(), name: z.string(), price: money().optional(), reason: z.string().optional() }), 2000),
  hidden: list(object({ kind: oneOf(['page', 'widget', 'product']), key: text(), because: z.string() }), 5000),
})
export type FlowPreview = z.input<typeof FlowPreview>

/** Returns the pages, widgets and prices that a flow shows to one participant, and the reason for everything hidden. */
export function previewFlow(context: ReviewContext, flow: Flow, { tags, answers, asOf }: PreviewedParticipant): FlowPreview {
  const { config, facts } = context
  const { timezone } = facts
  const now = asOf === undefined ? facts.now : isCalendarDay(asOf) ? startOfDay(timezone, asOf) : new Date(asOf)
  const hidden: FlowPreview['hidden'] = []
  const onHidden = (one: HiddenFlowElement) =>
    void hidden.push({ kind: one.kind, key: one.key, because: explainWhyElementIsHidden(one, { at: now, timezone }) })
  const walk = evaluateFlow(config, flow, { answers, tags, timezone, now, connections: getDirectoryConnectionFacts(context), onHidden })
  if (!walk.open) {
    const why = describeRule(flow.visibleForTags!)
    return { pages: [], products: [], hidden: flow.pages.map(({ code }) => ({ kind: 'page', key: code, because: `the flow is ${why}` })) }
  }
  const shown = new Set(walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.map(({ code }) => code))))
  return {
    pages: pagesIn(context, flow, walk),
    products: productsIn(context, walk),
    // A product hidden in one widget may be offered in another.
    hidden: hidden.filter(({ kind, key }) => kind !== 'product' || !shown.has(key)),
  }
}

function pagesIn(context: ReviewContext, flow: Flow, { pages }: FlowEvaluation): FlowPreview['pages'] {
  const widgetElements = new Map(buildFlowReviewContext(context, flow).widgetElements.map((element) => [element.widget.id, element]))
  return pages
    .filter(({ visible }) => visible)
    .map(({ code, widgets }) => ({
      slug: code,
      widgets: widgets
        .filter(({ visible }) => visible)
        .map(({ id, required }) => {
          const element = widgetElements.get(id)!
          return { key: id, label: labelIn(context, element.widget), required: required.length > 0 || isWidgetInputRequired(element) }
        }),
    }))
}

function labelIn(context: ReviewContext, widget: Widget): string {
  if (widget.type === 'field' || widget.type === 'policy') return describeWidget(context, widget).replaceAll('"', '')
  const label = findLabel(widget)
  return label === null || label === widget.id ? describeWidget(context, widget) : label
}

function productsIn({ config, facts }: ReviewContext, { pages }: FlowEvaluation): FlowPreview['products'] {
  const offers = pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products))
  const once = new Map(offers.map((offer) => [offer.code, offer]))
  return [...once.values()].map((offer) => {
    const product = indexConfigByCode(config).products.get(offer.code)!
    const reason = explainPrice(product, offer)
    return {
      code: offer.code,
      name: product.name,
      ...(offer.amount === null ? {} : { price: { amount: offer.amount, currency: facts.currency } }),
      ...(reason === null ? {} : { reason }),
    }
  })
}

/** Explains why the participant gets this price of several that the product has; null if it has only one. */
function explainPrice({ prices }: Product, { row }: OfferedProduct): string | null {
  if (row === null) return 'the participant chooses the amount'
  const { tags, from, until } = prices[row]!
  if (prices.length === 1) return null
  const parts = [
    ...(tags.length > 0 ? [`for ${tags.join(', ')}`] : []),
    ...(from ? [`from ${from}`] : []),
    ...(until ? [`until ${until}`] : []),
  ]
  return [`row ${row + 1}`, ...parts].join(' ')
}

interface EvaluationTime {
  at: Date
  timezone: string
}

/** Explains in words why a page, widget or product was hidden. */
export function explainWhyElementIsHidden(
  { rule, condition, product, tags, answer }: HiddenFlowElement,
  { at, timezone }: EvaluationTime,
): string {
  if (rule && !isTagRuleMet(rule, tags)) return describeRule(rule)
  const failing = condition && findFailingPart(condition, answer, timezone)
  if (failing) return `${formatCondition(failing)} does not hold`
  const inForce = product?.prices.filter((price) => isPriceInForce(price, at, timezone)) ?? []
  if (inForce.length === 0) return 'it has no price at that time'
  return `its prices are only for participants with ${joinWithAnd([...new Set(inForce.flatMap((price) => price.tags))])}`
}

/** Finds the smallest failing part of a condition: the first failing member of an `all`, or the whole of an `any`. */
function findFailingPart(condition: Condition, answer: (binding: string) => unknown, timezone: string): Condition | null {
  if (isConditionMet(condition, answer, timezone)) return null
  if (!('all' in condition)) return condition
  for (const inner of condition.all) {
    const failing = findFailingPart(inner, answer, timezone)
    if (failing) return failing
  }
  return condition
}

const RULES: Record<TagRule['type'], string> = {
  all: 'only for participants with the tags',
  any: 'only for participants with one of the tags',
  none: 'not for participants with the tags',
}

const describeRule = ({ type, required }: TagRule) => `${RULES[type]} ${required.join(', ')}`
