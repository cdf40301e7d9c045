import type { IncomingMessage } from 'node:http'
import type { AppError } from '../../kernel/errors.ts'
import { getClientIpBlock } from '../http/client-address.ts'
import { type HttpProblem, buildProblemBody, buildProblemHeaders } from '../http/problem.ts'
import type { RequestHandler } from '../http/request-listener.ts'
import { toCallerError } from '../mcp/caller-error.ts'
import type { AppServices } from '../services.ts'

export interface LeadEndpointContext {
  services: AppServices
  trustedProxies: readonly string[]
}

/** The response to a scanner app; `more` holds additional fields of the problem document. */
export type LeadApiResponse = ({ status: 200 | 201; body: object; problem?: never } | { problem: HttpProblem; more?: object }) & {
  companyId?: string | undefined
}

type LeadHandler = (request: IncomingMessage, address: string) => Promise<LeadApiResponse>

/**
 * Response headers of lead endpoints: callable from any origin, without cookies. Requests and responses contain codes and personal data, so
 * nothing is cached or sent as a referrer.
 */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
  'x-content-type-options': 'nosniff',
}

interface LeadAddress {
  path: string
  method: 'GET' | 'POST'
  /** Whether browsers send a preflight (OPTIONS) request first, as they do for requests with a token or JSON from another origin. */
  hasPreflight?: true
}

/** Wraps one lead endpoint with the shared response format, headers and error handling. */
export function createLeadRoute(
  { services, trustedProxies }: LeadEndpointContext,
  { path, method, hasPreflight }: LeadAddress,
  answer: LeadHandler,
): RequestHandler {
  const { baseUrl } = services
  const secure: Record<string, string> = baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}
  const allow = hasPreflight ? `${method}, OPTIONS` : method

  return async function handle(request, response, note) {
    const send = (status: number, headers: Record<string, string>, body: object | null) => {
      const text = body === null ? '' : JSON.stringify(body)
      const length = { 'content-length': String(Buffer.byteLength(text)) }
      response.writeHead(status, { ...HEADERS, ...secure, 'x-request-id': note.requestId, ...headers, ...length })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
    const refuse = (
      problem: HttpProblem,
      { headers = {}, more = {} }: { headers?: Record<string, string>; more?: object | undefined } = {},
    ) => {
      note.outcome = problem.code
      const error = { code: problem.code, message: problem.detail }
      const problemResponse = { ...buildProblemBody(problem, { baseUrl, reference: note.requestId }), error, ...more }
      send(problem.status, { ...buildProblemHeaders(problem), ...headers }, problemResponse)
    }
    try {
      if (hasPreflight && request.method === 'OPTIONS') {
        note.outcome = 'ok'
        return send(204, { ...PREFLIGHT, 'access-control-allow-methods': method }, null)
      }
      if (request.method !== method) return refuse(methodNotAllowed(method), { headers: { allow } })
      const answered = await answer(request, getClientIpBlock(request, trustedProxies))
      if (answered.companyId !== undefined) note.principal = `company ${answered.companyId}`
      if (answered.problem) return refuse(answered.problem, { more: answered.more })
      note.outcome = 'ok'
      send(answered.status, { 'content-type': 'application/json' }, answered.body)
    } catch (error) {
      const { code, message, details } = toCallerError(services, { route: path }, error)
      if (response.headersSent) response.destroy()
      else refuse(internalProblem(code, message, details.retryAfterSeconds))
    }
  }
}

const PREFLIGHT = { 'access-control-allow-headers': 'authorization, content-type', 'access-control-max-age': '86400' }

const methodNotAllowed = (method: string): HttpProblem => ({
  status: 405,
  code: 'method_not_allowed',
  detail: `Only ${method} is served here`,
})

const internalProblem = (code: AppError['code'], detail: string, retryAfter?: number): HttpProblem =>
  code === 'unavailable'
    ? { status: 503, code, detail, ...(retryAfter === undefined ? {} : { retryAfter }) }
    : { status: 500, code: 'internal', detail }
