import ical, {
  ICalAttendeeRole,
  ICalAttendeeStatus,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
  ICalEventTransparency,
} from 'ical-generator'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import { addDays } from '../../../kernel/time.ts'

interface Appointment {
  /**
   * The iCalendar UID of the calendar entry. All emails about the entry contain the same UID, so that calendars replace the earlier
   * version.
   */
  uid: string
  /** The iCalendar sequence number of the calendar entry, incremented with every change. */
  sequence: number
  at: Date
  name: string
  startsOn: string
  endsOn: string
  place: string
  url: string
  cancelled: boolean
  /** Conference sessions and appointments of the participant, each with its own UID and sequence number. */
  sessions?: readonly CalendarSession[]
}

export interface CalendarSession {
  uid: string
  sequence: number
  name: string
  startsAt: Date
  endsAt: Date
  place: string
  cancelled: boolean
  /** True if the appointment was requested but not accepted yet. */
  tentative?: boolean
}

const PRODUCT = '//Lanyard//Events//EN'

/**
 * Builds a calendar file with the event as an all-day entry, followed by the participant's sessions and appointments with their times.
 * All-day entries have no time zone: 1 May in Berlin is 1 May wherever the calendar is read.
 */
export function buildEventCalendar({
  uid,
  sequence,
  at,
  name,
  startsOn,
  endsOn,
  place,
  url,
  cancelled,
  sessions = [],
}: Appointment): Attachment {
  const days: ICalEventData = {
    id: uid,
    sequence,
    stamp: at,
    // In an iCalendar file, the end date of an all-day entry is the day after its last day.
    start: atMidnight(startsOn),
    end: atMidnight(addDays(endsOn, 1)),
    allDay: true,
    summary: name,
    location: place || null,
    url,
    status: cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    transparency: ICalEventTransparency.TRANSPARENT,
  }
  const method = cancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH
  return {
    name: 'calendar.ics',
    mime: 'text/calendar; charset=utf-8',
    content: written(method, [days, ...sessions.map((session) => sessionEntry(session, at))]),
  }
}

const atMidnight = (day: string) => new Date(`${day}T00:00:00Z`)

const sessionEntry = (session: CalendarSession, at: Date): ICalEventData => {
  const { uid, sequence, name, startsAt, endsAt, place, cancelled, tentative = false } = session
  return {
    id: uid,
    sequence,
    stamp: at,
    start: startsAt,
    end: endsAt,
    summary: name,
    location: place || null,
    status: statusOf(cancelled, tentative),
  }
}

const statusOf = (cancelled: boolean, tentative: boolean) =>
  cancelled ? ICalEventStatus.CANCELLED : tentative ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED

const written = (method: ICalCalendarMethod, events: ICalEventData[]): Buffer =>
  Buffer.from(`${ical({ prodId: PRODUCT, method, events }).toString()}\r\n`)

export interface CalendarMeeting {
  uid: string
  sequence: number
  at: Date
  startsAt: Date
  endsAt: Date
  name: string
  place: string
  organizer: { name: string; email: string }
  /** The only attendee in the calendar file of an appointment: the recipient of the email. */
  attendee: { name: string; email: string }
  pending: boolean
  cancelled: boolean
}

/** Builds a calendar invitation to an appointment. Calendar programs add, change and remove the appointment by its UID. */
export function buildMeetingCalendar({ organizer, attendee, pending, ...meeting }: CalendarMeeting): Attachment {
  const method = meeting.cancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.REQUEST
  const entry: ICalEventData = {
    ...sessionEntry({ ...meeting, tentative: pending }, meeting.at),
    organizer: { ...organizer, name: parameter(organizer.name) },
    attendees: [{ email: attendee.email, name: parameter(attendee.name), role: ICalAttendeeRole.REQ, status: ICalAttendeeStatus.ACCEPTED }],
  }
  return { name: 'appointment.ics', mime: `text/calendar; charset=utf-8; method=${method}`, content: written(method, [entry]) }
}

/**
 * Removes quotes and control characters from an iCalendar parameter such as CN, because such parameters have no escape sequence for them.
 */
const parameter = (name: string) => name.replaceAll(/["\p{Cc}]/gu, ' ').trim()

/** Builds a calendar of public conference sessions, which can be downloaded or subscribed to. */
export const buildProgramCalendar = (at: Date, sessions: readonly CalendarSession[]): Attachment => ({
  name: 'agenda.ics',
  mime: 'text/calendar; charset=utf-8',
  content: written(
    ICalCalendarMethod.PUBLISH,
    sessions.map((session) => sessionEntry(session, at)),
  ),
})
