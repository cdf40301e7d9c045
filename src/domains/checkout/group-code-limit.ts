import type { Pool } from '../../kernel/ports.ts'
import { returnRateLimitToken, takeRateLimitToken } from '../access/rate-windows.ts'
import { findGroupByTypedCode } from '../groups/join-codes.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

/**
 * The rate limit of wrong group codes from one network. The next attempt is possible after 15 seconds, so that a shared network is never
 * blocked for long.
 */
export const WRONG_GROUP_CODE_NETWORK_LIMIT = { perMinute: 4, burst: 30 }

/** The rate limit of wrong group codes at one event, counted across all networks. */
export const WRONG_GROUP_CODE_EVENT_LIMIT = { perMinute: 60, burst: 600 }

/**
 * Whether a typed group code may be tried now. Only wrong codes count, so a whole company can join from one network. An attempt is counted
 * before the code is checked and uncounted if the code is right: otherwise many concurrent guesses would be checked before the first one
 * counts. Must run outside of transactions, so that guesses count even if nothing is saved.
 */
export async function isGroupCodeAttemptAllowed(
  pool: Pool,
  ctx: RegistrationContext,
  { typed, address }: { typed: string; address: string },
): Promise<boolean> {
  const buckets = [
    { key: `group-code:${ctx.event.id}:${address}`, limit: WRONG_GROUP_CODE_NETWORK_LIMIT },
    { key: `group-code:${ctx.event.id}`, limit: WRONG_GROUP_CODE_EVENT_LIMIT },
  ]
  const taken: typeof buckets = []
  const giveBack = async () => {
    for (const { key, limit } of taken) await returnRateLimitToken(pool, key, limit)
  }
  for (const bucket of buckets) {
    if (!(await takeRateLimitToken(pool, bucket.key, bucket.limit))) {
      await giveBack()
      return false
    }
    taken.push(bucket)
  }
  if (await findGroupByTypedCode(ctx, typed)) await giveBack()
  return true
}
