import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { type RegistrationContext, loadEventSnapshot } from '../event-snapshot.ts'
import { getParticipant } from '../participant-rows.ts'
import { sendWaitlistEmail } from './emails.ts'
import { findLatestOfferEndTime, getWaitlistEntry } from './entries.ts'

export interface ExpiredOffer {
  tenantId: number
  eventId: string
  entryId: string
}

/** Lists expired offers whose participants were not informed yet, oldest first. */
export async function listUnemailedExpiredOffers(db: Db, limit: number): Promise<ExpiredOffer[]> {
  const { rows } = await sql<ExpiredOffer>`
    select w.tenant_id as "tenantId", w.event_id as "eventId", w.id as "entryId" from waitlist_entries w
    join events e on e.tenant_id = w.tenant_id and e.id = w.event_id and e.status <> 'archived'
    where w.reason = 'offer_expired' and w.expiry_emailed_at is null
    order by w.ended_at limit ${limit}`.execute(db)
  return rows
}

/** Emails the participant once that their waiting list offer has expired. A participant who has cancelled meanwhile gets no email. */
export async function emailExpiredOffer(ctx: RegistrationContext, entryId: string): Promise<void> {
  const marked = await eventDb(ctx)
    .updateTable('waitlist_entries')
    .set({ expiry_emailed_at: sql<Date>`lanyard_now()` })
    .where('id', '=', entryId)
    .where('reason', '=', 'offer_expired')
    .where('expiry_emailed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!marked) return
  const entry = await getWaitlistEntry(ctx, entryId)
  const row = await getParticipant(ctx, entry.participant_id)
  if (row.status === 'cancelled') return
  const snapshot = await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  const until = await findLatestOfferEndTime(ctx, entry)
  await sendWaitlistEmail(ctx, 'waitlist.expired', { snapshot, entry, row, ...(until ? { until } : {}) })
}
