import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { type AppointmentRow, sendAppointmentBookedEmails, sendAppointmentCancelledEmail } from '../appointment-emails.ts'
import { appointmentStates } from '../appointment-states.ts'
import { cancelLockedAppointment } from '../cancel-appointment.ts'
import type { CompanyRow } from '../companies.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { PARTICIPANT_SHARING_COLUMNS_SQL } from '../scan-sql.ts'
import { type ParticipantWithPictures, toPersonShownOnScanner } from '../shown-person.ts'
import type { LeadFieldName } from '../visibility.ts'

/** A meeting as the company sees it, with the data that the visitor shares. */
export interface CompanyMeeting {
  id: string
  startsAt: Date
  endsAt: Date
  status: AppointmentRow['status']
  name: string
  fields: Partial<Record<LeadFieldName, string>>
  staff: string | null
  message: string | null
}

interface Period {
  from?: Date | undefined
  until?: Date | undefined
  limit?: number
}

const MAX_MEETINGS = 500

/** Lists the meetings of a company by start, without declined and cancelled ones. */
export async function listCompanyMeetings(
  ctx: ExhibitorContext,
  company: CompanyRow,
  { from, until, limit = MAX_MEETINGS }: Period = {},
): Promise<CompanyMeeting[]> {
  const { rows } = await sql<AppointmentRow & { person: ParticipantWithPictures; staff: string | null }>`
    select a.*, s.name as staff, (select to_jsonb(shown) from (select ${sql.raw(PARTICIPANT_SHARING_COLUMNS_SQL)} from participants p
        where p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.participant_id) shown) as person
    from appointments a left join exhibitor_staff s on s.tenant_id = a.tenant_id and s.event_id = a.event_id and s.id = a.staff_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.company_id = ${company.id}
      and a.status not in ('declined', 'cancelled')
      and (${from ?? null}::timestamptz is null or a.starts_at >= ${from ?? null})
      and (${until ?? null}::timestamptz is null or a.starts_at < ${until ?? null})
    order by a.starts_at, a.id limit ${limit}`.execute(ctx.db)
  const { config, facts } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
  const view = { tenantCode: ctx.tenantCode, now: facts.now, locale: facts.locale, config }
  return rows.map((row) => {
    const { fields } = toPersonShownOnScanner(ctx, view, row.person)
    return {
      id: row.id,
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      // A booked meeting in the past counts as having taken place, because booth staff rarely find the time to mark it.
      status: row.status === 'booked' && row.ends_at <= facts.now ? 'completed' : row.status,
      name: [fields.firstName, fields.lastName].filter(Boolean).join(' '),
      fields,
      staff: row.staff,
      message: row.message,
    }
  })
}

export interface FreeAppointmentSlot {
  startsAt: Date
  endsAt: Date
}

export async function listFreeAppointmentSlots(ctx: ExhibitorContext, companyId: string): Promise<FreeAppointmentSlot[]> {
  const { rows } = await sql<FreeAppointmentSlot>`
    select o.starts_at as "startsAt", o.ends_at as "endsAt" from offerings o
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.company_id = ${companyId} and o.removed_at is null
      and o.booked < o.capacity and o.starts_at > lanyard_now()
    order by o.starts_at, o.id limit ${MAX_MEETINGS}`.execute(ctx.db)
  return rows
}

async function lockMeeting(ctx: ExhibitorContext, companyId: string, appointmentId: string): Promise<AppointmentRow> {
  const row = await eventDb(ctx)
    .selectFrom('appointments')
    .selectAll()
    .where('id', '=', appointmentId)
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('This company has no such appointment')
  return row
}

/** Accepts or declines a meeting request. The visitor gets an email. Declining frees the slot but keeps the lead of the visitor. */
export async function answerMeetingRequest(
  ctx: ExhibitorContext,
  { companyId, appointmentId, accept }: { companyId: string; appointmentId: string; accept: boolean },
): Promise<void> {
  const row = await lockMeeting(ctx, companyId, appointmentId)
  const to = accept ? 'booked' : 'declined'
  if (row.status === to) return
  const { config, facts } = await readLiveOrTestConfiguration(ctx, row.is_test_data)
  if (row.starts_at <= facts.now)
    throw preconditionFailed(`This appointment began at ${formatInstant(row.starts_at)} and can no longer be answered`)
  const answered = await changeRecordState(ctx, appointmentStates, row, to)
  const emailContext = { config, now: facts.now }
  if (!accept) return sendAppointmentCancelledEmail(ctx, emailContext, answered, companyId)
  announceToWebhooks(ctx, { kind: 'appointment.booked', entity: 'appointment', id: row.id, isTestData: row.is_test_data })
  await sendAppointmentBookedEmails(ctx, emailContext, answered)
}

/** Cancels a meeting of a company. The visitor gets an email. Repeated calls change nothing. */
export async function cancelMeeting(
  ctx: ExhibitorContext,
  { companyId, appointmentId, reason }: { companyId: string; appointmentId: string; reason: string | null },
): Promise<void> {
  await cancelLockedAppointment(ctx, await lockMeeting(ctx, companyId, appointmentId), companyId, reason)
}
