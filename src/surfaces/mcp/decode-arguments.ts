import { z } from 'zod'
import { secretWords } from '../../kernel/args.ts'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { unkeepable } from '../../kernel/unkeepable.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { JsonSchema } from '../../kernel/wire.ts'
import { readJson } from './read-json.ts'

export type Arguments = Record<string, unknown>

export const isPlainObject = (value: unknown): value is Arguments => value !== null && typeof value === 'object' && !Array.isArray(value)

/** More than this many nobody mends in one go, and the answer would outgrow the question. */
const MAX_FIELD_ERRORS = 50

/** What the tool declared, or a refusal that names every wrong argument at once. */
export function decodeArguments(tool: Tool, sent: Arguments): Arguments {
  const parsed = tool.input.safeParse(lenient(tool.wire.inputSchema, sent))
  const wrong = parsed.success
    ? unkeepable(parsed.data, 'holds U+0000 or half of a surrogate pair, which cannot be kept')
    : parsed.error.issues.slice(0, MAX_FIELD_ERRORS).flatMap((issue) => fieldErrors(tool, issue, sent))
  if (wrong.length > 0) throw invalidArguments(wrong.slice(0, MAX_FIELD_ERRORS))
  return parsed.data!
}

/**
 * Takes what assistants really send: JSON text where an object or list is declared, an empty text or null for something left
 * out, and a null that means "empty this field" where the tool can clear it.
 */
function lenient(schema: JsonSchema, sent: Arguments): Arguments {
  const clearable = schema.properties?.clear?.items?.enum
  const result: Arguments = {}
  const cleared: string[] = []
  for (const [name, value] of Object.entries(sent)) {
    const property = propertyOf(schema, name)
    if (value === null && clearable?.includes(name)) cleared.push(name)
    else if (!property || !isLeftOut(value, schema.required?.includes(name) ?? false))
      result[name] = property ? decoded(property, value) : value
  }
  if (cleared.length > 0) result.clear = [...new Set([...[result.clear ?? []].flat(), ...cleared])]
  return result
}

/** Own ones only: every object also has a `constructor`. */
const propertyOf = ({ properties }: JsonSchema, name: string) =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined

const isLeftOut = (value: unknown, required: boolean) => !required && (value === null || (typeof value === 'string' && value.trim() === ''))

function decoded(schema: JsonSchema, value: unknown): unknown {
  const structured = schema.type === 'object' || schema.type === 'array'
  const given = structured && typeof value === 'string' ? parsedJson(value) : value
  if (schema.type === 'object' && isPlainObject(given) && schema.properties) return lenient(schema, given)
  if (schema.type === 'array' && Array.isArray(given) && schema.items) return given.map((item) => decoded(schema.items!, item))
  return given
}

function parsedJson(text: string): unknown {
  const read = readJson(text)
  return 'value' in read ? read.value : text
}

type Issue = z.core.$ZodIssue

function fieldErrors(tool: Tool, issue: Issue, sent: Arguments): FieldError[] {
  const path = issue.path.map(String).join('/')
  const value = issue.path.reduce<unknown>((at, key) => (at as Arguments | undefined)?.[key as string], sent)
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(schemaAt(tool.wire.inputSchema, issue.path)?.properties ?? {})
    return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => unknownArgument(path ? `${path}/${key}` : key, key, known))
  }
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    if (value === undefined) return [{ path, message: `is required: one of ${allowed.slice(0, 20).join(', ')}`, allowed }]
    return [
      {
        path,
        message: `${shown(tool, path, value)} is not one of ${allowed.slice(0, 20).join(', ')}`,
        allowed: nearestFirst(value, allowed),
      },
    ]
  }
  if (issue.code === 'invalid_type') {
    return [
      {
        path,
        message: value === undefined ? 'is required' : `${shown(tool, path, value)} is not ${IN_WORDS[issue.expected] ?? issue.expected}`,
      },
    ]
  }
  return [{ path, message: `${shown(tool, path, value)}: ${issue.message}` }]
}

const IN_WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function unknownArgument(path: string, key: string, known: string[]): FieldError {
  const near = nearest(key, known)
  return {
    path: cleanText(path, 80),
    message: `is not an argument${near ? ` — did you mean ${near}?` : ''}`,
    allowed: near ? nearestFirst(key, known) : known,
  }
}

function nearestFirst(value: unknown, allowed: string[]): string[] {
  const near = typeof value === 'string' ? nearest(value, allowed) : null
  return (near ? [near, ...allowed.filter((a) => a !== near)] : allowed).slice(0, 20)
}

function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((at, key) => (typeof key === 'number' ? at?.items : at && propertyOf(at, String(key))), schema)
}

const SECRET = /secret|password|token|credential|authorization/i

/** The value as it was sent, so that the caller sees what is wrong with it; never a secret, never long. */
const shown = (tool: Tool, path: string, value: unknown) =>
  SECRET.test(path) || isSecret(tool, path) ? 'the value' : cleanText(JSON.stringify(value) ?? 'nothing', 60)

/** Declared as a secret, whatever the argument is called. */
function isSecret({ input }: Tool, path: string): boolean {
  const type = input.shape[path.split('/', 1)[0]!]
  return type !== undefined && secretWords.has(type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : (type as z.ZodType))
}
