import { beforeAll, describe, expect, it } from 'vitest'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { getVisibleDesignedReport } from '../../../domains/reports/designed/reports.ts'
import { runReportForPage } from '../../../domains/reports/designed/read-report.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import type { OrganizerHandle } from '../../../../test/support/world.ts'

const sales = useSalesScenario()

let made = 0
const design = async (more: object): Promise<string> =>
  (await sales.call('design_report', { name: `Report ${++made}`, ...more })).report.code
const run = async (report: string, more: object = {}) => sales.call('run_report', { report, ...more })
const widgetsOf = async (report: string, more: object = {}) => (await run(report, more)).widgets

beforeAll(async () => {
  await sales.register({ pass: 1, dinner: 2 }, { data: { '@participant.mobilePhone': '+33612345678' } })
  await sales.register({ pass: 1 })
  await sales.register({}, {})
})

describe('run_report for a designed report', () => {
  it('shows figures, charts, tables and texts of a designed report from one database snapshot', async () => {
    const report = await design({
      widgets: [
        { type: 'text', markdown: '**{{event.name}}** and {{asOf}}' },
        { type: 'figure', metrics: ['money.total'] },
        { type: 'chart', query: { chart: 'bar', entity: 'orderLine', groupBy: ['productCode'], aggregates: ['sum(net) as net'] } },
        {
          type: 'table',
          query: { entity: 'orderLine', groupBy: ['productCode'], aggregates: ['sum(net) as net', 'sum(total) as total'] },
          totals: ['net', 'total'],
        },
      ],
    })
    const [text, figure, chart, table] = await widgetsOf(report)
    const { rows } = await sales.call('query_data', { metrics: ['money.net', 'money.total'] })
    expect(table.totals).toEqual({ net: rows[0]['money.net'], total: rows[0]['money.total'] })
    expect(figure.figure).toContain(Number(rows[0]['money.total'].amount).toLocaleString('en-US', { minimumFractionDigits: 2 }))
    expect(chart.chart).toContain('pass')
    expect(text.text).toContain(' and ')
  })

  it('applies the report filter to widgets whose entity has the filtered fields, and lists the other widgets', async () => {
    const report = await design({
      filter: { field: 'productCode', op: 'equals', value: 'dinner' },
      widgets: [
        { type: 'figure', query: { entity: 'orderLine', aggregates: ['count as lines'] } },
        { type: 'figure', query: { entity: 'participant', aggregates: ['count as people'] } },
      ],
    })
    const [lines, people] = await widgetsOf(report)
    expect(lines).toMatchObject({ figure: expect.stringContaining('1') })
    expect(lines).not.toHaveProperty('ignoresFilter')
    expect(people).toMatchObject({ ignoresFilter: true, figure: expect.stringContaining('3') })
  })

  it('never interprets the values of report parameters as query syntax', async () => {
    const widgets = [
      {
        type: 'table',
        query: { entity: 'participant', groupBy: ['status'], filter: { field: 'lastName', op: 'equals', value: { param: 'last' } } },
      },
    ]
    const report = await design({ parameters: [{ name: 'last', type: 'text', label: 'Last name' }], widgets })
    expect((await widgetsOf(report))[0].rows).toMatchObject([{ count: 3 }])
    for (const last of ["' or 1=1 --", '{"all":[]}', '%']) expect((await widgetsOf(report, { parameters: { last } }))[0].rows).toEqual([])
    expect(await sales.refused('run_report', { report, parameters: { lst: 'x' } })).toMatchObject({ code: 'invalid_arguments' })
  })

  it('calculates the totals of a pivot table with separate queries', async () => {
    const report = await design({
      widgets: [
        {
          type: 'pivot',
          query: { entity: 'orderLine', groupBy: ['productCode', 'taxCode'], aggregates: ['avg(net) as mean', 'sum(net) as net'] },
          rows: ['productCode'],
          columns: ['taxCode'],
          values: ['mean', 'net'],
        },
      ],
    })
    const [pivot] = await widgetsOf(report)
    const { rows } = await sales.call('query_data', { entity: 'orderLine', aggregates: ['avg(net) as mean', 'sum(net) as net'] })
    expect(pivot.totals).toMatchObject(rows[0])
  })

  it('shows every table of a standard report, such as the trial balance of the ledger', async () => {
    const code = await design({ widgets: [{ type: 'standard', standard: 'accounting-ledger', title: 'Journal' }] })
    const alone = await run('accounting-ledger')
    const [journal, balance, ...others] = await widgetsOf(code)
    expect(others).toEqual([])
    expect(journal.rows).toEqual(alone.rows)
    expect(balance.id).toBe(`w1 · ${alone.widgets[0].id}`)
    expect(balance.rows).toEqual(alone.widgets[0].rows)
    expect(balance.rows.length).toBeGreaterThan(0)
    const ctx = await createEventContextAt(sales.world, sales.event)
    const [shown] = (await runReportForPage(ctx, await getVisibleDesignedReport(ctx, code), {})).widgets
    expect([shown!.table!.title, ...shown!.more!.map(({ title }) => title)]).toEqual(['Journal', alone.widgets[0].id])
  })

  it('lists the columns of all tables of a standard report, which decide who may receive it', async () => {
    const { preview } = await sales.call('design_report', {
      name: 'Diets',
      widgets: [{ type: 'standard', standard: 'dietary-and-access' }],
      dryRun: true,
    })
    expect(preview.widgets[0].columns.map(({ class: of }: { class: string }) => of)).toContain('sensitive')
  })

  it('compares a figure with another event of the client if the caller may read that event', async () => {
    const other = await sales.world.event({ at: sales.event, code: 'last-year', name: 'Last year' })
    const widgets = [{ type: 'figure', title: 'Complete', metrics: ['registrations.complete'], compareWith: other.eventCode }]
    const [figure] = await widgetsOf(await design({ widgets }))
    expect(figure.figure).toBe('Complete · 3 · +3 compared with 0 at Last year')
    const foreign = await sales.world.event({ at: await sales.world.client({ tenant: 'elsewhere' }), code: 'foreign-event' })
    for (const compareWith of [foreign.eventCode, 'never-was'])
      expect(await sales.refused('design_report', { name: 'x', widgets: [{ ...widgets[0], compareWith }] })).toMatchObject({
        code: 'not_found',
      })
  })

  it('omits widgets and columns that the reader may not see', async () => {
    const report = await design({
      widgets: [
        { type: 'table', query: { entity: 'participant', fields: ['status', 'mobilePhone'] } },
        { type: 'table', query: { entity: 'participant', fields: ['status'], filter: { field: 'mobilePhone', op: 'isSet' } } },
        { type: 'figure', metrics: ['registrations.complete'] },
      ],
    })
    expect((await widgetsOf(report))[0].columns.map(({ name }: { name: string }) => name)).toEqual(['status', 'mobilePhone'])
    const analyst: OrganizerHandle = await sales.world.organizer({ at: sales.event, role: 'analyst' })
    const answer = await analyst.call('run_report', { eventCode: sales.event.eventCode, report })
    expect(answer.withheld).toEqual(['mobilePhone'])
    expect(JSON.stringify(answer)).not.toContain('612345678')
    const [table, filtered, figure] = answer.widgets
    expect(table.columns.map(({ name }: { name: string }) => name)).toEqual(['status'])
    expect(filtered).toMatchObject({ problem: expect.stringContaining('personal.read') })
    expect(filtered).not.toHaveProperty('rows')
    expect(figure.figure).toContain('3')
  })

  it('refuses a pivot table by personal data without personal.read, because its totals would reveal small groups', async () => {
    const report = await design({
      widgets: [
        {
          type: 'pivot',
          query: { entity: 'participant', groupBy: ['country', 'status'], aggregates: ['count as people'] },
          rows: ['country'],
          columns: ['status'],
          values: ['people'],
        },
      ],
    })
    expect((await widgetsOf(report))[0].rows).toHaveLength(1)
    const analyst = await sales.world.organizer({ at: sales.event, role: 'analyst' })
    const { widgets } = await analyst.call('run_report', { eventCode: sales.event.eventCode, report })
    expect(widgets[0]).toMatchObject({ problem: expect.stringContaining('personal.read') })
  })
})

