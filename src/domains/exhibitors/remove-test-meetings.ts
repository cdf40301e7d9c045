import { sql } from 'kysely'
import { removeTestEmails } from '../messages/remove-test-emails.ts'
import type { ExhibitorQueryContext } from './context.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { STAFF_STATES } from './states.ts'

/** Deletes the appointments and leads of test participants. Booth staff who registered as one of them are set back to invited. */
export async function removeTestMeetings({ db, tenantId, event }: ExhibitorQueryContext, participantIds: readonly string[]): Promise<void> {
  const test = sql`tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data`
  const met = sql`select id from appointments where ${test} and (participant_id = any(${participantIds}) or with_participant_id = any(${participantIds}))`
  const leads = sql`select id from leads where ${test} and participant_id = any(${participantIds})`
  const at = sql`tenant_id = ${tenantId} and event_id = ${event.id}`
  await removeTestEmails({ db, tenantId, event }, met)
  await sql`delete from appointment_people where ${at} and appointment_id in (${met})`.execute(db)
  await sql`delete from appointments where ${at} and id in (${met})`.execute(db)
  await sql`delete from offerings where ${test} and host_participant_id = any(${participantIds})`.execute(db)
  const ofParticipants = sql<boolean>`is_test_data and participant_id = any(${participantIds})`
  const scoped = eventDb({ db, tenantId, event })
  await changeStateOfRows(scoped, STAFF_STATES, 'invited').where('status', '=', 'registered').where(ofParticipants).execute()
  await scoped.updateTable('exhibitor_staff').set({ participant_id: null }).where(ofParticipants).execute()
  await sql`delete from lead_captures where ${at} and lead_id in (${leads})`.execute(db)
  await sql`delete from leads where ${at} and id in (${leads})`.execute(db)
}
