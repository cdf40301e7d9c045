import { Hono } from 'hono'
import { AppError } from '../../kernel/errors.ts'
import { type HttpProblem, buildProblemBody, buildProblemHeaders } from '../http/problem.ts'
import { generateErrorReference, reportFailure } from '../http/report-failure.ts'
import { getRoutePattern } from '../http/route-pattern.ts'
import type { AppServices } from '../services.ts'
import { createApiAccountAuthenticator } from './admission.ts'
import { createContactRoutes } from './contacts.ts'
import { createEntityRoutes } from './entity-routes.ts'
import { createFileRoutes } from './files.ts'
import { createMeRoutes } from './me.ts'
import { createOpenApiRoute } from './openapi-route.ts'
import { createMethodNotAllowedError, toHttpProblem, ProblemError } from './problem-error.ts'
import type { RestContext, RestEnv } from './site.ts'
import { createWebhookRoutes } from './webhooks/routes.ts'

/** `/v1`: the REST API. Its OpenAPI document is public; everything else requires a token. */
export function createRestApi(services: AppServices): Hono<RestEnv> {
  const resources = [
    createMeRoutes(),
    createEntityRoutes(services),
    createFileRoutes(services),
    createContactRoutes(services),
    createWebhookRoutes(services),
  ]
  const api = new Hono<RestEnv>().onError((error, c) => respondError(services, c, error))
  api.route('/', createOpenApiRoute(services.baseUrl))
  api.use('/v1/*', createApiAccountAuthenticator(services))
  for (const routes of resources) api.route('/', routes)
  const known = resources.flatMap(({ routes }) => routes)
  api.all('/v1/*', (c) => {
    const allowed = findMethods(known, c.req.path)
    if (allowed.length === 0) throw new ProblemError({ status: 404, code: 'not_found', detail: 'Unknown address.' })
    throw createMethodNotAllowedError(c.req.method, allowed)
  })
  return api
}

/** Returns the HTTP methods that a path supports. */
function findMethods(routes: readonly { method: string; path: string }[], path: string): string[] {
  const matches = (pattern: string) => new RegExp(`^${pattern.replace(/:[^/]+/g, '[^/]+')}$`).test(path)
  const methods = new Set(routes.filter((route) => route.method !== 'ALL' && matches(route.path)).map(({ method }) => method))
  return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Responds with an error as a problem document (RFC 9457). */
function respondError(services: AppServices, c: RestContext, error: Error): Response {
  const [problem, headers] = findProblem(error)
  const reference = problem ? generateErrorReference() : reportFailure(services, { route: getRoutePattern(c) }, error)
  const shown = problem ?? internal(reference)
  const body = JSON.stringify(buildProblemBody(shown, { baseUrl: services.baseUrl, reference }))
  return c.body(body, shown.status, { ...buildProblemHeaders(shown), ...headers, 'cache-control': 'no-store', vary: 'Authorization' })
}

function findProblem(error: Error): [HttpProblem | null, Readonly<Record<string, string>>] {
  if (error instanceof ProblemError) return [error.problem, error.headers]
  return [error instanceof AppError && error.code !== 'internal' ? toHttpProblem(error) : null, {}]
}

const internal = (reference: string): HttpProblem => ({
  status: 500,
  code: 'internal',
  detail: `Internal error, reference ${reference}.`,
})
