import { listCompanies } from '../../../../domains/exhibitors/company/read-company.ts'
import { COMPANY_STATES } from '../../../../domains/exhibitors/states.ts'
import { renderListPage } from '../../components/list-page.tsx'
import { AssistantPrompt, type TableColumn } from '../../components/parts.tsx'
import { buildStatusFilter } from '../../components/search-bar.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ExhibitorStatusDot, ExhibitorTabs, mayChangeExhibitors } from './exhibitor-page.tsx'

type Company = Awaited<ReturnType<typeof listCompanies>>['companies'][number]

const columns = (base: string): TableColumn<Company>[] => [
  {
    label: 'Company',
    lead: true,
    cell: ({ id, name, code }) => (
      <>
        <a href={`${base}/companies/${id}`} dir="auto">
          {name}
        </a>
        <div class="muted">{code}</div>
      </>
    ),
  },
  {
    label: 'Contact',
    cell: ({ contact }) => (
      <div>
        <bdi>{contact.name}</bdi>
        <div class="muted">{contact.email}</div>
      </div>
    ),
  },
  { label: 'Booths', cell: ({ boothNumbers }) => boothNumbers.join(', ') },
  { label: 'Lead licence', short: true, cell: ({ hasLicence }) => (hasLicence ? 'Yes' : '') },
  { label: 'Status', cell: ({ status }) => <ExhibitorStatusDot status={status} /> },
]

const YES_NO: Record<string, boolean | undefined> = { yes: true, no: false }

/** `…/companies`: the exhibitors of the event. */
export function companyListPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/companies`, async (c) => {
    const at = await getEventPageContext(web, c, 'exhibitors.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `companies of ${at.event.id}`, [
      'search',
      'status',
      'booth',
      'licence',
    ])
    const here = `${at.base}/companies`
    const found = await listCompanies(
      { ...at.reading, cursorScope },
      {
        search: filter.search,
        status: COMPANY_STATES.all.find((one) => one === filter.status),
        hasBooth: YES_NO[filter.booth ?? ''],
        hasLicence: YES_NO[filter.licence ?? ''],
        limit: 50,
        cursor,
      },
    )
    const choice = (name: 'booth' | 'licence', label: string, yes: string, no: string) => ({
      name,
      label,
      options: [
        { value: 'yes', label: yes },
        { value: 'no', label: no },
      ],
      value: filter[name],
    })
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const page = renderListPage({
      title: `Companies of ${at.event.name}`,
      heading: 'Companies',
      text: `${formatTotalWithNoun(found, 'exhibitor')}.`,
      crumbs: [{ href: at.base, label: at.event.name }],
      before: <ExhibitorTabs base={at.base} current="companies" />,
      search: {
        action: here,
        search: { label: 'Search companies', placeholder: 'Name, code or contact', value: filter.search },
        filters: [
          choice('booth', 'Any booth', 'With booth', 'Without booth'),
          choice('licence', 'Any licence', 'With lead licence', 'Without lead licence'),
          buildStatusFilter(COMPANY_STATES.all, filter.status),
        ],
      },
      caption: 'Companies',
      columns: columns(at.base),
      rows: found.companies,
      after:
        found.companies.length > 0 && mayChangeExhibitors(at) ? (
          <AssistantPrompt id="ask-companies" text={`Import the exhibitors of ${at.event.name} from this spreadsheet.`} />
        ) : null,
      empty: {
        title: isFiltered ? 'No companies found' : 'No companies yet',
        ask: `Import the exhibitors of ${at.event.name} from this spreadsheet.`,
        text: 'Companies are imported from a spreadsheet, added by your assistant, or apply for a booth while they register.',
      },
      pages: pageLinks(here, found.nextCursor, found.total),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
  })
}
