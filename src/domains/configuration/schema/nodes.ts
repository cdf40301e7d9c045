import { z } from 'zod'
import { EventConfig } from './event-config.ts'
import { type SchemaAnnotations, schemaAnnotationRegistry } from './builders.ts'

/**
 * The schema of one location of the document, derived from the Zod types once. Code that walks a document follows the nodes of this schema
 * at the same time, so that it knows the schema of each value.
 */
interface Common {
  title: string
  help: string | null
  /** The default of the property in stored form; undefined if the property is required. */
  default: unknown
  nullable: boolean
  annotations: SchemaAnnotations
  /** The Zod schema of a value at this place in the configuration. It also fills in defaults. */
  type: z.ZodType
}

export interface ObjectNode extends Common {
  kind: 'object'
  fields: ReadonlyMap<string, ConfigNode>
}
/** Objects of several types, such as widgets, distinguished by their `type` property. */
export interface UnionNode extends Common {
  kind: 'union'
  options: ReadonlyMap<string, ObjectNode>
}
export interface ListNode extends Common {
  kind: 'list'
  item: ConfigNode
  /** The key that identifies the items of the list, if they have one. */
  key: string | null
}
export interface RecordNode extends Common {
  kind: 'record'
  value: ConfigNode
}
export interface ValueNode extends Common {
  kind: 'value'
  /** The name of the type as shown to users. */
  valueType: string
  allowed: readonly string[] | null
}
export type ConfigNode = ObjectNode | UnionNode | ListNode | RecordNode | ValueNode

interface Unwrapped {
  type: z.ZodType
  default: unknown
  nullable: boolean
  annotations: SchemaAnnotations
}

/** Removes default, nullable and optional wrappers from a Zod type. */
export function unwrapZodType(outer: z.ZodType): Unwrapped {
  let type = outer
  let annotations: SchemaAnnotations = { ...schemaAnnotationRegistry.get(outer) }
  let fallback: unknown
  let nullable = false
  for (;;) {
    const { def } = type as unknown as { def: { type: string; innerType?: z.ZodType; defaultValue?: unknown } }
    if (def.type !== 'default' && def.type !== 'prefault' && def.type !== 'nullable' && def.type !== 'optional') break
    if (def.type === 'default' || def.type === 'prefault') fallback = def.defaultValue
    if (def.type === 'nullable') nullable = true
    // A missing optional property has the value null.
    if (def.type === 'optional') fallback ??= null
    type = def.innerType!
    annotations = { ...schemaAnnotationRegistry.get(type), ...annotations }
  }
  return { type, default: fallback, nullable, annotations }
}

const titleOf = (name: string) => {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const known = new WeakMap<z.ZodType, Map<string, ConfigNode>>()

function getNode(outer: z.ZodType, name: string): ConfigNode {
  const made = known.get(outer)?.get(name)
  if (made) return made
  const node = buildNode(outer, name)
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

function buildNode(outer: z.ZodType, name: string): ConfigNode {
  const { type, annotations, nullable, default: fallback } = unwrapZodType(outer)
  const def = (type as unknown as { def: Def }).def
  const common: Common = {
    title: annotations.title ?? titleOf(name),
    help: annotations.help ?? null,
    default: fallback,
    nullable,
    annotations,
    type: outer,
  }
  if (annotations.condition) return { ...common, kind: 'value', valueType: 'condition', allowed: null }
  if (def.type === 'object') return { ...common, kind: 'object', fields: fieldsOf(def.shape!) }
  if (def.type === 'array') return { ...common, kind: 'list', item: getNode(def.element!, singular(name)), key: annotations.key ?? null }
  if (def.type === 'record') return { ...common, kind: 'record', value: getNode(def.valueType!, name) }
  if (def.type === 'union' && def.options!.every((option) => unwrapZodType(option).type instanceof z.ZodObject)) {
    const options = def.options!.map((option) => [literalOf(option), getNode(option, literalOf(option)) as ObjectNode] as const)
    return { ...common, kind: 'union', options: new Map(options) }
  }
  return { ...common, kind: 'value', valueType: valueTypeOf(def, annotations), allowed: allowedOf(def) }
}

const fieldsOf = (shape: Record<string, z.ZodType>) => new Map(Object.entries(shape).map(([name, type]) => [name, getNode(type, name)]))

const literalOf = (option: z.ZodType) => (option as z.ZodObject<{ type: z.ZodLiteral<string> }>).shape.type.value

/** Names for one item of a list, where removing the plural ending from the name of the list would not produce a suitable word. */
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

function valueTypeOf(def: Def, annotations: SchemaAnnotations): string {
  if (annotations.html) return 'html'
  if (annotations.amount) return 'amount'
  if (annotations.binding) return 'binding'
  if (annotations.ref) return `code of ${annotations.ref}`
  if (def.type === 'number') return def.format === 'safeint' ? 'integer' : 'number'
  if (def.type === 'enum' || def.type === 'literal') return 'choice'
  if (def.type === 'union') return 'text or number'
  return annotations.dated ? 'date' : def.type === 'string' ? 'text' : def.type
}

const allowedOf = (def: Def): readonly string[] | null =>
  def.type === 'enum' ? Object.values(def.entries!) : def.type === 'literal' ? def.values!.map(String) : null

export const ROOT_NODE = getNode(EventConfig, 'configuration') as ObjectNode

/** Chooses the option of a union by the `type` of the value; returns the union itself when the type is unknown. */
export function resolveUnionNode(node: ConfigNode, value: unknown): ConfigNode {
  if (node.kind !== 'union') return node
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return (typeof type === 'string' && node.options.get(type)) || node
}

/** Finds the child node for a key; null if the schema has none. All items of a list or record share one node. */
export function findChildNode(node: ConfigNode, name: string, value?: unknown): ConfigNode | null {
  if (node.kind === 'list') return node.item
  if (node.kind === 'record') return node.value
  const own = resolveUnionNode(node, value)
  return own.kind === 'object' ? (own.fields.get(name) ?? null) : null
}
