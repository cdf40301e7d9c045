import { buildProgramCalendar } from '../../../domains/messages/event-mail/calendar.ts'
import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import { listAgendaSessions, listScheduledSessions, type ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDay, formatDayAndMonth, formatList, formatTime, formatWeekday, formatTimeZone } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { LinkButton } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { Card } from '../components/parts.tsx'
import { SessionTime } from '../event/agenda.tsx'
import { createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'
import {
  type AgendaFilter,
  buildAgendaPath,
  filterAgenda,
  AgendaFilterForm,
  hasActiveAgendaFilter,
  readAgendaFilter,
} from './agenda-filter.tsx'
import { layOutDay, type PlacedSession } from './agenda-layout.ts'
import { CALENDAR_ICON, CALENDAR_PLUS_ICON, SessionBadges, buildSessionPath, getTrackCssClass } from './session.tsx'

const Slot = ({ site, placed: { session, column, row, rows } }: { site: EventSite; placed: PlacedSession }) => {
  const { config, words, mainLang, paths } = site
  const room = getRoomName(config, session.roomCode)
  const names = session.speakers.map(({ name }) => name)
  const css = [
    'slot',
    getTrackCssClass(site, session.trackCode),
    `c-${column}`,
    `r-${row}`,
    `n-${rows}`,
    session.isCancelled && 'cancelled',
  ]
  return (
    <li class={css.filter(Boolean).join(' ')}>
      <p class="when">
        <SessionTime site={site} session={session} />
        {room === null ? null : (
          <span class="room" lang={site.langOf(room)}>
            {' · '}
            {room}
          </span>
        )}
      </p>
      <h3 lang={mainLang}>
        <a href={buildSessionPath(site, session)}>{session.title}</a>
      </h3>
      {names.length > 0 ? <p class="by">{formatList(words.locale, names)}</p> : null}
      <p class="foot">
        <SessionBadges site={site} session={session} />
      </p>
      {session.isCancelled ? null : (
        <a
          class="to-cal"
          href={`${paths.agenda}.ics?session=${encodeURIComponent(session.code)}`}
          aria-label={words.say('label.value', { label: words.say('agenda.addToCalendar'), value: session.title })}
        >
          {CALENDAR_PLUS_ICON}
        </a>
      )}
    </li>
  )
}

/**
 * The conference sessions of one day as one list in order of time. On wide screens the stylesheet places them on a grid of rooms and times.
 */
function Day({ site, program, day }: { site: EventSite; program: readonly ProgramSession[]; day: string }) {
  const { words, facts, config } = site
  const { rooms, starts, isGrid } = layOutDay(
    program,
    config.sessions.rooms.map(({ code }) => code),
  )
  return (
    <section aria-labelledby="day-title" class={isGrid ? `by-room rooms-${rooms.length}` : undefined}>
      <h2 class="hidden" id="day-title">
        {formatDay(words.locale, day)}
      </h2>
      <ul class="rooms" aria-hidden="true">
        <li></li>
        {rooms.map((code) => {
          const capacity = config.sessions.rooms.find((room) => room.code === code)?.capacity
          return (
            <li>
              {getRoomName(config, code) ?? words.say('agenda.noRoom')}
              {capacity ? <small>{words.say('agenda.seats', { count: capacity })}</small> : null}
            </li>
          )
        })}
      </ul>
      <ol class="grid-list">
        {starts.map(({ at, row, sessions }) => (
          <>
            <li class={`hour r-${row}`} aria-hidden="true">
              {formatTime(words.locale, new Date(at), facts.timezone)}
            </li>
            {sessions.map((placed) => (
              <Slot site={site} placed={placed} />
            ))}
          </>
        ))}
      </ol>
    </section>
  )
}

interface DayView {
  site: EventSite
  day: string
  filter: AgendaFilter
  /** The conference sessions that match the filters, by day. */
  matching: ReadonlyMap<string, readonly ProgramSession[]>
}

/** A notice for a day without matching conference sessions, with links to days that have some. */
const NothingFound = ({ site, day, filter, matching }: DayView) => {
  const { say, locale } = site.words
  const count = [...matching.values()].reduce((sum, sessions) => sum + sessions.length, 0)
  const weekday = formatWeekday(locale, day)
  return (
    <Card>
      <div class="stack">
        <h2>{count > 0 ? say('agenda.elsewhere', { count, day: weekday }) : say('agenda.nowhere')}</h2>
        {count > 0 ? <p class="muted">{say('agenda.keep')}</p> : null}
        <p class="row">
          {[...matching].map(([other, sessions]) => (
            <LinkButton href={buildAgendaPath(site, other, filter)}>
              {say('agenda.onDay', { count: sessions.length, day: formatWeekday(locale, other) })}
            </LinkButton>
          ))}
          <a class="tap" href={buildAgendaPath(site, day, null)}>
            {say('agenda.clear')}
          </a>
        </p>
      </div>
    </Card>
  )
}

const FilterStatus = ({ site, day, filter, matching }: DayView) => {
  const { say, locale } = site.words
  if (!hasActiveAgendaFilter(filter)) return null
  const count = matching.get(day)?.length ?? 0
  return (
    <p class="filtered" role="status">
      <b>{count > 0 ? say('agenda.found', { count }) : say('agenda.none', { day: formatWeekday(locale, day) })}</b>{' '}
      {count > 0 ? (
        <a class="tap" href={buildAgendaPath(site, day, null)}>
          {say('agenda.clear')}
        </a>
      ) : null}
    </p>
  )
}

const DOWNLOAD = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M10 3.5v9.5M5.8 9.2L10 13.4l4.2-4.2M4 16.8h12" />
  </svg>
)

