import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

/** What people call records of an event: participants by name, orders, invoices and receipts by number. Those that are gone have no label. */
export async function labelsOf(
  { tenantId, event, db }: Pick<EventContext, 'tenantId' | 'event' | 'db'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const named = sql`r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.id = any(${ids})`
  const { rows } = await sql<{ id: string; label: string }>`
    select r.id, concat_ws(' ', r.first_name, r.last_name) as label from participants r where ${named}
    union all select r.id, r.name from managed_groups r where ${named}
    union all select r.id, r.number from orders r where ${named}
    union all select r.id, r.number from invoices r where ${named}
    union all select r.id, r.receipt_number from payments r where ${named}
    union all select r.id, r.receipt_number from refunds r where ${named}`.execute(db)
  return new Map([[event.id, event.name], ...rows.map(({ id, label }) => [id, label] as const)])
}
