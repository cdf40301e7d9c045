import { z } from 'zod'

/** JSON Schema as used by OpenAPI 3.1. */
export interface Schema {
  type?: string | readonly string[]
  format?: string
  pattern?: string
  description?: string
  enum?: readonly (string | null)[]
  const?: true
  minimum?: number
  maximum?: number
  default?: number | boolean
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
}

export const text = (description?: string): Schema => ({ type: 'string', ...(description ? { description } : {}) })
export const id = (description?: string): Schema => ({ ...text(description), pattern: '^[0-9a-f]{24}$' })
export const instant = (description?: string): Schema => ({ ...text(description), format: 'date-time' })
export const day = (description?: string): Schema => ({ ...text(description), format: 'date' })
export const integer = (minimum?: number): Schema => ({ type: 'integer', ...(minimum === undefined ? {} : { minimum }) })
export const number = (): Schema => ({ type: 'number' })
export const flag = (description?: string): Schema => ({ type: 'boolean', ...(description ? { description } : {}) })
export const oneOf = (words: readonly string[]): Schema => ({ type: 'string', enum: words })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const record = (values: Schema = {}): Schema => ({ type: 'object', additionalProperties: values })

/** The schema of an object. Every property is always present; an empty one is null. */
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const maybe = (schema: Schema): Schema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), 'null'],
  ...(schema.enum ? { enum: [...schema.enum, null] } : {}),
})

export const money = (): Schema => object({ amount: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }, currency: text() })

/**
 * Converts the Zod type of a declared field to JSON Schema. Length limits of text are omitted, because stored values may be older than
 * the limits.
 */
export function toSchema(type: z.ZodType): Schema {
  const { type: name, enum: words, minimum, items, format } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  if (words) return oneOf(words as string[])
  if (name === 'integer') return integer(minimum)
  if (name === 'array') return list(items?.type === 'string' ? text() : (items ?? {}))
  return { ...(name ? { type: name } : {}), ...(name === 'string' && format === 'date' ? { format } : {}) }
}
