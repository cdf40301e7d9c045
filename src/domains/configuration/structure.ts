import type { z } from 'zod'
import { nearest } from '../../kernel/nearest.ts'
import { atOnce, type InParts } from '../../kernel/turns.ts'
import type { Issue } from './issues.ts'
import { isRecord, pointerOf, type Place, rootOf, segmentOf } from './pointers.ts'
import { parseInParts } from './parse.ts'
import { type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'
import { type EventConfig, MAX_DOCUMENT_BYTES } from './schema/event-config.ts'

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: Issue[] }

/** Whether a document has the shape that the schema says, with all that is wrong at once. */
export function* checkInParts(document: unknown, text = JSON.stringify(document)): InParts<Checked<EventConfig>> {
  const parsed = yield* parseInParts(ROOT, document)
  if (!parsed.ok) return { ok: false, issues: issuesOf(rootOf(document), parsed.issues) }
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

export const checkDocument = (document: unknown) => atOnce(checkInParts(document))

/** The same for what is to stand at one place. */
export function* checkPart(node: ConfigNode, path: string, value: unknown): InParts<Checked<unknown>> {
  const parsed = yield* parseInParts(node, value)
  return parsed.ok ? parsed : { ok: false, issues: issuesOf({ node: nodeFor(node, value), value, path }, parsed.issues) }
}

const issuesOf = (from: Place, issues: readonly z.core.$ZodIssue[]): Issue[] => issues.flatMap((issue) => issueOf(from, issue))

/** In one object: beyond these nobody reads on, and each is compared with all names there are. */
const MAX_UNKNOWN = 50

function issueOf(from: Place, issue: z.core.$ZodIssue): Issue[] {
  const at = placeOf(from, issue.path)
  const base = { level: 'structure' as const, path: at.path }
  const { value } = at
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(at)
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => {
      const near = nearest(key, known)
      return {
        ...base,
        code: 'unknownKey',
        path: at.path + pointerOf([key]),
        message: `Unknown key ${JSON.stringify(key.slice(0, 60))}${near ? ` — did you mean ${near}?` : ''}`,
        ...(near ? { hint: near } : { hint: known.join(', ').slice(0, 300) }),
      }
    })
  }
  if (value === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union')) {
    return [{ ...base, code: 'required', message: 'is required' }]
  }
  const shown = shownValue(value)
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return [{ ...base, ...shown, ...chosen(value, issue.options.map(String)), code: 'unknownType' }]
  }
  if (issue.code === 'invalid_value') return [{ ...base, ...shown, ...chosen(value, issue.values.map(String)), code: 'notAllowed' }]
  if (issue.code === 'invalid_type')
    return [{ ...base, ...shown, code: 'wrongType', message: `must be ${kindName(issue.expected)}, not ${nameOf(value)}` }]
  // What is wrong with the name of an entry says more than that it is.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [{ ...base, ...shown, code: issue.code === 'custom' ? 'rule' : 'limit', message }]
}

function chosen(value: unknown, allowed: readonly string[]): { message: string; hint?: string } {
  const near = typeof value === 'string' ? nearest(value, allowed) : null
  return { message: `must be one of ${allowed.join(', ')}`, ...(near ? { hint: near } : {}) }
}

/** Zod counts list items; people are told keys. */
function placeOf(from: Place, path: readonly PropertyKey[]): Place {
  let place = from
  for (const part of path) {
    const segment = String(part)
    const { node, value } = place
    const next: unknown = Array.isArray(value) ? value[Number(segment)] : isRecord(value) ? value[segment] : undefined
    const name = node.kind === 'list' ? segmentOf(next, Number(segment), node.key) : segment
    const below =
      node.kind === 'list' ? node.item : node.kind === 'record' ? node.value : node.kind === 'object' ? node.fields.get(segment) : undefined
    // Below a leaf (a condition's branch, a missing key) the schema has no node of its own.
    place = { node: below ? nodeFor(below, next) : node, value: next, path: place.path + pointerOf([name]) }
  }
  return place
}

const knownKeys = ({ node }: Place): string[] => (node.kind === 'object' ? [...node.fields.keys()] : [])

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
