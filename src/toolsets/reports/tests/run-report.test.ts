import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import type { OrganizerHandle } from '../../../../test/support/world.ts'
import { setStaffRole } from '../../../domains/access/users.ts'
import { runsScenario } from './runs.ts'

const desk = runsScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const REPORT = { report: 'revenue-by-product' }

beforeEach(async () => {
  const anna = await desk.person({ first_name: '=HYPERLINK("https://evil.example","x")', last_name: 'Berg', flow_slug: 'attendee' })
  await desk.buys(anna, [
    { product: 'pass', net: 63750, tax: 12750 },
    { product: 'dinner', net: 16182, tax: 1618 },
  ])
})

describe('run_report', () => {
  it('returns report rows with totals and checks as JSON, and stores no file', async () => {
    const result = await desk.call('run_report', REPORT)
    expect(result.rows.map((row: any) => row.net)).toEqual([euros('637.50'), euros('161.82')])
    expect(result.totals.net).toEqual(euros('799.32'))
    expect(result.checks.every((check: any) => check.ok)).toBe(true)
    expect(result.nextCursor).toBeNull()
    expect((await desk.call('get_report', REPORT)).runs).toEqual([])
  })

  it('notes that a report has no rows because its feature is not built yet', async () => {
    expect(await desk.call('run_report', { report: 'upsell-performance' })).toMatchObject({ rows: [], note: 'Not built yet.' })
    expect(await desk.call('run_report', REPORT)).not.toHaveProperty('note')
  })

  it('counts the emails of each kind in the report email-performance like the email metrics', async () => {
    await desk.world.database.pool.query(
      `insert into messages (tenant_id, id, event_id, source_kind, source_id, recipient_key, category, email_code, to_address, subject, text_body, status, message_id_header, sent_at, is_test_data)
       select $1, lpad(n::text, 24, '0'), $2, 'test', n::text, 'r', k.category, k.code, 'a@example.org', 's', 't', k.status, 'm' || n,
         case when k.status <> 'queued' then '2027-03-01T10:00:00Z'::timestamptz end, k.test
       from (values (1, 'transactional', 'confirmation', 'sent', false), (2, 'transactional', 'confirmation', 'bounced', false), (3, 'transactional', 'confirmation', 'queued', false),
         (4, 'operational', 'reminder', 'complained', false), (5, 'operational', 'reminder', 'sent', true), (6, 'signin.code', 'code', 'sent', false)) k(n, category, code, status, test)`,
      [desk.event.tenantId, desk.event.eventId],
    )
    const { rows, totals, checks } = await desk.call('run_report', { report: 'email-performance' })
    expect(rows).toMatchObject([
      { email: 'confirmation', sent: 2, delivered: 1, bounced: 1, complaints: 0, openRate: null },
      { email: 'reminder', sent: 1, delivered: 1, bounced: 0, complaints: 1 },
    ])
    const codes = ['sent', 'delivered', 'bounced', 'complaints', 'complaintRate'].map((name) => `email.${name}`)
    expect((await desk.call('query_data', { metrics: codes })).rows[0]).toEqual({
      'email.sent': 3,
      'email.delivered': 2,
      'email.bounced': 1,
      'email.complaints': 1,
      'email.complaintRate': 50,
    })
    expect(totals).toMatchObject({ sent: 3, delivered: 2, bounced: 1, complaints: 1 })
    expect(checks).toHaveLength(4)
    expect(checks.filter((check: any) => !check.ok)).toEqual([])
  })

  it('limits the report waitlists to a flow, tags and days, and keeps each rank in the whole queue', async () => {
    const people = [{ flow_slug: 'attendee' }, { flow_slug: 'speaker', tags: ['vip'] }, { flow_slug: 'attendee', tags: ['vip'] }]
    for (const [n, more] of people.entries())
      await desk.waits(await desk.person({ first_name: 'Waiting', last_name: `Person ${n}`, ...more }), 'product:pass')
    const list = async (parameters: object) =>
      (await desk.call('run_report', { report: 'waitlists', parameters })).rows.map(({ name, rank }: any) => [name, rank])
    expect(await list({})).toEqual([0, 1, 2].map((n) => [`Waiting Person ${n}`, n + 1]))
    expect(await list({ flowSlug: 'speaker' })).toEqual([['Waiting Person 1', 2]])
    expect(await list({ tags: ['vip'], flowSlug: 'attendee' })).toEqual([['Waiting Person 2', 3]])
    expect(await list({ until: '2001-01-01' })).toEqual([])
  })

  it('counts the days on a waiting list in the time zone of the event, as query_data does', async () => {
    await desk.waits(await desk.person({ flow_slug: 'attendee' }), 'product:pass')
    const waitDays = async (joined: string) => {
      await desk.world.database.pool.query(
        `update waitlist_entries set joined_at = ((lanyard_now() at time zone 'Europe/Paris')::date + $1::interval) at time zone 'Europe/Paris'`,
        [joined],
      )
      const { rows } = await desk.call('query_data', { entity: 'waitlistEntry', fields: ['waitDays'] })
      const report = await desk.call('run_report', { report: 'waitlists' })
      return [rows[0].waitDays, report.rows[0].waitDays]
    }
    expect(await waitDays('-2 days 23:59')).toEqual([2, 2])
    expect(await waitDays('-1 days -00:01')).toEqual([2, 2])
    expect(await waitDays('00:00')).toEqual([0, 0])
  })

  it('pages through all tables of a designed report, each row once', async () => {
    for (const name of ['Bob', 'Cleo']) await desk.person({ last_name: name, flow_slug: 'attendee' })
    const table = (fields: string[]) => ({ type: 'table', title: fields.join(), query: { entity: 'participant', fields } })
    const { report } = await desk.call('design_report', {
      name: 'Two tables',
      widgets: [
        { type: 'text', markdown: 'People' },
        table(['email', 'status']),
        { type: 'chart', title: 'By status', query: { chart: 'bar', entity: 'participant', groupBy: ['status'], aggregates: ['count'] } },
        table(['lastName']),
      ],
    })
    const all = await desk.call('run_report', { report: report.code })
    expect(all).toMatchObject({ nextCursor: null, widgets: [{ text: 'People' }, {}, {}, {}] })
    const seen = new Map<string, unknown[]>()
    const pages: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await desk.call('run_report', { report: report.code, limit: 1, ...(cursor ? { cursor } : {}) })
      for (const { id, rows = [] } of page.widgets) seen.set(id, [...(seen.get(id) ?? []), ...rows])
      pages.push(page.widgets.map(({ id }: { id: string }) => id))
      cursor = page.nextCursor
    }
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(all.widgets.map((one: any) => [one.id, one.rows ?? []])))
    // Later pages have only the tables with more rows.
    expect(pages.length).toBeGreaterThan(2)
    expect(pages[0]).toHaveLength(4)
    expect(pages.at(-1)).toEqual([all.widgets[1].id, all.widgets[3].id])
  })

  it('pages through the rows of a report and refuses a page cursor of another report', async () => {
    const first = await desk.call('run_report', { ...REPORT, limit: 1 })
    const second = await desk.call('run_report', { ...REPORT, limit: 1, cursor: first.nextCursor })
    expect([...first.rows, ...second.rows]).toHaveLength(2)
    expect(second.nextCursor).toBeNull()
    expect(second.totals).toEqual(first.totals)
    const refused = await desk.refused('run_report', { report: 'tax-report', cursor: first.nextCursor })
    expect(refused.code).toBe('invalid_arguments')
  })

  it('returns every report row once when rows are added and removed between two pages', async () => {
    const addPerson = (name: string) => desk.person({ first_name: name, last_name: `L${name}`, flow_slug: 'attendee' })
    const people = new Map<string, string>()
    for (const name of 'DEFGHI') people.set(name, await addPerson(name))
    const list = (cursor?: string) => desk.call('run_report', { report: 'participant-list', limit: 3, ...(cursor ? { cursor } : {}) })
    const first = await list()
    await addPerson('A')
    await desk.world.database.pool.query(`update participants set last_name = 'Zz' where id = $1`, [people.get('D')])
    await addPerson('H2')
    const names = first.rows.map((row: any) => row.name)
    for (let page = first; page.nextCursor !== null;) {
      page = await list(page.nextCursor)
      names.push(...page.rows.map((row: any) => row.name))
    }
    expect(names.slice(1)).toEqual(['D LD', 'E LE', 'F LF', 'G LG', 'H LH', 'H2 LH2', 'I LI', 'D Zz'])
  })

  it('writes a small CSV file during the call, and returns a hash that matches the stored bytes', async () => {
    const { runId, status, file, jobId } = await desk.call('run_report', { ...REPORT, format: 'csv' })
    expect([status, jobId]).toEqual(['done', undefined])
    expect(file.url).toContain(`/reports/runs/${runId}/file`)
    const { run } = await desk.call('get_report', { runId })
    const bytes = (await desk.bytesOf(runId))!
    expect(run).toMatchObject({ status: 'done', rows: 2, bytes: bytes.length, sha256: sha256(bytes), containsPersonal: false })
    expect(bytes.toString('utf8')).toContain('637.50,EUR')
  })

  it.each(['xlsx', 'pdf', 'html'])('writes a file of type %s in a background job that shows its progress', async (format) => {
    const { runId, jobId, status } = await desk.call('run_report', { ...REPORT, format })
    expect(status).toBe('queued')
    expect((await desk.call('get_report', { runId })).run).toMatchObject({ status: 'queued', progress: { done: 0 } })
    await desk.work(jobId)
    const { run } = await desk.call('get_report', { runId })
    expect(run).toMatchObject({ status: 'done', rows: 2, sha256: sha256((await desk.bytesOf(runId))!) })
    expect(run.totals[0].totals.net).toEqual(euros('799.32'))
  })

  it("writes the whole file of a standard report in English, in the variant of the caller's region", async () => {
    const html = async (locale: string) => {
      const { runId, jobId } = await desk.call('run_report', { ...REPORT, format: 'html', locale })
      await desk.work(jobId)
      return (await desk.bytesOf(runId))!.toString('utf8')
    }
    const [german, british] = [await html('de'), await html('en-GB')]
    expect(german).toContain('<html lang="en"')
    for (const text of ['Figures as of', '637.50']) expect(german).toContain(text)
    expect(german).not.toContain('Stand der Zahlen')
    expect(british).toContain('<html lang="en-GB"')
  })

  it.each([
    ['message', { message: 'Hello' }],
    ['limit', { format: 'csv', limit: 5 }],
    ['cursor', { format: 'xlsx', cursor: 'next' }],
    ['limit', { recipients: ['a@example.org'], limit: 5 }],
  ])('refuses the argument %s where it would have no effect: %j', async (path, args) => {
    expect(await desk.refused('run_report', { ...REPORT, ...args })).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path }],
    })
  })

  it('refuses unknown reports, unknown parameters and both or neither of report and runId', async () => {
    expect(await desk.refused('run_report', { report: 'revenue-by-prodct' })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('revenue-by-product'),
    })
    const wrong = await desk.refused('run_report', { ...REPORT, parameters: { from: 'soon', unti: '2026-01-01' } })
    expect(wrong.fields!.map(({ path }) => path).toSorted()).toEqual(['parameters/from', 'parameters/unti'])
    expect((await desk.refused('get_report', {})).code).toBe('invalid_arguments')
    expect((await desk.refused('get_report', { ...REPORT, runId: '0'.repeat(24) })).code).toBe('invalid_arguments')
    expect((await desk.refused('get_report', { runId: '0'.repeat(24) })).code).toBe('not_found')
  })

  it('emails a report file without personal data once as an attachment, even if the job is repeated', async () => {
    const boss = await desk.colleague('manager')
    const { jobId, queued, skipped, runId } = await desk.call('run_report', {
      ...REPORT,
      format: 'xlsx',
      recipients: [boss.email, 'stranger@example.org'],
      message: 'For the board',
    })
    expect([queued, skipped]).toEqual([1, [{ reason: 'not_allowed', count: 1 }]])
    await desk.work(jobId)
    await desk.world.database.write.updateTable('jobs').set({ status: 'queued' }).where('id', '=', jobId).execute()
    await desk.work(jobId)
    const emails = (await desk.emails()).filter(({ code }) => code === 'report')
    expect(emails).toMatchObject([{ to: boss.email, attachments: 1 }])
    expect(emails[0]!.text).toContain('For the board')
    expect((await desk.call('get_report', { runId })).run.recipients).toEqual([{ email: boss.email, status: 'queued' }])
  })

  it('refuses to email a report without a permitted recipient, and accepts an external address from the client settings', async () => {
    const asked = { ...REPORT, format: 'csv', recipients: ['board@partner.example'] }
    expect((await desk.refused('run_report', asked)).code).toBe('precondition_failed')
    await desk.olga.call('update_client', { clientCode: desk.event.clientCode, reportRecipients: ['board@partner.example'] })
    const preview = await desk.call('run_report', { ...asked, dryRun: true })
    expect(preview).toMatchObject({
      rowCount: 2,
      recipients: [{ email: 'board@partner.example', known: true }],
      effects: { recipients: 1 },
    })
    expect(await desk.emails()).toEqual([])
    const { jobId } = await desk.call('run_report', asked)
    await desk.work(jobId)
    expect((await desk.emails()).map(({ to }) => to)).toEqual(['board@partner.example'])
  })

  it('fails a queued report without an email if the requester loses the permission before it runs', async () => {
    const boss = await desk.colleague('manager')
    const { jobId, runId } = await boss.call('run_report', { ...REPORT, format: 'xlsx', recipients: [boss.email] })
    await desk.world.database.write.updateTable('memberships').set({ role: 'onsite' }).where('user_id', '=', boss.userId).execute()
    await desk.work(jobId)
    const { run } = await desk.call('get_report', { runId })
    expect(run).toMatchObject({ status: 'failed' })
    expect(run).not.toHaveProperty('file')
    expect(run.error).toContain('no longer has the permissions')
    expect((await desk.emails()).filter(({ code }) => code === 'report')).toEqual([])
  })

  it('compares with another event in a file only if the requester may read that event', async () => {
    const other = await desk.world.event({ at: desk.event, code: 'secret-event', name: 'Secret event' })
    const there = createRegistrationFixtures(desk.world, other)
    for (let n = 0; n < 7; n++) await there.person({ flow_slug: 'attendee' })
    const widgets = [{ type: 'figure', title: 'Complete', metrics: ['registrations.complete'], compareWith: other.eventCode }]
    const { report } = await desk.call('design_report', { name: 'Compared', widgets })
    const staff = await desk.world.organizer({ staffOf: desk.event, staffRole: 'registrar' })
    const request = () => staff.call('run_report', { eventCode: desk.event.eventCode, report: report.code, format: 'html' })
    const readFile = async ({ jobId, runId }: { jobId: string; runId: string }) => {
      await desk.work(jobId)
      return (await desk.bytesOf(runId))!.toString()
    }
    const [before, after] = [await request(), await request()]
    expect(await readFile(before)).not.toContain('Secret event')
    await setStaffRole(desk.world.database.write, {
      tenantId: other.tenantId,
      userId: staff.userId,
      eventId: other.eventId,
      role: 'registrar',
    })
    expect(await readFile(after)).toContain('compared with 7 at Secret event')
  })

  it('shows report runs only to their requester and to administrators', async () => {
    const [ana, ben] = [await desk.colleague('manager'), await desk.colleague('manager')]
    const { runId } = await ana.call('run_report', { ...REPORT, format: 'csv' })
    expect((await ana.call('get_report', { runId })).run.status).toBe('done')
    expect((await desk.call('get_report', { runId })).run.status).toBe('done')
    expect((await ben.refused('get_report', { runId })).code).toBe('not_found')
    expect((await ben.call('get_report', REPORT)).runs).toEqual([])
  })
})

