import { beforeAll, describe, expect, it } from 'vitest'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
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
  it('shows figures, charts, tables and texts of a designed report from one snapshot', async () => {
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

  it('applies the report filter to widgets whose entity has its fields, and names the other widgets', async () => {
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

  it('never interprets parameter values as query syntax', async () => {
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

  it('calculates the totals of a pivot with separate queries', async () => {
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

  it('compares a figure with another event of the client, if the caller may read that event', async () => {
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

  it('refuses a pivot by personal data without personal.read, because its totals would reveal small groups', async () => {
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
