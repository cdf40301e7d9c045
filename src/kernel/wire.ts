import { acceptsNull, type AnnotatedSchema, type JsonSchema } from './annotated-schema.ts'

/**
 * Keywords omitted from the schemas that clients see. Bounds cost tokens in every conversation and are rarely exceeded; the error message
 * reports them when they are. The page size keeps its maximum, because assistants choose it.
 */
const OMITTED_KEYWORDS = new Set([
  '$schema',
  'additionalProperties',
  'pattern',
  'outside',
  'like',
  'form',
  'reference',
  'kind',
  'secret',
  'meaning',
  'keepsNull',
  'propertyNames',
  'id',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'default',
])
const PAGE_SIZE = { type: 'integer', maximum: 100 }

/**
 * Returns the schema of arguments or results that clients see. Real clients reject a whole server for one unknown keyword, so only basic
 * keywords are kept. Clients also validate results, so nullable fields are returned but not declared.
 */
export function toClientVisibleSchema({ brief, ...schema }: AnnotatedSchema): JsonSchema {
  if (brief !== undefined)
    return { type: schema.type!, ...(schema.type === 'array' ? { items: { type: 'object' } } : {}), description: brief }
  const result: JsonSchema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (OMITTED_KEYWORDS.has(keyword)) continue
    if (keyword === 'properties') {
      const properties = wireProperties(value as Record<string, AnnotatedSchema>)
      if (Object.keys(properties).length > 0) result.properties = properties
    } else if (keyword === 'items') result.items = toClientVisibleSchema(value as AnnotatedSchema)
    else if (keyword === 'const') result.enum = [value]
    else result[keyword] = value
  }
  if (result.properties && result.required) {
    result.required = result.required.filter((name) => result.properties?.[name])
    if (result.required.length === 0) delete result.required
  }
  // Adds the type of a literal boolean or number, because clients expect a type.
  if (!result.type && result.enum?.length) result.type = typeof result.enum[0]
  return result
}

const isPageSize = (name: string, schema: AnnotatedSchema) => name === 'limit' && schema.maximum === PAGE_SIZE.maximum

function wireProperties(properties: Record<string, AnnotatedSchema>): Record<string, JsonSchema> {
  const shown = Object.entries(properties).filter(([, schema]) => !acceptsNull(schema))
  return Object.fromEntries(shown.map(([name, schema]) => [name, isPageSize(name, schema) ? PAGE_SIZE : toClientVisibleSchema(schema)]))
}

/** Lists the paths of a result that contain untrusted text; `*` stands for any index. */
export function listUntrustedTextPaths(schema: AnnotatedSchema, path: string[] = []): string[][] {
  return [
    ...(schema.outside ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => listUntrustedTextPaths(part as AnnotatedSchema, [...path, name])),
    ...(schema.items ? listUntrustedTextPaths(schema.items as AnnotatedSchema, [...path, '*']) : []),
    // Properties whose names are not known in advance, such as an event's own questions.
    ...(isSchema(schema.additionalProperties) ? listUntrustedTextPaths(schema.additionalProperties, [...path, '*']) : []),
    ...(schema.anyOf ?? []).flatMap((part) => listUntrustedTextPaths(part, path)),
  ]
}

const isSchema = (part: unknown): part is AnnotatedSchema => typeof part === 'object' && part !== null
