import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { toInstant } from '../../kernel/time.ts'
import { type AppointmentRow, type Telling, tellCancelled } from './appointment-mails.ts'
import { appointmentStates, LIVE } from './appointment-states.ts'
import { type AtEvent, configurationOf } from './at-event.ts'

interface Cancelling {
  /** Whose side. */
  participantId: string
  appointmentId: string
  reason?: string | undefined
}

const appointmentsOf = ({ db, tenantId, event }: AtEvent, participantId: string) =>
  db
    .selectFrom('appointments')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where((eb) => eb.or([eb('participant_id', '=', participantId), eb('with_participant_id', '=', participantId)]))

/** Frees the slot and tells the other side; the lead stays. Once more changes and sends nothing. */
export async function cancelAppointment(ctx: AtEvent, { participantId, appointmentId, reason }: Cancelling): Promise<AppointmentRow> {
  const row = await appointmentsOf(ctx, participantId).where('id', '=', appointmentId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw notFound(`No appointment ${appointmentId} of this person`, { fix: { tool: 'list_my_appointments', arguments: {} } })
  if (row.status === 'cancelled') return row
  appointmentStates.move(row.status, 'cancelled')
  const { config, facts } = await configurationOf(ctx, row.is_test_data)
  if (row.starts_at <= facts.now)
    throw preconditionFailed(`This appointment began at ${toInstant(row.starts_at)} and can no longer be cancelled`)
  return end(ctx, { config, now: facts.now }, row, participantId, reason ?? null)
}

/** Whoever no longer comes to the event keeps nobody waiting. Their row is locked by the caller, so nothing is booked for them meanwhile. */
export async function cancelAppointmentsOf(ctx: AtEvent, participantId: string, reason: string | null): Promise<number> {
  const rows = await appointmentsOf(ctx, participantId).where('status', 'in', LIVE).orderBy('id').forNoKeyUpdate().execute()
  if (rows.length === 0) return 0
  const { config, facts } = await configurationOf(ctx, rows[0]!.is_test_data)
  const coming = rows.filter(({ starts_at }) => starts_at > facts.now)
  for (const row of coming) await end(ctx, { config, now: facts.now }, row, participantId, reason)
  return coming.length
}

async function end(ctx: AtEvent, telling: Telling, row: AppointmentRow, by: string, reason: string | null): Promise<AppointmentRow> {
  const cancelled = await ctx.db
    .updateTable('appointments')
    .set({ status: 'cancelled', cancelled_at: telling.now, cancelled_by: ctx.actor.name, cancel_reason: reason })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const { id, is_test_data: isTestData } = row
  announce(ctx, { kind: 'appointment.cancelled', entity: 'appointment', id, changed: ['status'], isTestData })
  recordChange(ctx, { kind: 'appointment', id, before: { status: row.status }, after: { status: cancelled.status, reason } })
  await tellCancelled(ctx, telling, cancelled, by)
  return cancelled
}
