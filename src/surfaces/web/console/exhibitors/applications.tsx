import { listBoothApplications } from '../../../../domains/exhibitors/applications/list.ts'
import { APPLICATION_STATES } from '../../../../domains/exhibitors/states.ts'
import { renderListPage } from '../../components/list-page.tsx'
import { type TableColumn, TimestampText } from '../../components/parts.tsx'
import { buildStatusFilter } from '../../components/search-bar.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ExhibitorStatusDot, ExhibitorTabs } from './exhibitor-page.tsx'

export type BoothApplication = Awaited<ReturnType<typeof listBoothApplications>>['applications'][number]

/** Describes the sizes and booths that an application asks for. */
export const describeRequestedSpace = ({ wanted: { sizes, boothNumbers } }: BoothApplication): string =>
  [sizes.join(', '), boothNumbers.length > 0 ? `booths ${boothNumbers.join(', ')}` : ''].filter(Boolean).join(' · ')

const columns = (base: string): TableColumn<BoothApplication>[] => [
  {
    label: 'Application',
    lead: true,
    cell: ({ number, company }) => (
      <>
        <a href={`${base}/applications/${number}`} dir="auto">
          {company.name}
        </a>{' '}
        <span class="muted nowrap">{number}</span>
      </>
    ),
  },
  {
    label: 'Wanted',
    cell: (application) => (describeRequestedSpace(application) ? <bdi>{describeRequestedSpace(application)}</bdi> : null),
  },
  { label: 'Points', number: true, cell: ({ points }) => points },
  { label: 'Rank', number: true, cell: ({ pointsRank }) => pointsRank ?? '' },
  {
    label: 'Booths',
    cell: ({ assigned, offer }) => (assigned.length > 0 ? assigned.join(', ') : offer ? `${offer.boothNumbers.join(', ')} (offered)` : ''),
  },
  { label: 'Submitted', cell: ({ submittedAt }) => (submittedAt ? <TimestampText at={new Date(submittedAt)} /> : null) },
  { label: 'Status', cell: ({ status }) => <ExhibitorStatusDot status={status} /> },
]

/** `…/applications`: the applications for booths, sorted by priority points. */
export function applicationListPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/applications`, async (c) => {
    const at = await getEventPageContext(web, c, 'exhibitors.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `applications of ${at.event.id}`, ['search', 'status'])
    const here = `${at.base}/applications`
    const status = APPLICATION_STATES.all.find((one) => one === filter.status)
    const found = await listBoothApplications(
      { ...at.reading, cursorScope },
      { search: filter.search, status: status && [status], limit: 50, cursor },
    )
    const page = renderListPage({
      title: `Booth applications of ${at.event.name}`,
      heading: 'Booth applications',
      text: `${formatTotalWithNoun({ total: 'total' in found ? found.total : found.applications.length }, 'application')}, by priority points.`,
      crumbs: [{ href: at.base, label: at.event.name }],
      before: <ExhibitorTabs base={at.base} current="applications" />,
      search: {
        action: here,
        search: { label: 'Search applications', placeholder: 'Company or number', value: filter.search },
        filters: [buildStatusFilter(APPLICATION_STATES.all, filter.status)],
      },
      caption: 'Booth applications',
      columns: columns(at.base),
      rows: found.applications,
      empty: {
        title: 'No applications found',
        ask: `Propose booths for all approved applications of ${at.event.name}.`,
        text: 'Companies apply for space while they register, or your assistant adds their applications.',
      },
      pages: pageLinks(here, 'nextCursor' in found ? found.nextCursor : null),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
  })
}
