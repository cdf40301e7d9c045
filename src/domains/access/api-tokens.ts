import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { conflict, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { issueApiToken } from './api-accounts.ts'
import { lockClientApiAccount } from './client-accounts.ts'

export interface ApiToken {
  /** The stored hash of the token. It identifies the token but grants no access. */
  id: string
  hint: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  state: 'live' | 'expired' | 'revoked'
}

/** Lists the tokens of an API account, newest first. */
export async function listAccountTokens(ctx: ClientContext, accountId: string): Promise<ApiToken[]> {
  const { rows } = await sql<ApiToken>`
    select encode(hash, 'hex') as id, hint, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
      last_used_at as "lastUsedAt",
      case when revoked_at is not null then 'revoked' when expires_at <= lanyard_now() then 'expired' else 'live' end as state
    from api_tokens where tenant_id = ${ctx.tenantId} and account_id = ${accountId} order by created_at desc, hash limit 100`.execute(
    ctx.db,
  )
  return rows
}

/** Creates an API token. It is not stored in plain text; the caller shows it once. */
export async function issueAccountToken(
  ctx: ClientContext,
  accountId: string,
  { lifetimeDays }: { lifetimeDays?: number | undefined },
): Promise<Secret> {
  const account = await lockClientApiAccount(ctx, accountId)
  if (!account.active) throw preconditionFailed(`${account.name} is deactivated. Activate it before you issue a new token`)
  const token = await issueApiToken(ctx.db, { tenantId: ctx.tenantId, accountId }, { lifetimeDays })
  recordChange(ctx, {
    kind: 'apiToken',
    id: accountId,
    after: { hint: token.reveal().slice(-4), lifetimeDays: lifetimeDays ?? null },
  })
  return token
}

export async function revokeAccountToken(ctx: ClientContext, accountId: string, tokenId: string): Promise<void> {
  await lockClientApiAccount(ctx, accountId)
  // The account's row is locked, so that the token is not revoked by another call between this query and the update.
  const { rows } = await sql<{ hash: Buffer; hint: string; revoked: boolean }>`
    select hash, hint, revoked_at is not null as revoked from api_tokens
    where tenant_id = ${ctx.tenantId} and account_id = ${accountId} and encode(hash, 'hex') = ${tokenId}`.execute(ctx.db)
  const [token] = rows
  if (!token) throw notFound('This account has no such token')
  if (token.revoked) throw conflict('This token is already revoked')
  await sql`update api_tokens set revoked_at = lanyard_now() where tenant_id = ${ctx.tenantId} and hash = ${token.hash}`.execute(ctx.db)
  const { hint } = token
  recordChange(ctx, { kind: 'apiToken', id: accountId, before: { hint, revoked: false }, after: { hint, revoked: true } })
}
