import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { GRANT_IS_LIVE_SQL } from './live-grants.ts'
import { getClientMember } from './members.ts'

export interface MemberConnectedApp {
  appId: string
  name: string
  website: string
  connectedAt: Date
  lastUsedAt: Date
}

const LIVE_GRANT_CONDITION = sql<boolean>`${sql.raw(GRANT_IS_LIVE_SQL)}`

const selectGrants = (ctx: ClientContext, userId: string) =>
  tenantDb(ctx)
    .selectFrom('oauth_grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .innerJoin('oauth_clients as a', 'a.id', 'g.client_id')
    .where('g.user_id', '=', userId)
    .where(LIVE_GRANT_CONDITION)

/** Lists the apps that can act for a member; several sign-ins of one app count once. */
export async function listMemberApps(ctx: ClientContext, userId: string): Promise<MemberConnectedApp[]> {
  await getClientMember(ctx, userId)
  return selectGrants(ctx, userId)
    .select([
      'a.id as appId',
      'a.name',
      sql<string>`max(g.website)`.as('website'),
      sql<Date>`min(g.connected_at)`.as('connectedAt'),
      sql<Date>`max(g.last_used_at)`.as('lastUsedAt'),
    ])
    .groupBy(['a.id', 'a.name'])
    .orderBy('a.name')
    .execute()
}

/** Revokes the access of an app to the account of a member. The next request of the app is rejected. */
export async function disconnectMemberApp(ctx: ClientContext, { userId, appId }: { userId: string; appId: string }): Promise<void> {
  await getClientMember(ctx, userId)
  const grants = await selectGrants(ctx, userId).where('g.client_id', '=', appId).select(['g.id', 'a.name']).execute()
  if (grants.length === 0) throw notFound('This app is no longer connected')
  for (const { id, name } of grants) {
    await sql`
      update oauth_grants set revoked_at = lanyard_now(), revoked_because = ${`disconnected by an administrator of ${ctx.client.code}`}
      where tenant_id = ${ctx.tenantId} and id = ${id} and revoked_at is null`.execute(ctx.db)
    recordChange(ctx, {
      kind: 'connectedApp',
      id,
      before: { app: name, connected: true },
      after: { app: name, connected: false },
    })
  }
}
