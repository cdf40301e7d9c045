import { nextOf, readAnswer, recordsOf } from './answer.ts'
import { credentialsSent } from './auth.ts'
import { blanking } from './blank-secrets.ts'
import { MAX_PAGES } from './check-request.ts'
import { type Call, refuseStatus, send } from './exchange.ts'
import { StepFailed } from './step-failed.ts'
import type { BuiltRequest } from './template.ts'

export interface Pages {
  status: number
  records: unknown[]
  /** There is more that was not read. */
  more: boolean
}

/** One page after the other, until it is clear whether nobody, one person or several are meant. */
export async function readPages(call: Call, build: (offset: string) => BuiltRequest): Promise<Pages> {
  const { paging, pick } = call.request
  const most = Math.min(paging?.maxPages ?? 1, MAX_PAGES)
  const enough = pick === 'first' ? 1 : 2
  const records: unknown[] = []
  let [next, offset, status]: [BuiltRequest | null, string, number] = [build('0'), '0', 0]
  for (let page = 1; next && page <= most && records.length < enough; page++) {
    const answer = await readPage(call, next)
    status = answer.status
    if (answer.document === undefined) return { status, records, more: false }
    records.push(...recordsOf(withoutSecrets(call, answer.document), call.request))
    // Not shown to anybody, and without what the directory put there it would lead nowhere.
    const named = nextOf(answer.document, call.request)
    next = named === null ? null : paging?.kind === 'next' ? nextAddress(named, next) : nextOffset(named, offset, build)
    offset = named ?? offset
  }
  return { status, records, more: next !== null && records.length < enough }
}

function withoutSecrets({ spec, request, secretOf, token }: Call, document: unknown): unknown {
  const sent = credentialsSent(spec, request).map((name) => secretOf(name)?.reveal() ?? '')
  return blanking([...sent, token?.value ?? ''])(document)
}

/** No document when the status says that there is nobody. */
async function readPage(call: Call, request: BuiltRequest): Promise<{ status: number; document: unknown }> {
  const { steps, spec, request: asked } = call
  const answer = await send(call, request)
  const { status } = answer
  const nobody = asked.notFoundStatuses.includes(status)
  if (!nobody && (status === 401 || status === 403)) refuseStatus(answer, spec)
  steps.pass('auth', spec.auth.kind === 'none' ? 'No credentials are sent' : 'The directory took the credentials')
  if (nobody) {
    steps.pass('request', `${status}: the directory knows nobody by this`)
    return { status, document: undefined }
  }
  refuseStatus(answer, spec)
  steps.pass('request', `${status}`)
  return { status, document: readAnswer(answer.body) }
}

/** Never to another site: the credentials go along. */
function nextAddress(named: string, last: BuiltRequest): BuiltRequest | null {
  const url = URL.canParse(named, last.url) ? new URL(named, last.url) : null
  if (url?.origin !== new URL(last.url).origin)
    throw new StepFailed('parse', 'The next page is on another site, where the credentials do not go')
  const { 'content-type': _, ...headers } = last.headers
  return url.href === last.url ? null : { method: 'GET', url: url.href, headers }
}

/** The last page often names 0, or itself, as the next one. */
function nextOffset(named: string, offset: string, build: (offset: string) => BuiltRequest): BuiltRequest | null {
  const [from, to] = [Number(offset), Number(named)]
  const onward = Number.isNaN(to) ? named !== offset : Number.isNaN(from) || to > from
  return onward ? build(named) : null
}
