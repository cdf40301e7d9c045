import type { ProgramSession } from '../../../domains/sessions/program.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import type { EventSite } from '../event/event-site.ts'
import type { WebContext } from '../web.ts'

/** The filters in the URL of the agenda, in addition to the day. */
export interface AgendaFilter {
  q: string
  track: string
  format: string
  room: string
}

const NAMES = ['q', 'track', 'format', 'room'] as const

export const readAgendaFilter = (c: WebContext): AgendaFilter => {
  const [q, track, format, room] = NAMES.map((name) => cleanText(c.req.query(name) ?? '', 100).trim())
  return { q: q!, track: track!, format: format!, room: room! }
}

export const hasActiveAgendaFilter = (filter: AgendaFilter): boolean => NAMES.some((name) => filter[name] !== '')

/** Returns the URL of a day of the agenda with the same filters. */
export function buildAgendaPath({ paths }: EventSite, day: string, filter: AgendaFilter | null): string {
  const query = new URLSearchParams({ day })
  for (const name of NAMES) if (filter && filter[name] !== '') query.set(name, filter[name])
  return `${paths.agenda}?${query.toString()}`
}

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Returns the conference sessions whose title or speakers contain all words, and that have the chosen track, format and room. */
export function filterAgenda(program: readonly ProgramSession[], { q, track, format, room }: AgendaFilter): ProgramSession[] {
  const words = fold(q).split(/\s+/).filter(Boolean)
  return program.filter(({ title, speakers, trackCode, formatCode, roomCode }) => {
    const text = fold([title, ...speakers.flatMap(({ name, company }) => [name, company ?? ''])].join(' '))
    return (
      words.every((word) => text.includes(word)) &&
      (track === '' || trackCode === track) &&
      (format === '' || formatCode === format) &&
      (room === '' || roomCode === room)
    )
  })
}

interface ChoiceProps {
  site: EventSite
  name: 'track' | 'format' | 'room'
  any: string
  options: readonly { code: string; name: string }[]
  value: string
}

const Choice = ({ site, name, any, options, value }: ChoiceProps) => (
  <select id={`agenda-${name}`} name={name} aria-label={site.words.say(`agenda.${name}`)}>
    <option value="">{any}</option>
    {options.map((option) => (
      <option value={option.code} selected={option.code === value} lang={site.langOf(option.name)}>
        {option.name}
      </option>
    ))}
  </select>
)

const SEARCH = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <circle cx="9" cy="9" r="5.5" />
    <path d="M13 13l4 4" />
  </svg>
)

/** The filters of the agenda as a GET form, so that the URL can be shared. Collapsed on phones until a filter is used. */
export function AgendaFilterForm({ site, day, filter }: { site: EventSite; day: string; filter: AgendaFilter }) {
  const { say } = site.words
  const { tracks, formats, rooms } = site.config.sessions
  return (
    <form class="filter-form" method="get" action={site.paths.agenda} role="search" aria-label={say('agenda.filter')}>
      <input type="hidden" name="day" value={day} />
      <details open={hasActiveAgendaFilter(filter)}>
        <summary>{say('agenda.filter')}</summary>
        <div class="rest">
          <div class="search">
            <label class="hidden" for="agenda-q">
              {say('agenda.search')}
            </label>
            {SEARCH}
            <input id="agenda-q" type="search" name="q" placeholder={say('agenda.search')} value={filter.q} maxlength={100} />
          </div>
          <Choice site={site} name="track" any={say('agenda.allTracks')} options={tracks} value={filter.track} />
          <Choice site={site} name="format" any={say('agenda.allFormats')} options={formats} value={filter.format} />
          <Choice site={site} name="room" any={say('agenda.allRooms')} options={rooms} value={filter.room} />
          <button type="submit" class="button">
            {say('agenda.show')}
          </button>
        </div>
      </details>
    </form>
  )
}
