import { parsePath, placeOf, readPath } from './json-path.ts'
import type { DirectoryRequest } from './spec.ts'
import { StepFailed } from './step-failed.ts'

/** Far more than any record has, and little enough for everything that walks through it later. */
const MAX_DEPTH = 64

export function readAnswer(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new StepFailed('parse', 'The answer is empty')
  if (isTooDeep(text)) throw new StepFailed('parse', `The answer nests deeper than ${MAX_DEPTH} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new StepFailed('parse', text.trimStart().startsWith('<') ? 'The answer is a web page or XML, not JSON' : 'The answer is not JSON')
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (inText && sign === '\\') at++
    else if (sign === '"') inText = !inText
    else if (!inText && (sign === '{' || sign === '[')) depth++
    else if (!inText && (sign === '}' || sign === ']')) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/**
 * The records of one page. An empty list is nobody; a path that leads nowhere is a mistake in it and said so, unless the answer itself
 * says by `foundWhen` that there is nobody, or that the records come on the next page.
 */
export function recordsOf(answer: unknown, request: DirectoryRequest): unknown[] {
  const text = request.paging?.itemPath || request.resultPath
  const path = parsePath(text)
  const found = readPath(answer, path)
  const records = (found.length === 1 && Array.isArray(found[0]) ? (found[0] as unknown[]) : found).filter(isSomebody)
  if (readPath(answer, placeOf(path)).length > 0)
    return request.foundWhen ? records.filter((record) => counts(record, answer, request.foundWhen!)) : records
  const says = request.foundWhen ? readPath(answer, parsePath(request.foundWhen)) : []
  if (says.length > 0 && !says.some(isTrue)) return []
  if (request.paging?.kind === 'next' && nextOf(answer, request) !== null) return []
  throw new StepFailed('parse', `The answer has nothing at ${text}`)
}

const isSomebody = (record: unknown) =>
  record !== null && record !== undefined && !(typeof record === 'object' && Object.keys(record).length === 0)

/** The record itself says it first; what it does not hold is looked for in the whole answer. */
function counts(record: unknown, answer: unknown, foundWhen: string): boolean {
  const path = parsePath(foundWhen)
  const inRecord = readPath(record, path)
  return (inRecord.length > 0 ? inRecord : readPath(answer, path)).some(isTrue)
}

const UNTRUE = new Set(['', 'false', '0', 'no', 'n'])

function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !UNTRUE.has(value.trim().toLowerCase())
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** What the answer says of its next page, or null when it is the last. */
export function nextOf(answer: unknown, { paging }: DirectoryRequest): string | null {
  const [next] = paging ? readPath(answer, parsePath(paging.nextPath)) : []
  return (typeof next === 'string' && next !== '') || typeof next === 'number' ? String(next) : null
}
