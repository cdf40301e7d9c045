import fc from 'fast-check'
import type { EventConfig } from '../../schema/event-config.ts'
import { evaluateFlow, type FlowEvaluation } from '../walk.ts'
import { choices, configOf, field, flowOf, NOW, type PageInput, type WidgetInput, ZONE } from './fixtures.ts'

/** Questions of every type that conditions compare, with answers that cover every comparison in the generated conditions. */
const QUESTIONS = {
  '@custom.kind': { values: ['a', 'b', 'c'], compared: ['a', 'b', 'c'], ops: ['equals', 'notEquals', 'in', 'isSet', 'isNotSet'] },
  '@custom.first': { values: [true, false], compared: [true, false], ops: ['equals', 'notEquals', 'isSet'] },
  '@custom.age': { values: [0, 1, 2, 3], compared: [0, 1, 2, 3], ops: ['equals', 'gt', 'lt', 'notEquals', 'isNotSet'] },
  '@custom.likes': { values: [['x'], ['y'], ['x', 'y']], compared: ['x', 'y'], ops: ['contains', 'equals', 'notEquals', 'in', 'isSet'] },
  '@participant.company': {
    values: ['Acme', 'Acme x', 'Other', 'Acme Oil', 'Oil'],
    compared: ['Acme', 'Oil'],
    ops: ['equals', 'contains', 'notEquals', 'isSet'],
  },
} as const
type Binding = keyof typeof QUESTIONS
const BINDINGS = Object.keys(QUESTIONS) as Binding[]
const TAGS = ['vip', 'member']

const leafOf = (bindings: readonly Binding[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...bindings).chain(questionLeaf) },
    {
      weight: 1,
      arbitrary: fc.record({ binding: fc.constant('@participant.tags'), op: fc.constant('contains'), value: fc.constantFrom(...TAGS) }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { binding: '@participant.tags', op: 'isSet' },
        { binding: '@product.gala', op: 'gt', value: 0 },
        { binding: '@flow.slug', op: 'equals', value: 'attendee' },
      ),
    },
  )

const questionLeaf = (binding: Binding) => {
  const { ops, compared } = QUESTIONS[binding]
  return fc
    .record({ op: fc.constantFrom(...ops), value: fc.constantFrom(...compared), other: fc.constantFrom(...compared) })
    .map(({ op, value, other }) => {
      if (op === 'isSet' || op === 'isNotSet') return { binding, op }
      return { binding, op, value: op === 'in' ? [value, other] : value }
    })
}

const treeOf = (bindings: readonly Binding[], depth: number): fc.Arbitrary<object> => {
  const inner =
    depth <= 1
      ? leafOf(bindings)
      : fc.oneof({ weight: 2, arbitrary: leafOf(bindings) as fc.Arbitrary<object> }, { weight: 1, arbitrary: treeOf(bindings, depth - 1) })
  return fc
    .record({ key: fc.constantFrom('all', 'any'), nodes: fc.array(inner, { minLength: depth === 3 ? 1 : 0, maxLength: 3 }) })
    .map(({ key, nodes }) => ({ [key]: nodes }))
}

const ruleOf = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('all', 'any', 'none'), required: fc.subarray(TAGS, { minLength: 1 }) }) },
)
const rulesOf = (bindings: readonly Binding[]) =>
  fc.record({ showWhen: fc.option(treeOf(bindings, 3), { freq: 2 }), visibleForTags: ruleOf })

const widgetOf = (bindings: readonly Binding[]): fc.Arbitrary<Record<string, unknown>> => {
  const questions = fc
    .record({ binding: fc.constantFrom(...bindings), required: fc.boolean(), short: fc.boolean() })
    .map(({ binding, required, short }) => ({
      ...field('x', binding, { required }),
      ...(short && binding === '@custom.kind' ? { choices: ['a', 'b'] } : {}),
      ...(short && binding === '@custom.age' ? { min: 1 } : {}),
    }))
  const others = fc.constantFrom<Record<string, unknown>[]>(
    { type: 'divider' },
    { type: 'divider' },
    { type: 'products', products: ['gala'] },
    { type: 'products', products: ['gala'], min: 1 },
    { type: 'membershipLookup', connection: 'crm', inputs: ['email'], memberTags: ['member'], required: true, onNotFound: 'block' },
  )
  return fc.oneof({ weight: 3, arbitrary: questions }, { weight: 2, arbitrary: others as fc.Arbitrary<never> })
}

/** Generates small flows with nested conditions, questions asked twice, later or never, tags, a product that gives a tag, and lookups. */
export const randomConfig: fc.Arbitrary<EventConfig> = fc.subarray(BINDINGS, { minLength: 1, maxLength: 3 }).chain((bindings) =>
  fc
    .record({
      pages: fc.array(
        fc.record({
          rules: rulesOf(bindings),
          widgets: fc.array(fc.tuple(widgetOf(bindings), rulesOf(bindings)), { minLength: 1, maxLength: 3, size: 'max' }),
        }),
        { minLength: 2, maxLength: 3, size: 'max' },
      ),
      visibleForTags: ruleOf,
      addsTags: fc.constantFrom<string[]>([], [], ['vip']),
    })
    .map(({ pages, ...flow }) => build(pages, flow)),
)

