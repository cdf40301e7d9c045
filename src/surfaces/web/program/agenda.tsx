import { buildProgramCalendar } from '../../../domains/messages/event-mail/calendar.ts'
import { roomName } from '../../../domains/sessions/enrolments.ts'
import { listProgram, type ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDayAndMonth, formatList, formatTime, formatWeekday } from '../../../kernel/language/format.ts'
import { dayIn } from '../../../kernel/time.ts'
import { LinkButton } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { AgendaList, SessionTime } from '../event/agenda.tsx'
import { newEventRouter, showEventPage } from '../event/event-layout.tsx'
import { EVENT_PATH, eventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'

/** Sessions without a room share the last column. */
const NO_ROOM = ''

interface GridCell {
  sessions: ProgramSession[]
  rows: number
}

/**
 * One day as a table of rooms and start times. A session covers the rows of all start times before its end. A room never has two sessions
 * at once, so no two cells overlap.
 */
function layOut(program: readonly ProgramSession[]) {
  const starts = [...new Set(program.map(({ startsAt }) => startsAt.getTime()))].toSorted((a, b) => a - b)
  const rooms = [...new Set(program.map(({ roomCode }) => roomCode ?? NO_ROOM))].toSorted(
    (a, b) => Number(a === NO_ROOM) - Number(b === NO_ROOM),
  )
  const covered = new Set<string>()
  const lines = starts.map((start, line) => ({
    start,
    cells: rooms.flatMap((room): (GridCell & { room: string })[] => {
      if (covered.has(`${room} ${line}`)) return []
      const sessions = program.filter(({ roomCode, startsAt }) => (roomCode ?? NO_ROOM) === room && startsAt.getTime() === start)
      const end = Math.max(start + 1, ...sessions.map(({ endsAt }) => endsAt.getTime()))
      const rows = room === NO_ROOM ? 1 : starts.filter((other) => other >= start && other < end).length
      for (let below = 1; below < rows; below++) covered.add(`${room} ${line + below}`)
      return [{ room, sessions, rows }]
    }),
  }))
  return { rooms, lines }
}

const Session = ({ site, session }: { site: EventSite; session: ProgramSession }) => {
  const { config, words, mainLang, paths } = site
  const track = config.sessions.tracks.find(({ code }) => code === session.trackCode)?.name
  return (
    <div class="slot">
      <p class="small muted">
        <SessionTime site={site} session={session} />
      </p>
      <h3 lang={mainLang}>{session.title}</h3>
      <p class="small">
        {formatList(
          words.locale,
          session.speakers.map(({ name }) => name),
        )}
      </p>
      {track ? <p class="small muted">{track}</p> : null}
      <a class="small tap" href={`${paths.agenda}.ics?session=${session.code}`}>
        {words.say('agenda.addToCalendar')}
        <span class="hidden" lang={mainLang}>
          : {session.title}
        </span>
      </a>
    </div>
  )
}

function Grid({ site, program }: { site: EventSite; program: readonly ProgramSession[] }) {
  const { rooms, lines } = layOut(program)
  const { words, facts, config } = site
  return (
    <table class="agenda-grid">
      <caption class="hidden">{words.say('event.agenda')}</caption>
      <thead>
        <tr>
          <th scope="col">{words.say('agenda.time')}</th>
          {rooms.map((room) => (
            <th scope="col">{room === NO_ROOM ? words.say('agenda.noRoom') : roomName(config, room)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ start, cells }) => (
          <tr>
            <th scope="row">{formatTime(words.locale, new Date(start), facts.timezone)}</th>
            {cells.map(({ sessions, rows }) => (
              <td rowspan={rows > 1 ? rows : undefined}>
                {sessions.map((session) => (
                  <Session site={site} session={session} />
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** `…/agenda`: the programme by day, as rooms and times on wide screens and as a list on phones, and `…/agenda.ics` for calendars. */
export function agendaPages(web: WebServices) {
  const show = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { words, facts, paths } = site
    const program = await listProgram(eventContext(web, site))
    const days = Map.groupBy(program, ({ startsAt }) => dayIn(facts.timezone, startsAt))
    const all = [...days.keys()]
    const today = dayIn(facts.timezone, facts.now)
    const day = all.find((one) => one === c.req.query('day')) ?? all.find((one) => one >= today) ?? all[0]
    const title = words.say('event.agenda')
    const calendar = `${web.services.baseUrl}${paths.agenda}.ics`
    return showEventPage(
      web,
      c,
      site,
      { title },
      <div class="agenda-page stack">
        <h1>{title}</h1>
        {day === undefined ? (
          <p>{words.say('agenda.empty')}</p>
        ) : (
          <>
            <p class="lead">{words.say('event.zone', { zone: facts.timezone })}</p>
            <p class="actions">
              <LinkButton href={calendar.replace(/^https?:/, 'webcal:')}>{words.say('agenda.subscribe')}</LinkButton>
              <LinkButton href={`${paths.agenda}.ics`}>{words.say('agenda.download')}</LinkButton>
            </p>
            <nav class="days" aria-label={words.say('event.agendaDays')}>
              {all.map((one) => (
                <a href={`?day=${one}`} aria-current={one === day ? 'date' : undefined}>
                  {formatWeekday(words.locale, one)} <small>{formatDayAndMonth(words.locale, one)}</small>
                </a>
              ))}
            </nav>
            <Grid site={site} program={days.get(day)!} />
            <AgendaList site={site} sessions={days.get(day)!} />
          </>
        )}
      </div>,
    )
  }

  const download = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const wanted = c.req.query('session')
    const program = (await listProgram(eventContext(web, site))).filter(({ code }) => wanted === undefined || code === wanted)
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
        place: [roomName(site.config, roomCode), site.config.details.venue?.name].filter(Boolean).join(', '),
        cancelled: false,
      })),
    )
    return c.body(new Uint8Array(content), 200, { 'content-type': mime, 'content-disposition': `attachment; filename="${name}"` })
  }

  return newEventRouter(web).get(`${EVENT_PATH}/agenda`, show).get(`${EVENT_PATH}/agenda.ics`, download)
}
