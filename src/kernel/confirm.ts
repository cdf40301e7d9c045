import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from './context.ts'
import { getDatabaseTime } from './database-time.ts'
import { type AppError, type ErrorFix, preconditionFailed } from './errors.ts'

export interface ConfirmThresholds {
  recipients: number
  deletes: number
}

/** The dry-run call: its tool and the hash of its arguments. A token is valid only for the same caller, tool and arguments. */
export interface ToolCallToConfirm {
  tool: string
  digest: Buffer
  /** The dry-run call that issues a new confirm token. */
  preview: ErrorFix
}

const CONFIRM_TOKEN_TTL_MS = 10 * 60_000

const bindingOf = (ctx: Context, call: ToolCallToConfirm) =>
  `${ctx.tenantId}|${ctx.actor.id}|${ctx.actor.app.id ?? ctx.actor.app.name}|${call.tool}|${call.digest.toString('base64url')}`

/** Creates a confirm token. Called at the end of a dry run, after all its effects were counted. */
export async function createConfirmToken(ctx: Context, call: ToolCallToConfirm): Promise<string> {
  const tokenContent = {
    at: (await getDatabaseTime(ctx)).getTime(),
    nonce: randomBytes(12).toString('base64url'),
    state: ctx.effects.digest(),
    counts: ctx.effects.counts(),
  }
  return ctx.keys.seal('confirm', JSON.stringify(tokenContent), bindingOf(ctx, call))
}

/**
 * Checks the confirm token after the change is made and before it commits, so that the actual effects can be compared with those of the
 * dry run.
 */
export async function redeemConfirmToken(ctx: Context, call: ToolCallToConfirm, token: string): Promise<void> {
  const opened = ctx.keys.open('confirm', token, bindingOf(ctx, call))
  if (!opened) throw unconfirmedError('This confirmToken belongs to another organizer, app, tool or set of arguments', call)
  const { at, nonce, state, counts } = JSON.parse(opened.toString('utf8')) as {
    at: number
    nonce: string
    state: string
    counts: ConfirmThresholds
  }
  if ((await getDatabaseTime(ctx)).getTime() - at > CONFIRM_TOKEN_TTL_MS)
    throw unconfirmedError('This confirmToken expired after 10 minutes', call)
  const used = await sql`
    insert into confirmations (tenant_id, nonce) values (${ctx.tenantId}, ${nonce}) on conflict do nothing returning 1`.execute(ctx.db)
  if (used.rows.length === 0) throw unconfirmedError('This confirmToken was already used', call)
  if (state !== ctx.effects.digest()) {
    throw unconfirmedError(
      `What this call would do has changed since the dry run (then ${formatCounts(counts)}, now ${formatCounts(ctx.effects.counts())})`,
      call,
    )
  }
}

/** Requires a dry run first if the effects exceed the client's thresholds, if the call charges money, or if the tool demands it. */
export function requireConfirmToken(ctx: Context, call: ToolCallToConfirm, thresholds: ConfirmThresholds, always: boolean): void {
  const why = ctx.effects.confirmationReason()
  if (why) throw unconfirmedError(why, call)
  const counts = ctx.effects.counts()
  if (always || counts.charges > 0)
    throw unconfirmedError(`This cannot be undone (${formatCounts(counts)}) and always needs a confirmToken`, call)
  if (counts.recipients > thresholds.recipients || counts.deletes > thresholds.deletes) {
    throw unconfirmedError(
      `This would affect ${formatCounts(counts)}, more than may go without a confirmToken (${formatCounts(thresholds)})`,
      call,
    )
  }
}

const unconfirmedError = (sentence: string, call: ToolCallToConfirm): AppError =>
  preconditionFailed(`${sentence}. Make the dry run, show it to the person, then call again with its confirmToken`, {
    fix: call.preview,
    reason: 'unconfirmed',
  })

function formatCounts(counts: object): string {
  const parts = (Object.entries(counts) as [string, number][]).filter(([, n]) => n > 0)
  return parts.length > 0 ? parts.map(([kind, n]) => `${n} ${kind}`).join(', ') : 'nothing countable'
}
