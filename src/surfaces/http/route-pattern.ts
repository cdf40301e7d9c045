import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/**
 * Returns the pattern of the route that handled a request, for logs and metrics. The path is not logged, because it may contain a token.
 */
export const getRoutePattern = (c: Context): string => {
  const routes = matchedRoutes(c)
  return (routes.findLast(({ method }) => method !== 'ALL') ?? routes.at(-1))?.path ?? 'unknown'
}
