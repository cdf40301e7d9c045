import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/** The pattern of what answers a request, for logs and counts: never the path, which may hold a token, and not that of something it only passes through. */
export const routePattern = (c: Context): string => {
  const routes = matchedRoutes(c)
  return (routes.findLast(({ method }) => method !== 'ALL') ?? routes.at(-1))?.path ?? 'unknown'
}
