import { Hono } from 'hono'
import { etagOf, isKnown } from '../http/etag.ts'
import { openApiDocument } from './openapi.ts'
import { methodNotAllowed } from './refusal.ts'
import type { RestEnv } from './site.ts'

/** The same for everybody, so anybody may keep it for a while. */
const CACHE = 'public, max-age=300'

/** `/v1/openapi.json`. No token is needed: it tells what there is to ask, not what anybody has. */
export function openApiRoute(baseUrl: string): Hono<RestEnv> {
  const body = JSON.stringify(openApiDocument(baseUrl))
  const headers = { etag: `W/${etagOf(body)}`, 'cache-control': CACHE }
  return new Hono<RestEnv>()
    .get('/v1/openapi.json', (c) =>
      isKnown(c.req.header('if-none-match'), headers.etag)
        ? c.body(null, 304, headers)
        : c.body(body, 200, { ...headers, 'content-type': 'application/json' }),
    )
    .all('/v1/openapi.json', (c) => {
      throw methodNotAllowed(c.req.method, ['GET', 'HEAD'])
    })
}
