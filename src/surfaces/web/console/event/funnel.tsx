import { readDraft, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import { VISIT_DEVICES, getFlowSummary } from '../../../../domains/registration/flows/flow-summary.ts'
import { getBindingLabel } from '../../../../domains/registration/missing-fields.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { Bar, Legend, formatInteger, type ChartPart } from '../../components/figures.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { contentPage } from '../../components/page.tsx'
import { Card, type TableColumn } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { consolePages, placeAt, sendConsolePage } from '../frame.tsx'
import { getEventPage, EVENT_PATH } from './event-page.ts'
import { TestDataSwitch, includesTestData } from './test-data.tsx'

type Funnel = Awaited<ReturnType<typeof getFlowSummary>>

const formatPercent = (share: number | null) => (share === null ? '' : `${share} %`)

/** "4 min" or "1 h 20 min" */
function formatDuration(seconds: number | null): string {
  if (seconds === null) return 'not known yet'
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const Outcomes = ({ funnel }: { funnel: Funnel }) => {
  const parts: ChartPart[] = (
    [
      ['Completed', funnel.completed, 1],
      ['In progress', funnel.inProgress, 2],
      ['Waitlisted', funnel.waitlisted, 3],
      ['Abandoned', funnel.abandoned, 4],
    ] as const
  ).map(([label, size, tone]) => ({ label, size, tone, value: formatInteger(size) }))
  const time = [
    `median ${formatDuration(funnel.medianSeconds)}`,
    ...(funnel.p90Seconds === null ? [] : [`90% within ${formatDuration(funnel.p90Seconds)}`]),
  ]
  return (
    <Card>
      <p class="big-number">
        <strong>{formatInteger(funnel.started)}</strong>
        <span>started{funnel.conversion === null ? '' : ` · ${formatPercent(funnel.conversion)} completion rate`}</span>
      </p>
      <div class="plot">
        <Bar parts={parts} whole={funnel.started} />
        <Legend parts={parts} />
      </div>
      {funnel.medianSeconds === null ? null : <p class="muted lead-out">{`Time to complete: ${time.join(', ')}.`}</p>}
    </Card>
  )
}

const pageColumns = (funnel: Funnel, nameOf: (binding: string) => string): TableColumn<Funnel['pages'][number]>[] => [
  {
    label: 'Page',
    lead: true,
    cell: ({ code, title, entered }) => (
      <>
        <span dir="auto">{title ?? code}</span>
        <Bar parts={[{ size: entered, tone: 1 }]} whole={funnel.started} />
      </>
    ),
  },
  { label: 'Entered', number: true, cell: ({ entered }) => formatInteger(entered) },
  { label: 'Skipped', number: true, cell: ({ skipped }) => formatInteger(skipped) },
  { label: 'Continued', number: true, cell: ({ advanced }) => formatInteger(advanced) },
  { label: 'Left here', number: true, cell: ({ stoppedHere }) => formatInteger(stoppedHere) },
  { label: 'Drop-off rate', number: true, cell: ({ dropRate }) => formatPercent(dropRate) },
  {
    label: 'Common errors',
    cell: ({ topErrors }) => topErrors.map(({ binding, count }) => `${nameOf(binding)} (${formatInteger(count)})`).join(', '),
  },
]

const DEVICE_LABELS: Record<(typeof VISIT_DEVICES)[number], string> = {
  desktop: 'Computer',
  mobile: 'Phone',
  assistant: 'Assistant',
  organizer: 'Organizer',
}

const DEVICE_COLUMNS: TableColumn<Funnel['byDevice'][number]>[] = [
  { label: 'Device', lead: true, cell: ({ device }) => DEVICE_LABELS[device] },
  { label: 'Started', number: true, cell: ({ started }) => formatInteger(started) },
  { label: 'Completed', number: true, cell: ({ completed }) => formatInteger(completed) },
  { label: 'Abandoned', number: true, cell: ({ abandoned }) => formatInteger(abandoned) },
  { label: 'Completion rate', number: true, cell: ({ conversion }) => formatPercent(conversion) },
]

/** `…/flows/<slug>`: how many people complete a registration flow, and where they leave it. */
export function funnelPages(web: WebServices) {
  return consolePages(web).get(`${EVENT_PATH}/flows/:slug`, async (c) => {
    const at = await getEventPage(web, c, 'registration.read')
    const test = includesTestData(c)
    const slug = cleanText(c.req.param('slug'), 80)
    const draft = await readDraft(at.reading)
    const config = (await readLiveConfiguration(at.reading, draft))?.config ?? draft.config
    const funnel = await getFlowSummary(at.reading, { flowSlug: slug, includeTestData: test })
    const name = [...config.flows, ...draft.config.flows].find((flow) => flow.slug === slug)?.name ?? slug
    const here = `${at.base}/flows/${slug}`
    const columns = pageColumns(funnel, (binding) => getBindingLabel(config, binding))
    const page = contentPage(
      {
        title: `${name} of ${at.event.name}`,
        heading: name,
        text: 'How many people started, how far they got, and where they left.',
        crumbs: [{ href: at.base, label: at.event.name }],
        actions: <TestDataSwitch test={test} here={here} />,
      },
      <>
        <Outcomes funnel={funnel} />
        <ListCard title="By page" caption="Pages of the flow" columns={columns} rows={funnel.pages} />
        {funnel.byDevice.length > 0 ? (
          <ListCard title="By device" caption="By device" columns={DEVICE_COLUMNS} rows={funnel.byDevice} />
        ) : null}
      </>,
    )
    return sendConsolePage(web, c, placeAt(at, `flows/${slug}`), page)
  })
}
