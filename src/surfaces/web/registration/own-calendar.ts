import { type CalendarAppointment, listCalendarAppointments } from '../../../domains/exhibitors/my-appointments.ts'
import { type CalendarSession, buildEventCalendar } from '../../../domains/messages/event-mail/calendar.ts'
import type { ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { type Enrolment, listEnrolments, getRoomName } from '../../../domains/sessions/enrolments.ts'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import type { EventSite } from '../event/event-site.ts'

/**
 * The event, conference sessions and appointments as a calendar file. The UIDs are stable and the same as in emails, so calendars update
 * existing entries and remove cancelled ones.
 */
export async function buildOwnCalendar(ctx: RegistrationContext, site: EventSite, row: ParticipantRow): Promise<Attachment> {
  const { details } = site.config
  const { hostname } = new URL(ctx.baseUrl)
  const venue = [details.venue?.name, details.venue?.address, details.venue?.city].filter(Boolean).join(', ')
  const isCancelledRegistration = row.status === 'cancelled'
  const session = ({ sessionId, title, startsAt, endsAt, roomCode, status, isCancelled, sequence }: Enrolment): CalendarSession => ({
    uid: `${sessionId}.${row.id}@${hostname}`,
    sequence,
    name: title,
    startsAt,
    endsAt,
    place: [getRoomName(site.config, roomCode), details.venue?.name].filter(Boolean).join(', '),
    cancelled: isCancelledRegistration || isCancelled || status === 'cancelled',
  })
  // The calendar UID of a meeting is the same as in the email about the meeting.
  const meeting = ({ id, with: other, place: where, startsAt, endsAt, status, sequence }: CalendarAppointment): CalendarSession => ({
    uid: `${id}@${hostname}`,
    sequence,
    name: `${other} – ${details.name}`,
    startsAt,
    endsAt,
    place: where,
    cancelled: status === 'cancelled' || status === 'declined',
    tentative: status === 'pending',
  })
  // Conference sessions on the waiting list are left out of the calendar file.
  const enrolments = (await listEnrolments(ctx, [row.id])).filter(({ status }) => status !== 'waitlisted')
  return buildEventCalendar({
    uid: `${row.id}@${hostname}`,
    sequence: row.revision,
    at: site.facts.now,
    name: details.name,
    startsOn: details.startsOn,
    endsOn: details.endsOn,
    place: venue,
    url: `${ctx.baseUrl}${site.paths.myRegistration}`,
    cancelled: isCancelledRegistration,
    sessions: [...enrolments.map(session), ...(await listCalendarAppointments(ctx, row.id)).map(meeting)],
  })
}
