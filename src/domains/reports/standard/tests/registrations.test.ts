import { describe, expect, it } from 'vitest'
import { plainRow, type ReportRequest, runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { deskScenario } from '../../../../toolsets/registration/tests/desk.ts'

const desk = deskScenario()
const run = async (code: string, request: ReportRequest = {}) => {
  const { tables, withheld } = await runStandardReport(desk.world, desk.event, code, request)
  return {
    tables,
    withheld,
    columns: tables[0]!.columns,
    rows: tables[0]!.rows.map(plainRow),
    totals: plainRow(tables[0]!.totals),
    failed: tables.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)),
  }
}

/** Complete participants with a dietary need: none 40, vegan 9, halal 3 and kosher 1. */
const NEEDS = [...Array<string>(40).fill('none'), ...Array<string>(9).fill('vegan'), ...Array<string>(3).fill('halal'), 'kosher']

describe('standard reports about people', () => {
  it('counts the completed and cancelled registrations of every day until today', async () => {
    const now = await desk.world.clock.now()
    const before = (days: number) => new Date(now.getTime() - days * 86_400_000)
    await desk.person({ completed_at: before(4), flow_slug: 'attendee' })
    await desk.person({ completed_at: before(4), flow_slug: 'speaker' })
    await desk.person({ completed_at: before(4), status: 'cancelled', cancelled_at: before(1), flow_slug: 'attendee' })
    await desk.person({ status: 'cancelled', cancelled_at: before(1), completed_at: null })
    await desk.person({ status: 'incomplete', completed_at: null, flow_slug: 'attendee' })
    await desk.person({ completed_at: before(9), is_test_data: true })
    const { rows, totals, failed } = await run('registrations-by-day')
    expect(rows.map(({ completed, cancelled, net, cumulative }) => [completed, cancelled, net, cumulative])).toEqual([
      [3, 0, 3, 3],
      [0, 0, 0, 3],
      [0, 0, 0, 3],
      [0, 1, -1, 2],
      [0, 0, 0, 2],
    ])
    expect(totals).toEqual({ completed: 3, cancelled: 1, net: 2 })
    expect(failed).toEqual([])
    expect((await run('registrations-by-day', { values: { flowSlug: 'speaker' } })).totals).toMatchObject({ net: 1 })
    const byFlow = await run('registrations-by-flow')
    expect(byFlow.rows).toMatchObject([
      { flow: 'attendee', incomplete: 1, complete: 1, waitlisted: 0, cancelled: 1 },
      { flow: 'speaker', complete: 1 },
      { flow: null, cancelled: 1 },
    ])
    expect(byFlow.failed).toEqual([])
    expect((await run('cancellations')).rows).toHaveLength(2)
    expect((await run('incomplete-registrations')).rows).toMatchObject([{ daysIdle: 0 }])
    expect(
      (await run('registrations-by-day', { includeTestData: true })).tables.map(({ title, totals: sums }) => [title, sums['completed']]),
    ).toEqual([
      ['Registrations by day', 3],
      ['Registrations by day (test data)', 1],
    ])
  })

  it('lists participants with their answers, which are hidden from a reader without personal.read', async () => {
    await desk.person({ first_name: 'Bea', last_name: 'Zett', custom_field_responses: JSON.stringify({ shirt: 'm', club: 'Rowing' }) })
    await desk.person({ first_name: 'Ada', last_name: 'Abel', email: 'ada@example.org' })
    const { columns, rows, failed } = await run('participant-list')
    expect(columns).toEqual(expect.arrayContaining(['name', 'email', 'balance', 'custom.shirt', 'custom.club']))
    expect(rows.map(({ name }) => name)).toEqual(['Ada Abel', 'Bea Zett'])
    expect(rows[1]).toMatchObject({ 'custom.shirt': 'm', 'custom.club': 'Rowing', status: 'complete' })
    expect(failed).toEqual([])
    const analyst = await run('participant-list', { role: 'analyst' })
    expect(analyst.withheld).toEqual(expect.arrayContaining(['custom.shirt', 'custom.club']))
    expect(JSON.stringify(analyst.tables)).not.toContain('Rowing')
    expect((await run('badge-list')).rows.map(({ shownName }) => shownName)).toEqual(['Ada', 'Bea'])
  })

  it('counts the choices of custom fields, and merges small groups for a reader without personal.read', async () => {
    for (let n = 0; n < 22; n++)
      await desk.person({
        custom_field_responses: JSON.stringify(n < 12 ? { shirt: 'm', topics: ['ai', 'law'] } : n < 18 ? { shirt: 'l' } : {}),
      })
    const shirts = { values: { fieldCodes: ['shirt'] } }
    expect((await run('answers', shirts)).rows.map(({ choice, count, percent }) => [choice, count, percent])).toEqual([
      ['m', 12, 66.7],
      ['l', 6, 33.3],
    ])
    expect(
      (await run('answers', { values: { fieldCodes: ['topics'] } })).rows.map(({ choice, count, percent }) => [choice, count, percent]),
    ).toEqual([
      ['ai', 12, 100],
      ['law', 12, 100],
    ])
    const merged = (await run('answers', { ...shirts, role: 'analyst' })).rows
    expect(merged.map(({ choice, count, suppressed }) => [choice, count, suppressed])).toEqual([
      ['m', 12, false],
      [null, 10, true],
    ])
  })

  it('merges small groups of dietary needs and lists no people for a reader without personal.read', async () => {
    for (const dietary of NEEDS) await desk.person({ dietary })
    const [needs, people] = (await run('dietary-and-access')).tables
    expect(needs!.rows.map(({ need, count }) => [need, count])).toEqual([
      ['none', 40],
      ['vegan', 9],
      ['halal', 3],
      ['kosher', 1],
    ])
    expect(people!.rows).toHaveLength(53)
    const analyst = await run('dietary-and-access', { role: 'analyst' })
    expect(analyst.tables[0]!.rows.map(({ need, count, suppressed }) => [need, count, suppressed])).toEqual([
      ['none', 40, false],
      [null, 13, true],
    ])
    expect(analyst.tables[1]!.rows).toEqual([])
    expect(analyst.withheld).toEqual(['dietary', 'accessibility'])
  })

  it('lists thousands of participants by last name, first name and id, whose fields are read in batches', async () => {
    const { pool } = desk.world.database
    const event = [desk.event.tenantId, desk.event.eventId]
    await pool.query(
      `insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, flow_slug, source, confirmation_number, badge_id, completed_at)
       select $1, $2, lpad(to_hex(n * 7919 % 4999), 24, '0'), 'complete', 'First ' || n % 3, case when n % 40 > 0 then 'Last ' || n % 11 end,
         'many' || n || '@example.org', 'attendee', 'import', 'MANY' || n, 'many-' || n, lanyard_now() from generate_series(1, 4100) n`,
      event,
    )
    const { rows } = await run('participant-list')
    const sorted = await pool.query<{ number: string; name: string }>(
      `select confirmation_number as number, concat_ws(' ', first_name, last_name) as name from participants
       where tenant_id = $1 and event_id = $2 and not is_test_data order by last_name, first_name, id`,
      event,
    )
    expect(sorted.rows.length).toBeGreaterThanOrEqual(4_100)
    expect(rows.map(({ confirmationNumber, name }) => [confirmationNumber, name])).toEqual(
      sorted.rows.map(({ number, name }) => [number, name]),
    )
  })
})
