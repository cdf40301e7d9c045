import type { Child } from 'hono/jsx'
import {
  answerMeetingRequest,
  cancelMeeting,
  type CompanyMeeting,
  type FreeAppointmentSlot,
  listCompanyMeetings,
  listFreeAppointmentSlots,
} from '../../../domains/exhibitors/portal/appointments.ts'
import { readMeetingHours, setMeetingHours, disableCompanyAppointments } from '../../../domains/exhibitors/portal/hours.ts'
import { formatDay, formatWeekday, formatTimeZone } from '../../../kernel/language/format.ts'
import { addDays, toDayInZone } from '../../../kernel/time.ts'
import { Form } from '../components/forms.tsx'
import { Card, StatusLabel } from '../components/parts.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { DEFAULT_MEETING_HOURS, MeetingHoursForm, type MeetingHoursFormState, MAX_MEETING_SLOT_MINUTES } from './hours-form.tsx'
import { MEETING_STATUS_COLOURS, MeetingRow, MeetingList, type DisplayedMeetingStatus } from './meetings.tsx'
import { buildOutcomeNoticePath } from './notices.ts'
import {
  runExhibitorChange,
  EXHIBITOR_PATH,
  withExhibitorAccess,
  isPortalEditable,
  ignoreRefusedChangeError,
  handleExhibitorPost,
  handleExhibitorManagerPost,
  type PortalAccess,
  PortalHeading,
  showPortalPage,
} from './portal-access.tsx'
import { formatTimeInEventZone } from './times.ts'

const PATH = `${EXHIBITOR_PATH}/appointments`

/** Lists the days of the event; for a long event, only the days from today on. */
function listDays({ config, facts }: EventSite): string[] {
  const { startsOn, endsOn } = config.details
  const days: string[] = []
  for (let day = startsOn; day <= endsOn && days.length < MAX_DAYS; day = addDays(day, 1)) days.push(day)
  const today = toDayInZone(facts.timezone, facts.now)
  return days.includes(today) && days.length === MAX_DAYS ? days.slice(days.indexOf(today)) : days
}

const MAX_DAYS = 14

interface DayView {
  day: string
  meetings: CompanyMeeting[]
  free: FreeAppointmentSlot[]
}

/** Groups the meetings and free slots of the company by day. */
function groupByDay(site: EventSite, meetings: readonly CompanyMeeting[], free: readonly FreeAppointmentSlot[]): Map<string, DayView> {
  const dayOf = ({ startsAt }: { startsAt: Date }) => toDayInZone(site.facts.timezone, startsAt)
  const days = new Set([...listDays(site), ...meetings.map(dayOf)])
  return new Map(
    [...days]
      .toSorted()
      .map((day) => [day, { day, meetings: meetings.filter((one) => dayOf(one) === day), free: free.filter((one) => dayOf(one) === day) }]),
  )
}

const DayLinks = ({ at, days, current }: { at: PortalAccess; days: ReadonlyMap<string, DayView>; current: string }) => {
  const { say, locale } = at.site.words
  return (
    <nav class="days" aria-label={say('portal.day')}>
      {[...days.values()].map(({ day, meetings, free }) => {
        const requests = meetings.filter(({ status }) => status === 'pending').length
        const booked = meetings.length - requests
        const facts = [
          ...(booked > 0 ? [say('portal.bookedCount', { count: booked })] : []),
          ...(requests > 0 ? [say('portal.requestCount', { count: requests })] : []),
        ]
        return (
          <a href={`${at.home}/appointments?day=${day}`} aria-current={day === current ? 'date' : undefined}>
            {formatWeekday(locale, day)}
            <small>{facts.length > 0 ? facts.join(', ') : say('portal.freeCount', { count: free.length })}</small>
          </a>
        )
      })}
    </nav>
  )
}

interface ListProps {
  at: PortalAccess
  csrf: string
}

