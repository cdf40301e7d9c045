import type { Attachment } from '../../../kernel/mail-attachments.ts'
import { addDays, toInstant } from '../../../kernel/time.ts'

interface Appointment {
  /** The same for every mail about the same thing, so that calendars replace what they have. */
  uid: string
  /** Grows with every change. */
  sequence: number
  at: Date
  name: string
  startsOn: string
  endsOn: string
  place: string
  url: string
  cancelled: boolean
  /** What somebody hears there and whom they meet, each under a name and number of its own. */
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
  /** Asked for, and not agreed to yet. */
  tentative?: boolean
}

const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(/[;,]/g, (sign) => `\\${sign}`)
    .replaceAll('\n', '\\n')

/** At most 75 bytes a line, never inside a character. */
function folded(line: string): string {
  const lines = ['']
  for (const sign of line) {
    const last = lines.at(-1)!
    if (Buffer.byteLength(last + sign) > (lines.length === 1 ? 75 : 74)) lines.push(sign)
    else lines[lines.length - 1] = last + sign
  }
  return lines.join('\r\n ')
}

const compact = (day: string) => day.replaceAll('-', '')

/**
 * The days of an event as a calendar reads them, and the hours of what is heard there. Days have no zone: a day in Berlin is that day wherever it is
 * read.
 */
export function calendarOf({ uid, sequence, at, name, startsOn, endsOn, place, url, cancelled, sessions = [] }: Appointment): Attachment {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Lanyard//Events//EN',
    `METHOD:${cancelled ? 'CANCEL' : 'PUBLISH'}`,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${stamp(at)}`,
    `DTSTART;VALUE=DATE:${compact(startsOn)}`,
    `DTEND;VALUE=DATE:${compact(addDays(endsOn, 1))}`,
    `SUMMARY:${escaped(name)}`,
    ...(place === '' ? [] : [`LOCATION:${escaped(place)}`]),
    `URL:${url}`,
    `STATUS:${cancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    ...sessions.flatMap((session) => sessionLines(session, at)),
    'END:VCALENDAR',
    '',
  ]
  return { name: 'calendar.ics', mime: 'text/calendar; charset=utf-8', content: written(lines) }
}

const sessionLines = ({ uid, sequence, name, startsAt, endsAt, place, cancelled, tentative }: CalendarSession, at: Date) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `SEQUENCE:${sequence}`,
  `DTSTAMP:${stamp(at)}`,
  `DTSTART:${stamp(startsAt)}`,
  `DTEND:${stamp(endsAt)}`,
  `SUMMARY:${escaped(name)}`,
  ...(place === '' ? [] : [`LOCATION:${escaped(place)}`]),
  `STATUS:${cancelled ? 'CANCELLED' : tentative ? 'TENTATIVE' : 'CONFIRMED'}`,
  'END:VEVENT',
]

const written = (lines: readonly string[]) => Buffer.from(lines.map(folded).join('\r\n'))

const stamp = (at: Date) => toInstant(at).replace(/[-:]|\.\d+/g, '')

export interface Meeting {
  uid: string
  sequence: number
  at: Date
  startsAt: Date
  endsAt: Date
  name: string
  place: string
  organizer: { name: string; email: string }
  /** Who gets this file, and nobody else. */
  attendee: { name: string; email: string }
  pending: boolean
  cancelled: boolean
}

/** A time with somebody, as an invitation that calendars take up, change and take out again by its name. */
export function meetingCalendar(meeting: Meeting): Attachment {
  const { uid, sequence, at, startsAt, endsAt, name, place, organizer, attendee, pending, cancelled } = meeting
  const method = cancelled ? 'CANCEL' : 'REQUEST'
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Lanyard//Events//EN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${stamp(at)}`,
    `DTSTART:${stamp(startsAt)}`,
    `DTEND:${stamp(endsAt)}`,
    `SUMMARY:${escaped(name)}`,
    ...(place === '' ? [] : [`LOCATION:${escaped(place)}`]),
    `ORGANIZER;CN=${quoted(organizer.name)}:mailto:${organizer.email}`,
    `ATTENDEE;CN=${quoted(attendee.name)};ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:${attendee.email}`,
    `STATUS:${cancelled ? 'CANCELLED' : pending ? 'TENTATIVE' : 'CONFIRMED'}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
  return { name: 'appointment.ics', mime: `text/calendar; charset=utf-8; method=${method}`, content: written(lines) }
}

/** In a parameter nothing can be escaped: what would end it goes. */
const quoted = (name: string) => `"${name.replaceAll(/["\p{Cc}]/gu, ' ').trim()}"`
