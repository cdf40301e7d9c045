import type { z } from 'zod'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { runTaskSynchronously, type CooperativeTask } from '../../kernel/cooperative.ts'
import type { ConfigIssue } from './issues.ts'
import { isJsonObject, toPointer, type ConfigLocation, getConfigRootLocation, toPointerSegment } from './pointers.ts'
import { parseInParts } from './parse.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'
import { type EventConfig, MAX_DOCUMENT_BYTES } from './schema/event-config.ts'

export type DocumentCheckResult<T> = { ok: true; value: T } | { ok: false; issues: ConfigIssue[] }

/** Checks a document against the schema and returns all issues. */
export function* checkInParts(document: unknown, text = JSON.stringify(document)): CooperativeTask<DocumentCheckResult<EventConfig>> {
  const parsed = yield* parseInParts(ROOT_NODE, document)
  if (!parsed.ok) return { ok: false, issues: toIssues(getConfigRootLocation(document), parsed.issues) }
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_DOCUMENT_BYTES) {
    return {
      ok: false,
      issues: [
        {
          level: 'structure',
          code: 'tooLarge',
          path: '',
          message: `has ${bytes} bytes; a configuration has at most ${MAX_DOCUMENT_BYTES}`,
        },
      ],
    }
  }
  return { ok: true, value: parsed.value as EventConfig }
}

export const validateDocumentStructure = (document: unknown) => runTaskSynchronously(checkInParts(document))

/** Checks one value of a document against the schema. */
export function* checkValueInParts(node: ConfigNode, path: string, value: unknown): CooperativeTask<DocumentCheckResult<unknown>> {
  const parsed = yield* parseInParts(node, value)
  return parsed.ok ? parsed : { ok: false, issues: toIssues({ node: resolveUnionNode(node, value), value, path }, parsed.issues) }
}

const toIssues = (from: ConfigLocation, issues: readonly z.core.$ZodIssue[]): ConfigIssue[] =>
  issues.flatMap((issue) => toIssue(from, issue))

/** Limit of unknown keys reported per object, because each is compared with all known keys. */
const MAX_UNKNOWN = 50

function toIssue(from: ConfigLocation, issue: z.core.$ZodIssue): ConfigIssue[] {
  const at = toLocation(from, issue.path)
  const base = { level: 'structure' as const, path: at.path }
  const { value } = at
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(at)
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => {
      const near = findMostSimilarName(key, known)
      const listed = known.join(', ').slice(0, 300)
      return {
        ...base,
        code: 'unknownKey',
        path: at.path + toPointer([key]),
        message: `Unknown key ${JSON.stringify(key.slice(0, 60))}${near ? ` — did you mean ${near}?` : listed === '' ? '' : `; known keys: ${listed}`}`,
        hint: near ?? listed,
      }
    })
  }
  if (value === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union')) {
    return [{ ...base, code: 'required', message: 'is required' }]
  }
  const shown = shownValue(value)
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return [{ ...base, ...shown, ...describeAllowed(value, issue.options.map(String)), code: 'unknownType' }]
  }
  if (issue.code === 'invalid_value')
    return [{ ...base, ...shown, ...describeAllowed(value, issue.values.map(String)), code: 'notAllowed' }]
  if (issue.code === 'invalid_type')
    return [{ ...base, ...shown, code: 'wrongType', message: `must be ${kindName(issue.expected)}, not ${nameOf(value)}` }]
  // For an invalid property name, the nested Zod issue contains the message.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [{ ...base, ...shown, code: issue.code === 'custom' ? 'rule' : 'limit', message }]
}

function describeAllowed(value: unknown, allowed: readonly string[]): { message: string; hint?: string } {
  const near = typeof value === 'string' ? findMostSimilarName(value, allowed) : null
  return { message: `must be one of ${allowed.join(', ')}`, ...(near ? { hint: near } : {}) }
}

/** Converts a Zod path with list indexes into a pointer with keys. */
function toLocation(from: ConfigLocation, path: readonly PropertyKey[]): ConfigLocation {
  let location = from
  for (const part of path) {
    const segment = String(part)
    const { node, value } = location
    const next: unknown = Array.isArray(value) ? value[Number(segment)] : isJsonObject(value) ? value[segment] : undefined
    const name = node.kind === 'list' ? toPointerSegment(next, Number(segment), node.key) : segment
    const below =
      node.kind === 'list' ? node.item : node.kind === 'record' ? node.value : node.kind === 'object' ? node.fields.get(segment) : undefined
    // The schema has no nodes inside a condition or below an unknown key. Values there get the nearest schema node above them.
    location = { node: below ? resolveUnionNode(below, next) : node, value: next, path: location.path + toPointer([name]) }
  }
  return location
}

const knownKeys = ({ node }: ConfigLocation): string[] => (node.kind === 'object' ? [...node.fields.keys()] : [])

const KIND_NAMES: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  record: 'an object',
}
const kindName = (expected: string) => KIND_NAMES[expected] ?? expected
const nameOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'string'
        ? 'text'
        : typeof value === 'object'
          ? 'an object'
          : `a ${typeof value}`

const shownValue = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? { value: String(value).slice(0, 80) } : {}
