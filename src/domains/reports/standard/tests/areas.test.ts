import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXHIBITOR_SECTIONS } from '../../../../../test/support/exhibitor-scenario.ts'
import { buildDoubleRow } from '../../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../../test/support/companies.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../../../test/support/hotels.ts'
import { createRegistrationFixtures } from '../../../../../test/support/registrations.ts'
import { openSalesScenario, type SalesScenario } from '../../../../../test/support/sales-scenario.ts'
import { plainRow, type ReportRequest, runStandardReport } from '../../../../../test/support/standard-reports.ts'

const readTable = async ({ world, event }: SalesScenario, code: string, request: ReportRequest = {}) => {
  const { tables, withheld } = await runStandardReport(world, event, code, request)
  expect({ code, failed: tables.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)) }).toEqual({ code, failed: [] })
  return { rows: tables[0]!.rows.map(plainRow), totals: plainRow(tables[0]!.totals), withheld, columns: tables[0]!.columns }
}

describe('standard reports about rooms', () => {
  let scenario: SalesScenario
  beforeAll(async () => {
    scenario = await openSalesScenario(buildRoomSections())
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    for (let guest = 0; guest < 2; guest++)
      await scenario.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03') })
  })
  afterAll(() => scenario.world.end())

  it('counts the booked rooms of every night in the pickup report as get_housing_summary does', async () => {
    const { rows, totals } = await readTable(scenario, 'housing-pickup')
    expect(rows.map(({ hotel, night, contracted, pickup, freeSell }) => [hotel, night, contracted, pickup, freeSell])).toEqual([
      ['grand', '2026-09-01', 10, 2, 8],
      ['grand', '2026-09-02', 10, 2, 8],
      ['grand', '2026-09-03', 10, 0, 10],
    ])
    expect(totals).toMatchObject({ contracted: 30, pickup: 4 })
    expect((await scenario.call('get_housing_summary')).totals).toMatchObject({ contracted: 30, pickup: 4 })
  })

  it('lists the rooms of a hotel, with the names of guests only for readers with personal.read', async () => {
    const values = { hotelCode: 'grand' }
    const { rows, totals } = await readTable(scenario, 'rooming-list', { values })
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      checkIn: '2026-09-01',
      checkOut: '2026-09-03',
      nights: 2,
      roomType: 'king',
      guests: expect.stringContaining('Paula'),
    })
    expect(totals).toEqual({ nights: 4 })
    const analyst = await readTable(scenario, 'rooming-list', { values, role: 'analyst' })
    expect(analyst.withheld).toEqual(['guests', 'requests'])
    expect(JSON.stringify(analyst.rows)).not.toContain('Paula')
    expect((await readTable(scenario, 'rooming-list', { values: { hotelCode: 'other' } })).rows).toEqual([])
  })
})

describe('standard reports about exhibitors and the program', () => {
  let scenario: SalesScenario
  let companyId: string
  let exhibitors: Exhibitors
  beforeAll(async () => {
    scenario = await openSalesScenario(EXHIBITOR_SECTIONS)
    exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
    await exhibitors.plan({ name: 'Hall 2' }, buildDoubleRow())
    companyId = (await exhibitors.company({ code: 'pumps', name: 'Pumps' })).id
    await exhibitors.company({ code: 'quiet', name: 'Quiet' })
    // 10 × 10 ft are 9.290304 m², which is not a whole number of hundredths.
    const feet = { code: 'hall-ft', name: 'Hall in feet', units: 'ft', outline: { outer: buildRectangle(0, 0, 100, 60) } } as const
    await exhibitors.plan({ ...feet, pois: [] }, [{ number: 'F1', polygon: buildRectangle(0, 0, 10, 10) }], { published: false })
    await exhibitors.device(companyId)
    const { rows } = await scenario.world.database.pool.query<{ number: string }>('select number from booths order by number limit 1')
    await exhibitors.assign(rows[0]!.number, companyId)
    const { participant } = await scenario.register({ pass: 1 })
    await scenario.call('manage_lead', { action: 'create', companyId, participantId: participant.id, note: 'Wants pumps' })
    await exhibitors.slots(companyId)
  })
  afterAll(() => scenario.world.end())

  it('counts booths, leads and slots of each company with totals that equal the metrics', async () => {
    const companies = await readTable(scenario, 'exhibitor-list')
    expect(companies.rows).toMatchObject([
      { code: 'pumps', status: 'active', booths: 1 },
      { code: 'quiet', booths: 0, areaM2: 0 },
    ])
    const area = Number(companies.rows[0]!['areaM2'])
    expect(area).toBeGreaterThan(0)
    expect((await readTable(scenario, 'booth-sales')).totals).toMatchObject({ sold: 1, areaSold: area })
    expect((await readTable(scenario, 'lead-counts')).rows).toMatchObject([
      { company: 'pumps', leads: 1, devices: 1 },
      { company: 'quiet', leads: 0 },
    ])
    expect((await readTable(scenario, 'appointments')).rows[0]).toMatchObject({ company: 'pumps', booked: 0, fill: 0 })
  })

  it('sums booth areas in feet as the metrics do', async () => {
    await exhibitors.assign('F1', companyId)
    const { rows } = await readTable(scenario, 'booth-sales')
    expect(rows.find(({ floorPlan }) => floorPlan === 'hall-ft')).toMatchObject({ sold: 1, areaSold: 9.290304 })
    const areas = rows.reduce((sum, { areaSold }) => sum + Number(areaSold), 0)
    const { rows: metrics } = await scenario.call('query_data', { metrics: ['exhibitors.areaSold'] })
    expect(metrics[0]['exhibitors.areaSold']).toBeCloseTo(areas, 6)
  })

  it('lists the charges and payments of a company with the running balance', async () => {
    const before = await readTable(scenario, 'exhibitor-statement')
    expect(before.rows).toMatchObject([{ company: 'pumps', description: 'Invoice', payment: null }])
    const [invoice] = before.rows
    const amount = { amount: String(invoice!['charge']), currency: 'EUR' }
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      method: 'bank',
      invoiceNumbers: [invoice!['number']],
      reference: 'B-1',
      amount,
    })
    const { rows } = await readTable(scenario, 'exhibitor-statement', { values: { companyCode: 'pumps' } })
    expect(rows).toMatchObject([
      { description: 'Invoice', balance: amount.amount },
      { description: 'Payment', payment: amount.amount, balance: '0.00' },
    ])
  })

  it('lists a payment of several invoices of a company as one row', async () => {
    const pays = await exhibitors.company({ name: 'Two invoices', code: 'two-invoices' })
    const { buys, pays: pay } = createRegistrationFixtures(scenario.world, scenario.event)
    for (const net of [10000, 20000]) await buys({ companyId: pays.id }, [{ net, kind: 'fee' }])
    await pay({ companyId: pays.id }, 30000)
    const { rows, totals } = await readTable(scenario, 'exhibitor-statement', { values: { companyCode: 'two-invoices' } })
    expect(rows).toMatchObject([
      { description: 'Invoice', charge: '100.00', balance: '100.00' },
      { description: 'Invoice', charge: '200.00', balance: '300.00' },
      { description: 'Payment', payment: '300.00', balance: '0.00' },
    ])
    expect(totals).toMatchObject({ charge: '300.00', payment: '300.00' })
  })

  it('lists the audit entries of the event, newest first', async () => {
    const { rows } = await readTable(scenario, 'audit-log')
    expect(rows.length).toBeGreaterThan(2)
    const times = rows.map(({ at }) => String(at))
    expect(times).toEqual(times.toSorted().toReversed())
  })
})
