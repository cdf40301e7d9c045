import { toPlainWords } from '../../components/plain-words.ts'
import { listSummaries } from '../../../../domains/reports/list-reports.ts'
import { cancelRun, listRuns } from '../../../../domains/reports/runs/runs.ts'
import { formatMoment } from '../../../../kernel/language/format.ts'
import { listPage } from '../../components/list-page.tsx'
import { LinkButton } from '../../components/forms.tsx'
import type { TableColumn } from '../../components/parts.tsx'
import { csrfFor, type WebServices } from '../../web.ts'
import { changeEvent, EVENT_PATH, type EventPageContext, getEventPage } from '../event/event-page.ts'
import { readQueryFilter } from '../filters.ts'
import { consolePages, getForm, placeAt, sendConsolePage } from '../frame.tsx'
import { DeliveryStatus } from './delivery-card.tsx'
import { RunTable } from './run-table.tsx'

type Summary = Awaited<ReturnType<typeof listSummaries>>[number]

const SHOWN_RUNS = 8

const columns = (at: EventPageContext): TableColumn<Summary>[] => [
  {
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
  },
  { label: 'Area', short: true, cell: ({ category }) => (category ? toPlainWords(category) : '') },
  {
    label: 'Made by',
    short: true,
    cell: ({ kind, owner }) => (kind === 'standard' ? <span class="muted">Lanyard</span> : <bdi>{owner}</bdi>),
  },
  {
    label: 'Delivery',
    cell: ({ delivery }) =>
      delivery ? (
        <div>
          <DeliveryStatus state={delivery.state} />
          {delivery.next ? <div class="muted">next {formatMoment('en-GB', new Date(delivery.next), at.event.timezone)}</div> : null}
        </div>
      ) : null,
  },
  { label: 'Note', short: true, cell: ({ personal, note }) => note ?? (personal ? 'Personal data' : '') },
]

const matches = ({ name, description, code }: Summary, words: readonly string[]) =>
  words.every((word) => `${name} ${description} ${code}`.toLowerCase().includes(word))

/** `…/reports`: all reports of an event, the latest files, and the export of the event. */
export function reportListPages(web: WebServices) {
  return consolePages(web)
    .get(`${EVENT_PATH}/reports`, async (c) => {
      const at = await getEventPage(web, c, 'reports.read')
      const filter = readQueryFilter(c, ['search', 'category'])
      const all = await listSummaries(at.reading)
      const words = (filter.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
      const found = all.filter((one) => (!filter.category || one.category === filter.category) && matches(one, words))
      // The organizer's own reports come first.
      const shown = [...found.filter(({ kind }) => kind === 'designed'), ...found.filter(({ kind }) => kind === 'standard')]
      const runs = await listRuns(at.reading, { limit: SHOWN_RUNS })
      const categories = [...new Set(all.flatMap(({ category }) => category ?? []))].toSorted()
      const page = listPage({
        title: `Reports of ${at.event.name}`,
        heading: 'Reports',
        text: 'Run a report here, or download it as a file. Files are kept for 7 days.',
        crumbs: [{ href: at.base, label: at.event.name }],
        actions: at.permissions.has('registration.read') ? <LinkButton href={`${at.base}/reports/export`}>Export event</LinkButton> : null,
        before: runs.length > 0 ? <RunTable at={at} runs={runs} csrf={csrfFor(web, c)} /> : null,
        search: {
          action: `${at.base}/reports`,
          search: { label: 'Search reports', placeholder: 'Revenue, rooming list …', value: filter.search },
          filters: [
            {
              name: 'category',
              label: 'Any area',
              options: categories.map((one) => ({ value: one, label: one })),
              value: filter.category,
            },
          ],
        },
        caption: 'Reports',
        columns: columns(at),
        rows: shown,
        empty: {
          title: 'No reports found',
          ask: `Which reports does ${at.event.name} have?`,
          text: 'Try another word, or ask your assistant to design a report.',
        },
      })
      return sendConsolePage(web, c, placeAt(at, 'reports'), page)
    })
    .post(`${EVENT_PATH}/reports/runs/:run{[0-9a-f]{24}}/cancel`, async (c) => {
      await getForm(web, c)
      const at = await getEventPage(web, c, 'reports.read')
      await changeEvent(web, at, 'cancel_report_run', (ctx) => cancelRun(ctx, c.req.param('run')))
      return c.redirect(`${at.base}/reports?done=run-cancelled`, 303)
    })
}
