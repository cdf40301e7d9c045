import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import type { ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDayAndMonth, formatList, formatTime, formatWeekday } from '../../../kernel/language/format.ts'
import { toDayInZone, formatInstant } from '../../../kernel/time.ts'
import type { EventSite } from './event-site.ts'

type Timed = Pick<ProgramSession, 'startsAt' | 'endsAt'>

/** The start and end time of a conference session in the event's time zone. */
export const SessionTime = ({ site: { words, facts }, session: { startsAt, endsAt } }: { site: EventSite; session: Timed }) => (
  <time datetime={formatInstant(startsAt)}>
    {formatTime(words.locale, startsAt, facts.timezone)} – {formatTime(words.locale, endsAt, facts.timezone)}
  </time>
)

/** One day of the programme, with links to the other days. */
export function Agenda({ site, program, day: wanted }: { site: EventSite; program: readonly ProgramSession[]; day: string | undefined }) {
  const { say, locale } = site.words
  const { timezone, now } = site.facts
  const days = Map.groupBy(program, ({ startsAt }) => toDayInZone(timezone, startsAt))
  const today = toDayInZone(timezone, now)
  const all = [...days.keys()]
  const day = all.find((one) => one === wanted) ?? all.find((one) => one >= today) ?? all[0]
  if (day === undefined) return null
  return (
    <section id="agenda" aria-labelledby="agenda-title">
      <h2 id="agenda-title">{say('event.agenda')}</h2>
      {all.length > 1 ? (
        <nav class="days" aria-label={say('event.agendaDays')}>
          {all.map((one) => (
            <a href={`?day=${one}#agenda`} aria-current={one === day ? 'true' : undefined}>
              {formatWeekday(locale, one)} <small>{formatDayAndMonth(locale, one)}</small>
            </a>
          ))}
        </nav>
      ) : null}
      <AgendaList site={site} sessions={days.get(day)!} />
      <p>
        <a class="tap" href={`${site.paths.agenda}?day=${day}`}>
          {say('agenda.full')}
        </a>
      </p>
    </section>
  )
}

/** The conference sessions of one day in order of time. */
const AgendaList = ({ site, sessions }: { site: EventSite; sessions: readonly ProgramSession[] }) => (
  <ol class="agenda">
    {sessions.map((session) => (
      <Entry site={site} session={session} />
    ))}
  </ol>
)

function Entry({ site, session }: { site: EventSite; session: ProgramSession }) {
  const { config, words, mainLang } = site
  const { title, abstract, speakers, roomCode, trackCode } = session
  const names = formatList(
    words.locale,
    speakers.map(({ name }) => name),
  )
  const track = config.sessions.tracks.find(({ code }) => code === trackCode)?.name
  return (
    <li>
      <SessionTime site={site} session={session} />
      <div>
        <h3 lang={mainLang}>
          <a href={`${site.paths.agenda}/${encodeURIComponent(session.code)}`}>{title}</a>
        </h3>
        <p>
          {[names, getRoomName(config, roomCode), track]
            .filter((part) => typeof part === 'string' && part !== '')
            .map((part, at) => (
              <>
                {at === 0 ? '' : ' · '}
                <span lang={site.langOf(part!)}>{part}</span>
              </>
            ))}
        </p>
        {abstract ? (
          <details>
            <summary>
              {words.say('event.aboutSession')}
              <span class="hidden" lang={mainLang}>
                : {title}
              </span>
            </summary>
            <p lang={mainLang}>{abstract}</p>
          </details>
        ) : null}
      </div>
    </li>
  )
}
