import type { z } from 'zod'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import {
  type InputShape,
  describeArgumentShape,
  findArgumentByName,
  findArgumentShape,
  JSON_TYPE_LABELS,
} from '../../kernel/input-shape.ts'
import { describeInvalidId, getMcpEndpointKind, describeIdSource } from '../../kernel/id-kinds.ts'
import { rewordValidationMessage, removeMisleadingLimitIssues } from '../../kernel/limit-messages.ts'
import { suggestCorrectedValues } from '../../kernel/suggest-value.ts'
import { findArgumentNameSynonym } from '../../kernel/synonyms.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { CONFIGURATION_JSON_LIMITS, exceedsJsonLimits, type JsonLimits, readJson, REQUEST_JSON_LIMITS } from '../../kernel/read-json.ts'
import { findUnstorableText } from '../../kernel/storable-text.ts'
import type { Tool } from '../../kernel/tool.ts'
import { groupValidationIssues } from './group-issues.ts'

export type CallArguments = Record<string, unknown>

export const isPlainObject = (value: unknown): value is CallArguments =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Maximum number of reported errors: longer lists are not useful and would be larger than the request. */
const MAX_FIELD_ERRORS = 50

/** Maximum number of suggestions. Every suggestion is checked by parsing the arguments again, so only the first errors have one. */
const MAX_SUGGESTIONS = 10

/** Returns the arguments the tool declared, or throws one error that names every invalid argument. */
export function decodeToolArguments(tool: Tool, sent: CallArguments): CallArguments {
  const limits = takesDocuments(tool.shape) ? CONFIGURATION_JSON_LIMITS : REQUEST_JSON_LIMITS
  if (exceedsJsonLimits(sent, limits)) throw invalidArguments([tooMany(limits)])
  const given = normalizeArguments(tool.shape, sent)
  const parsed = tool.input.safeParse(given)
  const wrong = parsed.success
    ? findUnstorableText(parsed.data, 'contains U+0000 or half of a surrogate pair, which cannot be stored')
    : groupValidationIssues(removeMisleadingLimitIssues(parsed.error.issues))
        .slice(0, MAX_FIELD_ERRORS)
        .flatMap(({ issue, note }, index) =>
          fieldErrors(tool, issue, given, index < MAX_SUGGESTIONS).map((error) => ({ ...error, message: `${error.message}${note}` })),
        )
  const all = [...wrong, ...tool.findArgumentErrors(given)]
  if (all.length > 0) throw invalidArguments(all.slice(0, MAX_FIELD_ERRORS))
  return parsed.data!
}

const tooMany = ({ keys, values }: JsonLimits): FieldError => ({
  path: 'arguments',
  message: `exceed the limit of ${keys} keys and ${values} values: split them over several calls`,
})

/** Whether a tool accepts parts of an event's configuration, which may be large. Such arguments are objects with arbitrary keys. */
const takesDocuments = ({ properties }: InputShape) =>
  Object.values(properties ?? {}).some(({ open, properties: own }) => open && Object.keys(own ?? {}).length === 0)

/**
 * Accepts what assistants actually send: JSON text where an object or list is declared, an empty string or null for an omitted value, and
 * null for "clear this field" where the tool supports `clear`.
 */
function normalizeArguments(shape: InputShape, sent: CallArguments): CallArguments {
  const clearable = shape.properties?.clear?.items?.allowed
  const result: CallArguments = {}
  const cleared: string[] = []
  for (const [name, value] of Object.entries(sent)) {
    const part = findArgumentByName(shape, name)
    if (value === null && clearable?.includes(name)) cleared.push(name)
    else if (!part || !isOmitted(part, value, shape.required?.includes(name) ?? false))
      setOwnKey(result, name, part ? decodeValue(part, value) : value)
  }
  if (cleared.length > 0) result.clear = [...new Set([...[result.clear ?? []].flat(), ...cleared])]
  return result
}

