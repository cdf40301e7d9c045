import { sql } from 'kysely'
import { notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DoorScanContext } from './door-rules.ts'

export const toPersonName = ({ first_name, last_name }: { first_name: string | null; last_name: string | null }) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** Rejects participant ids of other events. Unknown badge ids are accepted, because the result of the scan reports them. */
export async function requireParticipantsOfEvent(ctx: DoorScanContext, participantIds: readonly string[]): Promise<void> {
  const ids = [...new Set(participantIds)]
  if (ids.length === 0) return
  const found = await eventDb(ctx).selectFrom('participants').select('id').where('id', 'in', ids).execute()
  const missing = ids.find((id) => !found.some((row) => row.id === id))
  if (missing) throw notFound(`No participant ${missing} at this event. Use find_participants to search by name, email or company.`)
}

/** Finds the participant who has or had a badge id. Returns an empty id, which matches no scan, if the badge id is unknown. */
export async function findBadgeHolder(
  { db, tenantId, event }: Pick<DoorScanContext, 'db' | 'tenantId' | 'event'>,
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
