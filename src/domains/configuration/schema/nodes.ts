import { z } from 'zod'
import { EventConfig } from './event-config.ts'
import { type Word, words } from './words.ts'

/** What the schema says of one place of the document, read off the Zod types once. Everything that walks a document walks it beside these. */
interface Common {
  title: string
  help: string | null
  /** In stored form; undefined where the key must be given. */
  default: unknown
  nullable: boolean
  word: Word
  /** Checks one value of this place, defaults filled in. */
  type: z.ZodType
}

export interface ObjectNode extends Common {
  kind: 'object'
  fields: ReadonlyMap<string, ConfigNode>
}
/** Objects of several shapes, told apart by their `type`. */
export interface UnionNode extends Common {
  kind: 'union'
  options: ReadonlyMap<string, ObjectNode>
}
export interface ListNode extends Common {
  kind: 'list'
  item: ConfigNode
  /** Of the items, when they are named by one. */
  key: string | null
}
export interface RecordNode extends Common {
  kind: 'record'
  value: ConfigNode
}
export interface ValueNode extends Common {
  kind: 'value'
  /** As people would call it. */
  valueType: string
  allowed: readonly string[] | null
}
export type ConfigNode = ObjectNode | UnionNode | ListNode | RecordNode | ValueNode

interface Unwrapped {
  type: z.ZodType
  default: unknown
  nullable: boolean
  word: Word
}

/** The type without what only says that it may be left out. */
export function unwrap(outer: z.ZodType): Unwrapped {
  let type = outer
  let word: Word = { ...words.get(outer) }
  let fallback: unknown
  let nullable = false
  for (;;) {
    const { def } = type as unknown as { def: { type: string; innerType?: z.ZodType; defaultValue?: unknown } }
    if (def.type !== 'default' && def.type !== 'prefault' && def.type !== 'nullable' && def.type !== 'optional') break
    if (def.type === 'default' || def.type === 'prefault') fallback = def.defaultValue
    if (def.type === 'nullable') nullable = true
    // Reads as nothing when it is left out.
    if (def.type === 'optional') fallback ??= null
    type = def.innerType!
    word = { ...words.get(type), ...word }
  }
  return { type, default: fallback, nullable, word }
}

const titleOf = (name: string) => {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const known = new WeakMap<z.ZodType, Map<string, ConfigNode>>()

function nodeOf(outer: z.ZodType, name: string): ConfigNode {
  const made = known.get(outer)?.get(name)
  if (made) return made
  const node = build(outer, name)
  known.set(outer, (known.get(outer) ?? new Map()).set(name, node))
  return node
}

interface Def {
  type: string
  shape?: Record<string, z.ZodType>
  options?: z.ZodType[]
  element?: z.ZodType
  valueType?: z.ZodType
  entries?: Record<string, string>
  values?: unknown[]
  format?: string
}

function build(outer: z.ZodType, name: string): ConfigNode {
  const { type, word, nullable, default: fallback } = unwrap(outer)
  const def = (type as unknown as { def: Def }).def
  const common: Common = { title: word.title ?? titleOf(name), help: word.help ?? null, default: fallback, nullable, word, type: outer }
  if (word.condition) return { ...common, kind: 'value', valueType: 'condition', allowed: null }
  if (def.type === 'object') return { ...common, kind: 'object', fields: fieldsOf(def.shape!) }
  if (def.type === 'array') return { ...common, kind: 'list', item: nodeOf(def.element!, singular(name)), key: word.key ?? null }
  if (def.type === 'record') return { ...common, kind: 'record', value: nodeOf(def.valueType!, name) }
  if (def.type === 'union' && def.options!.every((option) => unwrap(option).type instanceof z.ZodObject)) {
    const options = def.options!.map((option) => [literalOf(option), nodeOf(option, literalOf(option)) as ObjectNode] as const)
    return { ...common, kind: 'union', options: new Map(options) }
  }
  return { ...common, kind: 'value', valueType: valueTypeOf(def, word), allowed: allowedOf(def) }
}

const fieldsOf = (shape: Record<string, z.ZodType>) => new Map(Object.entries(shape).map(([name, type]) => [name, nodeOf(type, name)]))

const literalOf = (option: z.ZodType) => (option as z.ZodObject<{ type: z.ZodLiteral<string> }>).shape.type.value

/** One item of a list, where the name of the list without its last letter would be no word for it. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  accept: 'mediaType',
  addsTags: 'addedTag',
  appliesIn: 'place',
  excludes: 'excludedProduct',
  meetingHours: 'meetingHours',
  productCodes: 'product',
  required: 'requiredTag',
  requires: 'requiredProduct',
  reviewRubric: 'reviewCriterion',
  sessionIds: 'session',
  show: 'shownDetail',
  social: 'socialLink',
  suggested: 'suggestedAmount',
  taxes: 'tax',
  types: 'guestType',
}

const singular = (name: string) => ITEM_NAMES[name] ?? name.replace(/ies$/, 'y').replace(/s$/, '')

function valueTypeOf(def: Def, word: Word): string {
  if (word.html) return 'html'
  if (word.amount) return 'amount'
  if (word.binding) return 'binding'
  if (word.ref) return `code of ${word.ref}`
  if (def.type === 'number') return def.format === 'safeint' ? 'integer' : 'number'
  if (def.type === 'enum' || def.type === 'literal') return 'choice'
  if (def.type === 'union') return 'text or number'
  return word.dated ? 'date' : def.type === 'string' ? 'text' : def.type
}

const allowedOf = (def: Def): readonly string[] | null =>
  def.type === 'enum' ? Object.values(def.entries!) : def.type === 'literal' ? def.values!.map(String) : null

export const ROOT = nodeOf(EventConfig, 'configuration') as ObjectNode

/** Of alternatives, the one that the value says it is; the bare union when it says none of them. */
export function nodeFor(node: ConfigNode, value: unknown): ConfigNode {
  if (node.kind !== 'union') return node
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return (typeof type === 'string' && node.options.get(type)) || node
}

/** The node below by the name of a key; null where there is none. Items of lists and records all look alike. */
export function childNode(node: ConfigNode, name: string, value?: unknown): ConfigNode | null {
  if (node.kind === 'list') return node.item
  if (node.kind === 'record') return node.value
  const own = nodeFor(node, value)
  return own.kind === 'object' ? (own.fields.get(name) ?? null) : null
}
