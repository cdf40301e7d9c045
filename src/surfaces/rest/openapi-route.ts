import { Hono } from 'hono'
import { computeEtag, matchesEtag } from '../http/etag.ts'
import { buildOpenApiDocument } from './openapi.ts'
import { createMethodNotAllowedError } from './problem-error.ts'
import type { RestEnv } from './site.ts'

/** `Cache-Control` of the OpenAPI document, which is public, so that shared caches may store it. */
const CACHE = 'public, max-age=300'

/** Serves `/v1/openapi.json`. No token is required, because the document contains no data. */
export function createOpenApiRoute(baseUrl: string): Hono<RestEnv> {
  const body = JSON.stringify(buildOpenApiDocument(baseUrl))
  const headers = { etag: `W/${computeEtag(body)}`, 'cache-control': CACHE }
  return new Hono<RestEnv>()
    .get('/v1/openapi.json', (c) =>
      matchesEtag(c.req.header('if-none-match'), headers.etag)
        ? c.body(null, 304, headers)
        : c.body(body, 200, { ...headers, 'content-type': 'application/json' }),
    )
    .all('/v1/openapi.json', (c) => {
      throw createMethodNotAllowedError(c.req.method, ['GET', 'HEAD'])
    })
}
