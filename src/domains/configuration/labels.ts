import type { Condition, SingleCondition } from '../../kernel/conditions.ts'
import { isJsonObject } from './pointers.ts'
import { htmlToPlainText } from './rich-text.ts'
import { type ConfigNode, resolveUnionNode } from './schema/nodes.ts'

/** One-line labels and summaries for locations of the document. */

const MAX_LABEL = 60
const MAX_SUMMARY = 120

export const truncate = (text: string, max: number) =>
  text.length > max
    ? `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
    : text

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Properties that name an item for users, most descriptive first. */
const NAMES = [
  'name',
  'title',
  'label',
  'text',
  'subject',
  'caption',
  'body',
  'html',
  'markdown',
  'binding',
  'policy',
  'product',
  'url',
] as const
const KEYS = ['code', 'slug', 'id'] as const

/** Finds the property whose value is the label of an item; null if the item has neither a name nor a key. */
export const findLabelKey = (item: Record<string, unknown>): string | null =>
  [...NAMES, ...KEYS].find((name) => typeof item[name] === 'string' && item[name] !== '') ?? null

export function findLabel(item: unknown): string | null {
  const name = isJsonObject(item) ? findLabelKey(item) : null
  // Rich texts may be long, so only the first words become the label.
  return name === null ? null : truncate(flat(htmlToPlainText(String((item as Record<string, unknown>)[name]).slice(0, 500))), MAX_LABEL)
}

export interface ValueSummaryOptions {
  currency: string
}

/** Summarizes a value in one line: name, type, price and counts of an item, or the value itself. */
export const summarizeConfigValue = (node: ConfigNode, value: unknown, options: ValueSummaryOptions): string =>
  truncate(describeInLine(resolveUnionNode(node, value), value, options), MAX_SUMMARY)

function describeInLine(node: ConfigNode, given: unknown, options: ValueSummaryOptions): string {
  const value = given === undefined ? node.default : given
  if (value === undefined) return 'missing'
  if (value === null) return 'not set'
  if (node.annotations.condition) return formatCondition(value as Condition)
  if (Array.isArray(value)) return describeList(value)
  if (node.kind === 'record' && isJsonObject(value)) return describeRecord(value)
  if (isJsonObject(value)) return describeObject(node, value, options)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (node.annotations.amount) return `${value} ${options.currency}`
  return flat(node.annotations.html ? htmlToPlainText(value.slice(0, 2000)) : value.slice(0, 2000))
}

const MAX_LISTED = 4
const joinFew = <T>(items: readonly T[], name: (item: T) => string = String) =>
  items.slice(0, MAX_LISTED).map(name).join(', ') + (items.length > MAX_LISTED ? ` and ${items.length - MAX_LISTED} more` : '')

const describeList = (items: readonly unknown[]) =>
  items.length === 0 ? 'empty' : joinFew(items, (item) => (isJsonObject(item) ? (findLabel(item) ?? joinScalars(item)) : String(item)))

/** Describes an item that has no name, such as a price, by listing its scalar values. */
const joinScalars = (item: Record<string, unknown>) =>
  Object.values(item)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ')

/** Summarizes translations by language. The keys within one language are long pointers, so only their number is shown. */
const describeRecord = (entries: Record<string, unknown>) => {
  const keys = Object.keys(entries)
  if (keys.length === 0) return 'empty'
  return keys[0]!.startsWith('/') ? formatCount(keys.length, 'text') : joinFew(keys.sort())
}

/** Properties that state the type or category of an item. */
const CLASSIFYING_KEYS = ['type', 'kind', 'category', 'responseType', 'trigger', 'binding'] as const

function describeObject(node: ConfigNode, item: Record<string, unknown>, options: ValueSummaryOptions): string {
  const label = findLabel(item)
  const sorts = CLASSIFYING_KEYS.map((name) => item[name]).filter((sort): sort is string => typeof sort === 'string' && sort !== label)
  const parts = [
    ...(label === null ? [] : [label]),
    ...sorts,
    ...pricesIn(item, options),
    ...timesIn(item),
    ...countsIn(item),
    ...flagsIn(item),
  ]
  if (parts.length > 0) return parts.join(' · ')
  const set = node.kind === 'object' ? [...node.fields.keys()].filter((name) => item[name] !== undefined) : Object.keys(item)
  return set.length === 0 ? 'defaults' : joinFew(set)
}

function pricesIn({ prices, amount, rate, value, kind }: Record<string, unknown>, { currency }: ValueSummaryOptions): string[] {
  if (typeof amount === 'string') return [`${amount} ${currency}`]
  if (typeof rate === 'string') return [`${rate} %`]
  if (typeof value === 'string' && (kind === 'percent' || kind === 'amount'))
    return [kind === 'percent' ? `${value} %` : `${value} ${currency}`]
  if (!Array.isArray(prices) || prices.length === 0) return []
  const amounts = prices.flatMap((price) => (isJsonObject(price) && typeof price.amount === 'string' ? [price.amount] : []))
  const [least, most] = [Math.min(...amounts.map(Number)), Math.max(...amounts.map(Number))]
  const written = (wanted: number) => amounts.find((one) => Number(one) === wanted)
  return [least === most ? `${written(least)} ${currency}` : `${written(least)} to ${written(most)} ${currency}`]
}

const TIMES = [
  ['from', 'from'],
  ['until', 'until'],
  ['startsOn', 'from'],
  ['endsOn', 'to'],
  ['opensAt', 'opens'],
  ['closesAt', 'closes'],
] as const

const timesIn = (item: Record<string, unknown>): string[] =>
  TIMES.flatMap(([name, word]) => (typeof item[name] === 'string' ? [`${word} ${item[name].replace(/T00:00:00(\.000)?Z$/, '')}`] : []))

const COUNTED = ['pages', 'widgets', 'blocks', 'questions', 'choices', 'items', 'components', 'types', 'rules'] as const

function countsIn(item: Record<string, unknown>): string[] {
  const counts = COUNTED.flatMap((name) =>
    Array.isArray(item[name]) && item[name].length > 0 ? [formatCount(item[name].length, name.slice(0, -1))] : [],
  )
  const { pages, capacity, tags } = item
  const widgets = Array.isArray(pages)
    ? pages.reduce((sum: number, page) => sum + (isJsonObject(page) && Array.isArray(page.widgets) ? page.widgets.length : 0), 0)
    : 0
  return [
    ...counts,
    ...(widgets > 0 ? [formatCount(widgets, 'widget')] : []),
    ...(typeof capacity === 'number' ? [`capacity ${capacity}`] : []),
    ...(Array.isArray(tags) && tags.length > 0 ? [`for ${joinFew(tags)}`] : []),
  ]
}

const FLAGS = ['required', 'retired', 'inviteOnly', 'waitlist'] as const
const flagsIn = (item: Record<string, unknown>): string[] => [
  ...FLAGS.filter((name) => item[name] === true).map((name) => (name === 'inviteOnly' ? 'by invitation' : name)),
  ...(item.enabled === false ? ['disabled'] : []),
]

const IRREGULAR: Record<string, string> = { policy: 'policies', category: 'categories', tax: 'taxes' }
export const formatCount = (count: number, noun: string) => `${count} ${count === 1 ? noun : (IRREGULAR[noun] ?? `${noun}s`)}`

/** Formats a condition: `@custom.diet equals vegan and (…)`. */
export function formatCondition(node: Condition): string {
  for (const [key, word] of [
    ['all', ' and '],
    ['any', ' or '],
  ] as const) {
    const inner = (node as Record<string, unknown>)[key]
    if (Array.isArray(inner))
      return (inner as Condition[]).map((one) => ('binding' in one ? formatCondition(one) : `(${formatCondition(one)})`)).join(word)
  }
  const { binding, op, value } = node as SingleCondition
  const shown = value === undefined || value === null ? '' : ` ${Array.isArray(value) ? value.join(', ') : String(value)}`
  return `${binding} ${op}${shown}`
}
