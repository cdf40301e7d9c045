import type { Condition, SingleCondition, TagRule } from '../../../kernel/conditions.ts'
import { listCollectedAnswers, listWidgetProducts } from '../../configuration/flow/collected-answers.ts'
import { formatCount } from '../../configuration/labels.ts'
import type { EventConfig, Flow, FlowPage } from '../../configuration/schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES, type WidgetType } from '../../configuration/schema/widgets.ts'
import { getQuestionLabel } from '../missing-fields.ts'

export interface DiagramPage {
  code: string
  title: string
  /** A short summary of the questions and products on the page. */
  summary: string
  /** Whether the flow ends on this page. */
  isFinal: boolean
}

/** Consecutive pages with the same visibility condition. `when` describes which participants see them; null means every participant. */
export interface DiagramSection {
  when: string | null
  pages: DiagramPage[]
}

/** Groups the pages of a flow, in order, by their visibility condition, for the diagram of the flow. */
export function buildFlowDiagram(config: EventConfig, flow: Flow): DiagramSection[] {
  const sections: DiagramSection[] = []
  for (const page of flow.pages) {
    const when = describeVisibilityCondition(config, page)
    const last = sections.at(-1)
    if (last && last.when === when) last.pages.push(toDiagramPage(config, page))
    else sections.push({ when, pages: [toDiagramPage(config, page)] })
  }
  return sections
}

const toDiagramPage = (config: EventConfig, page: FlowPage): DiagramPage => ({
  code: page.code,
  title: page.title ?? page.code,
  summary: summarizeWidgets(config, page).join(' · '),
  isFinal: page.widgets.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type)),
})

/** Labels of the widgets that are not questions. */
const WIDGET_LABELS: Partial<Record<WidgetType, string>> = {
  donation: 'donation',
  sessions: 'choice of sessions',
  guests: 'guest list',
  housing: 'hotel',
  group: 'group',
  boothRequest: 'booth',
  policy: 'agreement',
  membershipLookup: 'lookup',
  discountCode: 'discount code',
  payment: 'payment',
}

function summarizeWidgets(config: EventConfig, { widgets }: FlowPage): string[] {
  const questions = widgets
    .flatMap((widget) => listCollectedAnswers(config, widget))
    .filter(({ binding }) => /^@(participant|custom)\./.test(binding)).length
  const products = new Set(
    widgets.flatMap((widget) => (widget.type === 'products' ? listWidgetProducts(config, widget).map(({ code }) => code) : [])),
  )
  const called = [...Map.groupBy(widgets, ({ type }) => WIDGET_LABELS[type])].flatMap(([noun, some]) =>
    noun === undefined ? [] : [some.length === 1 ? noun : formatCount(some.length, noun)],
  )
  return [
    ...(questions > 0 ? [formatCount(questions, 'question')] : []),
    ...(products.size > 0 ? [formatCount(products.size, 'product')] : []),
    ...called,
  ]
}

/** Describes in words which participants see a page or widget; null if every participant does. */
export function describeVisibilityCondition(
  config: EventConfig,
  { showWhen, visibleForTags }: { showWhen: Condition | null; visibleForTags: TagRule | null },
): string | null {
  const parts = [
    ...(visibleForTags ? [describeTags(config, visibleForTags)] : []),
    ...(showWhen ? [describeCondition(config, showWhen)] : []),
  ].filter((part) => part !== '')
  return parts.length === 0 ? null : parts.join(' and ')
}

function describeTags({ tags }: EventConfig, { type, required }: TagRule): string {
  const names = required.map((code) => tags.find((tag) => tag.code === code)?.name ?? code)
  if (type === 'none') return `not ${names.join(' or ')}`
  return names.join(type === 'all' ? ' and ' : ' or ')
}

function describeCondition(config: EventConfig, node: Condition): string {
  if ('binding' in node) return describeConditionLeaf(config, node)
  const [inner, word] = 'all' in node ? [node.all, ' and '] : [node.any, ' or ']
  return inner
    .map((one) => ('binding' in one || inner.length === 1 ? describeCondition(config, one) : `(${describeCondition(config, one)})`))
    .join(word)
}

const VERBS: Record<SingleCondition['op'], string> = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  contains: 'has',
  gt: 'is more than',
  lt: 'is less than',
  isSet: 'is given',
  isNotSet: 'is not given',
}

const OPERATORS_WITHOUT_VERB: ReadonlySet<SingleCondition['op']> = new Set(['equals', 'in', 'contains'])

/** Phrases for conditions on products, policies and sessions, most of which only test whether the item was selected. */
const SELECTED_PHRASES: Record<string, string> = { product: 'is chosen', policy: 'is agreed to', session: 'is chosen' }

function describeConditionLeaf(config: EventConfig, { binding, op, value }: SingleCondition): string {
  const [entity = '', code] = binding.slice(1).split('.')
  if (binding === '@participant.tags') {
    const required = listOf(value).map(String)
    return op === 'notEquals' ? describeTags(config, { type: 'none', required }) : describeTags(config, { type: 'any', required })
  }
  const taken = SELECTED_PHRASES[entity]
  if (taken && (op === 'isSet' || (op === 'gt' && value === 0) || value === true)) return `${getQuestionLabel(config, binding)} ${taken}`
  if (taken && op === 'isNotSet') return `${getQuestionLabel(config, binding)} ${taken.replace('is', 'is not')}`
  const choices = entity === 'custom' ? (config.customFields.find((field) => field.code === code)?.choices ?? []) : []
  const values = listOf(value).map((one) =>
    one === true ? 'yes' : one === false ? 'no' : (choices.find((choice) => choice.code === one)?.name ?? String(one)),
  )
  const label = getQuestionLabel(config, binding)
  // A label that ends with a question mark gets no verb, for example "Are you a member? yes".
  const verb = label.endsWith('?') && OPERATORS_WITHOUT_VERB.has(op) ? '' : VERBS[op]
  return [label, verb, values.join(', ')].filter((part) => part !== '').join(' ')
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])
