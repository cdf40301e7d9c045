/** JSON Schema, as OpenAPI 3.1 takes it. */
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

/** Every property is always there; one that may be empty is null. */
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
