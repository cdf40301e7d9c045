import { formatCodeAsWords } from '../../components/plain-words.ts'
import { listVisibleReports } from '../../../../domains/reports/list-reports.ts'
import { cancelRun, listRuns } from '../../../../domains/reports/runs/runs.ts'
import { STANDARD_REPORTS } from '../../../../domains/reports/standard/index.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, type TableColumn, TimestampText } from '../../components/parts.tsx'
import { SearchBar } from '../../components/search-bar.tsx'
import { getCsrfToken, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readQueryFilter } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ReportDeliveryStatus } from './delivery-card.tsx'
import { ReportRunTable } from './run-table.tsx'

type Summary = Awaited<ReturnType<typeof listVisibleReports>>[number]

const SHOWN_RUNS = 8

const reportColumn = (at: EventPageContext): TableColumn<Summary> => ({
  label: 'Report',
  lead: true,
  cell: ({ code, name, description }) => (
    <>
      <a href={`${at.base}/reports/${code}`} dir="auto">
        {name}
      </a>
      <div class="muted" dir="auto">
        {description}
      </div>
    </>
  ),
})

/**
 * Whether a report contains personal data. Names and addresses (columns of class `identity`) count too, although downloading them needs no
 * confirmation.
 */
const listsPeople = ({ code, personal }: Summary) =>
  personal || (STANDARD_REPORTS.get(code)?.columns.some((column) => column.class === 'identity') ?? false)

const NOTE_COLUMN: TableColumn<Summary> = {
  label: 'Note',
  short: true,
  twoLine: 'mark',
  cell: (report) => (listsPeople(report) ? <span class="muted">Personal data</span> : ''),
}

const designedColumns = (at: EventPageContext): TableColumn<Summary>[] => [
  reportColumn(at),
  { label: 'Made by', twoLine: 'detail', cell: ({ owner }) => <bdi>{owner}</bdi> },
  {
    label: 'Delivery',
    twoLine: 'figure',
    cell: ({ delivery }) =>
      delivery ? (
        <>
          <ReportDeliveryStatus state={delivery.state} />
          {delivery.next ? (
            <div class="muted">
              next <TimestampText at={new Date(delivery.next)} />
            </div>
          ) : null}
        </>
      ) : (
        ''
      ),
  },
  NOTE_COLUMN,
]

/** Names of report areas, for areas whose name in the console's navigation differs from their code. */
const AREA_NAMES: Record<string, string> = { program: 'Programme', onsite: 'On site' }
const nameArea = (category: string) => AREA_NAMES[category] ?? formatCodeAsWords(category)

/** Shows the reports in cards: first the organizer's own reports, then the standard reports of each area. */
const ReportCards = ({ at, reports }: { at: EventPageContext; reports: readonly Summary[] }) => {
  const designed = reports.filter(({ kind }) => kind === 'designed')
  const areas = Map.groupBy(
    reports.filter(({ kind }) => kind === 'standard'),
    ({ category }) => nameArea(category ?? 'other'),
  )
  return (
    <>
      {designed.length > 0 ? <ListCard title="Your reports" caption="Your reports" columns={designedColumns(at)} rows={designed} /> : null}
      {[...areas].map(([area, rows]) => (
        <ListCard title={area} caption={`Reports: ${area}`} columns={[reportColumn(at), NOTE_COLUMN]} rows={rows} />
      ))}
    </>
  )
}

const matches = ({ name, description, code }: Summary, words: readonly string[]) =>
  words.every((word) => `${name} ${description} ${code}`.toLowerCase().includes(word))

/** `…/reports`: all reports of an event, the latest files, and the export of the event. */
export function reportListPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(`${CONSOLE_EVENT_PATH}/reports`, async (c) => {
      const at = await getEventPageContext(web, c, 'reports.read')
      const filter = readQueryFilter(c, ['search', 'category'])
      const all = (await listVisibleReports(at.reading)).filter(({ note }) => note === undefined)
      const words = (filter.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
      const found = all.filter((one) => (!filter.category || one.category === filter.category) && matches(one, words))
      const runs = await listRuns(at.reading, { limit: SHOWN_RUNS })
      const categories = [...new Set(all.flatMap(({ category }) => category ?? []))].toSorted()
      const page = renderContentPage(
        {
          title: `Reports of ${at.event.name}`,
          heading: 'Reports',
          text: 'Run a report here, or download it as a file. Files are kept for 7 days.',
          crumbs: [{ href: at.base, label: at.event.name }],
          actions: at.permissions.has('registration.read') ? (
            <LinkButton href={`${at.base}/reports/export`}>Export event</LinkButton>
          ) : null,
        },
        <>
          {runs.length > 0 ? <ReportRunTable at={at} runs={runs} csrf={getCsrfToken(web, c)} /> : null}
          <Card pad={false}>
            <SearchBar
              action={`${at.base}/reports`}
              search={{ label: 'Search reports', placeholder: 'Revenue, rooming list …', value: filter.search }}
              filters={[
                {
                  name: 'category',
                  label: 'Any area',
                  options: categories.map((one) => ({ value: one, label: nameArea(one) })),
                  value: filter.category,
                },
              ]}
            />
            {found.length === 0 ? (
              <EmptyState title="No reports found" ask={`Design a report about ${filter.search ?? 'registrations by country'}.`}>
                <p>Try another word, or ask your assistant to design a report.</p>
              </EmptyState>
            ) : null}
          </Card>
          <ReportCards at={at} reports={found} />
        </>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'reports'), page)
    })
    .post(`${CONSOLE_EVENT_PATH}/reports/runs/:run{[0-9a-f]{24}}/cancel`, async (c) => {
      await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'reports.read')
      await runEventChange(web, at, 'cancel_report_run', (ctx) => cancelRun(ctx, c.req.param('run')))
      return c.redirect(`${at.base}/reports?done=run-cancelled`, 303)
    })
}
