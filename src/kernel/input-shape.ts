import type { z } from 'zod'
import { type Marked, markedSchema } from './marked-schema.ts'

/**
 * What a tool really takes, as a tree: what decoding, repairs and the contract tests walk. The wire form is only how clients are shown
 * it, with long parts told in a line, so nothing may be decided from that.
 */
export interface InputShape {
  type?: string
  /** Takes a null as a value of its own. */
  nullable?: true
  properties?: Record<string, InputShape>
  required?: readonly string[]
  /** Takes any key beside those. */
  open?: true
  items?: InputShape
  allowed?: readonly string[]
  minimum?: number
  maximum?: number
  maxItems?: number
  /** What a right value looks like, in words. */
  like?: string
  /** Names a record. */
  reference?: true
  secret?: true
}

export const inputShapeOf = (schema: z.ZodType): InputShape => shapeOf(markedSchema(schema))

export function shapeOf(schema: Marked): InputShape {
  const { plain, nullable } = withoutNull(schema)
  const { type, properties, required, items, minimum, maximum, maxItems, like, reference, secret } = plain
  const words = plain.enum ?? ('const' in plain ? [plain.const] : undefined)
  return {
    ...(type === undefined ? {} : { type }),
    ...(nullable ? { nullable } : {}),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, shapeOf(part)])) } : {}),
    ...(required ? { required } : {}),
    ...(type === 'object' && plain.additionalProperties !== false ? { open: true as const } : {}),
    ...(items ? { items: shapeOf(items) } : {}),
    ...(words ? { allowed: words.map(String) } : {}),
    ...(isBound(minimum) ? { minimum } : {}),
    ...(isBound(maximum) ? { maximum } : {}),
    ...(isBound(maxItems) ? { maxItems } : {}),
    ...(like === undefined ? {} : { like }),
    ...(reference ? { reference } : {}),
    ...(secret ? { secret } : {}),
  }
}

/** The range of safe integers bounds nothing that anybody would send. */
const isBound = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

/** A nullable type is written as a list of types or as alternatives; what is left without the null is what it takes. */
function withoutNull(schema: Marked): { plain: Marked; nullable: true | undefined } {
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

/** The part of a shape that a path of names and positions leads to. */
export const shapeAt = (shape: InputShape, path: readonly PropertyKey[]): InputShape | undefined =>
  path.reduce<InputShape | undefined>((at, key) => (typeof key === 'number' ? at?.items : at && partOf(at, String(key))), shape)

/** Own ones only: every object also has a `constructor`. */
export const partOf = ({ properties }: InputShape, name: string): InputShape | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Beyond this a shape is told by its names alone. */
const MAX_DEPTH = 2

/** What a right value looks like, in one line: the item's shape for a list, all words of a choice, the limits of a number. */
export function inWords(shape: InputShape, depth = 0): string {
  if (shape.like !== undefined) return shape.like
  if (shape.allowed) return `one of ${shape.allowed.join(', ')}`
  if (shape.type === 'array') return shape.items?.type ? `a list of ${inWords(shape.items, depth)}` : 'a list'
  if (shape.properties) return objectInWords(shape, depth)
  if (shape.type === 'integer' || shape.type === 'number') return numberInWords(shape)
  return TYPE_WORDS[shape.type ?? ''] ?? 'any value'
}

export const TYPE_WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function objectInWords({ properties = {}, required = [] }: InputShape, depth: number): string {
  const parts = Object.entries(properties).map(([name, part]) => {
    const mark = required.includes(name) ? name : `${name}?`
    const told =
      depth >= MAX_DEPTH || (part.type === 'string' && !part.allowed && part.like === undefined) ? '' : `: ${inWords(part, depth + 1)}`
    return mark + told
  })
  return `{ ${parts.join(', ')} }`
}

function numberInWords({ type, minimum, maximum }: InputShape): string {
  const from = minimum === undefined ? '' : ` from ${minimum}`
  const to = maximum === undefined ? '' : `${minimum === undefined ? ' up' : ''} to ${maximum}`
  return `${TYPE_WORDS[type!]}${from}${to}`
}
