type Schema = Record<string, any>

const FORMATS: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/**
 * Validates a value against a schema of a document. It supports the JSON Schema keywords that our documents use and throws on any other.
 */
export function findSchemaErrors(document: object, schema: Schema, value: unknown, path = ''): string[] {
  if (schema['$ref']) return findSchemaErrors(document, resolveRef(document, schema['$ref']), value, path)
  const unread = Object.keys(schema).filter((key) => !KNOWN.has(key))
  if (unread.length > 0) throw new Error(`the validator does not support ${unread.join(', ')}`)
  const type = typeOf(value)
  const types = [schema['type'] ?? []].flat()
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) {
    return [`${path}: ${type} instead of ${types.join(' or ')}`]
  }
  return [
    ...(schema['enum'] && !schema['enum'].includes(value) ? [`${path}: ${String(value)} is none of ${schema['enum'].join(', ')}`] : []),
    ...('const' in schema && value !== schema['const'] ? [`${path}: not ${schema['const']}`] : []),
    ...(typeof value === 'string' ? textFaults(schema, value, path) : []),
    ...(typeof value === 'number' && (value < (schema['minimum'] ?? -Infinity) || value > (schema['maximum'] ?? Infinity))
      ? [`${path}: ${value} is out of range`]
      : []),
    ...(schema['anyOf']?.every((one: Schema) => findSchemaErrors(document, one, value, path).length > 0)
      ? [`${path}: no variant matches`]
      : []),
    ...(Array.isArray(value) && (value.length < (schema['minItems'] ?? 0) || value.length > (schema['maxItems'] ?? Infinity))
      ? [`${path}: ${value.length} items`]
      : []),
    ...(Array.isArray(value) && schema['items']
      ? value.flatMap((item, index) => findSchemaErrors(document, schema['items'], item, `${path}/${index}`))
      : []),
    ...(type === 'object' ? objectFaults(document, schema, value as Record<string, unknown>, path) : []),
  ]
}

const KNOWN = new Set(
  `type enum const pattern format minLength maxLength minimum maximum items minItems maxItems properties required additionalProperties
   propertyNames maxProperties anyOf description default`.split(/\s+/),
)

const textFaults = ({ pattern, format, minLength = 0, maxLength = Infinity }: Schema, value: string, path: string) => [
  ...([...value].length < minLength || [...value].length > maxLength ? [`${path}: ${[...value].length} characters`] : []),
  ...(pattern && !new RegExp(pattern, 'u').test(value) ? [`${path}: ${value} does not match ${pattern}`] : []),
  // Responses use one format of an instant. Requests may use others, which their pattern describes.
  ...(format && !(pattern && format === 'date-time' ? isRealDay(value) : FORMATS[format]!.test(value))
    ? [`${path}: ${value} is no ${format}`]
    : []),
]

const isRealDay = (value: string) => new Date(`${value.slice(0, 10)}T00:00:00Z`).toJSON()?.slice(0, 10) === value.slice(0, 10)

function objectFaults(document: object, schema: Schema, value: Record<string, unknown>, path: string): string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema
  const missing = (required as string[]).filter((name) => !(name in value)).map((name) => `${path}: ${name} is missing`)
  const parts = Object.entries(value).flatMap(([name, part]) => {
    if (Object.hasOwn(properties, name)) return findSchemaErrors(document, properties[name], part, `${path}/${name}`)
    if (additionalProperties === false) return [`${path}: ${name} is not documented`]
    return additionalProperties === true ? [] : findSchemaErrors(document, additionalProperties, part, `${path}/${name}`)
  })
  return [...missing, ...parts]
}

export const resolveRef = (document: object, ref: string): any =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce((at: any, key) => at[key], document)
