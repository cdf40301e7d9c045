import { describe, expect, it } from 'vitest'
import { findReportProblems } from '../../../domains/reports/designed/problems.ts'
import { getVisibleDesignedReport } from '../../../domains/reports/designed/reports.ts'
import { resolveParameterValues } from '../../../domains/reports/designed/parameters.ts'
import { getRunnableReport } from '../../../domains/reports/find-report.ts'
import { readReportPage } from '../../../domains/reports/runs/report-page.ts'
import type { RunnableReport } from '../../../domains/reports/runnable.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const sales = useSalesScenario()

const COMPLETE = { type: 'figure', title: 'Complete', metrics: ['registrations.complete'] }
const BY_STATUS = {
  type: 'table',
  title: 'By status',
  query: { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] },
  totals: ['people'],
}

let made = 0
const design = async (more: object = {}) =>
  sales.call('design_report', { name: `Report ${++made}`, widgets: [COMPLETE, BY_STATUS], ...more })
const codeOf = async (more: object = {}): Promise<string> => (await design(more)).report.code
const paths = (refusal: { fields?: { path: string }[] }) => (refusal.fields ?? []).map(({ path }) => path)

const withRunnable = <T>(code: string, run: (ctx: EventContext, runnable: RunnableReport) => Promise<T>): Promise<T> =>
  inEventTransaction(sales.world, sales.event, async (ctx) => run(ctx, await getRunnableReport(ctx, code)))

describe('design_report', () => {
  it('creates a report with widget positions, a preview and a code derived from its name', async () => {
    await sales.register()
    const { report, changed, preview } = await design({ name: 'Weekly figures' })
    expect(report).toMatchObject({
      code: 'weekly-figures',
      kind: 'designed',
      visibility: 'event',
      status: 'active',
      revision: 1,
    })
    expect(report.widgets.map(({ id, x, y, w, h }: Record<string, unknown>) => [id, x, y, w, h])).toEqual([
      ['w1', 0, 0, 3, 2],
      ['w2', 0, 2, 12, 6],
    ])
    expect(changed).toEqual(['created'])
    expect(preview.widgets).toMatchObject([
      { id: 'w1', rows: [{ 'registrations.complete': 1 }] },
      { id: 'w2', rows: [{ status: 'complete', people: 1 }] },
    ])
    expect(await codeOf({ name: 'Weekly figures' })).toBe('weekly-figures-2')
  })

  it('avoids the code of a standard report for a new report, and refuses to change a standard report', async () => {
    expect(await codeOf({ name: 'Revenue by product' })).toBe('revenue-by-product-2')
    expect(await sales.refused('design_report', { report: 'revenue-by-product', name: 'Mine' })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('copy it with design_report fromReport'),
    })
  })

  it('changes only the given parts of a report, and nothing if the call is repeated', async () => {
    const report = await codeOf()
    const first = await sales.call('design_report', { report, name: 'Renamed', ifRevision: 1 })
    expect(first).toMatchObject({ changed: ['name'], report: { name: 'Renamed', revision: 2 } })
    expect(first.report.widgets).toHaveLength(2)
    expect(await sales.call('design_report', { report, name: 'Renamed' })).toMatchObject({ changed: [], report: { revision: 2 } })
    expect(await sales.refused('design_report', { report, name: 'Late', ifRevision: 1 })).toMatchObject({ code: 'conflict' })
  })

  it('saves no report in a dry run', async () => {
    const { report } = await design({ name: 'Only a test', dryRun: true })
    expect(await sales.refused('design_report', { report: report.code, name: 'x' })).toMatchObject({ code: 'not_found' })
  })

  it('archives a report and restores it', async () => {
    const report = await codeOf()
    expect(await sales.call('design_report', { report, archive: true })).toMatchObject({
      changed: ['status'],
      report: { status: 'archived' },
    })
    expect(await sales.refused('update_report_widgets', { report, operations: [{ op: 'remove', widgetId: 'w1' }] })).toMatchObject({
      code: 'precondition_failed',
    })
    expect(await sales.call('design_report', { report, archive: false })).toMatchObject({ report: { status: 'active' } })
  })

  it.each([
    ['an unknown field', { ...BY_STATUS, query: { entity: 'participant', groupBy: ['stattus'] } }, 'widgets/w1/query/groupBy/0'],
    ['an unknown metric', { type: 'figure', metrics: ['registrations.completed2'] }, 'widgets/w1/query/metrics/0'],
    ['an unknown column', { ...BY_STATUS, columns: [{ name: 'persons' }] }, 'widgets/w1/columns'],
    [
      'a total of an average',
      { ...BY_STATUS, query: { entity: 'participant', groupBy: ['status'], aggregates: ['avg(daysBefore) as days'] }, totals: ['days'] },
      'widgets/w1/totals',
    ],
    [
      'an unknown parameter',
      {
        ...BY_STATUS,
        query: { entity: 'participant', groupBy: ['status'], filter: { field: 'flowSlug', op: 'equals', value: { param: 'flow' } } },
      },
      'widgets/w1/query/filter/value',
    ],
    ['an unknown token', { type: 'text', markdown: 'Of {{event.nmae}}' }, 'widgets/w1/markdown'],
    ['an unknown standard report', { type: 'standard', standard: 'revenue-by-produkt' }, 'widgets/w1/standard'],
    ['a file that is not in the library', { type: 'image', fileId: '0'.repeat(24), alt: 'Logo' }, 'widgets/w1/fileId'],
    [
      'an unknown total of a list',
      { type: 'table', query: { entity: 'participant', fields: ['status'] }, totals: ['net'] },
      'widgets/w1/totals',
    ],
    [
      'a calculation in a list',
      { type: 'table', query: { entity: 'orderLine', fields: ['net'], calculate: ['twice = 2 * net'] } },
      'widgets/w1/query/calculate',
    ],
    [
      'a series of a chart without series',
      { type: 'chart', query: { chart: 'donut', entity: 'participant', groupBy: ['status'], series: 'status' } },
      'widgets/w1/query/series',
    ],
    [
      'test data in a figure',
      { type: 'figure', query: { entity: 'participant', aggregates: ['count'], includeTestData: true } },
      'widgets/0/query/includeTestData',
    ],
    [
      'test data in a pivot',
      {
        type: 'pivot',
        query: { entity: 'participant', groupBy: ['status', 'flowSlug'], aggregates: ['count'], includeTestData: true },
        rows: ['status'],
        columns: ['flowSlug'],
        values: ['count'],
      },
      'widgets/0/query/includeTestData',
    ],
    ['a comparison without a period', { ...COMPLETE, compareWith: 'previousPeriod' }, 'widgets/w1/compareWith'],
  ])('refuses a report with %s, and names its widget and path', async (_, widget, path) => {
    const refusal = await sales.refused('design_report', { name: 'Refused', widgets: [widget] })
    expect(refusal.code).toBe('invalid_arguments')
    expect(paths(refusal)).toEqual([path])
  })
})

