import { Hono } from 'hono'
import { AppError } from '../../kernel/errors.ts'
import { type Problem, problemBody, problemHeaders } from '../http/problem.ts'
import { newReference, reportFailure } from '../http/report-failure.ts'
import { routePattern } from '../http/route-pattern.ts'
import type { AppServices } from '../services.ts'
import { admitApiAccount } from './admission.ts'
import { contactRoutes } from './contacts.ts'
import { entityRoutes } from './entity-routes.ts'
import { fileRoutes } from './files.ts'
import { meRoutes } from './me.ts'
import { openApiRoute } from './openapi-route.ts'
import { methodNotAllowed, toProblem, ProblemError } from './problem-error.ts'
import type { RestContext, RestEnv } from './site.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** `/v1`: the REST API. Its OpenAPI document is public; everything else requires a token. */
export function restApi(services: AppServices): Hono<RestEnv> {
  const resources = [meRoutes(), entityRoutes(services), fileRoutes(services), contactRoutes(services), webhookRoutes(services)]
  const api = new Hono<RestEnv>().onError((error, c) => respondError(services, c, error))
  api.route('/', openApiRoute(services.baseUrl))
  api.use('/v1/*', admitApiAccount(services))
  for (const routes of resources) api.route('/', routes)
  const known = resources.flatMap(({ routes }) => routes)
  api.all('/v1/*', (c) => {
    const allowed = findMethods(known, c.req.path)
    if (allowed.length === 0) throw new ProblemError({ status: 404, code: 'not_found', detail: 'Unknown address.' })
    throw methodNotAllowed(c.req.method, allowed)
  })
  return api
}

/** Returns the HTTP methods that a path supports. */
function findMethods(routes: readonly { method: string; path: string }[], path: string): string[] {
  const matches = (pattern: string) => new RegExp(`^${pattern.replace(/:[^/]+/g, '[^/]+')}$`).test(path)
  const methods = new Set(routes.filter((route) => route.method !== 'ALL' && matches(route.path)).map(({ method }) => method))
  return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Formats every error as a problem document. */
function respondError(services: AppServices, c: RestContext, error: Error): Response {
  const [problem, headers] = findProblem(error)
  const reference = problem ? newReference() : reportFailure(services, { route: routePattern(c) }, error)
  const shown = problem ?? internal(reference)
  const body = JSON.stringify(problemBody(shown, { baseUrl: services.baseUrl, reference }))
  return c.body(body, shown.status, { ...problemHeaders(shown), ...headers, 'cache-control': 'no-store', vary: 'Authorization' })
}

function findProblem(error: Error): [Problem | null, Readonly<Record<string, string>>] {
  if (error instanceof ProblemError) return [error.problem, error.headers]
  return [error instanceof AppError && error.code !== 'internal' ? toProblem(error) : null, {}]
}

const internal = (reference: string): Problem => ({
  status: 500,
  code: 'internal',
  detail: `Internal error, reference ${reference}.`,
})