/** Sets the property with `defineProperty`, so that a key named `__proto__` does not change the object's prototype. */
const setOwnKey = (holder: CallArguments, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

const isOmitted = ({ nullable }: InputShape, value: unknown, required: boolean) =>
  !required && ((value === null && !nullable) || (typeof value === 'string' && value.trim() === ''))

function decodeValue(shape: InputShape, value: unknown): unknown {
  const structured = shape.type === 'object' || shape.type === 'array'
  const given = structured && typeof value === 'string' ? tryParseJson(value) : value
  if (shape.type === 'object' && isPlainObject(given) && shape.properties) return normalizeArguments(shape, given)
  if (shape.type === 'array' && Array.isArray(given) && shape.items) return given.map((item) => decodeValue(shape.items!, item))
  return given
}

function tryParseJson(text: string): unknown {
  const read = readJson(text, CONFIGURATION_JSON_LIMITS)
  return 'value' in read ? read.value : text
}

type Issue = z.core.$ZodIssue

function fieldErrors(tool: Tool, issue: Issue, sent: CallArguments, suggests: boolean): FieldError[] {
  const whole = tool.shape
  const path = issue.path.map(String).join('/')
  const shape = findArgumentShape(whole, issue.path) ?? {}
  const value = issue.path.reduce<unknown>((at, key) => (at as CallArguments | undefined)?.[key as string], sent)
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(shape.properties ?? {})
    return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => unknownArgument(path ? `${path}/${key}` : key, key, known))
  }
  const source = sourceHint(tool, issue.path, shape)
  if (value === undefined)
    return [{ path, message: `is required: ${describeBriefly(shape)}${source}`, ...(shape.allowed ? { allowed: shape.allowed } : {}) }]
  const secret = isSecret(whole, issue.path)
  const shown = secret ? 'the value' : cleanText(JSON.stringify(value) ?? 'nothing', 60)
  const meant = secret || !suggests ? '' : suggestionHint(tool, issue.path, shape, sent)
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return [{ path, message: `${shown} is not one of ${allowed.join(', ')}${meant}`, allowed: nearestFirst(value, allowed) }]
  }
  if (issue.code === 'invalid_type') return [{ path, message: `${wrongType(shown, issue.expected, shape)}${meant}${source}` }]
  const limits = shape.type === 'integer' || shape.type === 'number' ? ` (${describeBriefly(shape)})` : ''
  const given = shape.reference && typeof value === 'string' && !secret ? describeInvalidId(value) : null
  return [
    { path, message: `${shown}: ${rewordValidationMessage(issue)}${limits}${given === null ? '' : `. This is ${given}`}${meant}${source}` },
  ]
}

/** Returns a hint that names the tool from which an argument's value comes, such as ` (find_participants lists …)`. */
function sourceHint({ scope }: Tool, path: readonly PropertyKey[], { kind }: InputShape): string {
  const argument = path.findLast((key) => typeof key === 'string') ?? ''
  const source = describeIdSource(String(argument), kind, getMcpEndpointKind(scope))
  return source === null ? '' : ` (${source})`
}

/** Maximum length of a suggestion, because a longer one would repeat a large part of the call. */
const MAX_SUGGESTION_LENGTH = 120

/**
 * Returns a hint with the values to send instead, such as ` — did you mean "2027-03-12"?`. Only values that the tool would accept are
 * suggested.
 */
function suggestionHint(tool: Tool, path: readonly PropertyKey[], shape: InputShape, sent: CallArguments): string {
  const value = path.reduce<unknown>((at, key) => (at as CallArguments)[key as string], sent)
  const suggested = suggestCorrectedValues(shape, value)
    .filter((suggestion) => accepts(tool, path, replaceAt(sent, path, suggestion)))
    .map((suggestion) => JSON.stringify(suggestion))
    .filter((text) => text.length <= MAX_SUGGESTION_LENGTH)
  return suggested.length === 0 ? '' : ` — did you mean ${suggested.slice(0, 3).join(' or ')}?`
}

/** Whether the arguments have no error at this path or below. */
function accepts(tool: Tool, path: readonly PropertyKey[], args: CallArguments): boolean {
  const { error } = tool.input.safeParse(normalizeArguments(tool.shape, args))
  return !error?.issues.some((issue) => path.every((key, index) => issue.path[index] === key))
}

function replaceAt(holder: unknown, [key, ...rest]: readonly PropertyKey[], value: unknown): CallArguments {
  if (key === undefined) return value as CallArguments
  if (Array.isArray(holder)) return holder.map((item, index) => (index === key ? replaceAt(item, rest, value) : item)) as never
  const copy = { ...(holder as CallArguments) }
  setOwnKey(copy, String(key), replaceAt(copy[String(key)], rest, value))
  return copy
}

function wrongType(shown: string, expected: string, shape: InputShape): string {
  const kind = JSON_TYPE_LABELS[expected] ?? expected
  const right = describeBriefly(shape)
  return `${shown} is not ${kind}${right === kind || right === 'any value' ? '' : `: it takes ${right}`}`
}

/**
 * Describes the shape of an argument. A long description is cut off; if the caller then omits something required, the next error names it.
 */
const describeBriefly = (shape: InputShape) => cleanText(describeArgumentShape(shape), 600)

function unknownArgument(path: string, key: string, known: string[]): FieldError {
  const near = findMostSimilarName(key, known) ?? findArgumentNameSynonym(key, known)
  return {
    path: cleanText(path, 80),
    message: near ? `is not an argument — did you mean ${near}?` : `is not an argument; known arguments: ${known.join(', ') || 'none'}`,
    allowed: near ? [near, ...known.filter((name) => name !== near)] : known,
  }
}

function nearestFirst(value: unknown, allowed: string[]): string[] {
  const near = typeof value === 'string' ? findMostSimilarName(value, allowed) : null
  return near ? [near, ...allowed.filter((word) => word !== near)] : allowed
}

const SECRET = /secret|password|token|credential|authorization/i

/** Whether the argument is declared as a secret, or has a name that suggests one. */
const isSecret = (shape: InputShape, path: readonly PropertyKey[]): boolean =>
  path.some((key, index) => SECRET.test(String(key)) || findArgumentShape(shape, path.slice(0, index + 1))?.secret === true)
