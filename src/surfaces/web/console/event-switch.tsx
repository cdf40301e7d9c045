import type { ClientAccess } from '../../../kernel/context.ts'
import type { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { formatEnglishDateRange } from '../components/dates.ts'
import { Avatar } from '../components/parts.tsx'
import type { EventForNavigation } from './navigation.ts'

type MyEvent = Awaited<ReturnType<typeof listMyEvents>>['events'][number]

/** Maximum number of events in the switcher; the page with all events lists the others. */
export const MAX_SWITCHER_EVENTS = 8

const pathOf = ({ clientCode, eventCode }: MyEvent) => `/console/events/${clientCode}/${eventCode}`

interface EventSwitchProps {
  event: EventForNavigation
  client: ClientAccess | undefined
  events: readonly MyEvent[]
}

/**
 * A menu with the name of the current event, which opens to the user's next events. A details element opens without scripts and by
 * keyboard.
 */
export const EventSwitcher = ({ event, client, events }: EventSwitchProps) => (
  <details class="event-switch">
    <summary>
      <span class="hidden">Switch event. </span>
      <Avatar name={event.event.name} />
      <span class="names">
        <b>
          <bdi>{event.event.name}</bdi>
        </b>
        {client ? (
          <small>
            <bdi>{client.name}</bdi>
          </small>
        ) : null}
      </span>
    </summary>
    <ul class="nav-list" aria-label="Your events">
      {events
        .filter((one) => pathOf(one) !== event.base)
        .map((one) => (
          <li>
            <a href={pathOf(one)}>
              <bdi>{one.name}</bdi>
              <small>{formatEnglishDateRange(one.startsOn, one.endsOn)}</small>
            </a>
          </li>
        ))}
      <li>
        <a href="/console">All events</a>
      </li>
    </ul>
  </details>
)

/** Searches the records of the event. One field, so that Enter submits it without a button. */
export const EventSearch = ({ event }: { event: EventForNavigation }) => (
  <form class="event-search" action={`${event.base}/search`} role="search" aria-label={`Search ${event.event.name}`}>
    <label class="hidden" for="event-search">
      Search {event.event.name}
    </label>
    <input id="event-search" name="search" type="search" placeholder="Search this event" />
    <kbd class="needs-script" aria-hidden="true">
      /
    </kbd>
  </form>
)