describe('update_report_widgets', () => {
  it('applies all widget operations and previews the changed widgets', async () => {
    const report = await codeOf()
    const answer = await sales.call('update_report_widgets', {
      report,
      operations: [
        { op: 'add', widget: { type: 'divider' }, after: 'w1' },
        { op: 'update', widgetId: 'w2', widget: { title: 'People' } },
        { op: 'move', widgetId: 'w1', x: 3 },
      ],
    })
    expect(answer.widgets.map(({ id, x, y }: Record<string, unknown>) => [id, x, y])).toEqual([
      ['w1', 3, 0],
      ['w3', 0, 2],
      ['w2', 0, 3],
    ])
    expect(answer).toMatchObject({ changed: true, revision: 2, preview: [{ id: 'w1' }, { id: 'w2' }] })
    expect(answer).not.toHaveProperty('deliverySuspended')
  })

  it('changes no widget if the second of three operations is refused', async () => {
    const report = await codeOf()
    const operations = [
      { op: 'update', widgetId: 'w1', widget: { title: 'First' } },
      { op: 'update', widgetId: 'w2', widget: { query: { groupBy: ['nothing'] } } },
      { op: 'remove', widgetId: 'w1' },
    ]
    expect(await sales.refused('update_report_widgets', { report, operations })).toMatchObject({ code: 'invalid_arguments' })
    const { report: after } = await sales.call('design_report', { report, dryRun: true })
    expect(after).toMatchObject({ revision: 1, widgets: [{ title: 'Complete' }, { title: 'By status' }] })
  })

  it('refuses to edit a standard report or an unknown widget, or an outdated revision of a report', async () => {
    const report = await codeOf()
    const remove = [{ op: 'remove', widgetId: 'w2' }]
    expect(await sales.refused('update_report_widgets', { report: 'tax-report', operations: remove })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('fromReport'),
    })
    expect(paths(await sales.refused('update_report_widgets', { report, operations: [{ op: 'remove', widgetId: 'w7' }] }))).toEqual([
      'operations/0/widgetId',
    ])
    await sales.call('update_report_widgets', { report, operations: remove, ifRevision: 1 })
    expect(
      await sales.refused('update_report_widgets', { report, operations: [{ op: 'remove', widgetId: 'w1' }], ifRevision: 1 }),
    ).toMatchObject({
      code: 'conflict',
    })
  })
})

