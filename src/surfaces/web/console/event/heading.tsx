import type { Child } from 'hono/jsx'
import type { EventConfigFacts } from '../../../../domains/configuration/read.ts'
import { formatCountryWithCode } from '../../components/codes.tsx'
import { formatDate, formatEnglishDateRange } from '../../components/dates.ts'
import { toDayInZone, daysBetween } from '../../../../kernel/time.ts'
import { EventStatusBadge } from '../events.tsx'

const ICONS = {
  days: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  place: 'M8 14L4 8.5A4.7 4.7 0 1 1 12 8.5zM8 5.2v1.6',
  version: 'M2.5 11.5L8 14l5.5-2.5M2.5 8L8 10.5 13.5 8M8 2l5.5 2.5L8 7 2.5 4.5z',
}

const Fact = ({ icon, children }: { icon: keyof typeof ICONS; children: Child }) => (
  <li>
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[icon]} />
    </svg>
    <span>{children}</span>
  </li>
)

interface Props {
  event: { name: string }
  client: { name: string }
  facts: EventConfigFacts
  venue: { name: string | null; city: string | null; country: string | null } | null
  /** Path of the versions page; null without permission to see it. */
  versionsAt: string | null
  live: { publishedAt: string } | null
  children?: Child
}

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

function formatDaysAway({ startsOn, endsOn, timezone, now }: EventConfigFacts): string {
  const today = toDayInZone(timezone, now)
  if (today < startsOn) return relative.format(daysBetween(today, startsOn), 'day')
  if (today <= endsOn) return 'now'
  return relative.format(-daysBetween(endsOn, today), 'day')
}

/** The name, dates, venue and live version of an event. */
export const EventHeading = ({ event, client, facts, venue, versionsAt, live, children }: Props) => {
  const place = [venue?.name, venue?.city, venue?.country ? formatCountryWithCode(venue.country).replace(/ \(..\)$/, '') : null]
    .filter(Boolean)
    .join(', ')
  const version = facts.publishedVersion === null ? null : `Version ${facts.publishedVersion}`
  return (
    <div class="heading">
      <div>
        <p class="crumbs">
          <a href="/console">Events</a> / <bdi>{client.name}</bdi>
        </p>
        <div class="title">
          <h1 dir="auto">{event.name}</h1>
          <EventStatusBadge status={facts.status} />
        </div>
        <ul class="meta">
          <Fact icon="days">
            {formatEnglishDateRange(facts.startsOn, facts.endsOn)} <span class="muted">· {formatDaysAway(facts)}</span>
          </Fact>
          {place ? (
            <Fact icon="place">
              <bdi>{place}</bdi>
            </Fact>
          ) : null}
          <Fact icon="version">
            {version === null ? (
              'Never published'
            ) : (
              <>
                {versionsAt ? <a href={versionsAt}>{version}</a> : version} live
                {live ? <span class="muted"> since {formatDate(toDayInZone(facts.timezone, new Date(live.publishedAt)))}</span> : null}
              </>
            )}
          </Fact>
        </ul>
      </div>
      {children ? <div class="row">{children}</div> : null}
    </div>
  )
}
