import { parse } from 'csv-parse/sync'
import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoScenario, openDemoScenario, SUMMIT_CODES } from '../../scripts/docs/demo-scenario.ts'
import { METRICS } from '../../src/domains/figures/metrics/index.ts'
import { sendReportDeliveries } from '../../src/domains/reports/designed/deliveries/task.ts'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'

type Values = Record<string, unknown>

const { eventCode } = SUMMIT_CODES
const CODES = [...METRICS.keys()]
const METRICS_PER_QUERY = 8
const WIDGETS_PER_REPORT = 20
/** The day after the first calls, when the delivery is due. */
const DUE = '2027-01-16T09:00:30.000Z'
const RECIPIENT = 'olga@demo.example'

let demo: DemoScenario
beforeAll(async () => {
  demo = await openDemoScenario()
})
afterAll(() => demo.end())

const call = (tool: string, args: object) => demo.call(tool, { eventCode, ...args })
const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

const read = async (query: (metrics: string[]) => Promise<Values | undefined>): Promise<Values> => {
  const values: Values = {}
  for (const metrics of inParts(CODES, METRICS_PER_QUERY)) Object.assign(values, await query(metrics))
  return Object.fromEntries(Object.entries(values).filter(([name]) => METRICS.has(name)))
}

/** Writes every value as a number: amounts in units of their currency. A result across events leaves out what has no rows. */
const toNumbers = (values: Values) =>
  Object.fromEntries(
    CODES.map((code) => {
      const value = values[code] as { amount: string } | number | string | null | undefined
      const written = typeof value === 'object' && value !== null ? value.amount : value
      return [code, written === undefined || written === null || written === '' ? null : Number(written)]
    }),
  )

const fromQuery = () => read(async (metrics) => (await call('query_data', { metrics })).rows[0])

const design = async (name: string, widgets: object[], delivery?: object): Promise<string> => {
  const args = { name, locale: 'en', widgets, ...(delivery ? { delivery } : {}) }
  if (!delivery) return (await call('design_report', args)).report.code
  const { confirmToken } = await call('design_report', { ...args, dryRun: true })
  return (await call('design_report', { ...args, confirmToken })).report.code
}

const TABLES = inParts(CODES, METRICS_PER_QUERY).map((metrics) => ({
  type: 'table',
  query: { metrics },
  columns: metrics.map((name) => ({ name, label: name })),
}))

describe('every metric, at an event with rows of every kind', () => {
  it('returns the same value of every metric in a chart as in query_data', async () => {
    const drawn = await read(async (metrics) => (await call('plot_data', { chart: 'figure', metrics, format: 'svg' })).rows[0])
    expect(toNumbers(drawn)).toEqual(toNumbers(await fromQuery()))
  })

  it('returns the same value of every metric in a query across events as in query_data', async () => {
    const across = await read(async (metrics) => (await demo.call('query_across_events', { eventCodes: [eventCode], metrics })).rows[0])
    const own = toNumbers(await fromQuery())
    expect(toNumbers(across)).toEqual(own)
    expect(Object.values(own).filter((value) => value !== null && value !== 0).length).toBeGreaterThan(CODES.length / 2)
  })

  it('returns the same value of every metric in the tables and figures of a designed report as in query_data', async () => {
    const tables = await call('run_report', { report: await design('All tables', TABLES) })
    const expected = toNumbers(await fromQuery())
    expect(toNumbers(Object.assign({}, ...tables.widgets.map(({ rows }: any) => rows[0])))).toEqual(expected)
    for (const codes of inParts(CODES, WIDGETS_PER_REPORT)) {
      const widgets = codes.map((code) => ({ type: 'figure', metrics: [code] }))
      const { widgets: shown } = await call('run_report', { report: await design(`Figures from ${codes[0]}`, widgets) })
      for (const [n, code] of codes.entries()) {
        const digits = shown[n].figure.split(' · ')[1].replaceAll(/[^\d.-]/g, '')
        expect([code, digits === '' ? null : Number(digits)]).toEqual([code, roundAsShown(expected[code]!)])
      }
    }
  })

  it('returns the same value of every metric in the manifest of an export as in query_data', async () => {
    const { runId, jobId } = await call('export_event', {})
    await demo.run(runReportJob, jobId)
    const { run } = await call('get_report', { runId })
    expect(toNumbers(run.manifest.totals)).toEqual(toNumbers(await fromQuery()))
  })

  it('returns the same value of every metric in an emailed report file as in query_data', async () => {
    const { pool } = demo.world.database
    await pool.query(`update clients set report_recipients = array_append(report_recipients, $1) where code = $2`, [
      RECIPIENT,
      SUMMIT_CODES.clientCode,
    ])
    const delivery = { recipients: [RECIPIENT], format: 'csv', every: 'day', at: '09:00', until: '2027-03-01' }
    const report = await design('Delivered', TABLES, delivery)
    await demo.world.clock.stopAt(DUE)
    await sendReportDeliveries.run(createRecurringTaskContext(demo.world.services, sendReportDeliveries.name, new Date(DUE)))
    const { rows: jobs } = await pool.query<{ id: string }>(
      `select j.id from jobs j join report_runs r on r.job_id = j.id where r.report_code = $1`,
      [report],
    )
    for (const { id } of jobs) await demo.run(runReportJob, id)
    const { rows: attached } = await pool.query<{ bytes: Buffer }>(
      `select a.bytes from message_attachments a join messages m on m.id = a.message_id join report_runs r on r.id = m.source_id where r.report_code = $1`,
      [report],
    )
    expect(attached).toHaveLength(1)
    const zip = await JSZip.loadAsync(attached[0]!.bytes)
    const values: Values = {}
    for (const [path, entry] of Object.entries(zip.files))
      if (path.endsWith('.csv')) Object.assign(values, parse((await entry.async('string')).replace('\uFEFF', ''), { columns: true })[0])
    expect(toNumbers(values)).toEqual(toNumbers(await fromQuery()))
  })

  it('control: detects a metric that has another value in one of the tools', async () => {
    const values = await fromQuery()
    expect(toNumbers({ ...values, 'money.net': { amount: '0.01', currency: 'EUR' } })).not.toEqual(toNumbers(values))
  })
})

/** Figures are written with at most three decimals. */
const roundAsShown = (value: number | null) => (value === null ? null : Number(value.toFixed(3)))
