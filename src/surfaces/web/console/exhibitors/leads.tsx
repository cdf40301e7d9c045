import { LEAD_SOURCES } from '../../../../domains/exhibitors/leads/lead-shapes.ts'
import { listLeads } from '../../../../domains/exhibitors/leads/manage-leads.ts'
import { renderListPage } from '../../components/list-page.tsx'
import { type TableColumn, TimestampText } from '../../components/parts.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ExhibitorTabs } from './exhibitor-page.tsx'

type Lead = Awaited<ReturnType<typeof listLeads>>['leads'][number]

const SOURCE_LABELS: Record<(typeof LEAD_SOURCES)[number], string> = {
  sdk: 'Own app',
  device: 'Scanner',
  appointment: 'Appointment',
  manual: 'By hand',
  import: 'Import',
}

const columns = (base: string, canOpenPeople: boolean): TableColumn<Lead>[] => [
  {
    label: 'Attendee',
    lead: true,
    cell: ({ participantId, fields }) => {
      const name = [fields['firstName'], fields['lastName']].filter(Boolean).join(' ') || 'No name'
      return (
        <>
          {canOpenPeople ? (
            <a href={`${base}/participants/${participantId}`} dir="auto">
              {name}
            </a>
          ) : (
            <bdi>{name}</bdi>
          )}
          <div class="muted">
            <bdi>{[fields['jobTitle'], fields['company']].filter(Boolean).join(', ')}</bdi>
          </div>
          <div class="muted">{fields['email'] ? <span class="address">{fields['email']}</span> : 'Email not shared'}</div>
        </>
      )
    },
  },
  {
    label: 'Company',
    cell: ({ company }) => (
      <a href={`${base}/companies/${company.companyId}`} dir="auto">
        {company.name}
      </a>
    ),
  },
  { label: 'Source', short: true, cell: ({ source }) => SOURCE_LABELS[source] },
  { label: 'Scans', number: true, cell: ({ captures }) => captures },
  { label: 'Rating', number: true, cell: ({ rating }) => rating ?? '' },
  {
    label: 'Last scan',
    cell: ({ lastCapturedAt }) => (lastCapturedAt ? <TimestampText at={new Date(lastCapturedAt)} /> : ''),
  },
]

/** `…/leads`: the leads of all exhibitors, each as its company sees it. */
export function leadListPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/leads`, async (c) => {
    const at = await getEventPageContext(web, c, 'exhibitors.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `leads of ${at.event.id}`, ['search', 'source', 'company'])
    const here = `${at.base}/leads`
    const found = await listLeads(
      { ...at.reading, cursorScope },
      {
        search: filter.search,
        source: LEAD_SOURCES.find((one) => one === filter.source),
        ...(/^[0-9a-f]{24}$/.test(filter.company ?? '') ? { companyId: filter.company } : {}),
        limit: 50,
        cursor,
      },
    )
    const page = renderListPage({
      title: `Leads of ${at.event.name}`,
      heading: 'Leads',
      text: `${formatTotalWithNoun(found, 'lead')}. You see what the company may see.`,
      crumbs: [{ href: at.base, label: at.event.name }],
      before: <ExhibitorTabs base={at.base} current="leads" />,
      search: {
        action: here,
        search: { label: 'Search leads', placeholder: 'Name of the attendee', value: filter.search },
        filters: [
          {
            name: 'source',
            label: 'Any source',
            options: LEAD_SOURCES.map((one) => ({ value: one, label: SOURCE_LABELS[one] })),
            value: filter.source,
          },
        ],
      },
      caption: 'Leads',
      columns: columns(at.base, at.permissions.has('registration.read')),
      rows: found.leads,
      empty: {
        title: 'No leads found',
        ask: `Which companies at ${at.event.name} have a lead licence?`,
        text: 'Exhibitors collect leads by scanning badges, and by appointments with attendees.',
      },
      pages: pageLinks(here, found.nextCursor, found.total),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
  })
}
