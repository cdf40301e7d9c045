import type { Condition } from '../../../kernel/conditions.ts'
import { isCalendarDay, parseInstant } from '../../../kernel/time.ts'
import { formatCondition, formatCount, findLabelKey, findLabel } from '../labels.ts'
import { isJsonObject, parsePointer } from '../pointers.ts'
import { htmlToPlainText } from '../rich-text.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from '../schema/nodes.ts'

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2027, month)).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' }),
)

/** Formats a date as `1 Sep 2027`, and adds the time if the text contains one. */
function formatDate(text: string): string {
  const moment = isCalendarDay(text) ? new Date(`${text}T00:00:00Z`) : parseInstant(text)
  if (!moment) return text
  const day = `${moment.getUTCDate()} ${MONTHS[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`
  return isCalendarDay(text) ? day : `${day} ${moment.toISOString().slice(11, 16)} UTC`
}

/** Finds the schema node for a JSON Pointer into a configuration. Returns null if the schema has no such path. */
export function findSchemaNode(path: string): ConfigNode | null {
  let node: ConfigNode | null = ROOT_NODE
  for (const segment of parsePointer(path)) {
    if (node === null) return null
    if (node.kind === 'list') node = node.item
    else if (node.kind === 'record') node = node.value
    else node = findField(node, segment)
  }
  return node
}

/**
 * Finds a field of an object or union. For a union, returns the field of the first option that has it, because a field name means the same
 * in all widget types.
 */
export function findField(node: ConfigNode, name: string): ConfigNode | null {
  const shapes = node.kind === 'union' ? [...node.options.values()] : node.kind === 'object' ? [node] : []
  return shapes.map(({ fields }) => fields.get(name)).find((field) => field !== undefined) ?? null
}

/** Describes a configuration value in words, such as `130.00 from 1 Sep 2027 for member`. */
export function describeValue(bare: ConfigNode | null, value: unknown): string {
  if (bare === null || value === null) return typeof value === 'string' ? flat(value) : JSON.stringify(value)
  const node = resolveUnionNode(bare, value)
  if (node.annotations.condition) return formatCondition(value as Condition)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : describeList(node, value)
  if (isJsonObject(value)) return describeObject(node, value, new Set())
  if (typeof value !== 'string') return JSON.stringify(value)
  return node.annotations.dated ? formatDate(value) : flat(node.annotations.html ? htmlToPlainText(value) : value)
}

/** Describes the values of an item in words, without its name, which the caller already shows. */
export function describeConfigItem(bare: ConfigNode | null, item: Record<string, unknown>): string {
  if (bare === null) return ''
  return describeObject(
    resolveUnionNode(bare, item),
    item,
    new Set(['code', 'slug', 'id', findLabelKey(item), ...(bare.kind === 'union' ? ['type'] : [])]),
  )
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

function describeList(node: ConfigNode, items: readonly unknown[]): string {
  const item = node.kind === 'list' ? node.item : null
  const keyed = node.kind === 'list' && node.key !== null
  return items
    .map((one) => (keyed ? (findLabel(one) ?? describeValue(item, one)) : describeValue(item, one)))
    .join(items.every(isJsonObject) && !keyed ? '; ' : ', ')
}

function describeObject(node: ConfigNode, value: Record<string, unknown>, omitted: ReadonlySet<string | null>): string {
  const { shortFor } = node.annotations
  if (shortFor !== undefined) return describeValue(node.kind === 'object' ? node.fields.get(shortFor)! : null, value[shortFor])
  if (node.kind === 'record') return formatCount(Object.keys(value).length, 'text')
  const fields = node.kind === 'object' ? [...node.fields] : []
  const phrases = fields.flatMap(([name, field]) =>
    value[name] === undefined || omitted.has(name) ? [] : [phrase(name, field, value[name])],
  )
  return phrases.join('amount' in value ? ' ' : ', ')
}

/** Phrases for property names that would read oddly in a sentence. */
const KEY_PHRASES: Readonly<Record<string, string>> = {
  amount: '',
  from: 'from ',
  until: 'until ',
  tags: 'for ',
  opensAt: 'opens ',
  closesAt: 'closes ',
}

function phrase(name: string, node: ConfigNode, value: unknown): string {
  const title = node.title.charAt(0).toLowerCase() + node.title.slice(1)
  if (typeof value === 'boolean') return value ? title : `not ${title}`
  const words = describeValue(node, value)
  return `${KEY_PHRASES[name] ?? `${title} `}${isJsonObject(value) && !node.annotations.condition ? `(${words})` : words}`
}