type RandomPage = { rules: object; widgets: [Record<string, unknown>, object][] }

function build(pages: RandomPage[], flow: object): EventConfig {
  const only = onceOf()
  const built = pages.map(({ rules, widgets }, page): PageInput => {
    const kept = widgets.filter(([widget]) => only(widget['type'] as string))
    // No answers are known on the first page, so a condition there would always have the same result.
    return {
      code: `p${page}`,
      ...rules,
      ...(page === 0 ? { showWhen: null } : {}),
      widgets: kept.map(([widget, own], index) => ({ ...widget, id: `w${page}-${index}`, ...own }) as WidgetInput),
    }
  })
  return configOf({
    tags: TAGS.map((code) => ({ code, name: code })),
    customFields: [
      { code: 'kind', name: 'Kind', responseType: 'choice', choices: choices('a', 'b', 'c') },
      { code: 'first', name: 'First', responseType: 'boolean' },
      { code: 'age', name: 'Age', responseType: 'number', integer: true, min: 0, max: 3 },
      { code: 'likes', name: 'Likes', responseType: 'multiChoice', choices: choices('x', 'y') },
    ],
    products: [
      {
        code: 'gala',
        name: 'Gala',
        category: 'other',
        prices: [{ amount: '10.00' }, { amount: '8.00', tags: ['member'] }],
        addsTags: ['vip'],
      },
    ],
    flows: [flowOf(built, flow as never)],
  })
}

// Generates at most one products widget and one lookup, to keep the number of combinations small.
function onceOf() {
  const seen = new Set<string>()
  return (type: string) => {
    if (type !== 'products' && type !== 'membershipLookup') return true
    const fresh = !seen.has(type)
    seen.add(type)
    return fresh
  }
}

/**
 * Lists what a participant saw and paid, as in "w1-0 shown" or "gala bought at row 1", up to the page where a lookup blocked them; null if
 * they could not complete the flow.
 */
export function outcomesOf(config: EventConfig, answers: Record<string, unknown>, tags: readonly string[]): string[] | null {
  const walk = evaluateFlow(config, config.flows[0]!, { answers, tags, now: NOW, timezone: ZONE })
  if (!walk.open || walk.missing.some(({ why }) => why !== 'lookupFailed') || refuses(config, walk)) return null
  return seenIn(walk)
}

function seenIn({ pages, missing }: FlowEvaluation): string[] {
  const stop = missing.length > 0 ? pages.findIndex(({ code }) => code === missing[0]!.page) : pages.length
  const word = (visible: boolean) => (visible ? 'shown' : 'hidden')
  const bought = pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.filter(({ quantity }) => quantity > 0)))
  return [
    ...pages
      .slice(0, stop + 1)
      .flatMap((page) => [`${page.code} ${word(page.visible)}`, ...page.widgets.map(({ id, visible }) => `${id} ${word(visible)}`)]),
    ...(missing.length > 0 ? [] : bought.map(({ code, row }) => `${code} bought at row ${row}`)),
  ]
}

/** Collects the outcomes of every possible participant. */
export function bruteForce(config: EventConfig): Set<string> {
  const widgets = config.flows[0]!.pages.flatMap((page) => page.widgets)
  const asked = new Set(widgets.flatMap((widget) => (widget.type === 'field' ? [widget.binding as Binding] : [])))
  const axes: [string, readonly unknown[]][] = [...asked].map((binding) => [binding, [undefined, ...QUESTIONS[binding].values]])
  for (const widget of widgets) {
    if (widget.type === 'products') axes.push(['@product.gala', [undefined, 1]])
    if (widget.type === 'membershipLookup') axes.push([`@lookup.${widget.id}`, ['found', 'notFound', 'error']])
  }
  const people = axes.reduce<Record<string, unknown>[]>(
    (all, [binding, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [binding]: value }))),
    [{}],
  )
  const reached = new Set<string>()
  for (const tags of [[], ['vip'], ['member'], ['vip', 'member']]) {
    for (const answers of people) for (const outcome of outcomesOf(config, answers, tags) ?? []) reached.add(outcome)
  }
  return reached
}

/** Whether a visible widget rejects the answer because it has fewer choices or a higher minimum than another widget. */
function refuses(config: EventConfig, walk: FlowEvaluation): boolean {
  const shown = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter(({ visible }) => visible).map(({ id }) => id)))
  return config.flows[0]!.pages.some((page) =>
    page.widgets.some((widget) => {
      if (widget.type !== 'field' || !shown.has(widget.id)) return false
      const value = walk.answer(widget.binding)
      if (value === undefined) return false
      return (
        (widget.choices !== null && !widget.choices.includes(value as string)) ||
        (typeof widget.min === 'number' && (value as number) < widget.min)
      )
    }),
  )
}
