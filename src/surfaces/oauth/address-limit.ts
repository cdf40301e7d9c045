import { countCallInMinuteWindow } from '../../domains/access/rate-windows.ts'
import { getClientIpBlock } from '../http/client-address.ts'
import type { WebContext } from '../web/web.ts'
import { OAuthError } from './oauth-error.ts'
import type { OauthServerContext } from './site.ts'

/** Maximum requests per minute and IP address. The limit is high, because hosted assistants sign in all their users from one IP address. */
const REQUESTS_PER_MINUTE = 600

/** Counts requests per IP address and endpoint before anything is read, and returns the IP address. */
export async function limitRequestsByIpAddress(
  { web }: OauthServerContext,
  c: WebContext,
  endpoint: 'authorize' | 'token' | 'revoke',
): Promise<string> {
  const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
  const { used, resetAt, now } = await countCallInMinuteWindow(web.services.database.pool, `oauth-${endpoint}:${address}`)
  if (used <= REQUESTS_PER_MINUTE) return address
  c.header('retry-after', String(Math.max(1, Math.ceil(resetAt - now))))
  throw new OAuthError('temporarily_unavailable', 'Too many requests from here: try again in a minute', 429)
}
