import { z } from 'zod'
import type { ConfigNode } from './schema/nodes.ts'
import { type SchemaAnnotations, schemaAnnotationRegistry } from './schema/builders.ts'

export type ConfigJsonSchema = Record<string, unknown> & {
  properties?: Record<string, ConfigJsonSchema>
  required?: string[]
  items?: ConfigJsonSchema
  oneOf?: ConfigJsonSchema[]
  anyOf?: ConfigJsonSchema[]
  description?: string
}

/** Maximum length of a schema. Longer ones are shown with fewer levels; callers request a deeper path to see the rest. */
const MAX_CHARACTERS = 4000
/** Maximum length of the schema of a list whose items have several types, such as widgets: larger, because it describes every type. */
const MAX_CHARACTERS_OF_SHAPES = 9000
const DEPTHS = [8, 3, 2, 1]

const cache = new WeakMap<ConfigNode, ConfigJsonSchema>()

/** Builds the JSON Schema of a part of the configuration, pruned to a readable size. */
export function buildPrunedJsonSchema(node: ConfigNode): ConfigJsonSchema {
  const known = cache.get(node)
  if (known !== undefined) return known
  const whole = buildCompleteJsonSchema(node)
  const limit = node.kind === 'list' && node.item.kind === 'union' ? MAX_CHARACTERS_OF_SHAPES : MAX_CHARACTERS
  let schema = whole
  for (const depth of DEPTHS) if (JSON.stringify((schema = prune(whole, depth))).length <= limit) break
  cache.set(node, schema)
  return schema
}

/** Builds the complete JSON Schema of a part of the configuration. */
export function buildCompleteJsonSchema(node: ConfigNode): ConfigJsonSchema {
  const schema = z.toJSONSchema(node.type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const line = describeAnnotations(schemaAnnotationRegistry.get(zodSchema) ?? {}, jsonSchema.format)
      if (line) jsonSchema.description = line
    },
  }) as ConfigJsonSchema
  return simplify(schema)
}

/** Describes in words what a JSON Schema type cannot express, such as references to other items. */
const describeAnnotations = (
  { help, ref, category, key, html, binding, condition, amount, dated }: SchemaAnnotations,
  format: unknown,
): string =>
  [
    help,
    ref === 'files' ? 'id of a file' : ref && `code of ${ref}${category ? ` (${category})` : ''}`,
    key && `items are identified by ${key}`,
    html && 'HTML',
    binding && 'as @participant.company or @custom.<code>',
    condition && '{binding, op, value} or {all: [...]} or {any: [...]}',
    amount && 'as "125.00"',
    dated && format === undefined && 'day or instant',
  ]
    .filter(Boolean)
    .join('; ')

/**
 * JSON Schema keywords to keep: which keys exist, which are required, their types and purpose. Keys not listed as required are optional.
 * Defaults are in the rows of config_explore, and limits are reported when a value violates them.
 */
const KEPT_KEYWORDS = new Set(['type', 'enum', 'const', 'format', 'description', 'required'])

function simplify(schema: ConfigJsonSchema): ConfigJsonSchema {
  const options = (schema.oneOf ?? schema.anyOf)?.filter(({ type }) => type !== 'null')
  if (options?.length === 1) {
    const only = simplify(options[0]!)
    const description = [schema.description, only.description].filter((line, at, all) => line && all.indexOf(line) === at).join('; ')
    return { ...only, ...(description ? { description } : {}) }
  }
  const kept: ConfigJsonSchema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => KEPT_KEYWORDS.has(keyword)))
  if (Array.isArray(kept.type)) kept.type = kept.type.filter((type) => type !== 'null')[0]
  // The allowed values already imply the type, so `type` is left out.
  if (kept.const !== undefined || kept.enum !== undefined) delete kept.type
  if (schema.properties && Object.keys(schema.properties).length > 0)
    kept.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, simplify(part)]))
  if (schema.items) kept.items = simplify(schema.items)
  if (isRecordOf(schema)) kept.additionalProperties = simplify(schema.additionalProperties)
  return options ? { ...kept, ...alternatives(options.map(simplify)) } : kept
}

const isRecordOf = (schema: ConfigJsonSchema): schema is ConfigJsonSchema & { additionalProperties: ConfigJsonSchema } =>
  Object.keys(schema.additionalProperties ?? {}).length > 0

/** Describes the item types of a union (distinguished by `type`), and lists their common properties only once. */
function alternatives(options: readonly ConfigJsonSchema[]): ConfigJsonSchema {
  const [first, ...others] = options
  if (!first?.properties || !options.every(isTyped)) return { anyOf: [...options] }
  const isShared = (name: string, part: ConfigJsonSchema) =>
    others.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(part))
  const shared = Object.entries(first.properties).filter(([name, part]) => isShared(name, part))
  const names = new Set(shared.map(([name]) => name))
  const own = options.map(({ properties, required, type: _type, ...rest }) => {
    const needed = (required ?? []).filter((name) => name !== 'type' && !names.has(name))
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties!).filter(([name]) => !names.has(name))),
      ...(needed.length > 0 ? { required: needed } : {}),
    }
  })
  const needed = [...(first.required ?? []).filter((name) => names.has(name)), 'type']
  return { type: 'object', properties: Object.fromEntries(shared), required: needed, oneOf: own }
}

const isTyped = ({ properties }: ConfigJsonSchema) => properties?.type?.const !== undefined

/** Prunes a JSON Schema: objects deeper than `depth` keep their description and lose their properties. */
function prune(schema: ConfigJsonSchema, depth: number): ConfigJsonSchema {
  const { properties, items, oneOf, anyOf, additionalProperties, required, ...rest } = schema
  if (properties && depth <= 0) return { type: 'object', ...(rest.description ? { description: rest.description } : {}) }
  if (oneOf && depth <= 1) return typesOnly(schema, oneOf)
  return {
    ...rest,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, prune(part, depth - 1)])) }
      : {}),
    ...(required ? { required } : {}),
    ...(items ? { items: prune(items, depth) } : {}),
    ...(oneOf ? { oneOf: oneOf.map((one) => prune(one, depth)) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((one) => prune(one, depth)) } : {}),
    ...(additionalProperties ? { additionalProperties: prune(additionalProperties as ConfigJsonSchema, depth) } : {}),
  }
}

/** Reduces a union to the names of its types. */
function typesOnly({ description, properties, required }: ConfigJsonSchema, options: readonly ConfigJsonSchema[]): ConfigJsonSchema {
  const types = options.flatMap((option) => option.properties?.type?.const ?? [])
  const shared = Object.entries(properties ?? {}).map(([name, part]): [string, ConfigJsonSchema] => [name, prune(part, 0)])
  return {
    type: 'object',
    ...(description ? { description } : {}),
    properties: { ...Object.fromEntries(shared), type: { enum: types } },
    required: required ?? ['type'],
  }
}