const Requests = ({ at, csrf, meetings }: ListProps & { meetings: readonly CompanyMeeting[] }) => {
  const { say } = at.site.words
  const buttons = ({ id, name }: CompanyMeeting): Child => (
    <Form action={`${at.home}/appointments/${id}`} csrf={csrf} class="row">
      <button type="submit" class="button small primary" name="do" value="accept">
        {say('portal.accept')}
        <span class="hidden"> {say('portal.meetingWith', { name })}</span>
      </button>
      <button type="submit" class="button small" name="do" value="decline">
        {say('portal.decline')}
        <span class="hidden"> {say('portal.meetingWith', { name })}</span>
      </button>
    </Form>
  )
  return (
    <Card title={say('portal.requests', { count: meetings.length })}>
      <MeetingList at={at} meetings={meetings} withDay {...(isPortalEditable(at) ? { actions: buttons } : {})} />
    </Card>
  )
}

const CancelMeeting = ({ at, csrf, meeting: { id, name } }: ListProps & { meeting: CompanyMeeting }) => {
  const { say } = at.site.words
  return (
    <details class="row-menu">
      <summary>
        {say('portal.cancelMeeting')}
        <span class="hidden"> {say('portal.meetingWith', { name })}</span>
      </summary>
      <Form action={`${at.home}/appointments/${id}`} csrf={csrf} class="stack">
        <p class="small muted">{say('portal.cancelText', { name })}</p>
        <div class="field">
          <label for={`reason-${id}`}>
            {say('portal.reason')} <span class="optional">{say('field.optional')}</span>
          </label>
          <input id={`reason-${id}`} name="reason" type="text" maxlength={300} />
        </div>
        <div>
          <button type="submit" class="button small danger" name="do" value="cancel">
            {say('portal.cancelButton')}
          </button>
        </div>
      </Form>
    </details>
  )
}

interface FreeTime extends FreeAppointmentSlot {
  slots: number
}

/** Merges free slots that follow each other without a gap. */
function mergeFreeSlots(free: readonly FreeAppointmentSlot[]): FreeTime[] {
  const merged: FreeTime[] = []
  for (const slot of free.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())) {
    const last = merged.at(-1)
    if (last && last.endsAt.getTime() === slot.startsAt.getTime()) {
      last.endsAt = slot.endsAt
      last.slots += 1
    } else merged.push({ ...slot, slots: 1 })
  }
  return merged
}

/** The meetings and free times of one day, in the order of their start. */
const DayList = ({ at, csrf, view: { day, meetings, free } }: ListProps & { view: DayView }) => {
  const { site } = at
  const { say, locale } = site.words
  const rows = [
    ...meetings.map((meeting) => ({ startsAt: meeting.startsAt, meeting, time: null })),
    ...mergeFreeSlots(free).map((time) => ({ startsAt: time.startsAt, meeting: null, time })),
  ]
  const actions = (meeting: CompanyMeeting): Child => (
    <>
      <StatusLabel tone={MEETING_STATUS_COLOURS[meeting.status]}>
        {say(`portal.meeting.${meeting.status as DisplayedMeetingStatus}`)}
      </StatusLabel>
      {meeting.status === 'booked' && meeting.startsAt > site.facts.now && isPortalEditable(at) ? (
        <CancelMeeting at={at} csrf={csrf} meeting={meeting} />
      ) : null}
    </>
  )
  return (
    <Card title={formatDay(locale, day)}>
      {rows.length === 0 ? (
        <p class="muted">{say('portal.noSlots')}</p>
      ) : (
        <ol class="meetings">
          {rows
            .toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
            .map(({ meeting, time }) =>
              meeting ? (
                <MeetingRow at={at} meeting={meeting} actions={actions} />
              ) : (
                <li class="free">
                  <span class="at">
                    {formatTimeInEventZone(site, time.startsAt)}{' '}
                    <small>{say('portal.until', { time: formatTimeInEventZone(site, time.endsAt) })}</small>
                  </span>
                  <span>{say('portal.freeSlots', { count: time.slots })}</span>
                </li>
              ),
            )}
        </ol>
      )}
    </Card>
  )
}

