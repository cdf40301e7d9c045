import { Hono } from 'hono'
import { answer, hasAlready, unchanged } from './answer.ts'
import { textTag } from './etags.ts'
import { LISTED } from './parameters.ts'
import { readQuery } from './query.ts'
import type { RestEnv } from './site.ts'

/** `/v1/me`: whose token it is, what it opens and how much of it. */
export function meRoutes(): Hono<RestEnv> {
  return new Hono<RestEnv>().get('/v1/me', (c) => {
    readQuery(c.req.url, [])
    const account = c.get('account')
    const { id, name, restAccess, canActAsParticipantAgent, sensitiveData, tenantCode } = account
    const json = JSON.stringify({
      account: { id, name, tenantCode, restAccess, canActAsParticipantAgent, sensitiveData },
      coverage: { tenants: account.allowedTenants, clients: account.allowedClients, events: account.allowedEvents },
      limits: { rateLimitPerMinute: account.rate.limit, defaultPageSize: LISTED.default, maximumPageSize: LISTED.maximum },
    })
    const etag = textTag(json)
    return hasAlready(c, etag) ? unchanged(c, etag) : answer(c, etag, json)
  })
}