describe('list_reports', () => {
  it('lists standard reports in their fixed sequence, each with its latest run', async () => {
    await desk.call('run_report', { ...REPORT, format: 'csv' })
    const { reports, total } = await desk.call('list_reports', { limit: 100 })
    expect(reports).toHaveLength(total)
    expect(reports.filter((one: any) => one.kind === 'standard')).toHaveLength(40)
    expect(reports.find((one: any) => one.code === 'revenue-by-product')).toMatchObject({
      kind: 'standard',
      lastRun: { status: 'done', format: 'csv' },
    })
    const { reports: found } = await desk.call('list_reports', { search: 'TAX' })
    expect(found.map((one: any) => one.code)).toContain('tax-report')
    const refused = await desk.refused('list_reports', { category: 'nothing' })
    expect(refused.fields![0]!.allowed!.length).toBeGreaterThan(0)
  })

  it('marks designed reports with personal columns before their first run, and omits those the user may not read', async () => {
    const design = async (name: string, widgets: object[]) => (await desk.call('design_report', { name, widgets })).report.code as string
    const phones = await design('Phones', [{ type: 'table', query: { entity: 'participant', fields: ['status', 'mobilePhone'] } }])
    const byCountry = await design('Countries', [{ type: 'chart', query: { chart: 'bar', entity: 'participant', groupBy: ['country'] } }])
    const orders = await design('Orders', [{ type: 'figure', metrics: ['money.net'] }])
    const badges = await design('Badges', [{ type: 'standard', standard: 'dietary-and-access' }])
    const mixed = await design('Mixed', [
      { type: 'figure', metrics: ['money.net'] },
      { type: 'table', query: { entity: 'rfp', fields: ['number'] } },
    ])
    const text = await design('Only text', [{ type: 'text', markdown: 'Hello' }])
    const list = async ({ call }: Pick<OrganizerHandle, 'call'>) => (await call('list_reports', { kind: 'designed', limit: 100 })).reports
    expect(new Map((await list(desk)).map((one: any) => [one.code, one.personal]))).toEqual(
      new Map([
        [badges, true],
        [byCountry, true],
        [mixed, false],
        [text, false],
        [orders, false],
        [phones, true],
      ]),
    )
    const sourcing = await desk.colleague('sourcing')
    expect((await list(sourcing)).map((one: any) => one.code)).toEqual([mixed, text])
  })

  it("omits reports of areas that the user's role may not read", async () => {
    const sourcing = await desk.colleague('sourcing')
    const { reports } = await sourcing.call('list_reports', { limit: 100 })
    expect(reports.map((one: any) => one.code)).toEqual(['housing-pickup', 'rooming-list', 'block-requests', 'survey-summary'])
    expect((await sourcing.refused('run_report', REPORT)).code).toBe('forbidden')
  })
})
