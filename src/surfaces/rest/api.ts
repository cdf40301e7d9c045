import { Hono } from 'hono'
import { AppError } from '../../kernel/errors.ts'
import { type Problem, problemBody, problemHeaders } from '../http/problem.ts'
import { newReference, reportFailure } from '../http/report-failure.ts'
import { routePattern } from '../http/route-pattern.ts'
import type { Road } from '../road.ts'
import { admission } from './admission.ts'
import { contactRoutes } from './contacts.ts'
import { entityRoutes } from './entity-routes.ts'
import { fileRoutes } from './files.ts'
import { meRoutes } from './me.ts'
import { openApiRoute } from './openapi-route.ts'
import { methodNotAllowed, problemOf, Refused } from './refusal.ts'
import type { RestContext, RestEnv } from './site.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** `/v1`: what programs read. Its document is for everybody; everything else is for whoever has a token. */
export function restApi(road: Road): Hono<RestEnv> {
  const resources = [meRoutes(), entityRoutes(road), fileRoutes(road), contactRoutes(road), webhookRoutes(road)]
  const api = new Hono<RestEnv>().onError((error, c) => refuse(road, c, error))
  api.route('/', openApiRoute(road.baseUrl))
  api.use('/v1/*', admission(road))
  for (const routes of resources) api.route('/', routes)
  const known = resources.flatMap(({ routes }) => routes)
  api.all('/v1/*', (c) => {
    const allowed = methodsAt(known, c.req.path)
    if (allowed.length === 0) throw new Refused({ status: 404, code: 'not_found', detail: 'There is nothing at this address.' })
    throw methodNotAllowed(c.req.method, allowed)
  })
  return api
}

/** What an address takes. */
function methodsAt(routes: readonly { method: string; path: string }[], path: string): string[] {
  const matches = (pattern: string) => new RegExp(`^${pattern.replace(/:[^/]+/g, '[^/]+')}$`).test(path)
  const methods = new Set(routes.filter((route) => route.method !== 'ALL' && matches(route.path)).map(({ method }) => method))
  return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Whatever went wrong, in the one form that programs are told it in. */
function refuse(road: Road, c: RestContext, error: Error): Response {
  const [problem, headers] = refusalOf(error)
  const reference = problem ? newReference() : reportFailure(road, { route: routePattern(c) }, error)
  const told = problem ?? internal(reference)
  const body = JSON.stringify(problemBody(told, { baseUrl: road.baseUrl, reference }))
  return c.body(body, told.status, { ...problemHeaders(told), ...headers, 'cache-control': 'no-store', vary: 'Authorization' })
}

function refusalOf(error: Error): [Problem | null, Readonly<Record<string, string>>] {
  if (error instanceof Refused) return [error.problem, error.headers]
  return [error instanceof AppError && error.code !== 'internal' ? problemOf(error) : null, {}]
}

const internal = (reference: string): Problem => ({
  status: 500,
  code: 'internal',
  detail: `Something went wrong here: it is noted under ${reference}.`,
})