describe('filter of a report', () => {
  it('refuses a report filter by a field that no widget has, and accepts it if one widget has the field', async () => {
    const filter = { field: 'prodctCode', op: 'equals', value: 'pass' }
    const refusal = await sales.refused('design_report', { name: 'x', widgets: [BY_STATUS], filter })
    expect([refusal.code, ...paths(refusal)]).toEqual(['invalid_arguments', 'filter/field'])
    const lines = { type: 'figure', query: { entity: 'orderLine', aggregates: ['count'] } }
    const { report } = await design({ widgets: [BY_STATUS, lines], filter: { ...filter, field: 'productCode' } })
    const add = { op: 'add', widget: { type: 'figure', query: { entity: 'participant', aggregates: ['count'] } } }
    const added = await sales.call('update_report_widgets', { report: report.code, operations: [add] })
    expect(added).toMatchObject({ changed: true, preview: [{ id: 'w3' }] })
    const remove = { op: 'remove', widgetId: 'w2' }
    const refused = await sales.refused('update_report_widgets', { report: report.code, operations: [remove] })
    expect([refused.code, ...paths(refused)]).toEqual(['invalid_arguments', 'filter/field'])
  })
})

describe('columns of a table widget', () => {
  it('applies label, format, alignment and width of a table widget to its columns', async () => {
    const columns = [{ name: 'people', label: 'People', format: 'plain', align: 'center', width: 8 }]
    const { preview } = await design({ widgets: [{ ...BY_STATUS, columns }] })
    expect(preview.widgets[0].columns).toEqual([
      expect.objectContaining({ name: 'people', label: 'People', format: 'plain', align: 'center', width: 8 }),
    ])
  })
})

describe('problems of a saved report', () => {
  it('reports removed fields and unknown tags as problems of a saved report', async () => {
    const filter = { field: 'tags', op: 'in', value: ['gold'] }
    const { report, problems } = await design({ filter })
    expect(problems).toEqual([{ kind: 'tag', message: 'The event no longer has the tag gold' }])
    await sales.world.database.pool.query(
      `update reports set widgets = jsonb_set(widgets, '{1,query,groupBy}', '["custom.removed"]') where id = $1`,
      [report.id],
    )
    const found = await inEventTransaction(sales.world, sales.event, async (ctx) =>
      findReportProblems(ctx, await getVisibleDesignedReport(ctx, report.code)),
    )
    expect(found).toMatchObject([{ widgetId: 'w2', kind: 'field', message: expect.stringContaining('custom.removed') }, { kind: 'tag' }])
  })
})

describe('a copy of a standard report', () => {
  it('keeps the parameters of a copied standard report, and recalculates its totals for another parameter value', async () => {
    await sales.register({ pass: 1, dinner: 2 })
    const { report } = await sales.call('design_report', { name: 'Revenue of ours', fromReport: 'revenue-by-product' })
    expect(report.widgets).toMatchObject([{ type: 'standard', standard: 'revenue-by-product', parameters: { from: { param: 'from' } } }])
    const added = { name: 'note', type: 'text', label: 'Note' }
    const heading = { type: 'text', markdown: '# {{param.note}}' }
    const parameters = report.parameters.map((one: object) => one)
    await sales.call('design_report', {
      report: report.code,
      parameters: [...parameters, added],
      widgets: [heading, ...report.widgets.map(({ y: _y, ...one }: Record<string, unknown>) => one)],
    })
    const run = async (code: string, values: Record<string, unknown> = {}) => {
      const base = { parameters: values, options: {} }
      return withRunnable(code, (ctx, runnable) =>
        readReportPage(ctx, runnable, { values: resolveParameterValues(runnable.parameters, base.parameters), options: {} }),
      )
    }
    const [standard, copy] = [await run('revenue-by-product'), await run(report.code, { note: 'Week 42' })]
    expect(standard.totals).not.toEqual({})
    expect(copy.widgets?.[0]).toMatchObject({ text: 'Week 42' })
    expect(copy.widgets?.[1]).toMatchObject({ rows: standard.rows, totals: standard.totals })
  })
})

describe('private reports', () => {
  it('shows a private report only to its owner and administrators', async () => {
    const owner = await sales.world.organizer({ at: sales.event, role: 'manager' })
    const other = await sales.world.organizer({ at: sales.event, role: 'manager' })
    const here = { eventCode: sales.event.eventCode }
    const { report } = await owner.call('design_report', { ...here, name: 'My own', visibility: 'private', widgets: [COMPLETE] })
    const rename = { ...here, report: report.code, description: 'Changed' }
    expect(await other.refused('design_report', rename)).toMatchObject({ code: 'not_found' })
    expect(await other.refused('design_report', { ...here, name: 'Copy', fromReport: report.code })).toMatchObject({ code: 'not_found' })
    expect((await sales.call('design_report', { report: report.code, description: 'By an administrator' })).changed).toEqual([
      'description',
    ])
    await owner.call('design_report', { ...rename, visibility: 'event' })
    expect((await other.call('design_report', { ...rename, description: 'Shared' })).changed).toEqual(['description'])
  })

  it('hides private reports of another tenant', async () => {
    const report = await codeOf({ name: 'Of one tenant' })
    const foreign = await sales.world.event({ at: await sales.world.client({ tenant: 'elsewhere' }) })
    const stranger = await sales.world.organizer({ at: foreign })
    expect(await stranger.refused('design_report', { eventCode: foreign.eventCode, report, name: 'x' })).toMatchObject({
      code: 'not_found',
    })
  })
})
