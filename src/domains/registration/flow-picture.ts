import type { Condition, ConditionLeaf, TagRule } from '../../kernel/conditions.ts'
import { collectedBy, productsOf } from '../configuration/flow/collects.ts'
import { counted } from '../configuration/labels.ts'
import type { EventConfig, Flow, FlowPage } from '../configuration/schema/event-config.ts'
import { TERMINAL_TYPES, type WidgetType } from '../configuration/schema/widgets.ts'
import { labelOf } from './missing.ts'

export interface PicturedPage {
  code: string
  title: string
  /** What is asked or sold there, in few words. */
  holds: string
  /** Where the flow ends. */
  ends: boolean
}

/** Pages that follow each other for the same people: for everybody where `when` is null, else for those whom it describes. */
export interface Stretch {
  when: string | null
  pages: PicturedPage[]
}

/** The way through a flow as it can be drawn: pages in their order, and where only some people are led. */
export function pictureOf(config: EventConfig, flow: Flow): Stretch[] {
  const stretches: Stretch[] = []
  for (const page of flow.pages) {
    const when = whenInWords(config, page)
    const last = stretches.at(-1)
    if (last && last.when === when) last.pages.push(picturedPage(config, page))
    else stretches.push({ when, pages: [picturedPage(config, page)] })
  }
  return stretches
}

const picturedPage = (config: EventConfig, page: FlowPage): PicturedPage => ({
  code: page.code,
  title: page.title ?? page.code,
  holds: holdsOf(config, page).join(' · '),
  ends: page.widgets.some(({ type }) => TERMINAL_TYPES.includes(type)),
})

/** What people call the widgets that are no questions. */
const CALLED: Partial<Record<WidgetType, string>> = {
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

function holdsOf(config: EventConfig, { widgets }: FlowPage): string[] {
  const questions = widgets
    .flatMap((widget) => collectedBy(config, widget))
    .filter(({ binding }) => /^@(participant|custom)\./.test(binding)).length
  const products = new Set(
    widgets.flatMap((widget) => (widget.type === 'products' ? productsOf(config, widget).map(({ code }) => code) : [])),
  )
  const called = [...Map.groupBy(widgets, ({ type }) => CALLED[type])].flatMap(([noun, some]) =>
    noun === undefined ? [] : [some.length === 1 ? noun : counted(some.length, noun)],
  )
  return [
    ...(questions > 0 ? [counted(questions, 'question')] : []),
    ...(products.size > 0 ? [counted(products.size, 'product')] : []),
    ...called,
  ]
}

/** For whom something is shown, as people would say it; null where it is for everybody. */
export function whenInWords(
  config: EventConfig,
  { showWhen, visibleForTags }: { showWhen: Condition | null; visibleForTags: TagRule | null },
): string | null {
  const parts = [
    ...(visibleForTags ? [tagsInWords(config, visibleForTags)] : []),
    ...(showWhen ? [conditionInWords(config, showWhen)] : []),
  ].filter((part) => part !== '')
  return parts.length === 0 ? null : parts.join(' and ')
}

function tagsInWords({ tags }: EventConfig, { type, required }: TagRule): string {
  const names = required.map((code) => tags.find((tag) => tag.code === code)?.name ?? code)
  if (type === 'none') return `not ${names.join(' or ')}`
  return names.join(type === 'all' ? ' and ' : ' or ')
}

function conditionInWords(config: EventConfig, node: Condition): string {
  if ('binding' in node) return leafInWords(config, node)
  const [inner, word] = 'all' in node ? [node.all, ' and '] : [node.any, ' or ']
  return inner
    .map((one) => ('binding' in one || inner.length === 1 ? conditionInWords(config, one) : `(${conditionInWords(config, one)})`))
    .join(word)
}

const VERBS: Record<ConditionLeaf['op'], string> = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  contains: 'has',
  gt: 'is more than',
  lt: 'is less than',
  isSet: 'is given',
  isNotSet: 'is not given',
}

const ASKED: ReadonlySet<ConditionLeaf['op']> = new Set(['equals', 'in', 'contains'])

/** Of what is chosen and agreed to, how many is rarely what is meant. */
const IS_TAKEN: Record<string, string> = { product: 'is chosen', policy: 'is agreed to', session: 'is chosen' }

function leafInWords(config: EventConfig, { binding, op, value }: ConditionLeaf): string {
  const [entity = '', code] = binding.slice(1).split('.')
  if (binding === '@participant.tags') {
    const required = listOf(value).map(String)
    return op === 'notEquals' ? tagsInWords(config, { type: 'none', required }) : tagsInWords(config, { type: 'any', required })
  }
  const taken = IS_TAKEN[entity]
  if (taken && (op === 'isSet' || (op === 'gt' && value === 0) || value === true)) return `${labelOf(config, binding)} ${taken}`
  if (taken && op === 'isNotSet') return `${labelOf(config, binding)} ${taken.replace('is', 'is not')}`
  const choices = entity === 'custom' ? (config.customFields.find((field) => field.code === code)?.choices ?? []) : []
  const said = listOf(value).map((one) =>
    one === true ? 'yes' : one === false ? 'no' : (choices.find((choice) => choice.code === one)?.name ?? String(one)),
  )
  const label = labelOf(config, binding)
  // A question and its answer need no verb between them.
  const verb = label.endsWith('?') && ASKED.has(op) ? '' : VERBS[op]
  return [label, verb, said.join(', ')].filter((part) => part !== '').join(' ')
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])
