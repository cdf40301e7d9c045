import { type JsonSchema, markedSchema } from '../../../kernel/marked-schema.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { meaningOf, resultMeaningOf } from './meanings/meanings.ts'

export interface Argument {
  /** As its meaning is kept: `operations.path`. */
  path: string
  /** As it is shown, with what is a list: `operations[].path`. */
  shown: string
  required: boolean
  type: string
  meaning: string | null
}

/** Every argument and every part of one, each after what it is a part of; with the bounds and parts that `tools/list` leaves out to stay short. */
export const argumentsOf = (tool: Tool): Argument[] => parts(tool, markedSchema(tool.input), '', '')

function parts(tool: Tool, { properties = {}, required = [] }: JsonSchema, path: string, shown: string): Argument[] {
  const told = new Map<string, string>()
  return Object.entries(properties).flatMap(([name, given]) => {
    const schema = withoutNull(given)
    const at = path + name
    const own = {
      path: at,
      shown: shown + name,
      required: required.includes(name),
      type: typeOf(schema) + (schema === given ? '' : ', or null'),
      meaning: meaningOf(tool.name, at),
    }
    const inner = innerOf(schema)
    if (!inner) return [own]
    // Parts that an argument before it has too are told there, in whatever words `tools/list` shortens them.
    const alike = JSON.stringify({ ...inner, brief: undefined })
    const same = told.get(alike)
    if (same !== undefined) return [{ ...own, type: `${own.type}, as \`${same}\`` }]
    told.set(alike, name)
    return [own, ...parts(tool, inner, `${at}.`, `${shown}${name}${schema.type === 'array' ? '[]' : ''}.`)]
  })
}

/** The object whose parts are worth a line each: an amount of money is one word to everybody. */
function innerOf(schema: JsonSchema): JsonSchema | null {
  const inner = schema.type === 'array' && schema.items ? withoutNull(schema.items) : schema
  return inner.type === 'object' && !isMoney(inner) && Object.keys(inner.properties ?? {}).length > 0 ? inner : null
}

const isMoney = ({ properties = {} }: JsonSchema) => Object.keys(properties).join() === 'amount,currency'

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ') + defaultOf(schema)
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.type === 'array') return `list of ${schema.items ? plural(typeOf(withoutNull(schema.items))) : 'anything'}${mostOf(schema)}${defaultOf(schema)}`
  if (schema.type === 'object') return (isMoney(schema) ? 'money, as `{ amount, currency }`' : 'object') + defaultOf(schema)
  const [least, most] = [schema.minimum, schema.maximum].map((bound) => (Math.abs(Number(bound)) < LARGEST ? String(bound) : ''))
  const range = least && most ? ` from ${least} to ${most}` : least ? ` from ${least}` : most ? ` up to ${most}` : ''
  const length = schema.maxLength === undefined ? '' : `, at most ${String(schema.maxLength)} characters`
  const words = typeof schema.description === 'string' ? `: ${schema.description}` : ''
  return `${nameOf(schema)}${range}${length}${words}${defaultOf(schema)}`
}

const plural = (type: string) => (/^[a-z ]+$/.test(type) && !type.endsWith('anything') ? `${type}s` : type)

const mostOf = ({ maxItems }: JsonSchema) => (typeof maxItems === 'number' && maxItems < 1000 ? `, at most ${maxItems}` : '')

/** What kernel/args.ts says a right value looks like, without its example: `a code such as summit-2027` is a code. */
const nameOf = ({ like, format, type }: JsonSchema): string =>
  typeof like === 'string'
    ? like.replace(/^an? /, '').replace(/ (such as|as|of 24) .*$/, '')
    : (NAMES[String(format)] ?? NAMES[String(type)] ?? type ?? 'anything')

const NAMES: Record<string, string> = { date: 'day', 'date-time': 'instant', string: 'text', integer: 'number', boolean: 'true or false' }

/** Where a database or JavaScript ends is no limit that anybody meets. */
const LARGEST = 2_147_483_647

const defaultOf = (schema: JsonSchema) => (schema.default === undefined ? '' : `, default \`${JSON.stringify(schema.default)}\``)

export interface ResultField {
  name: string
  shape: string
  optional: boolean
  meaning: string | null
}

/** What an answer holds, with the parts of each in short. */
export function resultOf(tool: Tool): ResultField[] {
  const { properties = {}, required = [] } = markedSchema(tool.output)
  return Object.entries(properties).map(([name, given]) => {
    const schema = withoutNull(given)
    return { name, shape: shapeOf(schema) + (schema === given ? '' : ', or null'), optional: !required.includes(name), meaning: resultMeaningOf(tool.name, name) }
  })
}

function shapeOf(schema: JsonSchema): string {
  const inner = innerOf(schema)
  // How long a text may be is for whoever sends one.
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

/** What it is when it is not null; the schema itself when it never is. A plain type that may be null is a list of two. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: (schema.type as string[]).find((type) => type !== 'null')! }
  const other = (schema.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null')
  return other ?? schema
}
