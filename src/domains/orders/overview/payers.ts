import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { BillTo } from '../tables.ts'

/** The owner of an order, as shown in lists of invoices and payments. */
export interface Payer {
  kind: 'participant' | 'group' | 'company'
  participantId: string | null
  name: string
  organisation: string | null
}

/** SQL columns about the payer of an order with the alias `o`, whose participant has the alias `p` and whose group has `g`. */
export const PAYER_COLUMNS_SQL = sql`o.number as "orderNumber", o.participant_id as "participantId", o.group_id as "groupId", o.bill_to as "billTo",
  trim(concat_ws(' ', p.first_name, p.last_name)) as "personName", p.email as "personEmail", p.company as "personCompany", g.name as "groupName"`

export const PAYER_JOINS_SQL = sql`
  left join participants p on p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.id = o.participant_id
  left join managed_groups g on g.tenant_id = o.tenant_id and g.event_id = o.event_id and g.id = o.group_id`

export interface PayerRow {
  orderNumber: string
  participantId: string | null
  groupId: string | null
  billTo: BillTo
  personName: string
  personEmail: string | null
  personCompany: string | null
  groupName: string | null
}

export function toPayer({ participantId, groupId, billTo, personName, personEmail, personCompany, groupName }: PayerRow): Payer {
  const company = billTo.company || personCompany || ''
  const organisation = [company, billTo.country].filter(Boolean).join(', ') || null
  if (participantId !== null)
    return { kind: 'participant', participantId, name: personName || personEmail || billTo.name || 'No name yet', organisation }
  if (groupId !== null) return { kind: 'group', participantId, name: groupName ?? billTo.name ?? 'Group', organisation }
  return { kind: 'company', participantId, name: billTo.company || billTo.name || 'Company', organisation: billTo.country ?? null }
}

export async function getOrderPayer({ tenantId, event, db }: EventContext, orderId: string): Promise<Payer> {
  const { rows } = await sql<PayerRow>`
    select ${PAYER_COLUMNS_SQL} from orders o ${PAYER_JOINS_SQL}
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.id = ${orderId}`.execute(db)
  return toPayer(rows[0]!)
}
