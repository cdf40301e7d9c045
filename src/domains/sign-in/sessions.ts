import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { OrganizerAccess, Actor } from '../../kernel/context.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { toOrganizerAccess, MEMBERSHIPS_AND_STAFF_SQL, type RolesRow } from '../access/roles.ts'
import { setUserLanguage } from '../access/user-profiles.ts'

/** An organizer's valid browser session. */
export interface BrowserSession {
  tokenHash: Buffer
  userId: string
  email: string
  tenantId: number
  tenantCode: string
  totpPending: boolean
  actor: Actor
  access: OrganizerAccess
}

/** Returns the actor for changes made in the console. */
export const toConsoleActor = (id: string, name: string): Actor => ({ kind: 'organizer', id, name, app: { id: null, name: 'console' } })

/** SQL condition that the browser session is valid. A session expires after 12 hours of inactivity or after 7 days. */
export const isValidSessionSql = (session: string) =>
  `(${session}.expires_at > lanyard_now() and ${session}.last_seen_at > lanyard_now() - interval '12 hours')`

const VERIFY_SESSION = `
with session as materialized (
  select s.token_hash, s.totp_pending, s.last_seen_at, u.id as user_id, u.email, u.name as user_name, u.tenant_id, n.code as tenant_code
  from browser_sessions s
  join users u on u.id = s.user_id
  join tenants n on n.id = u.tenant_id
  where s.token_hash = $1 and s.kind = 'organizer' and ${isValidSessionSql('s')} and u.active
), touched as (
  update browser_sessions b set last_seen_at = lanyard_now()
  from session v where b.token_hash = v.token_hash and v.last_seen_at < lanyard_now() - interval '1 minute'
)
select v.token_hash, v.totp_pending, v.user_id, v.email, v.user_name, v.tenant_id, v.tenant_code, ${MEMBERSHIPS_AND_STAFF_SQL} from session v`

interface SessionRow extends RolesRow {
  token_hash: Buffer
  totp_pending: boolean
  user_id: string
  email: string
  user_name: string
  tenant_id: number
  tenant_code: string
}

export async function verifyBrowserSession(pool: Pool, token: string): Promise<BrowserSession | null> {
  const { rows } = await pool.query<SessionRow>(VERIFY_SESSION, [hashToken(token)])
  const row = rows[0]
  if (!row) return null
  return {
    tokenHash: row.token_hash,
    userId: row.user_id,
    email: row.email,
    tenantId: row.tenant_id,
    tenantCode: row.tenant_code,
    totpPending: row.totp_pending,
    actor: toConsoleActor(row.user_id, row.user_name),
    access: toOrganizerAccess(row),
  }
}

/** Properties of the browser that are read from its request. */
export interface BrowserInfo {
  userAgent: string
  /** The supported language that the browser prefers. */
  language?: string
}

/**
 * Creates a browser session. Every sign-in gets a new token, which prevents session fixation. The browser's language becomes the user's
 * email language.
 */
export async function createBrowserSession(db: Db, session: BrowserInfo & { userId: string; totpPending: boolean }): Promise<Secret> {
  const token = newToken('los_')
  await sql`
    insert into browser_sessions (token_hash, user_id, totp_pending, user_agent, expires_at)
    values (${hashToken(token)}, ${session.userId}, ${session.totpPending}, ${session.userAgent.slice(0, 200)}, lanyard_now() + interval '7 days')`.execute(
    db,
  )
  const { userId, totpPending, language } = session
  if (language && !totpPending) await setUserLanguage(db, userId, language)
  return new Secret(token)
}

export async function endBrowserSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('browser_sessions').where('token_hash', '=', tokenHash).execute()
}

/** Ends all browser sessions of the user except the given one. */
export async function endUserSessions(db: Db, userId: string, except?: Buffer): Promise<number> {
  let query = db.deleteFrom('browser_sessions').where('user_id', '=', userId)
  if (except) query = query.where('token_hash', '<>', except)
  const [result] = await query.execute()
  return Number(result?.numDeletedRows ?? 0)
}

export async function listBrowserSessions(db: Db, userId: string) {
  return db
    .selectFrom('browser_sessions')
    .select(['token_hash as tokenHash', 'user_agent as userAgent', 'created_at as createdAt', 'last_seen_at as lastSeenAt'])
    .where('user_id', '=', userId)
    .where('totp_pending', '=', false)
    .where(sql.raw<boolean>(isValidSessionSql('browser_sessions')))
    .orderBy('last_seen_at', 'desc')
    .execute()
}