/** `…/exhibitor/appointments`: meeting requests, then the meetings and free slots of a day, and the hours in which meetings are offered. */
export function portalAppointmentPages(web: WebServices) {
  const show = async (c: WebContext, at: PortalAccess, wrong?: { day: string; state: MeetingHoursFormState }): Promise<Response> => {
    const { site, ctx, company } = at
    const { say, locale } = site.words
    const zone = formatTimeZone(locale, site.facts.timezone, site.facts.startsOn)
    const meetings = await listCompanyMeetings(ctx, company)
    const days = groupByDay(site, meetings, await listFreeAppointmentSlots(ctx, company.id))
    const today = toDayInZone(site.facts.timezone, site.facts.now)
    const asked = wrong?.day ?? c.req.query('day') ?? ''
    const day = days.has(asked) ? asked : days.has(today) ? today : [...days.keys()][0]!
    const requests = meetings.filter(({ status, startsAt }) => status === 'pending' && startsAt > site.facts.now)
    const hours = wrong?.state ?? {
      ...((await readMeetingHours(ctx, company.id, day)) ?? DEFAULT_MEETING_HOURS),
      offers: company.appointments_enabled,
    }
    const csrf = getCsrfToken(web, c)
    return showPortalPage(
      web,
      c,
      at,
      { title: say('portal.appointments'), section: 'appointments', status: wrong ? 400 : 200 },
      <>
        <PortalHeading title={say('portal.appointments')} text={say('portal.appointmentsText', { zone })} />
        <div class={at.manages ? 'split' : undefined}>
          <div class="stack-5">
            <DayLinks at={at} days={days} current={day} />
            {requests.length > 0 ? <Requests at={at} csrf={csrf} meetings={requests} /> : null}
            <DayList at={at} csrf={csrf} view={days.get(day)!} />
          </div>
          {at.manages && isPortalEditable(at) ? <MeetingHoursForm at={at} day={day} state={hours} csrf={csrf} /> : null}
        </div>
      </>,
    )
  }

  const answer = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    const ids = { companyId: at.company.id, appointmentId: c.req.param('id') ?? '' }
    const asked = form['do']
    const done = await runExhibitorChange(web, at, 'answer_meeting', async (ctx) => {
      if (asked === 'cancel') await cancelMeeting(ctx, { ...ids, reason: form['reason']?.trim().slice(0, 300) || null })
      else await answerMeetingRequest(ctx, { ...ids, accept: asked === 'accept' })
      return asked === 'cancel' ? ('cancelled' as const) : asked === 'accept' ? ('accepted' as const) : ('declined' as const)
    }).catch(ignoreRefusedChangeError)
    return c.redirect(buildOutcomeNoticePath(`${at.home}/appointments`, done ?? 'refused'), 303)
  }

  const saveHours = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    const [day, from, until] = [form['day'] ?? '', (form['from'] ?? '').trim(), (form['until'] ?? '').trim()]
    const minutes = Math.min(MAX_MEETING_SLOT_MINUTES, Number(/^\d{1,3}$/.exec(form['minutes'] ?? '')?.[0] ?? 0))
    const approval = form['approval'] === undefined ? ('auto' as const) : ('manual' as const)
    const offers = form['offers'] !== undefined
    const saved = await runExhibitorChange(web, at, 'set_meeting_hours', async (ctx) => {
      if (offers) await setMeetingHours(ctx, at.company, { day, from, until, minutes, approval })
      else await disableCompanyAppointments(ctx, at.company.id)
      return true
    }).catch(ignoreRefusedChangeError)
    if (!saved) return show(c, at, { day, state: { from, until, minutes, approval, offers, isWrong: true } })
    return c.redirect(buildOutcomeNoticePath(`${at.home}/appointments`, 'saved', { day }), 303)
  }

  return createEventRouter(web)
    .get(
      PATH,
      withExhibitorAccess(web, (c, at) => show(c, at)),
    )
    .post(PATH, handleExhibitorManagerPost(web, saveHours))
    .post(`${PATH}/:id`, handleExhibitorPost(web, answer))
}
