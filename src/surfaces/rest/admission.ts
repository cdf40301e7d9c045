import type { MiddlewareHandler } from 'hono'
import { verifyRestAccount } from '../../domains/access/verify-rest-account.ts'
import type { RateLimitState } from '../../domains/access/verify-organizer.ts'
import { readBearerToken } from '../http/bearer.ts'
import type { AppServices } from '../services.ts'
import { ProblemError } from './problem-error.ts'
import type { RestEnv } from './site.ts'

/** Authenticates API accounts and counts every request against the rate limit. */
export function createApiAccountAuthenticator({ database }: AppServices): MiddlewareHandler<RestEnv> {
  return async (c, next) => {
    const token = readBearerToken(c.env.incoming)
    const { tenantCode, clientCode, eventCode } = c.req.query()
    const account = token
      ? await verifyRestAccount(database.pool, token, {
          tenantCode: codeIn(tenantCode),
          clientCode: codeIn(clientCode),
          eventCode: codeIn(eventCode),
        })
      : null
    if (!account) throw unauthorized(token !== null)
    for (const [name, value] of Object.entries(rateHeaders(account.rate))) c.header(name, value)
    const { rate } = account
    if (rate.used > rate.limit) throw tooMany(rate)
    if (!account.restAccess) {
      throw new ProblemError({
        status: 403,
        code: 'forbidden',
        detail: 'This API account is not enabled for REST: an administrator can switch it on.',
      })
    }
    c.set('account', account)
    await next()
  }
}

/** Reads a client or event code of a request. An invalid code is replaced with `-`, which is the code of no client or event. */
const codeIn = (sent = '') => (sent.trim() === '' ? undefined : /^[a-z0-9][a-z0-9-]{0,62}$/.test(sent.trim()) ? sent.trim() : '-')

const unauthorized = (sent: boolean) =>
  new ProblemError(
    {
      status: 401,
      code: 'unauthorized',
      detail: sent ? 'The API token is unknown, expired or revoked.' : 'An API token is required: send it as Authorization: Bearer lak_…',
    },
    { 'www-authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' },
  )

function tooMany({ limit, resetAt, now }: RateLimitState): ProblemError {
  const retryAfter = Math.max(1, Math.ceil(resetAt - now))
  return new ProblemError({
    status: 429,
    code: 'too_many_requests',
    detail: `At most ${limit} requests a minute with this account: try again in ${retryAfter} seconds.`,
    retryAfter,
  })
}

const rateHeaders = ({ limit, used, resetAt }: RateLimitState): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, limit - used)),
  'x-ratelimit-reset': String(Math.round(resetAt)),
})
