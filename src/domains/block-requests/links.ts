import { sql } from 'kysely'
import { hashToken, newToken } from '../../kernel/secrets.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../exhibitors/context.ts'
import { buildEventPageUrls } from '../tenancy/public-pages.ts'
import type { BlockRequestRow } from './tables.ts'

const LINK_PREFIX = 'br_'

/** Creates the link in the requester's email, which opens the request until 30 days after the event. */
export async function createRequestLink(ctx: ExhibitorContext, { id, requester_email }: BlockRequestRow): Promise<string> {
  const token = newToken(LINK_PREFIX)
  await ctx.db
    .insertInto('block_request_links')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      token_hash: hashToken(token),
      request_id: id,
      email: requester_email,
      expires_at: sql<Date>`(select (e.ends_on + 31)::timestamp at time zone e.timezone from events e
        where e.tenant_id = ${ctx.tenantId} and e.id = ${ctx.event.id})`,
    })
    .execute()
  return `${buildEventPageUrls(ctx).blockRequests}/${token}`
}

/** Finds the request of an emailed link, and the address that the link was sent to. Returns null for expired and unknown links. */
export async function findRequestByLink(ctx: ExhibitorQueryContext, token: string): Promise<{ requestId: string; email: string } | null> {
  if (!token.startsWith(LINK_PREFIX)) return null
  const row = await eventDb(ctx)
    .selectFrom('block_request_links')
    .select(['request_id', 'email'])
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', sql<Date>`lanyard_now()`)
    .executeTakeFirst()
  return row ? { requestId: row.request_id, email: row.email } : null
}
