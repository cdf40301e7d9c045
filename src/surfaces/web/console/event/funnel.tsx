import { readDraft, readLive } from '../../../../domains/configuration/read.ts'
import { DEVICES, getFlowSummary } from '../../../../domains/registration/flow-summary.ts'
import { labelOf } from '../../../../domains/registration/missing.ts'
import { cleanText } from '../../../../kernel/outside-text.ts'
import { Bar, Legend, numberInWords, type Part } from '../../components/figures.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card, Table } from '../../components/parts.tsx'
import type { Web } from '../../web.ts'
import { consolePages, frame } from '../frame.tsx'
import { atEvent, EVENT_PATH } from './at-event.ts'
import { TestDataSwitch, withTestData } from './test-data.tsx'

type Funnel = Awaited<ReturnType<typeof getFlowSummary>>

const percentInWords = (share: number | null) => (share === null ? '' : `${share} %`)

/** 4 min, 1 h 20 min. */
function durationInWords(seconds: number | null): string {
  if (seconds === null) return 'not known yet'
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const Outcomes = ({ funnel }: { funnel: Funnel }) => {
  const parts: Part[] = (
    [
      ['Completed', funnel.completed, 1],
      ['In progress', funnel.inProgress, 2],
      ['Waitlisted', funnel.waitlisted, 3],
      ['Given up', funnel.abandoned, 4],
    ] as const
  ).map(([label, size, tone]) => ({ label, size, tone, value: numberInWords(size) }))
  const time = [
    `half of them took ${durationInWords(funnel.medianSeconds)} or less`,
    ...(funnel.p90Seconds === null ? [] : [`nine of ten ${durationInWords(funnel.p90Seconds)} or less`]),
  ]
  return (
    <Card>
      <p class="big-number">
        <strong>{numberInWords(funnel.started)}</strong>
        <span>began{funnel.conversion === null ? '' : ` · ${percentInWords(funnel.conversion)} of those who are done completed it`}</span>
      </p>
      <div class="plot">
        <Bar parts={parts} whole={funnel.started} />
        <Legend parts={parts} />
      </div>
      {funnel.medianSeconds === null ? null : <p class="muted lead-out">{`Of those who completed it, ${time.join(', ')}.`}</p>}
    </Card>
  )
}

const PageTable = ({ funnel, nameOf }: { funnel: Funnel; nameOf: (binding: string) => string }) => (
  <Table
    caption="Pages of the flow"
    rows={funnel.pages}
    columns={[
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
      { label: 'Entered', number: true, cell: ({ entered }) => numberInWords(entered) },
      { label: 'Skipped', number: true, cell: ({ skipped }) => numberInWords(skipped) },
      { label: 'Went on', number: true, cell: ({ advanced }) => numberInWords(advanced) },
      { label: 'Stopped here', number: true, cell: ({ stoppedHere }) => numberInWords(stoppedHere) },
      { label: 'Of those who entered', number: true, cell: ({ dropRate }) => percentInWords(dropRate) },
      {
        label: 'Often refused',
        cell: ({ topErrors }) => topErrors.map(({ binding, count }) => `${nameOf(binding)} (${numberInWords(count)})`).join(', '),
      },
    ]}
  />
)

const WAYS: Record<(typeof DEVICES)[number], string> = {
  desktop: 'Computer',
  mobile: 'Phone',
  assistant: 'Assistant',
  organizer: 'Organizer',
}

/** `…/flows/<slug>`: where people get through a flow and where they give up. */
export function funnelPages(web: Web) {
  return consolePages(web).get(`${EVENT_PATH}/flows/:slug`, async (c) => {
    const at = await atEvent(web, c, 'registration.read')
    const test = withTestData(c)
    const slug = cleanText(c.req.param('slug'), 80)
    const draft = await readDraft(at.reading)
    const config = (await readLive(at.reading, draft))?.config ?? draft.config
    const funnel = await getFlowSummary(at.reading, { flowSlug: slug, includeTestData: test })
    const name = [...config.flows, ...draft.config.flows].find((flow) => flow.slug === slug)?.name ?? slug
    const here = `${at.base}/flows/${slug}`
    return frame(
      web,
      c,
      { title: `${name} of ${at.event.name}`, current: here, client: at.client, event: at },
      <>
        <Heading
          title={name}
          text="Who began, how far they came, and where they stopped."
          crumbs={[{ href: at.base, label: at.event.name }]}
        >
          <TestDataSwitch test={test} here={here} />
        </Heading>
        <Outcomes funnel={funnel} />
        <Card title="Page by page" pad={false}>
          <PageTable funnel={funnel} nameOf={(binding) => labelOf(config, binding)} />
        </Card>
        {funnel.byDevice.length > 0 ? (
          <Card title="By what they used" pad={false}>
            <Table
              caption="By what they used"
              rows={funnel.byDevice}
              columns={[
                { label: 'With', lead: true, cell: ({ device }) => WAYS[device] },
                { label: 'Began', number: true, cell: ({ started }) => numberInWords(started) },
                { label: 'Completed', number: true, cell: ({ completed }) => numberInWords(completed) },
                { label: 'Given up', number: true, cell: ({ abandoned }) => numberInWords(abandoned) },
                { label: 'Of those who are done', number: true, cell: ({ conversion }) => percentInWords(conversion) },
              ]}
            />
          </Card>
        ) : null}
      </>,
    )
  })
}
