import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoScenario, openDemoScenario, SUMMIT_CODES } from '../../scripts/docs/demo-scenario.ts'
import { QUERY_ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import { sendReportDeliveries } from '../../src/domains/reports/designed/deliveries/task.ts'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import { STANDARD_REPORTS } from '../../src/domains/reports/standard/index.ts'
import type { Role } from '../../src/kernel/permissions.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { type CanaryKind, findCanaries, plantCanaries } from '../support/canaries.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { chooseForSoak, soakSample } from '../support/soak.ts'
import { createRegistrationFixtures } from '../support/registrations.ts'
import type { ClientHandle, OrganizerHandle } from '../support/world.ts'

const HERE = { eventCode: SUMMIT_CODES.eventCode }
const FORMATS = ['csv', 'xlsx', 'pdf', 'html'] as const
type FileFormat = (typeof FORMATS)[number] | 'zip'
const OUTSIDE = 'board@partner.example'
/** Fields that need personal.read or registration.read, in one table of a designed report. */
const WIDGETS = [
  { type: 'table', title: 'People', query: { entity: 'participant', fields: ['status', 'name', 'mobilePhone', 'dietary'] } },
  { type: 'chart', title: 'Titles', query: { chart: 'bar', entity: 'participant', groupBy: ['prefix'], aggregates: ['count'] } },
]

let demo: DemoScenario
let planted: Map<CanaryKind, string[]>
let event: { id: string; tenantId: number; clientId: string }
let lastAudit: string
let answers: string[]
const organizers = new Map<Role, OrganizerHandle>()
beforeAll(async () => {
  demo = await openDemoScenario()
  const { world } = demo
  const { rows } = await world.database.pool.query<typeof event>(
    `select e.id, e.tenant_id as "tenantId", e.client_id as "clientId" from events e where e.code = $1`,
    [HERE.eventCode],
  )
  event = rows[0]!
  const at = { ...SUMMIT_CODES, tenantId: event.tenantId, clientId: event.clientId }
  for (const role of ['admin', 'registrar', 'finance', 'marketer', 'sourcing', 'analyst'] as const)
    organizers.set(role, await world.organizer({ role, at, email: `${role}@canary.example`, name: `The ${role}` }))
  await world.database.pool.query('update clients set report_recipients = $1 where id = $2', [[OUTSIDE], event.clientId])
  await registerForeigners(at)
  planted = await plantCanaries(world.database.pool, event.id)
  answers = await plantAnswers()
  await plantPaymentReference()
  lastAudit = (await query<{ id: string }>('select max(id) as id from audit_entries'))[0]!.id
})
afterAll(() => demo.end())

/** People at another event of the client and at an event of another tenant. */
async function registerForeigners(at: ClientHandle): Promise<void> {
  const { world } = demo
  for (const client of [at, await world.client({ tenant: 'other' })])
    await createRegistrationFixtures(world, await world.event({ at: client })).person({
      mobile_phone: '+4915112345678',
      company: 'Elsewhere',
    })
}

/** Plants words in the answers to the event's own questions that need personal.read. Returns the fields. */
async function plantAnswers(): Promise<string[]> {
  const { fields } = await organizers.get('admin')!.call('describe_data', { ...HERE, entity: 'participant' })
  const paths: string[] = fields
    .filter(({ path, type, class: of }: any) => path.startsWith('custom.') && type === 'text' && of !== 'open')
    .map(({ path }: any) => path)
  for (const [at, path] of paths.entries())
    await query(
      `update participants set custom_field_responses = custom_field_responses || jsonb_build_object($1::text, $2::text)
       where ctid in (select ctid from participants where event_id = $3 and status = 'complete' limit 4)`,
      [path.slice('custom.'.length), `zqp${900 + at}k`, event.id],
    )
  return paths
}

/** Payments are never changed, so a new payment contains the word. */
async function plantPaymentReference(): Promise<void> {
  const [order] = await query<{ number: string }>(
    `select o.number from orders o where o.event_id = $1 and o.balance > 100 and not o.is_test_data limit 1`,
    [event.id],
  )
  const amount = { amount: '1.00', currency: 'EUR' }
  await organizers.get('admin')!.call('record_manual_payment', {
    ...HERE,
    kind: 'payment',
    method: 'bank',
    reference: 'zqp999k',
    orderNumber: order!.number,
    amount,
  })
}

const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await demo.world.database.pool.query(text, values)).rows as T[]

