import { sql } from 'kysely'
import { createPendingAuditEntry, recordChange, writeAudit } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Actor } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import type { TenantScope } from '../../kernel/scoped-db.ts'
import { USER_HAS_ROLE_SQL, GRANT_IS_LIVE_SQL } from './live-grants.ts'

export const LIVE_OAUTH_GRANT_CONDITION = sql.raw(GRANT_IS_LIVE_SQL)
export const USER_HAS_ROLE_CONDITION = sql.raw(USER_HAS_ROLE_SQL)

export type RevocationReason = 'disconnected' | 'revoked by the app' | 'code used twice' | 'refresh token used twice'

/** An OAuth grant with its user and app, for audit log and email. */
export interface GrantWithUserAndApp {
  grantId: string
  tenantId: number
  userId: string
  userName: string
  email: string
  clientId: string
  appName: string
}

const GRANT_PARTIES = sql`g.id as "grantId", g.tenant_id as "tenantId", u.id as "userId", u.name as "userName", u.email, a.id as "clientId", a.name as "appName"`

interface NewGrant {
  userId: string
  accessVersion: number
  clientId: string
  /** The website that the consent page names as the target of the redirect. */
  website: string
  scope: string
  resource: string
}

/** Creates an OAuth grant, if the user's roles have not changed since they consented. */
export async function createGrant(db: Db, grant: NewGrant): Promise<string | null> {
  const { rows } = await sql<GrantWithUserAndApp>`
    with g as (
      insert into oauth_grants (id, tenant_id, user_id, client_id, resource, access_version, scope, website)
      select ${newId()}, u.tenant_id, u.id, ${grant.clientId}, ${grant.resource}, u.access_version, ${grant.scope},
        ${grant.website}
      from users u where u.id = ${grant.userId} and u.active and u.access_version = ${grant.accessVersion} and ${USER_HAS_ROLE_CONDITION}
      returning id, tenant_id, user_id, client_id
    )
    select ${GRANT_PARTIES} from g join users u on u.id = g.user_id join oauth_clients a on a.id = g.client_id`.execute(db)
  const opened = rows[0]
  if (!opened) return null
  // An app that ever had a grant is never deleted, because it has stored its client id and could not sign in without it.
  await sql`update oauth_clients set first_grant_at = lanyard_now() where id = ${grant.clientId} and first_grant_at is null`.execute(db)
  await note(db, opened, 'oauth.connect', {}, { app: opened.appName, website: grant.website })
  return opened.grantId
}

/** Revokes an OAuth grant with all its tokens. Returns null if it had already ended. */
export async function revokeGrant(db: Db, grantId: string, because: RevocationReason): Promise<GrantWithUserAndApp | null> {
  const { rows } = await sql<GrantWithUserAndApp>`
    update oauth_grants g set revoked_at = lanyard_now(), revoked_because = ${because}
    from users u, oauth_clients a
    where g.id = ${grantId} and g.revoked_at is null and u.id = g.user_id and a.id = g.client_id
    returning ${GRANT_PARTIES}`.execute(db)
  const ended = rows[0] ?? null
  if (ended) await note(db, ended, 'oauth.end', { connected: true }, { connected: false, because })
  return ended
}

/** Revokes all grants that the user gave to the app. Returns the app's name, or null if there was no grant. */
export async function revokeAppGrants(
  { db, tenantId }: TenantScope,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    update oauth_grants g set revoked_at = lanyard_now(), revoked_because = 'disconnected'
    from oauth_clients a
    where g.tenant_id = ${tenantId} and g.user_id = ${userId} and g.client_id = ${clientId}
      and g.revoked_at is null and a.id = g.client_id
    returning a.name`.execute(db)
  return rows[0]?.name ?? null
}

/** Records that the app has used the grant, which keeps it from expiring. */
export async function recordGrantUse(db: Db, grantId: string): Promise<void> {
  await sql`update oauth_grants set last_used_at = lanyard_now() where id = ${grantId}`.execute(db)
}

type Fields = Record<string, unknown>

async function note(db: Db, parties: GrantWithUserAndApp, tool: string, before: Fields, after: Fields): Promise<void> {
  const { tenantId, userId, userName, clientId, appName, grantId } = parties
  const actor: Actor = { kind: 'organizer', id: userId, name: userName, app: { id: clientId, name: appName } }
  const ctx = { db, tenantId, actor, audit: createPendingAuditEntry() }
  recordChange(ctx, { kind: 'grant', id: grantId, before, after })
  await writeAudit(ctx, { name: tool })
}
