import type { Child } from 'hono/jsx'
import { listAvailableProducts, listBoughtProducts } from '../../../domains/checkout/session-choice.ts'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { toSessionAnswerKey, toSessionInventoryKey } from '../../../domains/sessions/context.ts'
import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import { filterProgram, listSessionsIncludedInProducts, type ProgramSession } from '../../../domains/sessions/program.ts'
import { formatDay, formatList, formatTimeZone } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { ErrorText } from '../components/forms.tsx'
import { StatusLabel } from '../components/parts.tsx'
import { SessionTime } from '../event/agenda.tsx'
import { FieldGroup } from './fields.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

/** The number of remaining seats is shown only if it is at most this number. */
const LOW_STOCK_THRESHOLD = 20

/** The conference programme as one table per day, with a checkbox for each session. */
export function SessionsWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'sessions'> }) {
  const { say, locale } = view.site.words
  const { timezone } = view.site.facts
  const offered = filterProgram(widget, view.program, timezone)
  if (offered.length === 0) return <p class="muted">{say('register.noSessions')}</p>
  const page = view.flow.pages.find(({ widgets }) => widgets.some(({ id }) => id === widget.id))!.code
  const inReach = listAvailableProducts(view.progress, page, 'here')
  const days = Map.groupBy(offered, ({ startsAt }) => toDayInZone(timezone, startsAt))
  const error = findErrorMessage(view, toSessionAnswerKey(''))
  const name = error ? toSessionAnswerKey('') : `sessions.${widget.id}`
  const zone = formatTimeZone(locale, timezone, view.site.facts.startsOn)
  return (
    <FieldGroup field={{ name, label: say('register.sessions'), help: say('event.zone', { zone }), error }} helpFirst>
      {[...days].map(([day, sessions]) => (
        <table class="program">
          <caption>{formatDay(locale, day)}</caption>
          <thead class="hidden">
            <tr>
              <th scope="col">{say('register.sessionChosen')}</th>
              <th scope="col">{say('register.session')}</th>
              <th scope="col">{say('register.sessionTime')}</th>
              <th scope="col">{say('register.sessionSeats')}</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <SessionRow view={view} session={session} inReach={inReach} />
            ))}
          </tbody>
        </table>
      ))}
    </FieldGroup>
  )
}

function SessionRow({ view, session, inReach }: { view: RegistrationPageView; session: ProgramSession; inReach: ReadonlySet<string> }) {
  const { site, config } = view
  const { id, title, left, productCode } = session
  const binding = toSessionAnswerKey(id)
  const has = view.enrolled.get(id)
  const needs = productCode !== null && !inReach.has(productCode) ? productCode : null
  const begun = session.startsAt <= view.progress.snapshot.at
  const off = (needs !== null || begun) && has === undefined
  // A conference session that is included in a chosen product is always selected.
  const isIncluded = listSessionsIncludedInProducts(view.program, listBoughtProducts(view.progress)).includes(id)
  const chosen = isIncluded || view.valueOf(binding).includes('true')
  const full = left === 0 && has !== 'enrolled' && !isIncluded
  const error = findErrorMessage(view, binding)
  const track = config.sessions.tracks.find(({ code }) => code === session.trackCode)?.name
  const about = [formatSpeakers(site.words.locale, session), track].filter(Boolean).join(' · ')
  return (
    <tr id={binding} class={off ? 'off' : undefined} tabindex={-1}>
      <td class="pick">
        <input
          type="checkbox"
          id={`${binding}-pick`}
          name={binding}
          value="true"
          checked={chosen && !off}
          disabled={off || isIncluded}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `${binding}-error` : undefined}
        />
        <input type="hidden" name={NON_ANSWER_FORM_FIELDS.session} value={id} />
        {full ? <input type="hidden" name={NON_ANSWER_FORM_FIELDS.full} value={toSessionInventoryKey(id)} /> : null}
      </td>
      <th scope="row">
        <label for={`${binding}-pick`}>{title}</label>
        {about ? <span class="about">{about}</span> : null}
        <ErrorText name={binding} error={error} />
      </th>
      <td class="when">
        <SessionTime site={site} session={session} />
        {session.roomCode === null ? null : <span class="about">{getRoomName(config, session.roomCode)}</span>}
      </td>
      <td class="states">{sessionBadges(view, { session, full, needs, begun, has, isIncluded })}</td>
    </tr>
  )
}

export const formatSpeakers = (locale: string, { speakers }: Pick<ProgramSession, 'speakers'>): string =>
  formatList(
    locale,
    speakers.map(({ name }) => name),
  )

interface SessionState {
  session: ProgramSession
  full: boolean
  /** The code of the product that the conference session requires and the participant lacks. */
  needs: string | null
  begun: boolean
  has: 'enrolled' | 'waitlisted' | undefined
  /** Whether the conference session is included in a chosen product. */
  isIncluded: boolean
}

function sessionBadges(
  { site, config }: RegistrationPageView,
  { session: { left, productCode }, full, needs, begun, has, isIncluded }: SessionState,
): Child[] {
  const { say } = site.words
  const badges: Child[] = []
  const product = config.products.find(({ code }) => code === productCode)?.name ?? productCode
  if (isIncluded && product !== null) badges.push(<StatusLabel tone="success">{say('register.sessionIncluded', { product })}</StatusLabel>)
  else if (product !== null)
    badges.push(<StatusLabel {...(needs === null ? {} : { tone: 'warning' })}>{say('register.sessionNeeds', { product })}</StatusLabel>)
  if (needs !== null) return badges
  if (begun) badges.push(<StatusLabel>{say('register.sessionStarted')}</StatusLabel>)
  else if (has === 'waitlisted') badges.push(<StatusLabel tone="accent">{say('register.sessionWaitlisted')}</StatusLabel>)
  else if (full)
    badges.push(<StatusLabel>{say('event.full')}</StatusLabel>, <StatusLabel tone="accent">{say('register.waitlistOpen')}</StatusLabel>)
  else if (!isIncluded && left !== null && left > 0 && left <= LOW_STOCK_THRESHOLD)
    badges.push(<StatusLabel tone="warning">{say('event.left', { count: left })}</StatusLabel>)
  return badges
}
