import { sql } from 'kysely'
import { newId } from '../../kernel/ids.ts'
import type { Pool } from '../../kernel/ports.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import type { HousingContext } from '../housing/context.ts'
import { EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../tenancy/scope.ts'

export interface SupplierLinkRecipient {
  name: string | null
  email: string
}

/** The record that a supplier's link opens: an RFP as one recipient sees it, or a contract. */
export type SupplierLinkTarget = { rfpRecipientId: string } | { contractId: string }

interface NewLink {
  supplierId: string
  record: SupplierLinkTarget
  to: SupplierLinkRecipient
  /** The last day on which the link works, in the time zone of the event. */
  until: string
}

const columnsOf = (record: SupplierLinkTarget) =>
  'contractId' in record
    ? ({ contract_id: record.contractId, rfp_recipient_id: null } as const)
    : ({ contract_id: null, rfp_recipient_id: record.rfpRecipientId } as const)

/** Creates a link to `/supplier/<token>` for one recipient. Earlier links keep working. */
export async function createSupplierLink(ctx: HousingContext, { supplierId, record, to, until }: NewLink): Promise<Secret> {
  const token = newToken('supplier_')
  await ctx.db
    .insertInto('supplier_links')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      token_hash: hashToken(token),
      client_id: ctx.client.id,
      supplier_id: supplierId,
      ...columnsOf(record),
      contact_name: to.name,
      contact_email: to.email,
      expires_at: sql<Date>`(${until}::date + 1)::timestamp at time zone ${ctx.event.timezone}`,
    })
    .execute()
  return new Secret(token)
}

/** Revokes all links of suppliers to one RFP recipient or contract. Returns the number of revoked links. */
export async function revokeSupplierLinks(ctx: HousingContext, record: SupplierLinkTarget): Promise<number> {
  const [column, id] =
    'contractId' in record ? (['contract_id', record.contractId] as const) : (['rfp_recipient_id', record.rfpRecipientId] as const)
  const revoked = await eventDb(ctx)
    .updateTable('supplier_links')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where(column, '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return revoked.length
}

/** A supplier's link, with the record that it opens and the person that it was sent to. */
export interface SupplierLink extends EventFoundByToken {
  linkId: string
  supplierId: string
  rfpRecipientId: string | null
  contractId: string | null
  contact: SupplierLinkRecipient
  expiresAt: Date
  /** Whether the link was revoked or has expired. */
  isEnded: boolean
}

const FIND_LINK = `
update supplier_links l set last_used_at = lanyard_now()
from events e, clients k, tenants t
where l.token_hash = $1 and e.tenant_id = l.tenant_id and e.id = l.event_id and k.tenant_id = e.tenant_id and k.id = e.client_id and k.active
  and t.id = l.tenant_id
returning l.id as "linkId", l.supplier_id as "supplierId", l.rfp_recipient_id as "rfpRecipientId", l.contract_id as "contractId",
  json_build_object('name', l.contact_name, 'email', l.contact_email) as contact, l.expires_at as "expiresAt",
  l.revoked_at is not null or l.expires_at <= lanyard_now() as "isEnded",
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}`

/** Finds the supplier link with this token, even if it has ended; null if the token is unknown. */
export async function findSupplierLink(pool: Pool, token: string): Promise<SupplierLink | null> {
  const { rows } = await pool.query<SupplierLink>(FIND_LINK, [hashToken(token)])
  return rows[0] ?? null
}
