import type { z } from 'zod'
import type { ArgumentTextKind } from './args.ts'
import type { IdKindName } from './id-kinds.ts'
import { type AnnotatedSchema, toAnnotatedSchema } from './annotated-schema.ts'

/**
 * The arguments that a tool accepts, as a tree, for decoding arguments and suggesting corrections. The schema that clients see (wire
 * schema) is abbreviated, so no decision may be based on that.
 */
export interface InputShape {
  type?: string
  /** The argument accepts null as a value. */
  nullable?: true
  properties?: Record<string, InputShape>
  required?: readonly string[]
  /** The object accepts additional keys. */
  open?: true
  items?: InputShape
  allowed?: readonly string[]
  minimum?: number
  maximum?: number
  maxItems?: number
  /** A short description of a valid value of the argument. */
  like?: string
  /** The kind of text that the argument takes, such as a day. */
  form?: ArgumentTextKind
  /** The argument is the id of a record. */
  reference?: true
  /** The kind of record whose id the argument is. */
  kind?: IdKindName
  secret?: true
}

export const buildInputShapeFromSchema = (schema: z.ZodType): InputShape => toInputShape(toAnnotatedSchema(schema))

export function toInputShape(schema: AnnotatedSchema): InputShape {
  const { plain, nullable } = withoutNull(schema)
  const { type, properties, required, items, minimum, maximum, maxItems, like, form, reference, kind, secret } = plain
  const words = plain.enum ?? ('const' in plain ? [plain.const] : undefined)
  return {
    ...(type === undefined ? {} : { type }),
    ...(nullable ? { nullable } : {}),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, toInputShape(part)])) } : {}),
    ...(required ? { required } : {}),
    ...(type === 'object' && plain.additionalProperties !== false ? { open: true as const } : {}),
    ...(items ? { items: toInputShape(items) } : {}),
    ...(words ? { allowed: words.map(String) } : {}),
    ...(isBound(minimum) ? { minimum } : {}),
    ...(isBound(maximum) ? { maximum } : {}),
    ...(isBound(maxItems) ? { maxItems } : {}),
    ...(like === undefined ? {} : { like }),
    ...(form === undefined ? {} : { form }),
    ...(reference ? { reference } : {}),
    ...(kind === undefined ? {} : { kind }),
    ...(secret ? { secret } : {}),
  }
}

/** Whether a number is a limit of the argument. The limits of safe integers are not, because every integer schema has them. */
const isBound = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

/** JSON Schema writes a nullable type as a list of types or as `anyOf`. Returns the type without null. */
function withoutNull(schema: AnnotatedSchema): { plain: AnnotatedSchema; nullable: true | undefined } {
  const { anyOf, ...rest } = schema
  if (anyOf?.some(({ type }) => type === 'null')) {
    const others = anyOf.filter(({ type }) => type !== 'null')
    return { plain: others.length === 1 ? { ...rest, ...others[0] } : rest, nullable: true }
  }
  if (Array.isArray(schema.type)) {
    const others = (schema.type as string[]).filter((type) => type !== 'null')
    const { type: _types, ...untyped } = rest
    return { plain: others.length === 1 ? { ...untyped, type: others[0]! } : untyped, nullable: true }
  }
  return { plain: schema, nullable: undefined }
}

/** Finds the argument at a path of property names and list positions. */
export const findArgumentShape = (shape: InputShape, path: readonly PropertyKey[]): InputShape | undefined =>
  path.reduce<InputShape | undefined>((at, key) => (typeof key === 'number' ? at?.items : at && findArgumentByName(at, String(key))), shape)

/** Finds an argument by name. Own properties only: every object also inherits `constructor`. */
export const findArgumentByName = ({ properties }: InputShape, name: string): InputShape | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Nested objects beyond this depth are described by their property names only. */
const MAX_DEPTH = 2

/** Describes a valid value of an argument in one line: the items of a list, all options of a choice, the limits of a number. */
export function describeArgumentShape(shape: InputShape, depth = 0): string {
  if (shape.like !== undefined) return shape.like
  if (shape.allowed) return `one of ${shape.allowed.join(', ')}`
  if (shape.type === 'array') return shape.items?.type ? `a list of ${describeArgumentShape(shape.items, depth)}` : 'a list'
  if (shape.properties && Object.keys(shape.properties).length > 0) return describeObject(shape, depth)
  if (shape.type === 'integer' || shape.type === 'number') return describeNumber(shape)
  return JSON_TYPE_LABELS[shape.type ?? ''] ?? 'any value'
}

export const JSON_TYPE_LABELS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function describeObject({ properties = {}, required = [] }: InputShape, depth: number): string {
  const parts = Object.entries(properties).map(([name, part]) => {
    const mark = required.includes(name) ? name : `${name}?`
    const description =
      depth >= MAX_DEPTH || (part.type === 'string' && !part.allowed && part.like === undefined)
        ? ''
        : `: ${describeArgumentShape(part, depth + 1)}`
    return mark + description
  })
  return `{ ${parts.join(', ')} }`
}

function describeNumber({ type, minimum, maximum }: InputShape): string {
  const from = minimum === undefined ? '' : ` from ${minimum}`
  const to = maximum === undefined ? '' : `${minimum === undefined ? ' up' : ''} to ${maximum}`
  return `${JSON_TYPE_LABELS[type!]}${from}${to}`
}
