import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../kernel/errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { type Problem, problemBody, problemHeaders } from '../http/problem.ts'
import type { RequestNote } from '../http/request-note.ts'
import { refusalOf } from '../mcp/refusal.ts'
import type { Road } from '../road.ts'
import { askScan, type LeadAnswer } from './ask-scan.ts'
import { readLeadQuery } from './query.ts'

export const LEAD_PATH = '/api/public/lead-sdk'

/** Called by scanners of any origin; no cookie counts. The address holds a code, so nothing keeps it or passes it on. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
  'x-content-type-options': 'nosniff',
}

/** `GET /api/public/lead-sdk`: a scanned badge in, what its wearer shares with the company out. */
export function leadEndpoint({ road, trustedProxies }: { road: Road; trustedProxies: readonly string[] }) {
  const { baseUrl } = road
  const secure: Record<string, string> = baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}

  async function answer(request: IncomingMessage): Promise<LeadAnswer> {
    const query = readLeadQuery(request.url ?? '')
    return 'problem' in query ? query : askScan(road, query, clientAddress(request, trustedProxies))
  }

  return async function handle(request: IncomingMessage, response: ServerResponse, note: RequestNote): Promise<void> {
    const send = (status: number, headers: Record<string, string>, body: object) => {
      const text = JSON.stringify(body)
      const length = { 'content-length': String(Buffer.byteLength(text)) }
      response.writeHead(status, { ...HEADERS, ...secure, 'x-request-id': note.requestId, ...headers, ...length })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
    const refuse = (problem: Problem, headers: Record<string, string> = {}, reference = note.requestId) => {
      note.outcome = problem.code
      const error = { code: problem.code, message: problem.detail }
      send(problem.status, { ...problemHeaders(problem), ...headers }, { ...problemBody(problem, { baseUrl, reference }), error })
    }
    try {
      if (request.method !== 'GET') return refuse(ONLY_GET, { allow: 'GET' })
      const answered = await answer(request)
      if (answered.companyId !== undefined) note.principal = `company ${answered.companyId}`
      if ('problem' in answered) return refuse(answered.problem)
      note.outcome = 'ok'
      send(200, { 'content-type': 'application/json' }, answered.lead)
    } catch (error) {
      const { code, message, details } = refusalOf(road, { route: LEAD_PATH }, error)
      if (response.headersSent) response.destroy()
      else refuse(unforeseen(code, message, details.retryAfterSeconds))
    }
  }
}

const ONLY_GET: Problem = { status: 405, code: 'method_not_allowed', detail: 'Only GET is served here' }

const unforeseen = (code: AppError['code'], detail: string, retryAfter?: number): Problem =>
  code === 'unavailable'
    ? { status: 503, code, detail, ...(retryAfter === undefined ? {} : { retryAfter }) }
    : { status: 500, code: 'internal', detail }
