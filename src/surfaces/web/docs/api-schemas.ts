import type { Schema } from '../../../domains/entities/schemas.ts'
import type { OpenApiDocument } from '../../rest/openapi-parts.ts'

/** Follows a reference to a shared schema. */
export function resolveSchema(document: OpenApiDocument, schema: Schema | { $ref: string }): Schema {
  return '$ref' in schema ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema
}

/** Names of kinds of strings, such as ids, by a part of their regular expression (`pattern` in the OpenAPI document). */
const NAMED_PATTERNS: readonly (readonly [part: string, name: string])[] = [
  ['^[0-9a-f]{24}$', 'id'],
  ['^msg_', 'message id'],
  ['\\.[\\w-]{38', 'cursor'],
  ['[a-z0-9-]{0,62}', 'code'],
]

const escape = (text: string) => text.replaceAll('|', '\\|')

/** Describes the type of a value in a few words, such as `integer, 1 to 200, default 50`. */
export function describeSchema(document: OpenApiDocument, given: Schema | { $ref: string }): string {
  const schema = resolveSchema(document, given)
  const { type, format, pattern, enum: words, minimum, maximum, maxLength, default: standard, items, anyOf, const: constant } = schema
  if (anyOf) return [...new Set(anyOf.map((one) => describeSchema(document, one)))].join(' or ')
  const kinds = [type ?? []].flat()
  const isNullable = kinds.includes('null')
  const named = NAMED_PATTERNS.find(([part]) => pattern?.includes(part))?.[1]
  const base =
    constant !== undefined
      ? `\`${constant}\``
      : words
        ? words
            .filter((word) => word !== null)
            .map((word) => `\`${word}\``)
            .join(', ')
        : kinds.includes('array')
          ? `list of ${describeSchema(document, items ?? {})}`
          : format === 'date-time'
            ? 'instant'
            : format === 'date'
              ? 'day'
              : (named ?? kinds.find((kind) => kind !== 'null') ?? 'any value')
  const range = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `, ${minimum} to ${maximum}` : ''
  const length = maxLength === undefined ? '' : `, at most ${maxLength} characters`
  const own = pattern && !named && format === undefined ? `, \`${escape(pattern)}\`` : ''
  return `${base}${range}${length}${own}${standard === undefined ? '' : `, default \`${standard}\``}${isNullable ? ', or null' : ''}`
}

/** Nested objects are shown up to this depth; deeper ones are described in words only. */
const MAX_DEPTH = 3

/** The properties of an object and of the objects in it, one row each. */
export function formatSchemaTable(document: OpenApiDocument, schema: Schema | { $ref: string }): string[] {
  const rows = listRows(document, resolveSchema(document, schema), '', 0)
  if (rows.length === 0) return [`${describeSchema(document, schema)}.`]
  return ['| Property | Type | Meaning |', '|---|---|---|', ...rows]
}

function listRows(document: OpenApiDocument, { properties = {}, required = [] }: Schema, prefix: string, depth: number): string[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const part = resolveSchema(document, given)
    const [inner, path] =
      [part.type].flat().includes('array') && part.items
        ? [resolveSchema(document, part.items), `${prefix}${name}[]`]
        : [part, `${prefix}${name}`]
    const optional = required.includes(name) ? '' : ', optional'
    const row = `| \`${prefix}${name}\`${optional} | ${describeSchema(document, part)} | ${escape(part.description ?? inner.description ?? '').replaceAll('\n', ' ')} |`
    return depth < MAX_DEPTH ? [row, ...listRows(document, inner, `${path}.`, depth + 1)] : [row]
  })
}
