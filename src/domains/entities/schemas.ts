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

export const stringSchema = (description?: string): Schema => ({ type: 'string', ...(description ? { description } : {}) })
export const recordIdSchema = (description?: string): Schema => ({ ...stringSchema(description), pattern: '^[0-9a-f]{24}$' })
/** Schema of a filter that searches for a text. */
export const searchFilterSchema = (): Schema => ({ ...stringSchema(), maxLength: 2000, pattern: '^[^\\u0000]*$' })
/** Schema of the code of a tenant, client, event or flow. */
export const entityCodeSchema = (description?: string): Schema => ({ ...stringSchema(description), pattern: CODE_PATTERN.source })
/** Schema of a pagination cursor: encrypted text that clients send back unchanged. */
export const pageCursorSchema = (description?: string): Schema => ({ ...stringSchema(description), pattern: '^[\\w-]{8}\\.[\\w-]{38,}$' })
export const instantSchema = (description?: string): Schema => ({ ...stringSchema(description), format: 'date-time' })
/** Schema of an instant in a request. `format: date-time` alone would allow years, leap seconds and spellings that the server rejects. */
export const instantInputSchema = (description?: string): Schema => ({ ...instantSchema(description), pattern: SENT_INSTANT_PATTERN })
const SENT_INSTANT_PATTERN =
  '^[1-9]\\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'
export const daySchema = (description?: string): Schema => ({ ...stringSchema(description), format: 'date' })
export const integerSchema = (minimum?: number): Schema => ({ type: 'integer', ...(minimum === undefined ? {} : { minimum }) })
export const numberSchema = (): Schema => ({ type: 'number' })
export const booleanSchema = (description?: string): Schema => ({ type: 'boolean', ...(description ? { description } : {}) })
export const enumSchema = (words: readonly string[]): Schema => ({ type: 'string', enum: words })
export const arraySchema = (items: Schema): Schema => ({ type: 'array', items })
export const keyValueMapSchema = (values: Schema = {}): Schema => ({ type: 'object', additionalProperties: values })

/** Schema of an object. Every property is always present; a property without a value is null. */
export const objectSchema = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const nullableSchema = (schema: Schema): Schema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), 'null'],
  ...(schema.enum ? { enum: [...schema.enum, null] } : {}),
})

export const moneySchema = (): Schema =>
  objectSchema({ amount: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }, currency: stringSchema() })

/**
 * Converts the Zod type of a declared field to JSON Schema. Length limits of text are omitted, because stored values may be older than
 * the limits.
 */
export function toJsonSchema(type: z.ZodType): Schema {
  const { type: name, enum: words, minimum, items, format } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  if (words) return enumSchema(words as string[])
  if (name === 'integer') return integerSchema(minimum)
  if (name === 'array') return arraySchema(items?.type === 'string' ? stringSchema() : (items ?? {}))
  return { ...(name ? { type: name } : {}), ...(name === 'string' && format === 'date' ? { format } : {}) }
}
