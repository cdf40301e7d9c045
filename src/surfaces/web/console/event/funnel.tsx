import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { readSessionTitles } from '../../../../domains/sessions/session-titles.ts'
import { VISIT_DEVICES, getFlowSummary } from '../../../../domains/registration/flows/flow-summary.ts'
import { getQuestionLabel } from '../../../../domains/registration/missing-fields.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { SegmentedBar, ChartLegend, formatInteger, type ChartSegment } from '../../components/figures.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { NumberTile, NumberTileRow } from '../../components/outcome.tsx'
import type { TableColumn } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, CONSOLE_EVENT_PATH } from './event-page.ts'
import { TestDataSwitch, includesTestData } from './test-data.tsx'

type Funnel = Awaited<ReturnType<typeof getFlowSummary>>

const formatPercent = (share: number | null) => (share === null ? '' : `${share}%`)

/** Formats a duration: "4 min" or "1 h 20 min". */
function formatDuration(seconds: number | null): string {
  if (seconds === null) return 'not known yet'
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const Outcomes = ({ funnel }: { funnel: Funnel }) => {
  const parts: ChartSegment[] = (
    [
      ['Completed', funnel.completed, 1],
      ['In progress', funnel.inProgress, 2],
      ['Waitlisted', funnel.waitlisted, 3],
      ['Abandoned', funnel.abandoned, 4],
    ] as const
  ).map(([label, size, tone]) => ({ label, size, tone, value: formatInteger(size) }))
  return (
    <NumberTileRow>
      <NumberTile
        title="Started"
        number={formatInteger(funnel.started)}
        note={funnel.started === 1 ? 'registration' : 'registrations'}
        more={funnel.started === 0 ? 'Figures appear with the first visitor.' : null}
      />
      <NumberTile
        title="Completed"
        number={formatInteger(funnel.completed)}
        note={`of ${formatInteger(funnel.started)} started`}
        more={funnel.conversion === null ? null : `Completion rate ${formatPercent(funnel.conversion)}, without registrations in progress`}
        bar={
          <div class="plot">
            <SegmentedBar parts={parts} whole={funnel.started} />
            <ChartLegend parts={parts} />
          </div>
        }
      />
      <NumberTile
        title="Time to complete"
        number={formatDuration(funnel.medianSeconds)}
        note={funnel.medianSeconds === null ? null : 'median'}
        more={funnel.p90Seconds === null ? null : `90% within ${formatDuration(funnel.p90Seconds)}`}
      />
    </NumberTileRow>
  )
}

/** Converts the name of a form field to words, for fields that are no question: "guest.0.firstName" is shown as "Guest first name". */
function wordsOf(binding: string): string {
  const words = binding
    .replace(/^@/, '')
    .replaceAll(/\.\d+(?=\.|$)/g, '')
    .replaceAll(/[._:-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Names the form question that an error was about. Answers refer to conference sessions by id, so the title of the session is looked up.
 */
const labelOfError = (config: EventConfig, sessions: ReadonlyMap<string, string>) => (binding: string) => {
  const session = /^@session\.([^.]+)/.exec(binding)?.[1]
  if (session !== undefined) return sessions.get(session) ?? 'A session'
  const label = getQuestionLabel(config, binding)
  return label === binding ? wordsOf(binding) : label
}

const pageColumns = (funnel: Funnel, nameOf: (binding: string) => string): TableColumn<Funnel['pages'][number]>[] => [
  {
    label: 'Page',
    lead: true,
    cell: ({ code, title, entered }) => (
      <>
        <span dir="auto">{title ?? wordsOf(code)}</span>
        <SegmentedBar parts={[{ size: entered, tone: 1 }]} whole={funnel.started} />
      </>
    ),
  },
  {
    label: 'Entered',
    number: true,
    twoLine: 'mark',
    cell: ({ entered }) => (
      <>
        {formatInteger(entered)}
        <span class="narrow-only"> entered</span>
      </>
    ),
  },
  { label: 'Skipped', number: true, cell: ({ skipped }) => formatInteger(skipped) },
  { label: 'Continued', number: true, cell: ({ advanced }) => formatInteger(advanced) },
  {
    label: 'Left here',
    number: true,
    twoLine: 'detail',
    cell: ({ stoppedHere, skipped }) => (
      <>
        {formatInteger(stoppedHere)}
        <span class="narrow-only"> left here{skipped > 0 ? `, ${formatInteger(skipped)} skipped it` : ''}</span>
      </>
    ),
  },
  {
    label: 'Drop-off rate',
    number: true,
    twoLine: 'figure',
    cell: ({ dropRate }) => (
      <>
        {formatPercent(dropRate)}
        <span class="narrow-only"> drop-off</span>
      </>
    ),
  },
  {
    label: 'Common errors',
    twoLine: 'below',
    cell: ({ topErrors }) => topErrors.map(({ binding, count }) => `${nameOf(binding)} (${formatInteger(count)})`).join(', '),
  },
]

const DEVICE_LABELS: Record<(typeof VISIT_DEVICES)[number], string> = {
  desktop: 'Computer',
  mobile: 'Phone',
  assistant: 'Assistant',
  organizer: 'Entered by an organizer',
}

const OUTCOME_COLUMNS: TableColumn<Pick<Funnel, 'started' | 'completed' | 'abandoned' | 'conversion'>>[] = [
  { label: 'Started', number: true, cell: ({ started }) => formatInteger(started) },
  { label: 'Completed', number: true, cell: ({ completed }) => formatInteger(completed) },
  { label: 'Abandoned', number: true, cell: ({ abandoned }) => formatInteger(abandoned) },
  { label: 'Completion rate', number: true, cell: ({ conversion }) => formatPercent(conversion) },
]

const DEVICE_COLUMNS: TableColumn<Funnel['byDevice'][number]>[] = [
  { label: 'Device', lead: true, cell: ({ device }) => DEVICE_LABELS[device] },
  ...OUTCOME_COLUMNS,
]

const SOURCE_COLUMNS: TableColumn<Funnel['bySource'][number]>[] = [
  { label: 'Source', lead: true, cell: ({ source }) => (source === null ? <span class="muted">No source</span> : <bdi>{source}</bdi>) },
  ...OUTCOME_COLUMNS,
]

/** `…/flows/<slug>`: how many people complete a registration flow, and where they leave it. */
export function registrationFunnelPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/flows/:slug`, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const test = includesTestData(c)
    const slug = cleanText(c.req.param('slug'), 80)
    const draft = await readDraftConfiguration(at.reading)
    const config = (await readLiveConfiguration(at.reading, draft))?.config ?? draft.config
    const funnel = await getFlowSummary(at.reading, { flowSlug: slug, includeTestData: test })
    const name = [...config.flows, ...draft.config.flows].find((flow) => flow.slug === slug)?.name ?? slug
    const here = `${at.base}/flows/${slug}`
    const sessionIds = funnel.pages.flatMap(({ topErrors }) =>
      topErrors.flatMap(({ binding }) => /^@session\.([^.]+)/.exec(binding)?.[1] ?? []),
    )
    const columns = pageColumns(funnel, labelOfError(config, await readSessionTitles(at.reading, sessionIds)))
    const page = renderContentPage(
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
        {funnel.bySource.some(({ source }) => source !== null) ? (
          <ListCard title="By source" caption="By source of the link" columns={SOURCE_COLUMNS} rows={funnel.bySource} />
        ) : null}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at), page)
  })
}
