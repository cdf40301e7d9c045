import type { Child } from 'hono/jsx'
import { productsInReach } from '../../../domains/checkout/session-choice.ts'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { sessionBinding, sessionKey } from '../../../domains/sessions/at-event.ts'
import { roomName } from '../../../domains/sessions/enrolments.ts'
import { offeredBy, type ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDay, formatList } from '../../../kernel/language/format.ts'
import { dayIn } from '../../../kernel/time.ts'
import { Badge } from '../components/parts.tsx'
import { SessionTime } from '../event/agenda.tsx'
import { Group } from './fields.tsx'
import { errorAt, type View } from './view.ts'

/** From here on it is worth telling how many are left. */
const FEW = 20

/** What is on, a table a day, with a box before everything that can be chosen. */
export function Sessions({ view, widget }: { view: View; widget: WidgetOf<'sessions'> }) {
  const { say, locale } = view.place.words
  const { timezone } = view.place.facts
  const offered = offeredBy(widget, view.program, timezone)
  if (offered.length === 0) return <p class="muted">{say('register.noSessions')}</p>
  const page = view.flow.pages.find(({ widgets }) => widgets.some(({ id }) => id === widget.id))!.code
  const inReach = productsInReach(view.progress, page, 'here')
  const days = Map.groupBy(offered, ({ startsAt }) => dayIn(timezone, startsAt))
  const error = errorAt(view, sessionBinding(''))
  const name = error ? sessionBinding('') : `sessions.${widget.id}`
  return (
    <Group field={{ name, label: say('register.sessions'), help: say('event.zone', { zone: timezone }), error }}>
      {[...days].map(([day, sessions]) => (
        <table class="program">
          <caption>{formatDay(locale, day)}</caption>
          <thead class="hidden">
            <tr>
              <th scope="col">{say('register.sessionChosen')}</th>
              <th scope="col">{say('register.session')}</th>
              <th scope="col">{say('register.sessionTime')}</th>
              <th scope="col">{say('register.sessionPlaces')}</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <Row view={view} session={session} inReach={inReach} />
            ))}
          </tbody>
        </table>
      ))}
    </Group>
  )
}

function Row({ view, session, inReach }: { view: View; session: ProgramSession; inReach: ReadonlySet<string> }) {
  const { place, config } = view
  const { id, title, left, productCode } = session
  const binding = sessionBinding(id)
  const has = view.enrolled.get(id)
  const full = left === 0 && has !== 'enrolled'
  const needs = productCode !== null && !inReach.has(productCode) ? productCode : null
  const begun = session.startsAt <= view.progress.scene.at
  const off = (needs !== null || begun) && has === undefined
  const chosen = view.valueOf(binding).includes('true')
  const error = errorAt(view, binding)
  const track = config.sessions.tracks.find(({ code }) => code === session.trackCode)?.name
  const about = [speakersOf(place.words.locale, session), track].filter(Boolean).join(' · ')
  return (
    <tr id={binding} class={off ? 'off' : undefined} tabindex={-1}>
      <td class="pick">
        <input
          type="checkbox"
          id={`${binding}-pick`}
          name={binding}
          value="true"
          checked={chosen && !off}
          disabled={off}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `${binding}-error` : undefined}
        />
        <input type="hidden" name={FIELDS.session} value={id} />
        {full ? <input type="hidden" name={FIELDS.full} value={sessionKey(id)} /> : null}
      </td>
      <th scope="row">
        <label for={`${binding}-pick`}>{title}</label>
        {about ? <span class="about">{about}</span> : null}
        {error ? (
          <span class="error" id={`${binding}-error`}>
            {error}
          </span>
        ) : null}
      </th>
      <td class="when">
        <SessionTime place={place} session={session} />
        {session.roomCode === null ? null : <span class="about">{roomName(config, session.roomCode)}</span>}
      </td>
      <td class="states">{statesOf(view, { session, full, needs, begun, has })}</td>
    </tr>
  )
}

export const speakersOf = (locale: string, { speakers }: Pick<ProgramSession, 'speakers'>): string =>
  formatList(
    locale,
    speakers.map(({ name }) => name),
  )

interface Standing {
  session: ProgramSession
  full: boolean
  /** The product that is missing. */
  needs: string | null
  begun: boolean
  has: 'enrolled' | 'waitlisted' | undefined
}

function statesOf({ place, config }: View, { session: { left, productCode }, full, needs, begun, has }: Standing): Child[] {
  const { say } = place.words
  const badges: Child[] = []
  const product = config.products.find(({ code }) => code === productCode)?.name ?? productCode
  if (product !== null)
    badges.push(<Badge {...(needs === null ? {} : { tone: 'warning' })}>{say('register.sessionNeeds', { product })}</Badge>)
  if (needs !== null) return badges
  if (begun) badges.push(<Badge>{say('register.sessionBegun')}</Badge>)
  else if (has === 'waitlisted') badges.push(<Badge tone="accent">{say('register.sessionWaits')}</Badge>)
  else if (full) badges.push(<Badge>{say('event.full')}</Badge>, <Badge tone="accent">{say('register.joinWaitlist')}</Badge>)
  else if (left !== null && left > 0 && left <= FEW) badges.push(<Badge tone="warning">{say('event.left', { count: left })}</Badge>)
  return badges
}
