import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from './context.ts'
import { databaseTime } from './database-time.ts'
import { type AppError, type Fix, preconditionFailed } from './errors.ts'

export interface Thresholds {
  recipients: number
  deletes: number
}

/** What was dry-run: the caller, the tool and its arguments. A token made for one opens for no other. */
export interface ConfirmedCall {
  tool: string
  digest: Buffer
  /** The dry run that makes a new token. */
  preview: Fix
}

const LIFETIME_MS = 10 * 60_000

const bindingOf = (ctx: Context, call: ConfirmedCall) =>
  `${ctx.tenantId}|${ctx.actor.id}|${ctx.actor.app.id ?? ctx.actor.app.name}|${call.tool}|${call.digest.toString('base64url')}`

/** Made at the end of a dry run, when everything it would do was counted. */
export async function confirmTokenFor(ctx: Context, call: ConfirmedCall): Promise<string> {
  const sealed = {
    at: (await databaseTime(ctx)).getTime(),
    nonce: randomBytes(12).toString('base64url'),
    state: ctx.effects.digest(),
    counts: ctx.effects.counts(),
  }
  return ctx.keys.seal('confirm', JSON.stringify(sealed), bindingOf(ctx, call))
}

/** Checks the token after the work was done and before it is committed, when what it really did can be compared with what was counted. */
export async function useConfirmToken(ctx: Context, call: ConfirmedCall, token: string): Promise<void> {
  const opened = ctx.keys.open('confirm', token, bindingOf(ctx, call))
  if (!opened) throw refused('This confirmToken was made for another organizer, app, tool or other arguments', call)
  const { at, nonce, state, counts } = JSON.parse(opened.toString('utf8')) as {
    at: number
    nonce: string
    state: string
    counts: Thresholds
  }
  if ((await databaseTime(ctx)).getTime() - at > LIFETIME_MS) throw refused('This confirmToken is older than 10 minutes', call)
  const used = await sql`
    insert into confirmations (tenant_id, nonce) values (${ctx.tenantId}, ${nonce}) on conflict do nothing returning 1`.execute(ctx.db)
  if (used.rows.length === 0) throw refused('This confirmToken was already used', call)
  if (state !== ctx.effects.digest()) {
    throw refused(
      `What this call would do has changed since the dry run (then ${inWords(counts)}, now ${inWords(ctx.effects.counts())})`,
      call,
    )
  }
}

/** Above the client's thresholds, and always for a charge or where what was done asks for it, a call must have been dry-run first. */
export function refuseUnconfirmed(ctx: Context, call: ConfirmedCall, thresholds: Thresholds, always: boolean): void {
  const why = ctx.effects.mustConfirm()
  if (why) throw refused(why, call)
  const counts = ctx.effects.counts()
  if (always || counts.charges > 0) throw refused(`This cannot be undone (${inWords(counts)}) and always needs a confirmToken`, call)
  if (counts.recipients > thresholds.recipients || counts.deletes > thresholds.deletes) {
    throw refused(`This would affect ${inWords(counts)}, more than may go without a confirmToken (${inWords(thresholds)})`, call)
  }
}

const refused = (sentence: string, call: ConfirmedCall): AppError =>
  preconditionFailed(`${sentence}. Make the dry run, show it to the person, then call again with its confirmToken`, {
    fix: call.preview,
    reason: 'unconfirmed',
  })

function inWords(counts: object): string {
  const parts = (Object.entries(counts) as [string, number][]).filter(([, n]) => n > 0)
  return parts.length > 0 ? parts.map(([kind, n]) => `${n} ${kind}`).join(', ') : 'nothing countable'
}
