import { z } from 'zod'
import { CODE_PATTERN } from '../../kernel/ids.ts'

/** JSON Schema as used by OpenAPI 3.1. */
export interface Schema {
  type?: string | readonly string[]
  format?: string
  pattern?: string
  description?: string
  enum?: readonly (string | null)[]
  const?: true | string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  default?: number | boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
}

export const text = (description?: string): Schema => ({ type: 'string', ...(description ? { description } : {}) })
export const id = (description?: string): Schema => ({ ...text(description), pattern: '^[0-9a-f]{24}$' })
/** Schema of a filter that searches for a text. */
export const filterText = (): Schema => ({ ...text(), maxLength: 2000, pattern: '^[^\\u0000]*$' })
/** Schema of the code of a tenant, client, event or flow. */
export const code = (description?: string): Schema => ({ ...text(description), pattern: CODE_PATTERN.source })
/** Schema of a pagination cursor: encrypted text that clients send back unchanged. */
export const cursor = (description?: string): Schema => ({ ...text(description), pattern: '^[\\w-]{8}\\.[\\w-]{38,}$' })
export const instant = (description?: string): Schema => ({ ...text(description), format: 'date-time' })
/** Schema of an instant in a request. `format: date-time` alone would allow years, leap seconds and spellings that the server rejects. */
export const sentInstant = (description?: string): Schema => ({ ...instant(description), pattern: SENT_INSTANT_PATTERN })
const SENT_INSTANT_PATTERN =
  '^[1-9]\\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'
export const day = (description?: string): Schema => ({ ...text(description), format: 'date' })
export const integer = (minimum?: number): Schema => ({ type: 'integer', ...(minimum === undefined ? {} : { minimum }) })
export const number = (): Schema => ({ type: 'number' })
export const flag = (description?: string): Schema => ({ type: 'boolean', ...(description ? { description } : {}) })
export const oneOf = (words: readonly string[]): Schema => ({ type: 'string', enum: words })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const record = (values: Schema = {}): Schema => ({ type: 'object', additionalProperties: values })

/** Schema of an object. Every property is always present; a property without a value is null. */
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
