import type { JsonSchema, Marked } from './marked-schema.ts'

/**
 * Left out of what clients see. Bounds cost every conversation tokens and are seldom met; whoever meets one is told it by the
 * refusal, which the road checks in any case. The page size keeps its maximum, because assistants choose it.
 */
const UNSAID = new Set([
  '$schema',
  'additionalProperties',
  'pattern',
  'outside',
  'like',
  'reference',
  'secret',
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
 * What clients are shown of arguments and results. Real clients refuse a whole server for one keyword they do not know, so only plain ones
 * are left; and they validate results, so fields that may be null are returned but not declared.
 */
export function wireSchema({ brief, ...schema }: Marked): JsonSchema {
  if (brief !== undefined)
    return { type: schema.type!, ...(schema.type === 'array' ? { items: { type: 'object' } } : {}), description: brief }
  const result: JsonSchema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (UNSAID.has(keyword)) continue
    if (keyword === 'properties') {
      const properties = declared(value as Record<string, Marked>)
      if (Object.keys(properties).length > 0) result.properties = properties
    } else if (keyword === 'items') result.items = wireSchema(value as Marked)
    else if (keyword === 'const') result.enum = [value]
    else result[keyword] = value
  }
  if (result.properties && result.required) {
    result.required = result.required.filter((name) => result.properties?.[name])
    if (result.required.length === 0) delete result.required
  }
  // A literal boolean or number has its type from the value; clients want it said.
  if (!result.type && result.enum?.length) result.type = typeof result.enum[0]
  return result
}

const isPageSize = (name: string, schema: Marked) => name === 'limit' && schema.maximum === PAGE_SIZE.maximum

function declared(properties: Record<string, Marked>): Record<string, JsonSchema> {
  const shown = Object.entries(properties).filter(([, schema]) => !acceptsNull(schema))
  return Object.fromEntries(shown.map(([name, schema]) => [name, isPageSize(name, schema) ? PAGE_SIZE : wireSchema(schema)]))
}

// A nullable plain type is written as a list of types, any other nullable as alternatives.
const acceptsNull = ({ type, anyOf }: Marked): boolean => [type].flat().includes('null') || (anyOf?.some(acceptsNull) ?? false)

/** Where text from outside stands; `*` is any index. */
export function outsidePaths(schema: Marked, path: string[] = []): string[][] {
  return [
    ...(schema.outside ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => outsidePaths(part as Marked, [...path, name])),
    ...(schema.items ? outsidePaths(schema.items as Marked, [...path, '*']) : []),
    // Under names that are not known beforehand, such as those of an event's own questions.
    ...(isSchema(schema.additionalProperties) ? outsidePaths(schema.additionalProperties, [...path, '*']) : []),
    ...(schema.anyOf ?? []).flatMap((part) => outsidePaths(part, path)),
  ]
}

const isSchema = (part: unknown): part is Marked => typeof part === 'object' && part !== null
