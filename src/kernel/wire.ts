import { z } from 'zod'
import { briefWords, outsideWords } from './args.ts'

export interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  [keyword: string]: unknown
}

type Marked = JsonSchema & { anyOf?: Marked[]; outside?: true }

/** What clients are shown of a tool's arguments. Real clients refuse a whole server for one keyword they do not know, so only plain ones are left. */
export function wireInput(schema: z.ZodType): JsonSchema {
  const marked = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const line = briefWords.get(zodSchema)?.brief
      if (line === undefined) return
      delete jsonSchema.properties
      delete jsonSchema.required
      if (jsonSchema.type === 'array') jsonSchema.items = { type: 'object' }
      jsonSchema.description = line
    },
  })
  return plain(marked as Marked)
}

/** What clients validate results against: fields that may be null are returned but not declared. */
export function wireOutput(schema: z.ZodType): { schema: JsonSchema; outside: string[][] } {
  const marked = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (outsideWords.has(zodSchema)) (jsonSchema as Marked).outside = true
    },
  }) as Marked
  const outside = outsidePaths(marked, [])
  return { schema: plain(marked), outside }
}

/**
 * Left out of what clients see. Bounds cost every conversation tokens and are seldom met; whoever meets one is told it by the
 * refusal, which the road checks in any case. The page size keeps its maximum, because assistants choose it.
 */
const UNSAID = new Set([
  '$schema',
  'additionalProperties',
  'pattern',
  'outside',
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

function plain(schema: Marked): JsonSchema {
  const result: JsonSchema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (UNSAID.has(keyword)) continue
    if (keyword === 'properties') result.properties = declared(value as Record<string, Marked>)
    else if (keyword === 'items') result.items = plain(value as Marked)
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
  return Object.fromEntries(shown.map(([name, schema]) => [name, isPageSize(name, schema) ? PAGE_SIZE : plain(schema)]))
}

// A nullable plain type is written as a list of types, any other nullable as alternatives.
const acceptsNull = ({ type, anyOf }: Marked): boolean => [type].flat().includes('null') || (anyOf?.some(acceptsNull) ?? false)

function outsidePaths(schema: Marked, path: string[]): string[][] {
  return [
    ...(schema.outside ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => outsidePaths(part as Marked, [...path, name])),
    ...(schema.items ? outsidePaths(schema.items as Marked, [...path, '*']) : []),
    ...(schema.anyOf ?? []).flatMap((part) => outsidePaths(part, path)),
  ]
}