const AgendaHead = ({ site, calendar }: { site: EventSite; calendar: string | null }) => {
  const { words, facts, paths } = site
  const zone = formatTimeZone(words.locale, facts.timezone, facts.startsOn)
  return (
    <div class="head">
      <div>
        <h1>{words.say('event.agenda')}</h1>
        <p class="lead">{words.say(calendar === null ? 'agenda.empty' : 'event.zone', { zone })}</p>
      </div>
      {calendar === null ? null : (
        <div class="row">
          <LinkButton href={calendar.replace(/^https?:/, 'webcal:')}>
            {CALENDAR_ICON}
            {words.say('agenda.subscribe')}
          </LinkButton>
          <LinkButton href={`${paths.agenda}.ics`}>
            {DOWNLOAD}
            {words.say('agenda.download')}
          </LinkButton>
        </div>
      )}
    </div>
  )
}

/** `…/agenda`: the programme by day with filters, and `…/agenda.ics` for calendars. */
export function agendaPages(web: WebServices) {
  const show = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { words, facts, paths } = site
    const program = await listAgendaSessions(createPublicEventContext(web, site))
    const dayOf = ({ startsAt }: ProgramSession) => toDayInZone(facts.timezone, startsAt)
    const days = [...new Set(program.map(dayOf))]
    const today = toDayInZone(facts.timezone, facts.now)
    const day = days.find((one) => one === c.req.query('day')) ?? days.find((one) => one >= today) ?? days[0]
    const filter = readAgendaFilter(c)
    const matching = Map.groupBy(filterAgenda(program, filter), dayOf)
    const view = day === undefined ? null : { site, day, filter, matching }
    return showEventPage(
      web,
      c,
      site,
      { title: words.say('event.agenda') },
      <div class="agenda-page">
        <AgendaHead site={site} calendar={view ? `${web.services.baseUrl}${paths.agenda}.ics` : null} />
        {view === null ? null : (
          <>
            <div class="agenda-tools">
              <nav class="days" aria-label={words.say('event.agendaDays')}>
                {days.map((one) => (
                  <a href={buildAgendaPath(site, one, filter)} aria-current={one === day ? 'date' : undefined}>
                    {formatWeekday(words.locale, one)} <small>{formatDayAndMonth(words.locale, one)}</small>
                  </a>
                ))}
              </nav>
              <AgendaFilterForm site={site} day={view.day} filter={filter} />
              <FilterStatus {...view} />
            </div>
            {matching.has(view.day) ? <Day site={site} program={matching.get(view.day)!} day={view.day} /> : <NothingFound {...view} />}
          </>
        )}
      </div>,
    )
  }

  const download = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const wanted = c.req.query('session')
    const program = (await listScheduledSessions(createPublicEventContext(web, site))).filter(
      ({ code }) => wanted === undefined || code === wanted,
    )
    if (program.length === 0 && wanted !== undefined) return sendNotFoundPage(web, c)
    const { hostname } = new URL(web.services.baseUrl)
    const { content, mime, name } = buildProgramCalendar(
      site.facts.now,
      program.map(({ id, title, startsAt, endsAt, roomCode }) => ({
        uid: `${id}@${hostname}`,
        sequence: 0,
        name: title,
        startsAt,
        endsAt,
        place: [getRoomName(site.config, roomCode), site.config.details.venue?.name].filter(Boolean).join(', '),
        cancelled: false,
      })),
    )
    return c.body(new Uint8Array(content), 200, { 'content-type': mime, 'content-disposition': `attachment; filename="${name}"` })
  }

  return createEventRouter(web).get(`${PUBLIC_EVENT_PATH}/agenda`, show).get(`${PUBLIC_EVENT_PATH}/agenda.ics`, download)
}
