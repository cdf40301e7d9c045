import type { Db } from '../../kernel/columns.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { Context } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { claimIdempotencyKey, saveIdempotentResult } from '../../kernel/idempotency.ts'
import { commitChange } from '../../kernel/commit-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import type { AppServices } from '../services.ts'
import { parseQueryParameters } from './query.ts'
import type { RestContext } from './site.ts'

/** Creates the context of a request by an API account. Its cursors are valid only for this account and the same query (`asked`). */
export function buildApiAccountContext(services: AppServices, c: RestContext, db: Db, asked: unknown = null): Context {
  const { tenantId, tenantCode, id, name } = c.get('account')
  const actor = { kind: 'apiAccount' as const, id, name, app: { id: null, name: 'REST' } }
  return newContext(services, { tenantId, tenantCode, actor, cursorScope: JSON.stringify(['rest', id, asked]) }, db)
}

/** Pattern of an idempotency key: printable ASCII, because HTTP removes spaces at the ends. */
export const IDEMPOTENCY_KEY_PATTERN = /^[!-~]([ -~]{0,198}[!-~])?$/

interface Change<T> {
  /** The action's name in the audit log. */
  name: string
  clientId?: string
  /** The request content. A repeated request with the same Idempotency-Key must send the same content. */
  sent: unknown
  run: (ctx: Context) => Promise<T>
}

/**
 * Commits a change for an API account. With an Idempotency-Key it runs once, and repeated requests get the same response. The result is
 * stored for that, so it must not contain secrets.
 */
export function commitApiAccountChange<T>(services: AppServices, c: RestContext, { name, clientId, sent, run }: Change<T>): Promise<T> {
  parseQueryParameters(c.req.url, [])
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !IDEMPOTENCY_KEY_PATTERN.test(key))
    throw invalidArguments([{ path: 'Idempotency-Key', message: 'must have 1 to 200 characters, all of them printable ASCII' }])
  const keyed = key === undefined ? null : { tool: name, key, digest: hashCanonicalJson([c.req.path, sent]) }
  return commitChange(
    services.database,
    { name, clientId },
    (db) => buildApiAccountContext(services, c, db),
    async (ctx) => {
      const earlier = keyed && (await claimIdempotencyKey(ctx, keyed))
      if (earlier) return earlier.replay as T
      const result = await run(ctx)
      if (keyed) await saveIdempotentResult(ctx, keyed, JSON.stringify(result ?? null))
      return result
    },
  )
}
