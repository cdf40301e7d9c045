import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { formatEnglishDateRange } from '../components/dates.ts'
import { LinkButton } from '../components/forms.tsx'
import { renderListPage } from '../components/list-page.tsx'
import { StatusDot, StatusLabel, type TableColumn } from '../components/parts.tsx'
import { buildStatusFilter } from '../components/search-bar.tsx'
import { formatTotalWithNoun } from '../totals.ts'
import type { WebServices } from '../web.ts'
import { buildSetupChecklist } from './checklist.tsx'
import { readListQuery } from './filters.ts'
import { listClientsForNewEvent } from './event/new-event.tsx'
import { createConsoleRouter, createAccountContext, sendConsolePage, ignoreAiAssistantRestrictions } from './frame.tsx'

type MyEvent = Awaited<ReturnType<typeof listMyEvents>>['events'][number]

const TONES = { draft: 'warning', published: 'success', archived: undefined } as const
const STATUSES = ['draft', 'published', 'archived'] as const

export const EventStatusBadge = ({ status }: { status: (typeof STATUSES)[number] }) => (
  <StatusLabel tone={TONES[status]}>{status}</StatusLabel>
)

/** The columns of the list. The client is named only if the user works for several clients. */
const eventColumns = (clients: readonly { code: string; name: string }[]): TableColumn<MyEvent>[] => [
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
  ...(clients.length > 1
    ? [
        {
          label: 'Client',
          cell: (e: MyEvent) => <bdi>{clients.find(({ code }) => code === e.clientCode)?.name ?? e.clientCode}</bdi>,
        },
      ]
    : []),
  {
    label: 'Dates',
    twoLine: 'detail',
    cell: (e) => (
      <>
        <span class="nowrap" title={`${e.startsOn} to ${e.endsOn}, ${e.timezone}`}>
          {formatEnglishDateRange(e.startsOn, e.endsOn)}
        </span>
        {e.city ? <bdi class="narrow-only">, {e.city}</bdi> : null}
      </>
    ),
  },
  { label: 'City', cell: (e) => e.city ?? '' },
  { label: 'Status', twoLine: 'mark', cell: (e) => <StatusDot tone={TONES[e.status]}>{e.status}</StatusDot> },
  { label: 'Roles', cell: (e) => e.roles.join(', ') },
]

/** `/console`: all events of the organizer. */
export function eventListPages(web: WebServices) {
  return createConsoleRouter(web).get('/console', async (c) => {
    const session = c.get('session')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, 'events', ['search', 'status'])
    const status = STATUSES.find((one) => one === filter.status)
    const mayCreate = listClientsForNewEvent(session).length > 0
    const ctx = { ...createAccountContext(web, ignoreAiAssistantRestrictions(session), web.services.database.read), cursorScope }
    const { events, nextCursor, ...total } = await listMyEvents(ctx, {
      limit: 50,
      cursor,
      search: filter.search,
      status: status ? [status] : undefined,
    })
    const page = renderListPage({
      title: 'Events',
      text: formatTotalWithNoun(total, 'event'),
      actions: (
        <>
          <LinkButton href="/console/connect" tone={mayCreate ? undefined : 'primary'}>
            Connect an assistant
          </LinkButton>
          {mayCreate ? (
            <LinkButton href="/console/events/new" tone="primary">
              Create an event
            </LinkButton>
          ) : null}
        </>
      ),
      before: await buildSetupChecklist(web, c),
      search: {
        action: '/console',
        search: { label: 'Search events', placeholder: 'Search by name, code or city', value: filter.search },
        filters: [buildStatusFilter(STATUSES, status)],
      },
      caption: 'Events',
      columns: eventColumns(session.access.clients),
      rows: events,
      empty: {
        title: 'No events found',
        ask: 'Create an event called Spring Meeting on 12 May 2027 in Lisbon.',
        text: 'Change your search, or create an event.',
      },
      pages: pageLinks('/console', nextCursor, total.total),
    })
    return sendConsolePage(web, c, { current: '/console' }, page)
  })
}
