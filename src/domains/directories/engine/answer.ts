import { parseJsonPath, cutPathBeforeWildcard, readJsonPath } from './json-path.ts'
import type { DirectoryRequest } from './spec.ts'
import { DirectoryCallError } from './step-failed.ts'

/** Maximum nesting of a directory's JSON response, deeper than any real record. Protects the recursive code that reads the response. */
const MAX_DEPTH = 64

export function parseDirectoryResponse(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new DirectoryCallError('parse', 'The answer is empty')
  if (isTooDeep(text)) throw new DirectoryCallError('parse', `The answer nests deeper than ${MAX_DEPTH} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new DirectoryCallError(
      'parse',
      text.trimStart().startsWith('<') ? 'The answer is a web page or XML, not JSON' : 'The answer is not JSON',
    )
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inText && character === '\\') at++
    else if (character === '"') inText = !inText
    else if (!inText && (character === '{' || character === '[')) depth++
    else if (!inText && (character === '}' || character === ']')) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/**
 * Lists the records on one page of a directory's answer. An empty list means not found. A records path without a match is a configuration
 * error, unless `foundWhen` shows that nothing was found or the records follow on the next page.
 */
export function listRecordsInResponse(answer: unknown, request: DirectoryRequest): unknown[] {
  const text = request.paging?.itemPath || request.resultPath
  const path = parseJsonPath(text)
  const found = readJsonPath(answer, path)
  const records = (found.length === 1 && Array.isArray(found[0]) ? (found[0] as unknown[]) : found).filter(isRecord)
  if (readJsonPath(answer, cutPathBeforeWildcard(path)).length > 0)
    return request.foundWhen ? records.filter((record) => matchesFoundWhen(record, answer, request.foundWhen!)) : records
  const says = request.foundWhen ? readJsonPath(answer, parseJsonPath(request.foundWhen)) : []
  if (says.length > 0 && !says.some(isTrue)) return []
  if (request.paging?.kind === 'next' && findNextPageUrlOrOffset(answer, request) !== null) return []
  throw new DirectoryCallError('parse', `The answer has nothing at ${text}`)
}

const isRecord = (record: unknown) =>
  record !== null && record !== undefined && !(typeof record === 'object' && Object.keys(record).length === 0)

/**
 * Whether the answer meets the `foundWhen` expression. It is read from the record, or from the whole answer if the record does not contain
 * it.
 */
function matchesFoundWhen(record: unknown, answer: unknown, foundWhen: string): boolean {
  const path = parseJsonPath(foundWhen)
  const inRecord = readJsonPath(record, path)
  return (inRecord.length > 0 ? inRecord : readJsonPath(answer, path)).some(isTrue)
}

const FALSY_TEXTS = new Set(['', 'false', '0', 'no', 'n'])

function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !FALSY_TEXTS.has(value.trim().toLowerCase())
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** Returns the next-page URL or offset from the response, or null on the last page. */
export function findNextPageUrlOrOffset(answer: unknown, { paging }: DirectoryRequest): string | null {
  const [next] = paging ? readJsonPath(answer, parseJsonPath(paging.nextPath)) : []
  return (typeof next === 'string' && next !== '') || typeof next === 'number' ? String(next) : null
}
