import { describe, expect, it } from 'vitest'
import { sendReportDeliveries } from '../../../domains/reports/designed/deliveries/task.ts'
import { runReportJob } from '../../../domains/reports/runs/run-job.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const sales = useSalesScenario(undefined, { at: '2026-10-14T10:00:00Z', startsOn: '2026-12-01' })

const OUTSIDE = 'board@example.org'
const WIDGETS = [
  {
    type: 'figure',
    title: 'Complete this week',
    query: { metrics: ['registrations.completed'], filter: { field: 'completedAt', op: 'gte', value: { today: -6 } } },
    compareWith: 'previousPeriod',
  },
  { type: 'chart', title: 'By day', query: { chart: 'line', entity: 'participant', groupBy: ['completedAt:day'] } },
  { type: 'standard', standard: 'balance-due' },
]
const PHONES = { type: 'table', query: { entity: 'participant', fields: ['mobilePhone'] } }
const weekly = (more: object = {}) => ({
  recipients: [sales.olga.email],
  format: 'csv',
  every: 'week',
  weekday: 1,
  at: '08:00',
  until: '2027-06-30',
  ...more,
})

let made = 0
const design = async (more: object = {}) =>
  sales.callConfirmed('design_report', { name: `Weekly ${++made}`, widgets: WIDGETS, delivery: weekly(), ...more })
const read = async (report: string) => (await sales.call('design_report', { report, dryRun: true })).report
const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await sales.world.database.pool.query(text, values)).rows as T[]

const moveTo = async (instant: string) => {
  await sales.world.clock.stopAt(instant)
  await sales.world.renewTokens()
}
const runTask = (slot = new Date('2026-10-19T06:01:00Z')) =>
  sendReportDeliveries.run(createRecurringTaskContext(sales.world.services, sendReportDeliveries.name, slot))
/** Runs the delivery task and the report runs that it started; returns the number of emails of the report so far. */
async function sendDue(report: string): Promise<number> {
  await runTask()
  const jobs = await query<{ id: string; tenant_id: number }>(`select id, tenant_id from jobs where name = $1 and status = 'queued'`, [
    runReportJob.name,
  ])
  for (const { id, tenant_id } of jobs)
    await createJobRunner(sales.world.services)(runReportJob as unknown as Job, { tenantId: tenant_id, jobId: id })
  return countEmails(report)
}
const countEmails = async (report: string): Promise<number> =>
  (
    await query(
      `select 1 from messages m join report_runs r on r.id = m.source_id where m.source_kind = 'reportRun' and r.report_code = $1`,
      [report],
    )
  ).length
const allowOutside = (addresses: readonly string[]) =>
  query('update clients set report_recipients = $1 where id = $2', [addresses, sales.event.clientId])

