import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { isId } from '../../kernel/ids.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { EVENT_RECORD_NAME_SQL, TENANT_RECORD_NAME_SQL } from './kinds.ts'

/** Maximum number of records that may share the name that the caller gave. */
const MAX_NAMED_TARGETS = 100

/**
 * Finds the ids of the records that a caller names: by id, by the name shown in the log, by email, by the confirmation number or badge of a
 * participant, or by the number of an order, invoice or receipt. The number of an order or invoice finds everything that belongs to the
 * order, because a sale is logged as a change of the buyer and a payment as a change of the payment.
 */
export async function findAuditTargetIds(ctx: EventContext, named: string): Promise<string[]> {
  if (isId(named.toLowerCase())) return [named.toLowerCase()]
  const queries = [...selectByName(ctx, named), ...selectByReference(ctx, named), selectByOrder(ctx, named)]
  const { rows } = await sql<{ id: string }>`select distinct id from (${sql.join(queries, sql` union all `)}) found (id)
    where id is not null limit ${MAX_NAMED_TARGETS}`.execute(ctx.db)
  // Some kinds of records, such as invite lists, are logged under a code instead of an id.
  return [named, ...rows.map(({ id }) => id)]
}

/** Tables whose records are found by their number, such as an invoice number, which has a database index. */
const NUMBERED_TABLES = new Set<string>(['orders', 'invoices', 'payments', 'refunds'])

function selectByName({ tenantId, event }: EventContext, named: string): RawBuilder<unknown>[] {
  const isNamed = (table: string, name: string) => {
    if (NUMBERED_TABLES.has(table)) return sql`${sql.raw(name)} = ${named.toUpperCase()}`
    const isSame = sql`lanyard_searched(${sql.raw(name)}) = lanyard_searched(${named}::text)`
    // The search index first narrows the many participants of an event down to the few whose name has the same words.
    return table === 'participants' ? sql`${buildWordMatchCondition(sql`r.searched`, named)} and ${isSame}` : isSame
  }
  const { contacts: _contacts, ...tenantNames } = TENANT_RECORD_NAME_SQL
  return [
    ...Object.entries(EVENT_RECORD_NAME_SQL).map(
      ([table, name]) =>
        sql`select r.id from ${sql.table(table)} r where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and ${isNamed(table, name)}`,
    ),
    ...Object.entries(tenantNames).map(
      ([table, name]) => sql`select r.id from ${sql.table(table)} r where r.tenant_id = ${tenantId} and ${isNamed(table, name)}`,
    ),
  ]
}

function selectByReference({ tenantId, event }: EventContext, named: string): RawBuilder<unknown>[] {
  const address = foldEmailCase(named)
  const number = named.toUpperCase()
  return [
    sql`select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.email_norm = ${address}`,
    sql`select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.confirmation_number = ${number}`,
    sql`select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.badge_id = ${named}`,
    sql`select g.id from managed_groups g where g.tenant_id = ${tenantId} and g.event_id = ${event.id} and g.code = ${named.toLowerCase()}`,
    sql`select u.id from users u where u.tenant_id = ${tenantId} and u.email_norm = ${address}`,
    sql`select b.payment_id from payment_reversals b where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.receipt_number = ${number}`,
  ]
}

function selectByOrder({ tenantId, event }: EventContext, named: string): RawBuilder<unknown> {
  const number = named.toUpperCase()
  return sql`select unnest(array[o.id, o.participant_id, o.group_id, o.company_id]
      || array(select i.id from invoices i where i.tenant_id = o.tenant_id and i.event_id = o.event_id and i.order_id = o.id)
      || array(select p.id from payments p where p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.order_id = o.id)
      || array(select r.id from refunds r where r.tenant_id = o.tenant_id and r.event_id = o.event_id and r.order_id = o.id))
    from orders o where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and (o.number = ${number} or o.id in (
      select i.order_id from invoices i where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.number = ${number}))`
}
