import { Hono } from 'hono'
import { respondJson, isNotModified, respondNotModified } from './respond.ts'
import { computeTextEtag } from './etags.ts'
import { PAGE_SIZE_LIMITS } from './parameters.ts'
import { parseQueryParameters } from './query.ts'
import type { RestEnv } from './site.ts'

/** `/v1/me`: the API account of the token, the clients and events that it can access, and its limits. */
export function createMeRoutes(): Hono<RestEnv> {
  return new Hono<RestEnv>().get('/v1/me', (c) => {
    parseQueryParameters(c.req.url, [])
    const account = c.get('account')
    const { id, name, restAccess, canActAsParticipantAgent, sensitiveData, tenantCode } = account
    const json = JSON.stringify({
      account: { id, name, tenantCode, restAccess, canActAsParticipantAgent, sensitiveData },
      coverage: { tenants: account.allowedTenants, clients: account.allowedClients, events: account.allowedEvents },
      limits: {
        rateLimitPerMinute: account.rate.limit,
        defaultPageSize: PAGE_SIZE_LIMITS.default,
        maximumPageSize: PAGE_SIZE_LIMITS.maximum,
      },
    })
    const etag = computeTextEtag(json)
    return isNotModified(c, etag) ? respondNotModified(c, etag) : respondJson(c, etag, json)
  })
}
