import type { Condition, ConditionLeaf } from '../../kernel/conditions.ts'
import { isRecord } from './pointers.ts'
import { plainText } from './rich-text.ts'
import { type ConfigNode, nodeFor } from './schema/nodes.ts'

/** What places of the document are called in one short line. */

const MAX_LABEL = 60
const MAX_SUMMARY = 120

export const cutTo = (text: string, max: number) =>
  text.length > max
    ? `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
    : text

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

/** What people know an item by, the most telling first. */
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

/** Which of its keys an item is called by; null for what has neither a name nor a key. */
export const labelKeyOf = (item: Record<string, unknown>): string | null =>
  [...NAMES, ...KEYS].find((name) => typeof item[name] === 'string' && item[name] !== '') ?? null

/** What an item is called. */
export function labelOf(item: unknown): string | null {
  const name = isRecord(item) ? labelKeyOf(item) : null
  // Rich texts may be long, and their first words are all that is shown.
  return name === null ? null : cutTo(flat(plainText(String((item as Record<string, unknown>)[name]).slice(0, 500))), MAX_LABEL)
}

export interface Saying {
  currency: string
}

/** One line on what stands there: name, type, price and counts of an item, or the value itself. */
export const summaryOf = (node: ConfigNode, value: unknown, saying: Saying): string =>
  cutTo(lineOf(nodeFor(node, value), value, saying), MAX_SUMMARY)

function lineOf(node: ConfigNode, given: unknown, saying: Saying): string {
  const value = given === undefined ? node.default : given
  if (value === undefined) return 'missing'
  if (value === null) return 'not set'
  if (node.word.condition) return conditionInWords(value as Condition)
  if (Array.isArray(value)) return listInWords(value)
  if (node.kind === 'record' && isRecord(value)) return recordInWords(value)
  if (isRecord(value)) return objectInWords(node, value, saying)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (node.word.amount) return `${value} ${saying.currency}`
  return flat(node.word.html ? plainText(value.slice(0, 2000)) : value.slice(0, 2000))
}

const SHOWN = 4
const few = <T>(items: readonly T[], name: (item: T) => string = String) =>
  items.slice(0, SHOWN).map(name).join(', ') + (items.length > SHOWN ? ` and ${items.length - SHOWN} more` : '')

const listInWords = (items: readonly unknown[]) =>
  items.length === 0 ? 'empty' : few(items, (item) => (isRecord(item) ? (labelOf(item) ?? scalarsOf(item)) : String(item)))

/** Of an item without a name, such as a price: what it holds. */
const scalarsOf = (item: Record<string, unknown>) =>
  Object.values(item)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ')

/** Translations are told by language; those of one language are named by pointers, which nobody reads. */
const recordInWords = (entries: Record<string, unknown>) => {
  const keys = Object.keys(entries)
  if (keys.length === 0) return 'empty'
  return keys[0]!.startsWith('/') ? counted(keys.length, 'text') : few(keys.sort())
}

/** What says which sort of thing an item is. */
const SORTS = ['type', 'kind', 'category', 'responseType', 'trigger', 'binding'] as const

function objectInWords(node: ConfigNode, item: Record<string, unknown>, saying: Saying): string {
  const label = labelOf(item)
  const sorts = SORTS.map((name) => item[name]).filter((sort): sort is string => typeof sort === 'string' && sort !== label)
  const parts = [
    ...(label === null ? [] : [label]),
    ...sorts,
    ...pricesIn(item, saying),
    ...timesIn(item),
    ...countsIn(item),
    ...flagsIn(item),
  ]
  if (parts.length > 0) return parts.join(' · ')
  const set = node.kind === 'object' ? [...node.fields.keys()].filter((name) => item[name] !== undefined) : Object.keys(item)
  return set.length === 0 ? 'defaults' : few(set)
}

function pricesIn({ prices, amount, rate, value, kind }: Record<string, unknown>, { currency }: Saying): string[] {
  if (typeof amount === 'string') return [`${amount} ${currency}`]
  if (typeof rate === 'string') return [`${rate} %`]
  if (typeof value === 'string' && (kind === 'percent' || kind === 'amount'))
    return [kind === 'percent' ? `${value} %` : `${value} ${currency}`]
  if (!Array.isArray(prices) || prices.length === 0) return []
  const amounts = prices.flatMap((price) => (isRecord(price) && typeof price.amount === 'string' ? [price.amount] : []))
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
    Array.isArray(item[name]) && item[name].length > 0 ? [counted(item[name].length, name.slice(0, -1))] : [],
  )
  const { pages, capacity, tags } = item
  const widgets = Array.isArray(pages)
    ? pages.reduce((sum: number, page) => sum + (isRecord(page) && Array.isArray(page.widgets) ? page.widgets.length : 0), 0)
    : 0
  return [
    ...counts,
    ...(widgets > 0 ? [counted(widgets, 'widget')] : []),
    ...(typeof capacity === 'number' ? [`capacity ${capacity}`] : []),
    ...(Array.isArray(tags) && tags.length > 0 ? [`for ${few(tags)}`] : []),
  ]
}

const FLAGS = ['required', 'retired', 'inviteOnly', 'waitlist'] as const
const flagsIn = (item: Record<string, unknown>): string[] => [
  ...FLAGS.filter((name) => item[name] === true).map((name) => (name === 'inviteOnly' ? 'by invitation' : name)),
  ...(item.enabled === false ? ['disabled'] : []),
]

const IRREGULAR: Record<string, string> = { policy: 'policies', category: 'categories', tax: 'taxes' }
export const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : (IRREGULAR[noun] ?? `${noun}s`)}`

/** `@custom.diet equals vegan and (…)`. */
export function conditionInWords(node: Condition): string {
  for (const [key, word] of [
    ['all', ' and '],
    ['any', ' or '],
  ] as const) {
    const inner = (node as Record<string, unknown>)[key]
    if (Array.isArray(inner))
      return (inner as Condition[]).map((one) => ('binding' in one ? conditionInWords(one) : `(${conditionInWords(one)})`)).join(word)
  }
  const { binding, op, value } = node as ConditionLeaf
  const shown = value === undefined || value === null ? '' : ` ${Array.isArray(value) ? value.join(', ') : String(value)}`
  return `${binding} ${op}${shown}`
}
