import type { IncomingMessage } from 'node:http'
import type { AppError } from '../../kernel/errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { type Problem, problemBody, problemHeaders } from '../http/problem.ts'
import type { Handle } from '../http/request-listener.ts'
import { refusalOf } from '../mcp/refusal.ts'
import type { Road } from '../road.ts'

export interface LeadSite {
  road: Road
  trustedProxies: readonly string[]
}

/** What a scanner is told; `more` stands beside a problem. */
export type LeadReply = ({ status: 200 | 201; body: object; problem?: never } | { problem: Problem; more?: object }) & {
  companyId?: string | undefined
}

type Answering = (request: IncomingMessage, address: string) => Promise<LeadReply>

/** Called by scanners of any origin; no cookie counts. What is asked and told holds codes and people, so nothing keeps it or passes it on. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
  'x-content-type-options': 'nosniff',
}

interface Address {
  path: string
  method: 'GET' | 'POST'
  /** Browsers ask before they send a token or JSON from another origin. */
  asksFirst?: true
}

/** One address of the lead endpoints: what `answer` says, in the form and with the headers that all of them share. */
export function leadRoute({ road, trustedProxies }: LeadSite, { path, method, asksFirst }: Address, answer: Answering): Handle {
  const { baseUrl } = road
  const secure: Record<string, string> = baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}
  const allow = asksFirst ? `${method}, OPTIONS` : method

  return async function handle(request, response, note) {
    const send = (status: number, headers: Record<string, string>, body: object | null) => {
      const text = body === null ? '' : JSON.stringify(body)
      const length = { 'content-length': String(Buffer.byteLength(text)) }
      response.writeHead(status, { ...HEADERS, ...secure, 'x-request-id': note.requestId, ...headers, ...length })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
    const refuse = (
      problem: Problem,
      { headers = {}, more = {} }: { headers?: Record<string, string>; more?: object | undefined } = {},
    ) => {
      note.outcome = problem.code
      const error = { code: problem.code, message: problem.detail }
      const told = { ...problemBody(problem, { baseUrl, reference: note.requestId }), error, ...more }
      send(problem.status, { ...problemHeaders(problem), ...headers }, told)
    }
    try {
      if (asksFirst && request.method === 'OPTIONS') {
        note.outcome = 'ok'
        return send(204, { ...PREFLIGHT, 'access-control-allow-methods': method }, null)
      }
      if (request.method !== method) return refuse(only(method), { headers: { allow } })
      const answered = await answer(request, clientAddress(request, trustedProxies))
      if (answered.companyId !== undefined) note.principal = `company ${answered.companyId}`
      if (answered.problem) return refuse(answered.problem, { more: answered.more })
      note.outcome = 'ok'
      send(answered.status, { 'content-type': 'application/json' }, answered.body)
    } catch (error) {
      const { code, message, details } = refusalOf(road, { route: path }, error)
      if (response.headersSent) response.destroy()
      else refuse(unforeseen(code, message, details.retryAfterSeconds))
    }
  }
}

const PREFLIGHT = { 'access-control-allow-headers': 'authorization, content-type', 'access-control-max-age': '86400' }

const only = (method: string): Problem => ({ status: 405, code: 'method_not_allowed', detail: `Only ${method} is served here` })

const unforeseen = (code: AppError['code'], detail: string, retryAfter?: number): Problem =>
  code === 'unavailable'
    ? { status: 503, code, detail, ...(retryAfter === undefined ? {} : { retryAfter }) }
    : { status: 500, code: 'internal', detail }
