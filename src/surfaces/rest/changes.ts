import type { Db } from '../../kernel/columns.ts'
import { digestOf } from '../../kernel/canonical.ts'
import type { Context } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { claimKey, keepResult } from '../../kernel/idempotency.ts'
import { keepChange } from '../../kernel/keep-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import type { Road } from '../road.ts'
import type { RestContext } from './site.ts'

/** A program at its own things; `cursorScope` binds cursors to it and what it asked. */
export function contextOf(road: Road, c: RestContext, db: Db, asked: unknown = null): Context {
  const { tenantId, tenantCode, id, name } = c.get('account')
  const actor = { kind: 'apiAccount' as const, id, name, app: { id: null, name: 'REST' } }
  return newContext(road, { tenantId, tenantCode, actor, cursorScope: JSON.stringify(['rest', id, asked]) }, db)
}

interface Change<T> {
  /** In the audit log. */
  name: string
  clientId?: string
  /** What a repeated request must say again. */
  sent: unknown
  run: (ctx: Context) => Promise<T>
}

/**
 * Keeps a change that a program asked for. With an Idempotency-Key it is made once: sent again, it is answered as before. What is returned is
 * kept for that, so it holds no secrets.
 */
export function changeAs<T>(road: Road, c: RestContext, { name, clientId, sent, run }: Change<T>): Promise<T> {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && (key.length === 0 || key.length > 200))
    throw invalidArguments([{ path: 'Idempotency-Key', message: 'has 1 to 200 characters' }])
  const keyed = key === undefined ? null : { tool: name, key, digest: digestOf([c.req.path, sent]) }
  return keepChange(
    road.database,
    { name, clientId },
    (db) => contextOf(road, c, db),
    async (ctx) => {
      const earlier = keyed && (await claimKey(ctx, keyed))
      if (earlier) return earlier.replay as T
      const result = await run(ctx)
      if (keyed) await keepResult(ctx, keyed, JSON.stringify(result ?? null))
      return result
    },
  )
}
