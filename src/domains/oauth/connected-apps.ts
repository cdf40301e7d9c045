import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { USER_HAS_ROLE_CONDITION, LIVE_OAUTH_GRANT_CONDITION, revokeAppGrants } from '../access/oauth-grants.ts'

/** An app that a user connected. It has one grant per computer, but all its valid grants are shown as one app. */
export interface ConnectedApp {
  clientId: string
  name: string
  /** The sites that the app redirected to after sign-in, as shown on the consent page. */
  websites: string[]
  connectedAt: Date
  lastUsedAt: Date
  /** The time when the app loses access unless it is used before. */
  expiresAt: Date
  connections: number
}

export async function listConnectedApps(db: Db, userId: string): Promise<ConnectedApp[]> {
  const { rows } = await sql<ConnectedApp>`
    with live as (
      select g.client_id, g.website, g.connected_at, g.last_used_at,
        least(g.last_used_at + interval '30 days', (select max(t.expires_at) from oauth_tokens t where t.grant_id = g.id)) as expires_at
      from oauth_grants g join users u on u.id = g.user_id
      where g.user_id = ${userId} and ${LIVE_OAUTH_GRANT_CONDITION} and ${USER_HAS_ROLE_CONDITION}
        and exists (select from oauth_tokens t where t.grant_id = g.id and t.expires_at > lanyard_now())
    )
    select a.id as "clientId", a.name, array_agg(distinct l.website order by l.website) filter (where l.website <> '') as websites,
      min(l.connected_at) as "connectedAt", max(l.last_used_at) as "lastUsedAt", max(l.expires_at) as "expiresAt", count(*)::int as connections
    from live l join oauth_clients a on a.id = l.client_id
    group by a.id, a.name order by max(l.last_used_at) desc, a.id`.execute(db)
  return rows.map((row) => ({ ...row, websites: row.websites ?? [] }))
}

/** Revokes all grants that the user gave to the app, so that the app's next request is rejected. The caller checks permissions. */
export async function disconnectApp(
  ctx: Pick<Context, 'db' | 'audit' | 'tenantId'>,
  app: { userId: string; clientId: string },
): Promise<void> {
  const name = await revokeAppGrants(ctx, app)
  if (name === null) throw notFound('No such connected app')
  recordChange(ctx, {
    kind: 'connectedApp',
    id: app.clientId,
    before: { app: name, user: app.userId, connected: true },
    after: { app: name, user: app.userId, connected: false },
  })
}
