import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Pool } from '../../../kernel/ports.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { hashToken, newToken, Secret } from '../../../kernel/secrets.ts'
import type { HousingContext } from '../context.ts'
import { EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../../tenancy/scope.ts'

/** Number of days after the event for which links of hotels work, because pickup and attrition are settled after the event. */
const DAYS_AFTER_EVENT = 90

export interface HotelContact {
  name: string
  email: string
}

/** Creates a link to the hotel's pages for one recipient. Earlier links of the recipient keep working. */
export async function createHotelAccessLink(ctx: HousingContext, hotelId: string, { name, email }: HotelContact): Promise<Secret> {
  const token = newToken('hotel_')
  const id = newId()
  await sql`
    insert into hotel_links (tenant_id, event_id, id, hotel_id, token_hash, contact_name, contact_email, expires_at)
    select e.tenant_id, e.id, ${id}, ${hotelId}, ${hashToken(token)}, ${name}, ${email},
      greatest(e.ends_on::timestamptz, lanyard_now()) + make_interval(days => ${DAYS_AFTER_EVENT})
    from events e where e.tenant_id = ${ctx.tenantId} and e.id = ${ctx.event.id}`.execute(ctx.db)
  recordChange(ctx, { kind: 'hotel', id: hotelId, after: { linkSentTo: email } })
  return new Secret(token)
}

/** Revokes all links of a hotel, for example after a link was forwarded. */
export async function revokeHotelAccessLinks(ctx: HousingContext, hotelId: string): Promise<number> {
  const revoked = await eventDb(ctx)
    .updateTable('hotel_links')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where('hotel_id', '=', hotelId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  if (revoked.length > 0) recordChange(ctx, { kind: 'hotel', id: hotelId, after: { linksRevoked: revoked.length } })
  return revoked.length
}

/** The hotel that a link opens, with its recipient. */
export interface HotelOfAccessLink extends EventFoundByToken {
  linkId: string
  hotelId: string
  contact: HotelContact
  expiresAt: Date
  /** Whether the link was revoked or has expired. Its recipient may request another. */
  isEnded: boolean
}

const FIND_LINK = `
update hotel_links l set last_used_at = lanyard_now()
from events e, clients k, tenants t
where l.token_hash = $1 and e.tenant_id = l.tenant_id and e.id = l.event_id and k.tenant_id = e.tenant_id and k.id = e.client_id and k.active
  and t.id = l.tenant_id
returning l.id as "linkId", l.hotel_id as "hotelId", json_build_object('name', l.contact_name, 'email', l.contact_email) as contact,
  l.expires_at as "expiresAt", l.revoked_at is not null or l.expires_at <= lanyard_now() as "isEnded",
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}`

/** Finds the hotel of a link's token; null if there is no such link. */
export async function findHotelOfAccessLink(pool: Pool, token: string): Promise<HotelOfAccessLink | null> {
  const { rows } = await pool.query<HotelOfAccessLink>(FIND_LINK, [hashToken(token)])
  return rows[0] ?? null
}
