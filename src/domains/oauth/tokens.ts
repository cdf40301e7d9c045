import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { createIrreversibleEffectCounter } from '../../kernel/effects.ts'
import { sendEmail } from '../../kernel/email.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { readUserLanguage } from '../access/users.ts'
import { USER_HAS_ROLE_CONDITION, revokeGrant, LIVE_OAUTH_GRANT_CONDITION, recordGrantUse } from '../access/oauth-grants.ts'
import { insertTokens, markTokenRotated } from '../access/oauth-tokens.ts'
import { appSignedOutEmail } from './emails.ts'

/**
 * How long a used refresh token still works. Processes of one assistant share a token and may use it concurrently, which is not a theft.
 */
const REUSE_GRACE_INTERVAL = '60 seconds'

export type TokenGrantResult =
  | { kind: 'issued'; access: Secret; refresh: Secret; scope: string }
  /** The reason why the app was refused. It is sent to the app, so it must reveal nothing that the app's developer does not know. */
  | { kind: 'refused'; why: string }

export const createRefusedGrantResult = (why: string): TokenGrantResult => ({ kind: 'refused', why })

interface Issue {
  grantId: string
  scope: string
  /** The refresh token to issue, if it was derived from the previous refresh token; otherwise a random one is generated. */
  refresh?: string
}

export async function issueTokens(db: Db, { grantId, scope, refresh = newToken('lrt_') }: Issue): Promise<TokenGrantResult> {
  const access = newToken('lat_')
  await insertTokens(db, { grantId, access: hashToken(access), refresh: hashToken(refresh) })
  return { kind: 'issued', access: new Secret(access), refresh: new Secret(refresh), scope }
}

interface RefreshRow {
  grantId: string
  clientId: string
  scope: string
  expired: boolean
  rotated: boolean
  recent: boolean
  nonce: Buffer | null
  successor: Buffer | null
}

/**
 * Exchanges a refresh token for new tokens. Returns a result instead of throwing, because the rollback of an error would undo the
 * revocation of a stolen token.
 */
export async function rotateRefreshToken(db: Db, given: { token: string; clientId: string; baseUrl: string }): Promise<TokenGrantResult> {
  const presented = hashToken(given.token)
  const { rows } = await sql<RefreshRow>`
    select g.id as "grantId", g.client_id as "clientId", g.scope, t.expires_at <= lanyard_now() as expired, t.rotated_at is not null as rotated,
      coalesce(t.rotated_at > lanyard_now() - ${REUSE_GRACE_INTERVAL}::interval, false) as recent, t.successor_nonce as nonce, t.successor_hash as successor
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id
    where t.hash = ${presented} and t.kind = 'refresh' for update of t`.execute(db)
  const row = rows[0]
  if (!row || row.clientId !== given.clientId || row.expired) return createRefusedGrantResult('The refresh token is unknown or has expired')
  if (!(await isGrantLive(db, row.grantId))) return createRefusedGrantResult('The connection has ended. Sign in again')
  if (!row.rotated) {
    const nonce = randomBytes(32)
    const refresh = deriveSuccessor(given.token, nonce)
    await markTokenRotated(db, presented, { nonce, successor: hashToken(refresh) })
    await recordGrantUse(db, row.grantId)
    return issueTokens(db, { grantId: row.grantId, scope: row.scope, refresh })
  }
  if (row.recent && (await isUnused(db, row.successor!))) {
    return issueTokens(db, { grantId: row.grantId, scope: row.scope, refresh: deriveSuccessor(given.token, row.nonce!) })
  }
  await revokeCompromisedGrant(db, row.grantId, given.baseUrl)
  return createRefusedGrantResult('The refresh token was already used. Sign in again')
}

/**
 * Derives the next refresh token from the current one. The holder of the current token can request the same successor again, but no one can
 * compute it from the database alone.
 */
const deriveSuccessor = (token: string, nonce: Buffer) => `lrt_${createHmac('sha256', token).update(nonce).digest('base64url')}`

async function isGrantLive(db: Db, grantId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from oauth_grants g join users u on u.id = g.user_id
    where g.id = ${grantId} and ${LIVE_OAUTH_GRANT_CONDITION} and ${USER_HAS_ROLE_CONDITION}`.execute(db)
  return rows.length === 1
}

async function isUnused(db: Db, token: Buffer): Promise<boolean> {
  const { rows } = await sql`select 1 from oauth_tokens where hash = ${token} and rotated_at is null`.execute(db)
  return rows.length === 1
}

/** Revokes the grant and emails its owner, because a refresh token was used twice: one copy may be stolen, and it is not known which. */
async function revokeCompromisedGrant(db: Db, grantId: string, baseUrl: string): Promise<void> {
  const ended = await revokeGrant(db, grantId, 'refresh token used twice')
  if (!ended) return
  await sendEmail({ tenantId: ended.tenantId, db, effects: createIrreversibleEffectCounter(), baseUrl }, appSignedOutEmail, {
    to: { address: ended.email, name: ended.userName },
    content: { app: ended.appName },
    source: { kind: 'oauth-grant', id: ended.grantId, recipientKey: ended.userId },
    locale: await readUserLanguage(db, ended.userId),
  })
}

export type TokenRevocationResult = 'ended' | 'unknown' | 'another app'

/** Revokes the whole grant of a token, because an app that signs out gives up all its access. */
export async function revokeToken(db: Db, given: { token: string; clientId: string }): Promise<TokenRevocationResult> {
  const { rows } = await sql<{ grantId: string; clientId: string }>`
    select g.id as "grantId", g.client_id as "clientId" from oauth_tokens t join oauth_grants g on g.id = t.grant_id
    where t.hash = ${hashToken(given.token)}`.execute(db)
  const row = rows[0]
  if (!row) return 'unknown'
  if (row.clientId !== given.clientId) return 'another app'
  await revokeGrant(db, row.grantId, 'revoked by the app')
  return 'ended'
}
