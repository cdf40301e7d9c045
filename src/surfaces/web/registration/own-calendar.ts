import { type Meeting, meetingsOf } from '../../../domains/exhibitors/my-appointments.ts'
import { type CalendarSession, calendarOf } from '../../../domains/messages/event-mail/calendar.ts'
import type { ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { type Enrolment, enrolmentsOf, roomName } from '../../../domains/sessions/enrolments.ts'
import type { Attachment } from '../../../kernel/mail-attachments.ts'
import type { Place } from '../event/place.ts'

/**
 * The event, what somebody hears there and whom they meet, for their calendar. Under the same names whenever and wherever it is fetched, and in the mails: a
 * calendar replaces what it has, and takes out what they left.
 */
export async function ownCalendar(ctx: AtEvent, place: Place, row: ParticipantRow): Promise<Attachment> {
  const { details } = place.config
  const { hostname } = new URL(ctx.baseUrl)
  const venue = [details.venue?.name, details.venue?.address, details.venue?.city].filter(Boolean).join(', ')
  const gone = row.status === 'cancelled'
  const session = ({ sessionId, title, startsAt, endsAt, roomCode, status, isCancelled, sequence }: Enrolment): CalendarSession => ({
    uid: `${sessionId}.${row.id}@${hostname}`,
    sequence,
    name: title,
    startsAt,
    endsAt,
    place: [roomName(place.config, roomCode), details.venue?.name].filter(Boolean).join(', '),
    cancelled: gone || isCancelled || status === 'cancelled',
  })
  // The same as in the mail about it.
  const meeting = ({ id, with: other, place: where, startsAt, endsAt, status, sequence }: Meeting): CalendarSession => ({
    uid: `${id}@${hostname}`,
    sequence,
    name: `${other} – ${details.name}`,
    startsAt,
    endsAt,
    place: where,
    cancelled: status === 'cancelled' || status === 'declined',
    tentative: status === 'pending',
  })
  // Who only waits is not expected there.
  const enrolments = (await enrolmentsOf(ctx, [row.id])).filter(({ status }) => status !== 'waitlisted')
  return calendarOf({
    uid: `${row.id}@${hostname}`,
    sequence: row.revision,
    at: place.facts.now,
    name: details.name,
    startsOn: details.startsOn,
    endsOn: details.endsOn,
    place: venue,
    url: `${ctx.baseUrl}${place.paths.myRegistration}`,
    cancelled: gone,
    sessions: [...enrolments.map(session), ...(await meetingsOf(ctx, row.id)).map(meeting)],
  })
}