describe('scheduled delivery of a report', () => {
  it('emails a report every Monday to organizers and listed addresses, until the content of the report changes', async () => {
    await moveTo('2026-10-14T10:00:00Z')
    const args = { name: 'Weekly report', widgets: WIDGETS, delivery: weekly({ recipients: [sales.olga.email, OUTSIDE] }) }
    expect(await sales.refused('design_report', { ...args, dryRun: true })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining(OUTSIDE),
    })
    await allowOutside([OUTSIDE])
    const preview = await sales.call('design_report', { ...args, dryRun: true })
    expect(preview).toMatchObject({ effects: { recipients: 2 }, confirmToken: expect.any(String), delivery: { personal: [] } })
    expect(await sales.refused('design_report', args)).toMatchObject({ code: 'precondition_failed' })
    const { report, delivery } = await sales.call('design_report', { ...args, confirmToken: preview.confirmToken })
    // The clocks go back on 25 October.
    expect(delivery.next).toEqual(['2026-10-19T06:00:00.000Z', '2026-10-26T07:00:00.000Z', '2026-11-02T07:00:00.000Z'])

    await moveTo('2026-10-19T05:59:00Z')
    expect(await sendDue(report.code)).toBe(0)
    await moveTo('2026-10-19T06:00:30Z')
    expect(await sendDue(report.code)).toBe(2)
    expect(await sendDue(report.code)).toBe(2)
    await moveTo('2026-10-26T07:00:30Z')
    expect(await sendDue(report.code)).toBe(4)
    // The list of open invoices has names, so each email has a link: to sign in for organizers, and to enter a code for others.
    const emails = await query(
      `select m.to_address as "to", m.text_body as text, (select count(*)::int from message_attachments a where a.message_id = m.id) as attachments
       from messages m join report_runs r on r.id = m.source_id where r.report_code = $1`,
      [report.code],
    )
    const links = { [sales.olga.email]: /\/reports\/runs\/\w+\/file/, [OUTSIDE]: /\/report\/report_[\w-]+/ }
    for (const { to, text, attachments } of emails) {
      expect([to, attachments]).toEqual([to, 0])
      expect(text).toMatch(links[to]!)
    }

    expect(
      await sales.call('update_report_widgets', {
        report: report.code,
        operations: [{ op: 'update', widgetId: 'w2', widget: { title: 'People by day' } }],
      }),
    ).not.toHaveProperty('deliverySuspended')
    const changed = await sales.call('update_report_widgets', { report: report.code, operations: [{ op: 'add', widget: PHONES }] })
    expect(changed.deliverySuspended).toBe('contentChanged')
    expect((await read(report.code)).delivery).toMatchObject({ state: 'suspended', suspendedReason: 'contentChanged', next: [] })
    await moveTo('2026-11-02T07:00:30Z')
    expect(await sendDue(report.code)).toBe(4)
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('sends only the latest missed delivery of a report after an outage', async () => {
    const { report } = await design()
    await moveTo('2026-11-09T12:00:00Z')
    expect(await sendDue(report.code)).toBe(1)
    expect((await read(report.code)).delivery).toMatchObject({
      lastAt: '2026-10-19T06:00:00.000Z',
      next: ['2026-11-16T07:00:00.000Z', expect.any(String), expect.any(String)],
    })
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('sends a delivery once if two workers find it due concurrently', async () => {
    const { report } = await design()
    await moveTo('2026-10-19T06:00:30Z')
    await Promise.all([runTask(), runTask()])
    const runs = await query('select source_key from report_runs where report_code = $1', [report.code])
    expect(runs).toEqual([{ source_key: `delivery ${report.id} 2026-10-19T06:00:00.000Z` }])
    expect(await sendDue(report.code)).toBe(1)
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('follows the time zone of the event, and sends no delivery twice on one day', async () => {
    const { report } = await design()
    const moveEvent = (timezone: string) => sales.call('update_event', { timezone })
    await moveEvent('America/New_York')
    const inNewYork = ['2026-10-19T12:00:00.000Z', '2026-10-26T12:00:00.000Z', '2026-11-02T13:00:00.000Z']
    expect((await read(report.code)).delivery.next).toEqual(inNewYork)
    await moveTo('2026-10-19T06:00:30Z')
    expect(await sendDue(report.code)).toBe(0)
    await moveTo('2026-10-19T12:00:30Z')
    expect(await sendDue(report.code)).toBe(1)
    await moveTo('2026-10-26T12:00:30Z')
    expect(await sendDue(report.code)).toBe(2)
    // In Honolulu it is still Monday before 8:00, but the delivery of this Monday was sent.
    await moveEvent('Pacific/Honolulu')
    expect(await sendDue(report.code)).toBe(2)
    expect((await read(report.code)).delivery.next[0]).toBe('2026-11-02T18:00:00.000Z')
    await moveTo('2026-10-26T18:00:30Z')
    expect(await sendDue(report.code)).toBe(2)
    // On Monday at 9:00 in Paris, the delivery of 8:00 is sent at once.
    await moveTo('2026-11-02T08:00:00Z')
    await moveEvent('Europe/Paris')
    expect(await sendDue(report.code)).toBe(3)
    expect((await read(report.code)).delivery).toMatchObject({ lastAt: '2026-11-02T07:00:00.000Z' })
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('emails a report without rows, with the header of its table', async () => {
    await moveTo('2026-10-14T10:00:00Z')
    const empty = { type: 'table', query: { entity: 'session', fields: ['code', 'title'] } }
    const { report } = await design({ widgets: [empty] })
    await moveTo('2026-10-19T06:00:30Z')
    expect(await sendDue(report.code)).toBe(1)
    const [run] = await query('select status, rows::int, bytes::int from report_runs where report_code = $1', [report.code])
    expect(run).toMatchObject({ status: 'done', rows: 0 })
    expect(run.bytes).toBeGreaterThan('code,title'.length)
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('stops sending a report after the last day of its delivery', async () => {
    const { report } = await design({ delivery: weekly({ until: '2026-10-20' }) })
    await moveTo('2026-10-19T06:00:30Z')
    expect(await sendDue(report.code)).toBe(1)
    expect((await read(report.code)).delivery).toMatchObject({ state: 'ended', next: [] })
    await moveTo('2026-10-14T10:00:00Z')
  })

  it.each([
    ['no last day', { until: undefined }, 'delivery/until'],
    ['a last day more than a year away', { until: '2027-10-15' }, 'delivery/until'],
    ['a last day in the past', { until: '2026-10-13' }, 'delivery/until'],
    ['a last day before the first time', { until: '2026-10-16' }, 'delivery/until'],
    ['a week without a weekday', { weekday: undefined }, 'delivery/weekday'],
    ['a month with a weekday', { every: 'month', monthDay: 1 }, 'delivery/weekday'],
  ])('refuses the schedule of a report with %s', async (_, delivery, path) => {
    const refusal = await sales.refused('design_report', { name: 'x', widgets: WIDGETS, delivery: weekly(delivery), dryRun: true })
    expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path }] })
  })

  it('refuses to schedule a report if one of its required parameters has no default', async () => {
    const parameters = [{ name: 'flow', type: 'code', required: true }]
    expect(
      await sales.refused('design_report', { name: 'x', parameters, widgets: WIDGETS, delivery: weekly(), dryRun: true }),
    ).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('flow'),
    })
  })

  it('requires design_report to confirm a delivery again after the content of the report changed', async () => {
    const { report } = await design()
    await sales.call('update_report_widgets', { report: report.code, operations: [{ op: 'remove', widgetId: 'w2' }] })
    expect((await read(report.code)).delivery.state).toBe('suspended')
    expect(await sales.refused('design_report', { report: report.code, delivery: weekly() })).toMatchObject({ code: 'precondition_failed' })
    await sales.callConfirmed('design_report', { report: report.code, delivery: weekly() })
    expect((await read(report.code)).delivery.state).toBe('active')
    await sales.call('design_report', { report: report.code, delivery: null })
    expect(await read(report.code)).not.toHaveProperty('delivery')
  })

  it('suspends the delivery of personal data when the user who saved it loses personal.export', async () => {
    const saver = await sales.world.organizer({ at: sales.event, role: 'manager' })
    const here = { eventCode: sales.event.eventCode }
    const save = async (widgets: object[]) => {
      const args = { ...here, name: `Of a manager ${++made}`, widgets, delivery: weekly() }
      const { confirmToken } = await saver.call('design_report', { ...args, dryRun: true })
      return (await saver.call('design_report', { ...args, confirmToken })).report.code as string
    }
    const [personal, open] = [await save([PHONES]), await save([WIDGETS[1]!])]
    await runTask(new Date('2026-10-14T11:00:00Z'))
    expect([(await read(personal)).delivery.state, (await read(open)).delivery.state]).toEqual(['active', 'active'])
    // Managers of exhibits may send emails and see personal data, but not export it.
    await query(`update memberships set role = 'exhibits' where user_id = $1`, [saver.userId])
    await runTask(new Date('2026-10-14T12:00:00Z'))
    expect((await read(personal)).delivery).toMatchObject({ state: 'suspended', suspendedReason: 'permissionsChanged' })
    expect((await read(open)).delivery.state).toBe('active')
  })

  it('suspends a report delivery if one of its queries is refused, and sends the other deliveries', async () => {
    const saver = await sales.world.organizer({ at: sales.event, role: 'manager' })
    const args = { eventCode: sales.event.eventCode, name: 'Of a marketer', widgets: [PHONES], delivery: weekly() }
    const { confirmToken } = await saver.call('design_report', { ...args, dryRun: true })
    const { report: refused } = await saver.call('design_report', { ...args, confirmToken })
    const { report: broken } = await design()
    const { report: good } = await design()
    // Marketers may send emails, but not see personal data.
    await query(`update memberships set role = 'marketer' where user_id = $1`, [saver.userId])
    await query(`update reports set widgets = jsonb_set(widgets, '{1,query,groupBy}', '["custom.removed"]') where id = $1`, [broken.id])
    await moveTo('2026-10-19T06:00:30Z')
    expect(await sendDue(good.code)).toBe(1)
    const states = await query('select suspended_reason from report_deliveries where id = any($1) order by id', [[refused.id, broken.id]])
    expect(states).toEqual([{ suspended_reason: 'permissionsChanged' }, { suspended_reason: 'reportFails' }])
    expect([await countEmails(refused.code), await countEmails(broken.code)]).toEqual([0, 0])
    await moveTo('2026-10-14T10:00:00Z')
  })

  it('suspends a report delivery if a recipient may no longer read one of its fields', async () => {
    const reader = await sales.world.organizer({ at: sales.event, role: 'manager' })
    const { report } = await design({ widgets: [PHONES], delivery: weekly({ recipients: [reader.email] }) })
    await query(`update memberships set role = 'program' where user_id = $1`, [reader.userId])
    await runTask(new Date('2026-10-14T12:00:00Z'))
    expect((await read(report.code)).delivery).toMatchObject({ state: 'suspended', suspendedReason: 'recipientNotAllowed' })
  })

  it('ends the delivery of a report when the report is archived', async () => {
    const { report } = await design()
    expect(await sales.call('design_report', { report: report.code, archive: true })).toMatchObject({
      report: { delivery: { state: 'ended' } },
    })
  })

  it('suspends the delivery of a report when the event is archived', async () => {
    const { report } = await design()
    await query(`update events set status = 'archived' where id = $1`, [sales.event.eventId])
    try {
      await runTask(new Date('2026-10-14T12:00:00Z'))
      expect(await query('select state, suspended_reason from report_deliveries where id = $1', [report.id])).toEqual([
        { state: 'suspended', suspended_reason: 'eventArchived' },
      ])
    } finally {
      await query(`update events set status = 'published' where id = $1`, [sales.event.eventId])
    }
  })
})
