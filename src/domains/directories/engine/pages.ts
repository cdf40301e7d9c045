import { findNextPageUrlOrOffset, parseDirectoryResponse, listRecordsInResponse } from './answer.ts'
import { listSentCredentialNames } from './auth.ts'
import { createSecretRedactor } from './redact-secrets.ts'
import { MAX_DIRECTORY_PAGES } from './check-request.ts'
import { type DirectoryCall, requireSuccessStatus, sendDirectoryRequest } from './exchange.ts'
import { DirectoryCallError } from './step-failed.ts'
import type { DirectoryHttpRequest } from './template.ts'

export interface PagedRecords {
  status: number
  records: unknown[]
  /** True if the directory has further pages that were not read. */
  more: boolean
}

/** Reads result pages until it is certain whether none, one or several records match. */
export async function readResultPages(call: DirectoryCall, build: (offset: string) => DirectoryHttpRequest): Promise<PagedRecords> {
  const { paging, pick } = call.request
  const most = Math.min(paging?.maxPages ?? 1, MAX_DIRECTORY_PAGES)
  const enough = pick === 'first' ? 1 : 2
  const records: unknown[] = []
  let [next, offset, status]: [DirectoryHttpRequest | null, string, number] = [build('0'), '0', 0]
  for (let page = 1; next && page <= most && records.length < enough; page++) {
    const answer = await readPage(call, next)
    status = answer.status
    if (answer.document === undefined) return { status, records, more: false }
    records.push(...listRecordsInResponse(blankSecrets(call, answer.document), call.request))
    // The next-page value is read before secrets are removed from the answer: it is never shown, and works only if it is unchanged.
    const named = findNextPageUrlOrOffset(answer.document, call.request)
    next = named === null ? null : paging?.kind === 'next' ? nextAddress(named, next) : nextOffset(named, offset, build)
    offset = named ?? offset
  }
  return { status, records, more: next !== null && records.length < enough }
}

function blankSecrets({ spec, request, secretOf, token }: DirectoryCall, document: unknown): unknown {
  const sent = listSentCredentialNames(spec, request).map((name) => secretOf(name)?.reveal() ?? '')
  return createSecretRedactor([...sent, token?.value ?? ''])(document)
}

/** Reads one result page. Returns no document if the response status means not found. */
async function readPage(call: DirectoryCall, request: DirectoryHttpRequest): Promise<{ status: number; document: unknown }> {
  const { steps, spec, request: asked } = call
  const answer = await sendDirectoryRequest(call, request)
  const { status } = answer
  const isNotFound = asked.notFoundStatuses.includes(status)
  if (!isNotFound && (status === 401 || status === 403)) requireSuccessStatus(answer, spec)
  steps.pass('auth', spec.auth.kind === 'none' ? 'No credentials are sent' : 'The directory accepted the credentials')
  if (isNotFound) {
    steps.pass('request', `${status}: the directory does not know this person`)
    return { status, document: undefined }
  }
  requireSuccessStatus(answer, spec)
  steps.pass('request', `${status}`)
  return { status, document: parseDirectoryResponse(answer.body) }
}

/** Builds the request for a next-page URL. The URL must have the same origin, because the credentials are sent with it. */
function nextAddress(named: string, last: DirectoryHttpRequest): DirectoryHttpRequest | null {
  const url = URL.canParse(named, last.url) ? new URL(named, last.url) : null
  if (url?.origin !== new URL(last.url).origin)
    throw new DirectoryCallError('parse', 'The next page is on another site, which must not receive the credentials')
  const { 'content-type': _, ...headers } = last.headers
  return url.href === last.url ? null : { method: 'GET', url: url.href, headers }
}

/** Builds the request for the next offset, or null at the end. Some directories return 0 or the current offset on the last page. */
function nextOffset(named: string, offset: string, build: (offset: string) => DirectoryHttpRequest): DirectoryHttpRequest | null {
  const [from, to] = [Number(offset), Number(named)]
  const onward = Number.isNaN(to) ? named !== offset : Number.isNaN(from) || to > from
  return onward ? build(named) : null
}
