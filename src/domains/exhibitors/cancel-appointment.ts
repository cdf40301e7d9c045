import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type AppointmentRow, type AppointmentEmailContext, sendAppointmentCancelledEmail } from './appointment-emails.ts'
import { appointmentStates, SLOT_OCCUPYING_STATUSES } from './appointment-states.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from './context.ts'
import { removeFreeSlots } from './offerings.ts'

interface AppointmentCancellation {
  /** Id of the participant who cancels the appointment. */
  participantId: string
  appointmentId: string
  reason?: string | undefined
}

const selectAppointments = (ctx: ExhibitorContext, participantId: string) =>
  eventDb(ctx)
    .selectFrom('appointments')
    .selectAll()
    .where((eb) => eb.or([eb('participant_id', '=', participantId), eb('with_participant_id', '=', participantId)]))

/**
 * Cancels an appointment: frees the slot and emails the other participant or company. The lead remains. A repeated call changes nothing.
 */
export async function cancelAppointment(
  ctx: ExhibitorContext,
  { participantId, appointmentId, reason }: AppointmentCancellation,
): Promise<AppointmentRow> {
  const row = await selectAppointments(ctx, participantId).where('id', '=', appointmentId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw notFound(`This person has no appointment ${appointmentId}`, { fix: { tool: 'list_my_appointments', arguments: {} } })
  return cancelLockedAppointment(ctx, row, participantId, reason ?? null)
}

/** Cancels an appointment on behalf of its host or guest. The caller has locked the row of the appointment. */
export async function cancelLockedAppointment(
  ctx: ExhibitorContext,
  row: AppointmentRow,
  by: string,
  reason: string | null,
): Promise<AppointmentRow> {
  if (row.status === 'cancelled') return row
  appointmentStates.move(row.status, 'cancelled')
  const { config, facts } = await readLiveOrTestConfiguration(ctx, row.is_test_data)
  if (row.starts_at <= facts.now)
    throw preconditionFailed(`This appointment began at ${formatInstant(row.starts_at)} and can no longer be cancelled`)
  return markCancelled(ctx, { config, now: facts.now }, row, by, reason)
}

/**
 * Cancels all upcoming appointments of a participant whose registration is cancelled, and removes the slots that they offer. The caller has
 * locked the participant's row, so no new appointment can be booked concurrently.
 */
export async function cancelParticipantAppointments(ctx: ExhibitorContext, participantId: string, reason: string | null): Promise<number> {
  const cancelled = await cancelUpcoming(ctx, selectAppointments(ctx, participantId), participantId, reason)
  await removeFreeSlots(ctx, [participantId])
  return cancelled
}

/** Cancels all upcoming appointments of a cancelled company, and emails the participants. */
export const cancelCompanyAppointments = (ctx: ExhibitorContext, companyId: string, reason: string | null): Promise<number> =>
  cancelUpcoming(ctx, eventDb(ctx).selectFrom('appointments').selectAll().where('company_id', '=', companyId), companyId, reason)

/** Cancels the given appointments, except those that have begun or ended or are already cancelled, and returns how many it cancelled. */
async function cancelUpcoming(
  ctx: ExhibitorContext,
  appointments: ReturnType<typeof selectAppointments>,
  by: string,
  reason: string | null,
): Promise<number> {
  const rows = await appointments.where('status', 'in', SLOT_OCCUPYING_STATUSES).orderBy('id').forNoKeyUpdate().execute()
  if (rows.length === 0) return 0
  const { config, facts } = await readLiveOrTestConfiguration(ctx, rows[0]!.is_test_data)
  const coming = rows.filter(({ starts_at }) => starts_at > facts.now)
  for (const row of coming) await markCancelled(ctx, { config, now: facts.now }, row, by, reason)
  return coming.length
}

async function markCancelled(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
  by: string,
  reason: string | null,
): Promise<AppointmentRow> {
  const cancelled = await changeRecordState(ctx, appointmentStates, row, 'cancelled', {
    columns: { cancelled_at: emailContext.now, cancelled_by: ctx.actor.name, cancel_reason: reason },
    audited: { reason },
  })
  await sendAppointmentCancelledEmail(ctx, emailContext, cancelled, by)
  return cancelled
}
