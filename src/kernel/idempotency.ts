import { sql } from 'kysely'
import type { Context } from './context.ts'
import { conflict } from './errors.ts'

export interface IdempotentCall {
  tool: string
  key: string
  digest: Buffer
}

/**
 * Claims the key for this call, or returns the result of the earlier call with this key. The row is inserted first, in the transaction of
 * the effect: a second call with the key waits until the first commits or rolls back, and key and effect commit together.
 */
export async function claimIdempotencyKey(ctx: Context, call: IdempotentCall): Promise<{ replay: unknown } | null> {
  const claimed = await sql`
    insert into idempotency_keys as k (tenant_id, actor_id, tool, key, arguments_hash)
    values (${ctx.tenantId}, ${callerKey(ctx)}, ${call.tool}, ${call.key}, ${call.digest})
    on conflict (tenant_id, actor_id, tool, key) do update
      set arguments_hash = excluded.arguments_hash, result = null, created_at = lanyard_now()
      where k.created_at < lanyard_now() - interval '24 hours'
    returning 1`.execute(ctx.db)
  if (claimed.rows.length > 0) return null
  const earlier = await ctx.db
    .selectFrom('idempotency_keys')
    .select(['arguments_hash', 'result'])
    .where(matchesKey(ctx, call))
    .executeTakeFirstOrThrow()
  if (!call.digest.equals(earlier.arguments_hash)) {
    throw conflict('This idempotencyKey was used with different arguments in the last 24 hours; use a new key for a new call', {
      fix: { ask: 'whether this is a new call; if so, choose a new idempotencyKey' },
    })
  }
  return { replay: openResult(ctx, call, earlier.result) }
}

/** Whether an earlier call with this key has a result, so that this call only repeats it. */
export async function hasIdempotentResult(ctx: Context, call: IdempotentCall): Promise<boolean> {
  const { rows } = await sql`
    select 1 from idempotency_keys
    where ${matchesKey(ctx, call)} and result is not null and created_at >= lanyard_now() - interval '24 hours'`.execute(ctx.db)
  return rows.length > 0
}

/** Results may contain secrets that are shown once, such as activation codes, so they are stored encrypted. */
export async function saveIdempotentResult(ctx: Context, call: IdempotentCall, result: string): Promise<void> {
  const sealed = ctx.keys.seal(RESULT_LABEL, result, bindingOf(ctx, call))
  await sql`update idempotency_keys set result = to_jsonb(${sealed}::text) where ${matchesKey(ctx, call)}`.execute(ctx.db)
}

const RESULT_LABEL = 'idempotent-result'

const bindingOf = (ctx: Context, { tool, key }: IdempotentCall) => JSON.stringify([ctx.tenantId, callerKey(ctx), tool, key])

/** Results that an earlier version stored unencrypted are returned as they are. */
function openResult(ctx: Context, call: IdempotentCall, stored: unknown): unknown {
  if (typeof stored !== 'string') return stored
  const opened = ctx.keys.open(RESULT_LABEL, stored, bindingOf(ctx, call))
  if (!opened) throw conflict('The result of this idempotencyKey can no longer be read. The call was made; check what it did.')
  return JSON.parse(opened.toString())
}

const matchesKey = (ctx: Context, { tool, key }: IdempotentCall) =>
  sql<boolean>`tenant_id = ${ctx.tenantId} and actor_id = ${callerKey(ctx)} and tool = ${tool} and key = ${key}`

/**
 * Identifies the caller of an idempotency key. The same user through another app is another caller, because two assistants may choose the
 * same key.
 */
const callerKey = (ctx: Context) => `${ctx.actor.id}|${ctx.actor.app.id ?? ctx.actor.app.name}`
