import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

/** The tenant and event that a query is restricted to. */
export interface TenantAndEvent {
  tenantId: EventContext['tenantId']
  event: { id: string }
}

/** SQL condition that restricts the table with this alias to the rows of the event. */
export const buildEventCondition = ({ tenantId, event }: TenantAndEvent, alias: string) =>
  sql<boolean>`${sql.table(alias)}.tenant_id = ${tenantId} and ${sql.table(alias)}.event_id = ${event.id}`
