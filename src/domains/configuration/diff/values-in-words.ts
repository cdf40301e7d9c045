import type { Condition } from '../../../kernel/conditions.ts'
import { isDay, parseInstant } from '../../../kernel/time.ts'
import { conditionInWords, counted, labelKeyOf, labelOf } from '../labels.ts'
import { isRecord, parsePointer } from '../pointers.ts'
import { plainText } from '../rich-text.ts'
import { type ConfigNode, nodeFor, ROOT } from '../schema/nodes.ts'

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2027, month)).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' }),
)

/** `1 Sep 2027`, and with the hour where that counts. */
function dateInWords(text: string): string {
  const moment = isDay(text) ? new Date(`${text}T00:00:00Z`) : parseInstant(text)
  if (!moment) return text
  const day = `${moment.getUTCDate()} ${MONTHS[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`
  return isDay(text) ? day : `${day} ${moment.toISOString().slice(11, 16)} UTC`
}

/** What the schema says of a place, whatever stands there; null where it knows no such place. */
export function schemaAt(path: string): ConfigNode | null {
  let node: ConfigNode | null = ROOT
  for (const segment of parsePointer(path)) {
    if (node === null) return null
    if (node.kind === 'list') node = node.item
    else if (node.kind === 'record') node = node.value
    else node = fieldOf(node, segment)
  }
  return node
}

/** Of several types of widget, any that has the key: it means the same in all of them. */
export function fieldOf(node: ConfigNode, name: string): ConfigNode | null {
  const shapes = node.kind === 'union' ? [...node.options.values()] : node.kind === 'object' ? [node] : []
  return shapes.map(({ fields }) => fields.get(name)).find((field) => field !== undefined) ?? null
}

/** A value as people would say it: `130.00 from 1 Sep 2027 for member`. */
export function valueInWords(bare: ConfigNode | null, value: unknown): string {
  if (bare === null || value === null) return typeof value === 'string' ? flat(value) : JSON.stringify(value)
  const node = nodeFor(bare, value)
  if (node.word.condition) return conditionInWords(value as Condition)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listInWords(node, value)
  if (isRecord(value)) return objectInWords(node, value, new Set())
  if (typeof value !== 'string') return JSON.stringify(value)
  return node.word.dated ? dateInWords(value) : flat(node.word.html ? plainText(value) : value)
}

/** What is inside an item beside the name that it is called by. */
export function itemInWords(bare: ConfigNode | null, item: Record<string, unknown>): string {
  if (bare === null) return ''
  return objectInWords(
    nodeFor(bare, item),
    item,
    new Set(['code', 'slug', 'id', labelKeyOf(item), ...(bare.kind === 'union' ? ['type'] : [])]),
  )
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

function listInWords(node: ConfigNode, items: readonly unknown[]): string {
  const item = node.kind === 'list' ? node.item : null
  const keyed = node.kind === 'list' && node.key !== null
  return items
    .map((one) => (keyed ? (labelOf(one) ?? valueInWords(item, one)) : valueInWords(item, one)))
    .join(items.every(isRecord) && !keyed ? '; ' : ', ')
}

function objectInWords(node: ConfigNode, value: Record<string, unknown>, unsaid: ReadonlySet<string | null>): string {
  const { shortFor } = node.word
  if (shortFor !== undefined) return valueInWords(node.kind === 'object' ? node.fields.get(shortFor)! : null, value[shortFor])
  if (node.kind === 'record') return counted(Object.keys(value).length, 'text')
  const fields = node.kind === 'object' ? [...node.fields] : []
  const said = fields.flatMap(([name, field]) => (value[name] === undefined || unsaid.has(name) ? [] : [phrase(name, field, value[name])]))
  return said.join('amount' in value ? ' ' : ', ')
}

/** How people put it where the name of a key would be odd. */
const SAYINGS: Readonly<Record<string, string>> = {
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
  const words = valueInWords(node, value)
  return `${SAYINGS[name] ?? `${title} `}${isRecord(value) && !node.word.condition ? `(${words})` : words}`
}
