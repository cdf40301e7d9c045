import { sql } from 'kysely'
import type { DoorScope } from './door-rules.ts'

export const toName = ({ first_name, last_name }: { first_name: string | null; last_name: string | null }) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** The participant who has or had this badge id; an unknown id matches no scan. */
export async function findBadgeHolder(
  { db, tenantId, event }: Pick<DoorScope, 'db' | 'tenantId' | 'event'>,
  badgeId: string,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.badge_id = any(${[badgeId, badgeId.toLowerCase()]})
    union all
    select h.participant_id from badge_id_history h
    where h.tenant_id = ${tenantId} and h.event_id = ${event.id} and h.badge_id = any(${[badgeId, badgeId.toLowerCase()]}) limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? ''
}
