import type { Child } from 'hono/jsx'
import type { CompanyMeeting } from '../../../domains/exhibitors/portal/appointments.ts'
import { formatShortDay } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { StatusLabel, type ColourTone } from '../components/parts.tsx'
import type { PortalAccess } from './portal-access.tsx'
import { formatTimeInEventZone } from './times.ts'

export const MEETING_STATUS_COLOURS: Partial<Record<CompanyMeeting['status'], ColourTone>> = {
  booked: 'success',
  pending: 'warning',
  no_show: 'danger',
}

export type DisplayedMeetingStatus = 'booked' | 'pending' | 'completed' | 'no_show'

/** Describes a meeting: the visitor's job and company, if shared, and the staff member who meets them. */
const describeMeeting = ({ site: { words } }: PortalAccess, { fields, staff }: CompanyMeeting): string =>
  [fields.jobTitle, fields.company, ...(staff === null ? [] : [words.say('portal.withStaff', { name: staff })])].filter(Boolean).join(' · ')

interface MeetingsProps {
  at: PortalAccess
  meetings: readonly CompanyMeeting[]
  /** Whether the day of each meeting is shown. */
  withDay?: boolean
  /** Returns the buttons that are shown for a meeting instead of its status. */
  actions?: (meeting: CompanyMeeting) => Child
}

export const MeetingRow = ({ at, meeting, withDay = false, actions }: Omit<MeetingsProps, 'meetings'> & { meeting: CompanyMeeting }) => {
  const { site } = at
  const { say, locale } = site.words
  return (
    <li>
      <span class="at">
        {withDay ? `${formatShortDay(locale, toDayInZone(site.facts.timezone, meeting.startsAt))} ` : ''}
        {formatTimeInEventZone(site, meeting.startsAt)}{' '}
        <small>{say('portal.until', { time: formatTimeInEventZone(site, meeting.endsAt) })}</small>
      </span>
      <span>
        <strong dir="auto">{meeting.name}</strong>
        <small dir="auto">{describeMeeting(at, meeting)}</small>
        {meeting.message ? <small dir="auto">“{meeting.message}”</small> : null}
      </span>
      <span class="do">
        {actions?.(meeting) ?? (
          <StatusLabel tone={MEETING_STATUS_COLOURS[meeting.status]}>
            {say(`portal.meeting.${meeting.status as DisplayedMeetingStatus}`)}
          </StatusLabel>
        )}
      </span>
    </li>
  )
}

export const MeetingList = ({ meetings, ...row }: MeetingsProps) => (
  <ol class="meetings">
    {meetings.map((meeting) => (
      <MeetingRow {...row} meeting={meeting} />
    ))}
  </ol>
)
