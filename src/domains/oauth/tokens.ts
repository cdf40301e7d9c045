import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { countEffects } from '../../kernel/effects.ts'
import { sendEmail } from '../../kernel/email.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { languageOf } from '../access/users.ts'
import { BELONGS_SOMEWHERE, endGrant, IS_LIVE } from './grants.ts'
import { appSignedOut } from './mails.ts'

export const ACCESS_SECONDS = 3600
const REFRESH_LIFETIME = '30 days'
/** Several processes of one assistant share a refresh token and use it at the same moment: that is not theft. */
const GRACE = '60 seconds'

export type TokenVerdict =
  | { kind: 'issued'; access: Secret; refresh: Secret; scope: string }
  /** Said to the app, so it tells nothing that its developer does not know. */
  | { kind: 'refused'; why: string }

export const refused = (why: string): TokenVerdict => ({ kind: 'refused', why })

interface Issue {
  grantId: string
  scope: string
  /** Given when it is known already which one follows. */
  refresh?: string
}

export async function issueTokens(db: Db, { grantId, scope, refresh = newToken('lrt_') }: Issue): Promise<TokenVerdict> {
  const access = newToken('lat_')
  await sql`
    insert into oauth_tokens (hash, kind, grant_id, expires_at) values
      (${hashToken(access)}, 'access', ${grantId}, lanyard_now() + make_interval(secs => ${ACCESS_SECONDS}::int)),
      (${hashToken(refresh)}, 'refresh', ${grantId}, lanyard_now() + ${REFRESH_LIFETIME}::interval)
    on conflict (hash) do nothing`.execute(db)
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

/** Runs in a transaction and returns its verdict: thrown, it would undo the revocation that a stolen token calls for. */
export async function rotateRefreshToken(db: Db, given: { token: string; clientId: string; baseUrl: string }): Promise<TokenVerdict> {
  const presented = hashToken(given.token)
  const { rows } = await sql<RefreshRow>`
    select g.id as "grantId", g.client_id as "clientId", g.scope, t.expires_at <= lanyard_now() as expired, t.rotated_at is not null as rotated,
      coalesce(t.rotated_at > lanyard_now() - ${GRACE}::interval, false) as recent, t.successor_nonce as nonce, t.successor_hash as successor
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id
    where t.hash = ${presented} and t.kind = 'refresh' for update of t`.execute(db)
  const row = rows[0]
  if (!row || row.clientId !== given.clientId || row.expired) return refused('The refresh token is not known here, or too old')
  if (!(await isGrantLive(db, row.grantId))) return refused('The connection has ended: sign in again')
  if (!row.rotated) {
    const nonce = randomBytes(32)
    const refresh = successorOf(given.token, nonce)
    await sql`
      update oauth_tokens set rotated_at = lanyard_now(), successor_nonce = ${nonce}, successor_hash = ${hashToken(refresh)}
      where hash = ${presented}`.execute(db)
    await sql`update oauth_grants set last_used_at = lanyard_now() where id = ${row.grantId}`.execute(db)
    return issueTokens(db, { grantId: row.grantId, scope: row.scope, refresh })
  }
  if (row.recent && (await isUnused(db, row.successor!))) {
    return issueTokens(db, { grantId: row.grantId, scope: row.scope, refresh: successorOf(given.token, row.nonce!) })
  }
  await endStolen(db, row.grantId, given.baseUrl)
  return refused('The refresh token was used before: sign in again')
}

/** Whoever holds the token can ask for its successor again; the database alone cannot compute it. */
const successorOf = (token: string, nonce: Buffer) => `lrt_${createHmac('sha256', token).update(nonce).digest('base64url')}`

async function isGrantLive(db: Db, grantId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from oauth_grants g join users u on u.id = g.user_id
    where g.id = ${grantId} and ${IS_LIVE} and ${BELONGS_SOMEWHERE}`.execute(db)
  return rows.length === 1
}

async function isUnused(db: Db, token: Buffer): Promise<boolean> {
  const { rows } = await sql`select 1 from oauth_tokens where hash = ${token} and rotated_at is null`.execute(db)
  return rows.length === 1
}

/** Two hold the same token and nobody can say which is the thief: both are out, and the owner is told. */
async function endStolen(db: Db, grantId: string, baseUrl: string): Promise<void> {
  const ended = await endGrant(db, grantId, 'refresh token used twice')
  if (!ended) return
  await sendEmail({ tenantId: ended.tenantId, db, effects: countEffects(), baseUrl }, appSignedOut, {
    to: { address: ended.email, name: ended.userName },
    content: { app: ended.appName },
    source: { kind: 'oauth-grant', id: ended.grantId, recipientKey: ended.userId },
    locale: await languageOf(db, ended.userId),
  })
}

export type RevokeVerdict = 'ended' | 'unknown' | 'another app'

/** Any token of a grant ends all of it: an app that signs out means everything it holds. */
export async function revokeToken(db: Db, given: { token: string; clientId: string }): Promise<RevokeVerdict> {
  const { rows } = await sql<{ grantId: string; clientId: string }>`
    select g.id as "grantId", g.client_id as "clientId" from oauth_tokens t join oauth_grants g on g.id = t.grant_id
    where t.hash = ${hashToken(given.token)}`.execute(db)
  const row = rows[0]
  if (!row) return 'unknown'
  if (row.clientId !== given.clientId) return 'another app'
  await endGrant(db, row.grantId, 'revoked by the app')
  return 'ended'
}
