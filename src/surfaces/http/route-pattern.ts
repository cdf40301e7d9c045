import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/** The route pattern of a request, for logs and metrics. Not the path, which may contain a token, and not the pattern of a middleware. */
export const routePattern = (c: Context): string => {
  const routes = matchedRoutes(c)
  return (routes.findLast(({ method }) => method !== 'ALL') ?? routes.at(-1))?.path ?? 'unknown'
}
