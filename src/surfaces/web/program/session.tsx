import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import { listAgendaSessions, type ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDay, formatWeekday, formatTimeZone } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { SessionTime } from '../event/agenda.tsx'
import { BackLink, createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'

/** A conference session with at most this number of free seats is shown as nearly full. */
const FEW_SEATS = 10

/** Returns the CSS class that gives a track its shape and colour. */
export const getTrackCssClass = ({ config }: EventSite, code: string): string =>
  `k-${
    (Math.max(
      0,
      config.sessions.tracks.findIndex((track) => track.code === code),
    ) %
      4) +
    1
  }`

export const buildSessionPath = ({ paths }: EventSite, { code }: ProgramSession): string => `${paths.agenda}/${encodeURIComponent(code)}`

/** The track, type and free seats of a conference session, as badges. */
export const SessionBadges = ({ site, session }: { site: EventSite; session: ProgramSession }) => {
  const { tracks, formats } = site.config.sessions
  const { say } = site.words
  const track = tracks.find(({ code }) => code === session.trackCode)?.name
  // The first session type in the settings of the programme is the usual one, so its name is not shown.
  const format =
    formats.findIndex(({ code }) => code === session.formatCode) > 0 ? formats.find(({ code }) => code === session.formatCode) : null
  return (
    <>
      {track ? (
        <span class="track" lang={site.langOf(track)}>
          {track}
        </span>
      ) : null}
      {format ? (
        <span class="badge" lang={site.langOf(format.name)}>
          {format.name}
        </span>
      ) : null}
      {session.isCancelled ? (
        <span class="badge danger">{say('agenda.cancelled')}</span>
      ) : session.left === 0 ? (
        <span class="badge">{say('agenda.booked')}</span>
      ) : session.left !== null && session.left <= FEW_SEATS ? (
        <span class="badge warning">{say('agenda.seatsLeft', { count: session.left })}</span>
      ) : null}
    </>
  )
}

export const CALENDAR_PLUS_ICON = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M17 9V7a2.5 2.5 0 0 0-2.5-2.5h-9A2.5 2.5 0 0 0 3 7v7.5A2.5 2.5 0 0 0 5.5 17H10M3 8.5h14M7 2.8v3M13 2.8v3M15 12v6M12 15h6" />
  </svg>
)

export const CALENDAR_ICON = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <rect x="3" y="4.5" width="14" height="12.5" rx="2.5" />
    <path d="M3 8.5h14M7 2.8v3M13 2.8v3" />
  </svg>
)

const PIN = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M10 17.5s6-5.2 6-9.5a6 6 0 0 0-12 0c0 4.3 6 9.5 6 9.5z" />
    <circle cx="10" cy="8" r="2.2" />
  </svg>
)

const initials = (name: string) => {
  const words = name.split(/\s+/).filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '').join('')
}

const Speakers = ({ site, session }: { site: EventSite; session: ProgramSession }) =>
  session.speakers.length === 0 ? null : (
    <section aria-labelledby="speakers-title">
      <h2 id="speakers-title">{site.words.say(session.speakers.length === 1 ? 'agenda.speaker' : 'speaker.speakers')}</h2>
      <ul class="people">
        {session.speakers.map(({ name, jobTitle, company }) => (
          <li>
            <span class="face" aria-hidden="true">
              {initials(name)}
            </span>
            <span>
              <strong>{name}</strong>
              <span class="muted">{[jobTitle, company].filter(Boolean).join(', ')}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )

const Place = ({ site, session }: { site: EventSite; session: ProgramSession }) => {
  const room = site.config.sessions.rooms.find(({ code }) => code === session.roomCode)
  const name = getRoomName(site.config, session.roomCode)
  const { say } = site.words
  if (name === null) return null
  const venue = site.config.details.venue?.name
  return (
    <li>
      {PIN}
      <span>
        <strong lang={site.langOf(name)}>{name}</strong>
        {venue ? `, ${venue}` : ''}
        {room?.capacity ? <span class="small muted">{say('agenda.seats', { count: room.capacity })}</span> : null}
      </span>
    </li>
  )
}

function SessionPage({ site, session, day }: { site: EventSite; session: ProgramSession; day: string }) {
  const { say, locale } = site.words
  const { timezone } = site.facts
  return (
    <div class={`session-page ${getTrackCssClass(site, session.trackCode)}`}>
      <p>
        <BackLink href={`${site.paths.agenda}?day=${day}`}>{say('agenda.back', { day: formatWeekday(locale, day) })}</BackLink>
      </p>
      <div>
        <p class="row">
          <SessionBadges site={site} session={session} />
        </p>
        <h1 lang={site.mainLang}>{session.isCancelled ? <del>{session.title}</del> : session.title}</h1>
      </div>
      <ul class="lead-facts">
        <li>
          {CALENDAR_ICON}
          <span>
            <strong>
              {formatDay(locale, day)}, <SessionTime site={site} session={session} />
            </strong>
            <span class="small muted">{say('event.zone', { zone: formatTimeZone(locale, timezone, day) })}</span>
          </span>
        </li>
        <Place site={site} session={session} />
      </ul>
      {session.isCancelled ? null : (
        <p>
          <a class="button primary" href={`${site.paths.agenda}.ics?session=${encodeURIComponent(session.code)}`}>
            {CALENDAR_PLUS_ICON}
            {say('agenda.addToCalendar')}
          </a>
        </p>
      )}
      {session.abstract ? (
        <div class="prose" lang={site.mainLang}>
          {session.abstract.split(/\n{2,}/).map((part) => (
            <p>{part}</p>
          ))}
        </div>
      ) : null}
      <Speakers site={site} session={session} />
    </div>
  )
}

/** `…/agenda/<session>`: one conference session with its room, description and speakers. */
export function sessionPages(web: WebServices) {
  return createEventRouter(web).get(`${PUBLIC_EVENT_PATH}/agenda/:session`, async (c: WebContext) => {
    const site = await findEventSite(web, c)
    const session =
      site && (await listAgendaSessions(createPublicEventContext(web, site))).find(({ code }) => code === c.req.param('session'))
    if (!site || !session) return sendNotFoundPage(web, c)
    const day = toDayInZone(site.facts.timezone, session.startsAt)
    return showEventPage(web, c, site, { title: session.title }, <SessionPage site={site} session={session} day={day} />)
  })
}
