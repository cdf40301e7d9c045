import { type JsonSchema, toAnnotatedSchema } from '../../../kernel/annotated-schema.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { findArgumentDescription, findResultDescription } from './meanings/meanings.ts'

export interface DocumentedArgument {
  /** The path of the argument, by which its description is found: `operations.path`. */
  path: string
  /** Displayed path, with brackets for lists: `operations[].path`. */
  shown: string
  required: boolean
  type: string
  meaning: string | null
}

/** Lists all arguments and their nested fields, each after its parent, with the limits and fields that `tools/list` omits to stay short. */
export const listToolArguments = (tool: Tool): DocumentedArgument[] => flattenArguments(tool, toAnnotatedSchema(tool.input), '', '')

function flattenArguments(tool: Tool, { properties = {}, required = [] }: JsonSchema, path: string, shown: string): DocumentedArgument[] {
  const described = new Map<string, string>()
  return Object.entries(properties).flatMap(([name, given]) => {
    const schema = withoutNull(given)
    const at = path + name
    const own = {
      path: at,
      shown: shown + name,
      required: required.includes(name),
      type: typeOf(schema) + (schema === given ? '' : ', or null'),
      meaning: findArgumentDescription(tool.name, at) ?? (schema.meaning as string | undefined) ?? null,
    }
    const inner = innerOf(schema)
    if (!inner) return [own]
    // An argument with the same structure as an earlier one refers to that one, even if `tools/list` shortens the two differently.
    const alike = JSON.stringify({ ...inner, brief: undefined })
    const same = described.get(alike)
    if (same !== undefined) return [{ ...own, type: `${own.type}, as \`${same}\`` }]
    described.set(alike, name)
    return [own, ...flattenArguments(tool, inner, `${at}.`, `${shown}${name}${schema.type === 'array' ? '[]' : ''}.`)]
  })
}

/**
 * Returns the nested object of an argument if its fields get table rows of their own; otherwise null. Amounts of money get none, because
 * their format is always the same.
 */
function innerOf(schema: JsonSchema): JsonSchema | null {
  const inner = schema.type === 'array' && schema.items ? withoutNull(schema.items) : schema
  return inner.type === 'object' && !isMoney(inner) && Object.keys(inner.properties ?? {}).length > 0 ? inner : null
}

const isMoney = ({ properties = {} }: JsonSchema) => Object.keys(properties).join() === 'amount,currency'

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ') + defaultOf(schema)
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.type === 'array') return `list of ${schema.items ? plural(typeOf(withoutNull(schema.items))) : 'anything'}${mostOf(schema)}${defaultOf(schema)}`
  if (schema.type === 'object') return (isMoney(schema) ? 'money: `{ amount, currency }`' : 'object') + defaultOf(schema)
  const [least, most] = [schema.minimum, schema.maximum].map((bound) => (Math.abs(Number(bound)) < LARGEST ? String(bound) : ''))
  const range = least && most ? ` from ${least} to ${most}` : least ? ` from ${least}` : most ? ` up to ${most}` : ''
  const length = schema.maxLength === undefined ? '' : `, at most ${String(schema.maxLength)} characters`
  const words = typeof schema.description === 'string' ? `: ${schema.description}` : ''
  return `${nameOf(schema)}${range}${length}${words}${defaultOf(schema)}`
}

const plural = (type: string) => (/^[a-z ]+$/.test(type) && !type.endsWith('anything') ? `${type}s` : type)

const mostOf = ({ maxItems }: JsonSchema) => (typeof maxItems === 'number' && maxItems < 1000 ? `, at most ${maxItems}` : '')

/** Names the kind of value without the example that the schema adds: `a code such as summit-2027` becomes `code`. */
const nameOf = ({ like, format, type }: JsonSchema): string =>
  typeof like === 'string'
    ? like.replace(/^an? /, '').replace(/ (such as|as|of 24) .*$/, '')
    : (NAMES[String(format)] ?? NAMES[String(type)] ?? type ?? 'anything')

const NAMES: Record<string, string> = { date: 'day', 'date-time': 'instant', string: 'text', integer: 'number', boolean: 'true or false' }

/** The largest integer that database columns hold. The documentation omits numeric limits that come from the database or JavaScript. */
const LARGEST = 2_147_483_647

const defaultOf = (schema: JsonSchema) => (schema.default === undefined ? '' : `, default \`${JSON.stringify(schema.default)}\``)

export interface ResultField {
  name: string
  shape: string
  optional: boolean
  meaning: string | null
}

/** Lists the fields of the result of a tool, with nested fields in short form. */
export function listToolResultFields(tool: Tool): ResultField[] {
  const { properties = {}, required = [] } = toAnnotatedSchema(tool.output)
  return Object.entries(properties).map(([name, given]) => {
    const schema = withoutNull(given)
    return { name, shape: shapeOf(schema) + (schema === given ? '' : ', or null'), optional: !required.includes(name), meaning: findResultDescription(tool.name, name) ?? (schema.meaning as string | undefined) ?? null }
  })
}

function shapeOf(schema: JsonSchema): string {
  const inner = innerOf(schema)
  // Length limits of result fields are left out, because they matter only for arguments.
  if (!inner) return typeOf(schema).replaceAll(/, at most \d+( characters)?/g, '').replace(/ from 0 to \d+$/, '')
  return `${schema.type === 'array' ? 'list of ' : ''}\`${fieldsOf(inner)}\``
}

function fieldsOf(schema: JsonSchema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const part = withoutNull(given)
    const marks = `${part === given ? '' : '|null'}${schema.required?.includes(name) ? '' : '?'}`
    return `${name}${marks}${nested(part)}`
  })
  return `{ ${fields.join(', ')} }`
}

function nested(schema: JsonSchema): string {
  if (schema.type === 'array' && schema.items) return `[]${nested(withoutNull(schema.items))}`
  return innerOf(schema) ? ` ${fieldsOf(schema)}` : ''
}

/**
 * Returns the schema without null, or the same object if the value cannot be null. JSON Schema writes a nullable plain type as a list of
 * two types.
 */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: (schema.type as string[]).find((type) => type !== 'null')! }
  const other = (schema.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null')
  return other ?? schema
}
