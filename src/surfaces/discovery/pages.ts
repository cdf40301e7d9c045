import { Hono } from 'hono'
import { matchesEtag } from '../http/etag.ts'
import { DISCOVERY_PATH, type buildDiscoveryDocument } from './discovery.ts'

/** Serves the discovery document, which is public and identical for all callers until the next software version. */
export function createDiscoveryPages({ body, etag }: ReturnType<typeof buildDiscoveryDocument>) {
  const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300', etag, 'access-control-allow-origin': '*' }
  return new Hono().get(DISCOVERY_PATH, (c) => {
    return matchesEtag(c.req.header('if-none-match'), etag) ? c.body(null, 304, headers) : c.body(body, 200, headers)
  })
}