describe('chart widgets of a designed report', () => {
  const FLOWS = ['attendee', 'speaker', 'press']
  beforeAll(async () => {
    // More groups and rows than one page of query_data.
    await sales.world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, flow_slug, first_name, last_name, tags, created_at, completed_at, confirmation_number)
       select $1, $2, lpad(to_hex(n), 24, '0'), 'complete', ($3::text[])[1 + n % 3], 'Many', 'Person ' || n,
         case n % 3 when 0 then array['vip', 'member'] when 1 then array['member'] else '{}'::text[] end,
         '2024-01-01T10:00:00Z'::timestamptz + make_interval(days => (n / 12) * 2), lanyard_now() - make_interval(days => n / 10), 'ZZ' || n from generate_series(1, 5100) n`,
      [sales.event.tenantId, sales.event.eventId, FLOWS],
    )
  })

  /** Draws the chart of a widget on the page of its report, and with plot_data in the same size. */
  async function drawBoth(query: object) {
    const code = await design({ locale: 'en', widgets: [{ type: 'chart', query }] })
    const ctx = await createEventContextAt(sales.world, sales.event)
    const { widgets } = await runReportForPage(ctx, await getVisibleDesignedReport(ctx, code), {})
    const args = { ...query, width: 840, height: 336, locale: 'en', format: 'svg', eventCode: sales.event.eventCode }
    const { content } = (await sales.olga.answer('plot_data', args)) as unknown as {
      content: { text: string; resource: { text: string } }[]
    }
    return { code, widget: widgets[0]!, plotted: JSON.parse(content[0]!.text), svg: content[1]!.resource.text }
  }

  it.each([
    ['a line by day and flow', { chart: 'line', entity: 'participant', groupBy: ['createdAt:day', 'flowSlug'] }],
    ['an area by month', { chart: 'area', entity: 'participant', groupBy: ['createdAt:month'] }],
    ['a histogram of a field', { chart: 'histogram', entity: 'participant', field: 'daysBefore' }],
    ['a histogram of listed rows', { chart: 'histogram', entity: 'participant', fields: ['createdAt', 'daysBefore'], y: 'daysBefore' }],
    ['bars by tag', { chart: 'bar', entity: 'participant', groupBy: ['tags'] }],
    ['bars without a named series', { chart: 'groupedBar', entity: 'participant', groupBy: ['flowSlug', 'status'] }],
  ])('draws a chart widget of a designed report exactly like plot_data: %s', async (_, query) => {
    const { code, widget, plotted, svg } = await drawBoth(query)
    expect(widget.problem).toBeUndefined()
    expect(widget.chart).toEqual({ title: plotted.chart.title, altText: plotted.chart.altText, svg })
    const [run] = await widgetsOf(code)
    expect(run.chart).toBe(plotted.chart.altText)
    expect(run.columns).toEqual(plotted.columns)
  })

  it('refuses a chart widget with the same reason as plot_data, and still shows the other widgets', async () => {
    const overlapping = { chart: 'donut', entity: 'participant', groupBy: ['tags'] }
    const tooMany = { chart: 'bar', entity: 'participant', groupBy: ['confirmationNumber'] }
    const widgets = [overlapping, tooMany].map((query) => ({ type: 'chart', query }))
    const report = await design({ widgets: [...widgets, { type: 'figure', metrics: ['registrations.complete'] }] })
    const [donut, line, figure] = await widgetsOf(report)
    expect(donut.problem).toBe((await sales.refused('plot_data', overlapping)).message)
    expect(line.problem).toBe((await sales.refused('plot_data', tooMany)).message)
    expect(figure.figure).toContain('5,103')
  })

  it('refuses a chart widget with a field that the author may not read', async () => {
    const query = { chart: 'histogram', entity: 'participant', field: 'mobilePhone' }
    const analyst = await sales.world.organizer({ at: sales.event, role: 'analyst' })
    const args = { eventCode: sales.event.eventCode, name: 'Phones', widgets: [{ type: 'chart', query }] }
    expect(await analyst.refused('design_report', args)).toMatchObject({ code: 'forbidden' })
  })
})

describe('comparison with the previous period', () => {
  it('compares a figure with the same number of days before, regardless of how the filter is written', async () => {
    const { person } = createRegistrationFixtures(sales.world, sales.event)
    for (const day of ['2026-03-24', '2026-03-25', '2026-03-29', '2026-03-30', '2026-03-31', '2026-04-02'])
      await person({ flow_slug: 'attendee', completed_at: new Date(`${day}T12:00:00Z`) })
    const figureOf = async (...all: object[]) => {
      const query = { entity: 'participant', aggregates: ['count as people'], filter: { all } }
      const [figure] = await widgetsOf(await design({ widgets: [{ type: 'figure', query, compareWith: 'previousPeriod' }] }))
      return figure.figure
    }
    const bound = (op: string, value: string | number, field = 'completedAt') => ({ field, op, value })
    const [from, balance] = [bound('gte', '2026-04-01'), bound('gte', 0, 'balance')]
    const expected = await figureOf(from, bound('lte', '2026-04-03'))
    expect(expected).toContain('compared with 3')
    expect(await figureOf(from, bound('lt', '2026-04-04'))).toBe(expected)
    expect(await figureOf(bound('lt', '2026-04-04'), from)).toBe(expected)
    expect(await figureOf(balance, from, bound('lt', '2026-04-04'))).toBe(await figureOf(from, bound('lt', '2026-04-04'), balance))
  })
})
