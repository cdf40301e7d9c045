import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { formatDateRange } from '../components/dates.ts'
import { LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, EmptyState, Pagination, Table } from '../components/parts.tsx'
import { SearchBar } from '../components/search-bar.tsx'
import { formatTotal } from '../totals.ts'
import type { Web } from '../web.ts'
import { buildChecklist } from './checklist.tsx'
import { readQueryFilter, pageLinks, cursorScopeFor } from './filters.ts'
import { listClientsForNewEvent } from './event/new-event.tsx'
import { consolePages, accountContext, sendConsolePage, withAssistantsAllowed } from './frame.tsx'

type Events = Awaited<ReturnType<typeof listMyEvents>>['events']

const TONES = { draft: 'warning', published: 'success', archived: undefined } as const
const STATUSES = ['draft', 'published', 'archived'] as const

export const StatusBadge = ({ status }: { status: (typeof STATUSES)[number] }) => {
  const tone = TONES[status]
  return <Badge {...(tone ? { tone } : {})}>{status}</Badge>
}

const EventTable = ({ events }: { events: Events }) => (
  <Table
    caption="Events"
    rows={events}
    columns={[
      {
        label: 'Event',
        lead: true,
        cell: (e) => (
          <a href={`/console/events/${e.clientCode}/${e.eventCode}`} dir="auto">
            {e.name}
          </a>
        ),
      },
      { label: 'Code', short: true, cell: (e) => <code>{e.eventCode}</code> },
      { label: 'Client', cell: (e) => e.clientCode },
      {
        label: 'Dates',
        cell: (e) => (
          <span class="nowrap" title={`${e.startsOn} to ${e.endsOn}, ${e.timezone}`}>
            {formatDateRange(e.startsOn, e.endsOn)}
          </span>
        ),
      },
      { label: 'City', cell: (e) => e.city ?? '' },
      {
        label: 'Status',
        cell: (e) => <StatusBadge status={e.status} />,
      },
      { label: 'Your roles', cell: (e) => e.roles.join(', ') },
    ]}
  />
)

/** `/console`: all events of the organizer. */
export function eventPages(web: Web) {
  return consolePages(web).get('/console', async (c) => {
    const session = c.get('session')
    const filter = readQueryFilter(c, ['search', 'status'])
    const cursor = c.req.query('cursor') || undefined
    const status = STATUSES.find((one) => one === filter.status)
    const mayCreate = listClientsForNewEvent(session).length > 0
    const ctx = {
      ...accountContext(web, withAssistantsAllowed(session), web.services.database.read),
      cursorScope: cursorScopeFor(session.userId, 'events', filter),
    }
    const { events, nextCursor, ...page } = await listMyEvents(ctx, {
      limit: 50,
      cursor,
      search: filter.search,
      status: status ? [status] : undefined,
    })
    const checklist = await buildChecklist(web, c)
    return sendConsolePage(
      web,
      c,
      { title: 'Events', current: '/console' },
      <>
        <Heading title="Events" text={`${formatTotal(page, 'event')}`}>
          <LinkButton href="/console/connect" {...(mayCreate ? {} : { tone: 'primary' })}>
            Connect an assistant
          </LinkButton>
          {mayCreate ? (
            <LinkButton href="/console/events/new" tone="primary">
              Create an event
            </LinkButton>
          ) : null}
        </Heading>
        {checklist}
        <Card pad={false}>
          <SearchBar
            action="/console"
            label="Search events"
            placeholder="Search by name, code or city"
            search={filter.search}
            status={status}
            statuses={STATUSES}
          />
          {events.length > 0 ? (
            <EventTable events={events} />
          ) : (
            <EmptyState title="No events found" ask="Create an event called Spring Meeting on 12 May 2027 in Lisbon">
              <p>Change your search, or create an event.</p>
            </EmptyState>
          )}
          <Pagination {...pageLinks('/console', filter, cursor, nextCursor)} />
        </Card>
      </>,
    )
  })
}