/** Records everything that an organizer with a role receives: texts of answers, pictures and files. */
class Reader {
  readonly #found = new Map<CanaryKind, Map<string, string>>()
  readonly #who: OrganizerHandle
  /** The text of the last refusal; null if the last call succeeded. */
  refusal: string | null = null

  constructor(role: Role) {
    this.#who = organizers.get(role)!
  }

  see(where: string, text: string): void {
    for (const [kind, words] of findCanaries(text)) {
      const places = this.#found.get(kind) ?? new Map<string, string>()
      this.#found.set(kind, places)
      for (const word of words) if (!places.has(word)) places.set(word, where)
    }
  }

  /** The planted words of these kinds that were seen, with the place where each was seen first. */
  seen(...kinds: CanaryKind[]): string[] {
    return kinds.flatMap((kind) => [...(this.#found.get(kind) ?? [])].map(([word, where]) => `${word} in ${where}`))
  }

  /** Calls a tool, searches the whole answer for planted words, and returns the result; null if the call was refused. */
  async call(tool: string, args: object): Promise<any> {
    const answer = await this.#who.answer(tool, { ...HERE, ...args })
    this.see(`${tool} ${JSON.stringify(args).slice(0, 160)}`, JSON.stringify(answer))
    this.refusal = answer.isError ? answer.content[0]!.text! : null
    return answer.isError ? null : answer.structuredContent
  }

  async confirmed(tool: string, args: object): Promise<any> {
    const preview = await this.call(tool, { ...args, dryRun: true })
    return preview && this.call(tool, { ...args, ...(preview.confirmToken ? { confirmToken: preview.confirmToken } : {}) })
  }

  /** Runs a report or an export into a file, searches its text for planted words, and returns whether there is a file. */
  async readFile(tool: string, args: object, format: FileFormat): Promise<boolean> {
    const run = await this.confirmed(tool, args)
    if (!run) return false
    if (run.jobId) await demo.run(runReportJob, run.jobId)
    const [stored] = await query<{ file_id: string | null; file_name: string }>(
      'select file_id, file_name from report_runs where id = $1',
      [run.runId],
    )
    if (!stored?.file_id) return false
    const content = await demo.world.services.files.open(`${event.tenantId}/${stored.file_id}`)
    const bytes = Buffer.concat(await content!.toArray())
    this.see(`${tool} ${JSON.stringify(args)} file`, `${stored.file_name}\n${await readText(bytes, format)}`)
    return true
  }
}

/** The text of a file as its reader sees it. CSV files with several tables are archives. */
async function readText(bytes: Buffer, format: FileFormat): Promise<string> {
  if (format === 'pdf') return readPdfText(bytes)
  if (bytes.subarray(0, 2).toString() !== 'PK') return bytes.toString('utf8')
  const zip = await JSZip.loadAsync(bytes)
  return (await Promise.all(Object.values(zip.files).map(async (file) => `${file.name}\n${await file.async('string')}`))).join('\n')
}

/** Values of the required parameters, by report. */
async function valuesOf(code: string): Promise<Record<string, string>> {
  const [hotel] = await query<{ code: string }>('select code from event_hotels where event_id = $1 limit 1', [event.id])
  const [flow] = await query<{ slug: string }>('select flow_slug as slug from participants where event_id = $1 limit 1', [event.id])
  const [other] = await query<{ code: string }>('select code from events where client_id = $1 and id <> $2 limit 1', [
    event.clientId,
    event.id,
  ])
  const [survey] = await query<{ code: string }>('select survey_code as code from survey_invites where event_id = $1 limit 1', [event.id])
  const known: Record<string, Record<string, string>> = {
    'flow-funnel': { flowSlug: flow!.slug },
    'rooming-list': { hotelCode: hotel!.code },
    'registration-pace': { compareWith: other!.code },
    'survey-summary': { surveyCode: survey?.code ?? 'after' },
  }
  return known[code] ?? {}
}

/** Runs every report as rows and in one of the formats, in a soak run in all. Returns the number of files. */
async function runEveryReport(reader: Reader): Promise<number> {
  let files = 0
  for (const [at, code] of [...STANDARD_REPORTS.keys()].entries()) {
    const args = { report: code, parameters: await valuesOf(code) }
    await reader.call('run_report', { ...args, limit: 1000 })
    for (const format of chooseForSoak<readonly (typeof FORMATS)[number][]>(FORMATS, at % 2 ? ['csv'] : [FORMATS[1 + ((at / 2) % 3)]!]))
      if (await reader.readFile('run_report', { ...args, format }, format)) files++
  }
  return files
}

/** Queries every field of the dictionary in every role that a field can have in a query, and draws charts. */
async function queryEverything(reader: Reader, { draws = true } = {}): Promise<void> {
  for (const { name, fields } of QUERY_ENTITIES.values()) {
    const described = await reader.call('describe_data', { entity: name })
    const allowed: string[] = described?.fields.flatMap((field: any) => (field.allowed ? [field.path] : [])) ?? []
    for (let from = 0; from < allowed.length; from += 40)
      await reader.call('query_data', { entity: name, fields: allowed.slice(from, from + 40), limit: 1000 })
    for (const path of draws ? soakSample(allowed, 20) : [])
      await reader.call('plot_data', { entity: name, groupBy: [path], aggregates: ['count'], chart: 'bar', format: 'svg' })
    for (const [path, { class: of = 'open' }] of Object.entries(fields)) {
      if (of === 'open' || (described && allowed.includes(path))) continue
      await reader.call('query_data', { entity: name, fields: [path] })
      for (const use of soakSample([{ groupBy: [path] }, { aggregates: [`max(${path})`] }, { groupBy: ['id'], orderBy: [path] }], 2))
        await reader.call('query_data', { entity: name, ...use })
    }
    if (!draws) continue
    for (const [path] of soakSample(
      Object.entries(fields).filter(([, { class: of = 'open' }]) => of !== 'open'),
      5,
    ))
      await reader.call('plot_data', { entity: name, groupBy: [path], aggregates: ['count'], chart: 'bar', format: 'svg' })
  }
}

describe('unique words planted in fields that a role may not read', () => {
  it('control: plants test words in names, personal answers, secrets, other events and other tenants', () => {
    expect(planted.get('identity')).toEqual(expect.arrayContaining(['participants.last_name', 'companies.contact_name', 'speakers.email']))
    expect(planted.get('personal')).toEqual(
      expect.arrayContaining(['participants.mobile_phone', 'participants.dietary', 'reservations.requests', 'leads.notes']),
    )
    expect(answers.length).toBeGreaterThan(0)
    expect(planted.get('secret')).toEqual(expect.arrayContaining(['managed_groups.join_code']))
    expect(planted.get('foreign')).toEqual(expect.arrayContaining(['participants.last_name']))
  })

  it('shows an analyst no planted test word of personal data in a result, chart or file', async () => {
    const analyst = new Reader('analyst')
    await queryEverything(analyst)
    expect(await runEveryReport(analyst)).toBeGreaterThan(30)
    expect(analyst.seen('personal', 'secret', 'foreign')).toEqual([])
    expect(analyst.seen('identity').length).toBeGreaterThan(5)
  })

  it('shows no planted test word in a result or file to a role that may not read registrations', async () => {
    const sourcing = new Reader('sourcing')
    await queryEverything(sourcing)
    await runEveryReport(sourcing)
    expect(sourcing.seen('identity', 'personal', 'secret', 'foreign')).toEqual([])
  })

  it('shows no planted test word of personal data in a file to a role without the export permission', async () => {
    const finance = new Reader('finance')
    for (const code of STANDARD_REPORTS.keys())
      for (const format of ['csv', 'html'] as const)
        await finance.readFile('run_report', { report: code, parameters: await valuesOf(code), format }, format)
    expect(finance.seen('personal', 'secret', 'foreign')).toEqual([])
    await finance.call('run_report', { report: 'participant-list' })
    await finance.call('query_data', { entity: 'participant', fields: ['mobilePhone'] })
    expect(finance.seen('personal').length).toBeGreaterThan(0)
  })

  it('shows an administrator planted test words of personal data, but none of secrets or other events', async () => {
    for (const format of FORMATS) {
      const admin = new Reader('admin')
      await admin.readFile('run_report', { report: 'dietary-and-access', format }, format)
      expect([format, admin.seen('personal').length > 0, admin.seen('identity').length > 0]).toEqual([format, true, true])
    }
    const admin = new Reader('admin')
    await queryEverything(admin, { draws: false })
    await runEveryReport(admin)
    expect(admin.seen('personal').length).toBeGreaterThan(20)
    expect(admin.seen('personal').join()).toMatch(/zqp900k.*zqp999k|zqp999k.*zqp900k/)
    expect(admin.seen('secret', 'foreign')).toEqual([])
  })

  it('shows planted test words in a designed report only to users who may read its fields', async () => {
    const admin = new Reader('admin')
    const designed = await admin.confirmed('design_report', { name: 'People', visibility: 'event', widgets: WIDGETS })
    expect(admin.refusal).toBeNull()
    const { report } = designed
    for (const role of ['analyst', 'marketer'] as const) {
      const reader = new Reader(role)
      await reader.call('get_report', { report: report.code })
      await reader.call('run_report', { report: report.code })
      for (const format of FORMATS) await reader.readFile('run_report', { report: report.code, format }, format)
      expect(reader.seen('personal', 'secret', 'foreign')).toEqual([])
    }
    for (const format of FORMATS) {
      const reader = new Reader('admin')
      await reader.readFile('run_report', { report: report.code, format }, format)
      expect([format, reader.seen('personal').length]).toEqual([format, expect.any(Number)])
      expect(reader.seen('personal').length).toBeGreaterThan(0)
    }
  })

  it('exports planted test words of personal data only if the personalData option of the export allows it', async () => {
    const analyst = new Reader('analyst')
    expect(await analyst.readFile('export_event', { personalData: 'none' }, 'zip')).toBe(true)
    expect(analyst.seen('identity', 'personal', 'secret', 'foreign')).toEqual([])
    const registrar = new Reader('registrar')
    expect(await registrar.readFile('export_event', { personalData: 'identity' }, 'zip')).toBe(true)
    expect(registrar.seen('personal', 'secret', 'foreign')).toEqual([])
    expect(registrar.seen('identity').length).toBeGreaterThan(5)
    expect(await registrar.readFile('export_event', { personalData: 'full' }, 'zip')).toBe(true)
    expect(registrar.seen('personal').length).toBeGreaterThan(10)
    expect(registrar.seen('secret', 'foreign')).toEqual([])
  })

  it('writes no planted test word to a delivery email, audit entry, job, stored run or log line', async () => {
    const admin = new Reader('admin')
    await admin.confirmed('run_report', { report: 'participant-list', format: 'csv', recipients: [OUTSIDE] })
    const delivery = { recipients: [OUTSIDE], format: 'csv', every: 'day', at: '08:00', until: '2027-06-30' }
    await admin.confirmed('design_report', { name: 'Daily people', widgets: WIDGETS, delivery })
    expect(admin.refusal).toBeNull()
    await demo.world.clock.stopAt('2027-01-16T12:00:00Z')
    await sendReportDeliveries.run(
      createRecurringTaskContext(demo.world.services, sendReportDeliveries.name, new Date('2027-01-16T12:00:00Z')),
    )
    const jobs = await query<{ id: string }>(`select id from jobs where name = $1 and status = 'queued'`, [runReportJob.name])
    expect(jobs).toHaveLength(2)
    for (const { id } of jobs) await demo.run(runReportJob, id)
    const reportEmails = `select * from messages where source_kind = 'reportRun'`
    expect(await query(reportEmails)).toHaveLength(2)
    const stored: Record<string, string> = {
      emails: reportEmails,
      attachments: `select convert_from(a.bytes, 'UTF8') from message_attachments a join (${reportEmails}) m on m.id = a.message_id`,
      audit: `select * from audit_entries where id > '${lastAudit}'`,
      jobs: 'select * from jobs',
      queue: 'select data, output from pgboss.job',
      runs: 'select * from report_runs',
      reports: 'select * from reports',
    }
    const records = new Reader('admin')
    for (const [name, text] of Object.entries(stored)) records.see(name, JSON.stringify(await query(text)))
    records.see('log', demo.world.logged.join('\n'))
    expect(records.seen('identity', 'personal', 'secret', 'foreign')).toEqual([])
    expect((await query(stored['audit']!)).length).toBeGreaterThan(10)
  })
})
