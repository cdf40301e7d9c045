import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_LOOKS, findProblemsInLooks, WALKED_LOOKS, openSignedIn } from '../support/browser.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let sales: SalesScenario
let served: Served
let path: string

const WIDGETS = [
  {
    type: 'text',
    x: 0,
    y: 0,
    w: 12,
    h: 1,
    markdown: '# {{event.name}}\n\nRegistrations and money since **{{param.from}}**, see the [plan](https://example.org).',
  },
  { type: 'figure', title: 'Complete', x: 0, y: 1, w: 3, h: 2, metrics: ['registrations.complete'] },
  {
    type: 'figure',
    title: 'Completed in 7 days',
    x: 3,
    y: 1,
    w: 3,
    h: 2,
    query: { metrics: ['registrations.completed'], filter: { field: 'completedAt', op: 'gte', value: { today: -6 } } },
    compareWith: 'previousPeriod',
  },
  { type: 'figure', title: 'Net revenue', x: 6, y: 1, w: 3, h: 2, metrics: ['money.net'] },
  { type: 'figure', title: 'Owed', x: 9, y: 1, w: 3, h: 2, metrics: ['money.owed'] },
  {
    type: 'chart',
    title: 'Registrations by day',
    x: 0,
    y: 3,
    w: 8,
    h: 6,
    query: {
      chart: 'line',
      entity: 'participant',
      groupBy: ['completedAt:day'],
      aggregates: ['count as people'],
      filter: { field: 'completedAt', op: 'gte', value: { param: 'from' } },
      fill: 'zero',
    },
  },
  {
    type: 'chart',
    title: 'Net by product',
    x: 8,
    y: 3,
    w: 4,
    h: 6,
    query: { chart: 'bar', entity: 'orderLine', groupBy: ['productCode'], aggregates: ['sum(net) as net'], orderBy: ['-net'] },
  },
  {
    type: 'table',
    title: 'By status',
    x: 0,
    y: 9,
    w: 5,
    h: 5,
    query: { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] },
    columns: [
      { name: 'status', label: 'Status' },
      { name: 'people', label: 'People' },
    ],
    totals: ['people'],
  },
  {
    type: 'pivot',
    title: 'Products by month',
    x: 5,
    y: 9,
    w: 7,
    h: 5,
    query: { entity: 'orderLine', groupBy: ['productCode', 'pricedAt:month'], aggregates: ['sum(net) as net'] },
    rows: ['productCode'],
    columns: ['pricedAt:month'],
    values: ['net'],
  },
  { type: 'standard', standard: 'revenue-by-product', x: 0, y: 14, w: 12, h: 6 },
]

beforeAll(async () => {
  sales = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl(), at: '2026-03-28T10:00:00Z' })
  for (const [day, products] of [
    ['2026-03-28', { pass: 1, dinner: 2 }],
    ['2026-03-30', { pass: 1 }],
    ['2026-04-02', { pass: 1, workshop: 1 }],
    ['2026-04-02', { pass: 1, dinner: 1 }],
    ['2026-04-07', { pass: 1 }],
    ['2026-04-08', { pass: 1, workshop: 1, dinner: 1 }],
    ['2026-04-08', {}],
  ] as const) {
    await sales.world.clock.stopAt(`${day}T10:00:00Z`)
    await sales.world.renewTokens()
    await sales.register(products)
  }
  await sales.world.clock.stopAt('2026-04-10T10:00:00Z')
  await sales.world.renewTokens()
  await sales.callConfirmed('design_report', {
    name: 'Weekly report for the board',
    description: 'Registrations and revenue, sent every Monday.',
    parameters: [{ name: 'from', type: 'day', label: 'From', default: '2026-03-25' }],
    widgets: WIDGETS,
    delivery: { recipients: [sales.olga.email], format: 'pdf', every: 'week', weekday: 1, at: '08:00', until: '2026-09-30' },
  })
  served = await serve(sales.world)
  path = `/console/events/${sales.event.clientCode}/${sales.event.eventCode}/reports`
  await sales.call('design_report', { name: 'Empty report', visibility: 'private' })
})
afterAll(() => sales.world.end())

describe('console pages of designed reports', () => {
  it('shows designed reports without serious accessibility problems at any size', async () => {
    for (const look of process.env['SCREENSHOTS'] ? ALL_LOOKS : WALKED_LOOKS) {
      const page = await openSignedIn(served, sales.olga, look)
      for (const [name, at] of Object.entries({
        reports: path,
        report: `${path}/weekly-report-for-the-board`,
        'report-empty': `${path}/empty-report`,
      })) {
        await page.goto(served.url(at))
        expect(await findProblemsInLooks(page, [look], `${name} at ${look.width}`)).toEqual([])
      }
    }
  })

  it('shows a designed report for another parameter value, and the error of an invalid value', async () => {
    const page = await openSignedIn(served, sales.olga, WALKED_LOOKS[0]!)
    await page.goto(served.url(`${path}/weekly-report-for-the-board?p-from=2026-04-05`))
    expect(await page.content()).toContain('since <strong>2026-04-05</strong>')
    await page.goto(served.url(`${path}/weekly-report-for-the-board?p-from=yesterday`))
    expect(await page.content()).toContain('a day is written YYYY-MM-DD')
  })

  it('pauses and ends the email delivery of a report', async () => {
    const page = await openSignedIn(served, sales.olga, WALKED_LOOKS[0]!)
    await page.goto(served.url(`${path}/weekly-report-for-the-board`))
    await page.getByRole('button', { name: 'Pause delivery' }).click()
    expect(await page.content()).toContain('Paused in the console.')
    await page.getByRole('button', { name: 'End delivery' }).click()
    expect(await page.getByRole('button', { name: 'End delivery' }).count()).toBe(0)
  })
})
