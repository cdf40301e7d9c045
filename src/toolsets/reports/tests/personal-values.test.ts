import { beforeAll, describe, expect, it } from 'vitest'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import type { OrganizerHandle } from '../../../../test/support/world.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { runReportJob } from '../../../domains/reports/runs/run-job.ts'
import type { Job } from '../../../kernel/jobs.ts'

const [contact, ...pages] = WORKED_EXAMPLE.flows[0]!.pages
const sales = useSalesScenario({
  ...WORKED_EXAMPLE,
  customFields: [{ code: 'weight', name: 'Weight', responseType: 'number', sensitive: true }],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [{ ...contact!, widgets: [...contact!.widgets, { id: 'asked', type: 'field', binding: '@custom.weight' }] }, ...pages],
    },
  ],
})

/** Widgets that show values of a sensitive number, but have no column that is named after it. */
const WIDGETS: Record<string, object> = {
  'the largest value of each person': {
    type: 'table',
    query: { entity: 'participant', groupBy: ['confirmationNumber'], aggregates: ['max(custom.weight) as most'] },
  },
  'a calculation with the smallest value': {
    type: 'table',
    query: {
      entity: 'participant',
      groupBy: ['status'],
      aggregates: ['min(custom.weight) as least', 'count as people'],
      calculate: ['half = least / 2'],
    },
    columns: [{ name: 'status' }, { name: 'half' }],
  },
  'a figure': { type: 'figure', query: { entity: 'participant', aggregates: ['max(custom.weight)'] } },
  'a histogram': { type: 'chart', query: { chart: 'histogram', entity: 'participant', field: 'custom.weight' } },
}
/** Widgets about people whose values are open, and which contain no names. */
const OPEN: Record<string, object> = {
  'a count of the answers': { type: 'figure', query: { entity: 'participant', aggregates: ['count(custom.weight)'] } },
  'a metric': { type: 'table', query: { metrics: ['registrations.complete'] } },
}
const NAMES = { type: 'table', query: { entity: 'participant', fields: ['name', 'status'] } }

let finance: OrganizerHandle
let made = 0
const design = async (widget: object): Promise<string> =>
  (await sales.call('design_report', { name: `Report ${++made}`, widgets: [widget] })).report.code
const at = (args: object) => ({ eventCode: sales.event.eventCode, ...args })

beforeAll(async () => {
  for (const weight of [61, 72.5, 83]) await sales.register({}, { data: { '@custom.weight': weight } })
  finance = await sales.world.organizer({ at: sales.event, role: 'finance' })
})

describe('export of values that are calculated from a sensitive number', () => {
  it.each(Object.keys(WIDGETS))(
    'requires personal.export to export %s to a file, but only personal.read to see the result',
    async (name) => {
      const report = await design(WIDGETS[name]!)
      const { widgets } = await finance.call('run_report', at({ report }))
      expect(widgets[0]).not.toHaveProperty('problem')
      const refused = await finance.refused('run_report', at({ report, format: 'html' }))
      expect([refused.code, refused.message]).toEqual(['forbidden', expect.stringContaining('personal.export')])
      const preview = await sales.call('run_report', { report, format: 'html', dryRun: true })
      expect(preview.personal).not.toEqual([])
      expect(await sales.refused('run_report', { report, format: 'html' })).toMatchObject({ code: 'precondition_failed' })
    },
  )

  it.each(Object.keys(OPEN))('needs no permission to export %s', async (name) => {
    const report = await design(OPEN[name]!)
    const { personal } = await finance.call('run_report', at({ report, format: 'html', dryRun: true }))
    expect(personal).toEqual([])
  })

  it('returns the privacy class of calculated columns', async () => {
    const { columns } = await finance.call(
      'query_data',
      at({
        entity: 'participant',
        aggregates: ['avg(custom.weight) as mean', 'count'],
        calculate: ['twice = 2 * mean', 'more = 1 + count'],
      }),
    )
    expect(columns.map(({ name, class: shown }: any) => [name, shown])).toEqual([
      ['mean', 'sensitive'],
      ['count', 'open'],
      ['twice', 'sensitive'],
      ['more', 'open'],
    ])
    const plot = await finance.call('plot_data', at({ chart: 'histogram', entity: 'participant', field: 'custom.weight' }))
    expect(plot.columns.map(({ class: shown }: any) => shown)).toEqual(['sensitive', 'sensitive', 'sensitive'])
  })
})

describe('emails of report files that contain names', () => {
  /** Sends a report to the organizer, and returns the number of attached files and the text of the email. */
  async function send(widget: object): Promise<{ attachments: number; text: string; containsPersonal: boolean }> {
    const report = await design(widget)
    const args = { report, format: 'csv', recipients: [sales.olga.email] }
    const { runId, jobId } = await sales.call('run_report', args)
    await createJobRunner(sales.world.services)(runReportJob as Job, { tenantId: sales.event.tenantId, jobId })
    const { rows } = await sales.world.database.pool.query<{ attachments: number; text: string }>(
      `select m.text_body as text, (select count(*)::int from message_attachments a where a.message_id = m.id) as attachments
       from messages m where m.source_kind = 'reportRun' and m.source_id = $1`,
      [runId],
    )
    expect(rows).toHaveLength(1)
    return { ...rows[0]!, containsPersonal: (await sales.call('get_report', { runId })).run.containsPersonal }
  }

  it('emails a link to a report file with names instead of attaching the file, without a confirmation', async () => {
    expect(await send(NAMES)).toMatchObject({
      attachments: 0,
      containsPersonal: true,
      text: expect.stringMatching(/\/reports\/runs\/\w+\/file/),
    })
    expect(await send(OPEN['a metric']!)).toMatchObject({ attachments: 1, containsPersonal: false })
  })
})
