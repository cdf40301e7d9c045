import type { MiddlewareHandler } from 'hono'
import type { WebEnv } from '../web/web.ts'

/** Allows requests from any origin, because browser apps call these endpoints. They use no cookies, so open CORS reveals nothing. */
export const allowCrossOrigin: MiddlewareHandler<WebEnv> = async (c, next) => {
  c.header('access-control-allow-origin', '*')
  c.header('access-control-expose-headers', 'www-authenticate, retry-after')
  if (c.req.method !== 'OPTIONS') return next()
  return c.body(null, 204, {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, accept, mcp-protocol-version',
    'access-control-max-age': '600',
  })
}
