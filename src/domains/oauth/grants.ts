import { sql } from 'kysely'
import { newAuditDraft, recordChange, writeAudit } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Actor } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { HAS_CLIENT, LIVE_GRANT } from '../access/live-grants.ts'
import { describeRedirectTarget } from './redirect-uris.ts'

export const IS_LIVE = sql.raw(LIVE_GRANT)
export const BELONGS_SOMEWHERE = sql.raw(HAS_CLIENT)

export type EndReason = 'disconnected' | 'revoked by the app' | 'code used twice' | 'refresh token used twice'

/** A grant with its user and app, for audit log and email. */
export interface GrantParties {
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
  redirectUri: string
  scope: string
  resource: string
}

/** Creates the grant if the user's access has not changed since consent. */
export async function createGrant(db: Db, grant: NewGrant): Promise<string | null> {
  const { rows } = await sql<GrantParties>`
    with g as (
      insert into oauth_grants (id, tenant_id, user_id, client_id, resource, access_version, scope, website)
      select ${newId()}, u.tenant_id, u.id, ${grant.clientId}, ${grant.resource}, u.access_version, ${grant.scope},
        ${describeRedirectTarget(grant.redirectUri).shown}
      from users u where u.id = ${grant.userId} and u.active and u.access_version = ${grant.accessVersion} and ${BELONGS_SOMEWHERE}
      returning id, tenant_id, user_id, client_id
    )
    select ${GRANT_PARTIES} from g join users u on u.id = g.user_id join oauth_clients a on a.id = g.client_id`.execute(db)
  const opened = rows[0]
  if (!opened) return null
  // An app that ever had a grant is kept forever: it stores its client id and cannot recover from losing it.
  await sql`update oauth_clients set first_grant_at = lanyard_now() where id = ${grant.clientId} and first_grant_at is null`.execute(db)
  await note(db, opened, 'oauth.connect', {}, { app: opened.appName, website: describeRedirectTarget(grant.redirectUri).shown })
  return opened.grantId
}

/** Revokes a grant with all its tokens. Null if it had already ended. */
export async function revokeGrant(db: Db, grantId: string, because: EndReason): Promise<GrantParties | null> {
  const { rows } = await sql<GrantParties>`
    update oauth_grants g set revoked_at = lanyard_now(), revoked_because = ${because}
    from users u, oauth_clients a
    where g.id = ${grantId} and g.revoked_at is null and u.id = g.user_id and a.id = g.client_id
    returning ${GRANT_PARTIES}`.execute(db)
  const ended = rows[0] ?? null
  if (ended) await note(db, ended, 'oauth.end', { connected: true }, { connected: false, because })
  return ended
}

type Fields = Record<string, unknown>

async function note(db: Db, parties: GrantParties, tool: string, before: Fields, after: Fields): Promise<void> {
  const { tenantId, userId, userName, clientId, appName, grantId } = parties
  const actor: Actor = { kind: 'organizer', id: userId, name: userName, app: { id: clientId, name: appName } }
  const ctx = { db, tenantId, actor, audit: newAuditDraft() }
  recordChange(ctx, { kind: 'grant', id: grantId, before, after })
  await writeAudit(ctx, { name: tool })
}
