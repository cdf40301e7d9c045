import { z } from 'zod'
import type { ConfigNode } from './schema/nodes.ts'
import { type Word, words } from './schema/words.ts'

export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  description?: string
}

/** Past this a schema is shown less deep; what was left out is read by asking for its own place. */
const MAX_CHARACTERS = 4000
/** Where many shapes may stand, there is no other place that tells them all. */
const MAX_CHARACTERS_OF_SHAPES = 9000
const DEPTHS = [8, 3, 2, 1]

const made = new WeakMap<ConfigNode, Schema>()

/** The JSON Schema of what may stand at a place, as deep as it can be read at a glance. */
export function readableSchemaOf(node: ConfigNode): Schema {
  const known = made.get(node)
  if (known !== undefined) return known
  const whole = schemaOf(node)
  const limit = node.kind === 'list' && node.item.kind === 'union' ? MAX_CHARACTERS_OF_SHAPES : MAX_CHARACTERS
  let schema = whole
  for (const depth of DEPTHS) if (JSON.stringify((schema = pruned(whole, depth))).length <= limit) break
  made.set(node, schema)
  return schema
}

/** The same however deep it goes. */
export function schemaOf(node: ConfigNode): Schema {
  const schema = z.toJSONSchema(node.type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const line = wordsOf(words.get(zodSchema) ?? {}, jsonSchema.format)
      if (line) jsonSchema.description = line
    },
  }) as Schema
  return plain(schema)
}

/** What the type alone does not say. */
const wordsOf = ({ help, ref, category, key, html, binding, condition, amount, dated }: Word, format: unknown): string =>
  [
    help,
    ref === 'files' ? 'id of a file' : ref && `code of ${ref}${category ? ` (${category})` : ''}`,
    key && `items are named by ${key}`,
    html && 'HTML',
    binding && 'as @participant.company or @custom.<code>',
    condition && '{binding, op, value} or {all: [...]} or {any: [...]}',
    amount && 'as "125.00"',
    dated && format === undefined && 'day or instant',
  ]
    .filter(Boolean)
    .join('; ')

/**
 * What is left to say: which keys there are, which must be given, of what type and for what. That a key may be left out is said by its not
 * being required; what it then reads as stands in the rows of the place, and a bound is told to whoever meets it.
 */
const SAID = new Set(['type', 'enum', 'const', 'format', 'description', 'required'])

function plain(schema: Schema): Schema {
  const options = (schema.oneOf ?? schema.anyOf)?.filter(({ type }) => type !== 'null')
  if (options?.length === 1) {
    const only = plain(options[0]!)
    const description = [schema.description, only.description].filter((line, at, all) => line && all.indexOf(line) === at).join('; ')
    return { ...only, ...(description ? { description } : {}) }
  }
  const said: Schema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => SAID.has(keyword)))
  if (Array.isArray(said.type)) said.type = said.type.filter((type) => type !== 'null')[0]
  // The values say of what type they are.
  if (said.const !== undefined || said.enum !== undefined) delete said.type
  if (schema.properties && Object.keys(schema.properties).length > 0)
    said.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, plain(part)]))
  if (schema.items) said.items = plain(schema.items)
  if (isRecordOf(schema)) said.additionalProperties = plain(schema.additionalProperties)
  return options ? { ...said, ...alternatives(options.map(plain)) } : said
}

const isRecordOf = (schema: Schema): schema is Schema & { additionalProperties: Schema } =>
  Object.keys(schema.additionalProperties ?? {}).length > 0

/** Shapes that are told apart by their `type` say once what they have in common. */
function alternatives(options: readonly Schema[]): Schema {
  const [first, ...others] = options
  if (!first?.properties || !options.every(isTyped)) return { anyOf: [...options] }
  const isShared = (name: string, part: Schema) =>
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

const isTyped = ({ properties }: Schema) => properties?.type?.const !== undefined

/** Objects further down than `depth` keep what they are and lose what they hold. */
function pruned(schema: Schema, depth: number): Schema {
  const { properties, items, oneOf, anyOf, additionalProperties, required, ...rest } = schema
  if (properties && depth <= 0) return { type: 'object', ...(rest.description ? { description: rest.description } : {}) }
  if (oneOf && depth <= 1) return typesOnly(schema, oneOf)
  return {
    ...rest,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, pruned(part, depth - 1)])) }
      : {}),
    ...(required ? { required } : {}),
    ...(items ? { items: pruned(items, depth) } : {}),
    ...(oneOf ? { oneOf: oneOf.map((one) => pruned(one, depth)) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((one) => pruned(one, depth)) } : {}),
    ...(additionalProperties ? { additionalProperties: pruned(additionalProperties as Schema, depth) } : {}),
  }
}

/** Of many shapes, only which there are. */
function typesOnly({ description, properties }: Schema, options: readonly Schema[]): Schema {
  const types = options.flatMap((option) => option.properties?.type?.const ?? [])
  const shared = Object.entries(properties ?? {}).map(([name, part]): [string, Schema] => [name, pruned(part, 0)])
  return {
    type: 'object',
    ...(description ? { description } : {}),
    properties: { ...Object.fromEntries(shared), type: { enum: types } },
    required: ['type'],
  }
}
