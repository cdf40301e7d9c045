import { z } from 'zod'
import type { ConfigNode } from './schema/nodes.ts'
import { words } from './schema/words.ts'

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema; oneOf?: Schema[]; anyOf?: Schema[] }

/** Past this a schema is shown less deep; what was left out is read by asking for its own place. */
const MAX_CHARACTERS = 6000
const DEPTHS = [8, 3, 2, 1]

const written = new WeakMap<ConfigNode, string>()

/** The JSON Schema of what may stand at a place. */
export function schemaJsonOf(node: ConfigNode): string {
  const known = written.get(node)
  if (known !== undefined) return known
  const whole = wholeSchema(node)
  const texts = DEPTHS.map((depth) => () => JSON.stringify(pruned(whole, depth)))
  let text = ''
  for (const write of texts) if ((text = write()).length <= MAX_CHARACTERS) break
  written.set(node, text)
  return text
}

function wholeSchema(node: ConfigNode): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(node.type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const word = words.get(zodSchema)
      const says = [
        word?.help,
        word?.ref ? `code of ${word.ref}${word.category ? ` (${word.category})` : ''}` : undefined,
        word?.key ? `items are named by ${word.key}` : undefined,
      ]
      const line = says.filter(Boolean).join('; ')
      if (line) jsonSchema.description = line
      if (word?.condition) jsonSchema.description = 'Condition: {binding, op, value} or {all: [...]} or {any: [...]}'
    },
  }) as Schema
  return schema
}

const isObject = (schema: Schema) => schema.properties !== undefined

/** Objects further down than `depth` keep what they are and lose what they hold. */
function pruned(schema: Schema, depth: number): Schema {
  const options = schema.oneOf ?? schema.anyOf
  if (options && options.length > 0 && options.every(isObject) && depth <= 1) return typesOnly(schema, options)
  const { properties, items, oneOf, anyOf, ...rest } = schema
  if (properties && depth <= 0) return { type: 'object', ...(rest.description ? { description: rest.description } : {}) }
  return {
    ...rest,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, pruned(part, depth - 1)])) }
      : {}),
    ...(items ? { items: pruned(items, depth) } : {}),
    ...(oneOf ? { oneOf: oneOf.map((one) => pruned(one, depth)) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((one) => pruned(one, depth)) } : {}),
  }
}

/** Of many shapes, only which there are. */
function typesOnly({ description }: Schema, options: readonly Schema[]): Schema {
  const types = options.flatMap(({ properties }) => properties?.type?.const ?? [])
  return {
    type: 'object',
    ...(description ? { description } : {}),
    properties: { type: { type: 'string', enum: types } },
    required: ['type'],
  }
}
