import type { z } from 'zod'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { type InputShape, inWords, partOf, shapeAt, TYPE_WORDS } from '../../kernel/input-shape.ts'
import { sameMeaning } from '../../kernel/meanings.ts'
import { nearest } from '../../kernel/nearest.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { DOCUMENT_LIMITS, isLargerThan, type JsonLimits, readJson, REQUEST_LIMITS } from '../../kernel/read-json.ts'
import { unkeepable } from '../../kernel/unkeepable.ts'
import type { Tool } from '../../kernel/tool.ts'

export type Arguments = Record<string, unknown>

export const isPlainObject = (value: unknown): value is Arguments => value !== null && typeof value === 'object' && !Array.isArray(value)

/** More than this many nobody mends in one go, and the answer would outgrow the question. */
const MAX_FIELD_ERRORS = 50

/** What the tool declared, or a refusal that names every wrong argument at once. */
export function decodeArguments(tool: Tool, sent: Arguments): Arguments {
  const limits = takesDocuments(tool.shape) ? DOCUMENT_LIMITS : REQUEST_LIMITS
  if (isLargerThan(sent, limits)) throw invalidArguments([tooMany(limits)])
  const given = lenient(tool.shape, sent)
  const parsed = tool.input.safeParse(given)
  const wrong = parsed.success
    ? unkeepable(parsed.data, 'holds U+0000 or half of a surrogate pair, which cannot be kept')
    : parsed.error.issues.slice(0, MAX_FIELD_ERRORS).flatMap((issue) => fieldErrors(tool.shape, issue, sent))
  const all = [...wrong, ...tool.faultsOf(given)]
  if (all.length > 0) throw invalidArguments(all.slice(0, MAX_FIELD_ERRORS))
  return parsed.data!
}

const tooMany = ({ keys, values }: JsonLimits): FieldError => ({
  path: 'arguments',
  message: `hold more than can be read, which is ${keys} keys and ${values} values: make several calls of it`,
})

/** A part of any shape is one of an event's configuration, which is large by right. */
const takesDocuments = ({ properties }: InputShape) =>
  Object.values(properties ?? {}).some(({ open, properties: own }) => open && Object.keys(own ?? {}).length === 0)

/**
 * Takes what assistants really send: JSON text where an object or list is declared, an empty text or null for something left
 * out, and a null that means "empty this field" where the tool can clear it.
 */
function lenient(shape: InputShape, sent: Arguments): Arguments {
  const clearable = shape.properties?.clear?.items?.allowed
  const result: Arguments = {}
  const cleared: string[] = []
  for (const [name, value] of Object.entries(sent)) {
    const part = partOf(shape, name)
    if (value === null && clearable?.includes(name)) cleared.push(name)
    else if (!part || !isLeftOut(part, value, shape.required?.includes(name) ?? false))
      put(result, name, part ? decoded(part, value) : value)
  }
  if (cleared.length > 0) result.clear = [...new Set([...[result.clear ?? []].flat(), ...cleared])]
  return result
}

/** As a key of its own, whatever it is called: set plainly, `__proto__` would be taken for more than a name. */
const put = (holder: Arguments, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

const isLeftOut = ({ nullable }: InputShape, value: unknown, required: boolean) =>
  !required && ((value === null && !nullable) || (typeof value === 'string' && value.trim() === ''))

function decoded(shape: InputShape, value: unknown): unknown {
  const structured = shape.type === 'object' || shape.type === 'array'
  const given = structured && typeof value === 'string' ? parsedJson(value) : value
  if (shape.type === 'object' && isPlainObject(given) && shape.properties) return lenient(shape, given)
  if (shape.type === 'array' && Array.isArray(given) && shape.items) return given.map((item) => decoded(shape.items!, item))
  return given
}

function parsedJson(text: string): unknown {
  const read = readJson(text, DOCUMENT_LIMITS)
  return 'value' in read ? read.value : text
}

type Issue = z.core.$ZodIssue

function fieldErrors(whole: InputShape, issue: Issue, sent: Arguments): FieldError[] {
  const path = issue.path.map(String).join('/')
  const shape = shapeAt(whole, issue.path) ?? {}
  const value = issue.path.reduce<unknown>((at, key) => (at as Arguments | undefined)?.[key as string], sent)
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(shape.properties ?? {})
    return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => unknownArgument(path ? `${path}/${key}` : key, key, known))
  }
  if (value === undefined) return [{ path, message: `is required: ${told(shape)}`, ...(shape.allowed ? { allowed: shape.allowed } : {}) }]
  const shown = isSecret(whole, issue.path) ? 'the value' : cleanText(JSON.stringify(value) ?? 'nothing', 60)
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return [{ path, message: `${shown} is not one of ${allowed.join(', ')}`, allowed: nearestFirst(value, allowed) }]
  }
  if (issue.code === 'invalid_type') return [{ path, message: wrongType(shown, issue.expected, shape) }]
  const limits = shape.type === 'integer' || shape.type === 'number' ? ` (${told(shape)})` : ''
  return [{ path, message: `${shown}: ${issue.message}${limits}` }]
}

function wrongType(shown: string, expected: string, shape: InputShape): string {
  const kind = TYPE_WORDS[expected] ?? expected
  const right = told(shape)
  return `${shown} is not ${kind}${right === kind || right === 'any value' ? '' : `: it takes ${right}`}`
}

/** Long shapes end early: what is missing then is asked for by the next refusal. */
const told = (shape: InputShape) => cleanText(inWords(shape), 600)

function unknownArgument(path: string, key: string, known: string[]): FieldError {
  const near = nearest(key, known) ?? sameMeaning(key, known)
  return {
    path: cleanText(path, 80),
    message: near ? `is not an argument — did you mean ${near}?` : `is not an argument; there is ${known.join(', ') || 'none'}`,
    allowed: near ? [near, ...known.filter((name) => name !== near)] : known,
  }
}

function nearestFirst(value: unknown, allowed: string[]): string[] {
  const near = typeof value === 'string' ? nearest(value, allowed) : null
  return near ? [near, ...allowed.filter((word) => word !== near)] : allowed
}

const SECRET = /secret|password|token|credential|authorization/i

/** Declared as a secret, whatever the argument is called, or called like one. */
const isSecret = (shape: InputShape, path: readonly PropertyKey[]): boolean =>
  path.some((key, index) => SECRET.test(String(key)) || shapeAt(shape, path.slice(0, index + 1))?.secret === true)
