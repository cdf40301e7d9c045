import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpFiles } from '../../src/domains/files/cleanup.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

/** Work of a killed process is found after its heartbeat expired, and starts are slow on a busy machine. */
const LIMIT = 600_000
const POLL = { interval: 100, timeout: LIMIT }

/**
 * A real process is killed while it delivers a report. A lock of the test stops it at a chosen statement, so that every kill happens at a
 * known step. Requires PostgreSQL, because an embedded database would end with the process.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 during the delivery of a report', () => {
  let sink: SmtpSink
  let sale: ServedSale
  let report: { id: string; code: string }
  beforeAll(async () => {
    sink = await startSmtpSink()
    sale = await openServedSale(WORKED_EXAMPLE, { processes: 1, settings: { SMTP_URL: sink.url } })
    const args = {
      name: 'Daily figures',
      widgets: [{ type: 'figure', title: 'Complete', metrics: ['registrations.complete'] }],
      delivery: { recipients: [sale.sales.olga.email], format: 'csv', every: 'day', at: '08:00', until: '2027-06-30' },
    }
    report = (await sale.sales.callConfirmed('design_report', args)).report
  }, LIMIT)
  afterAll(async () => {
    await sale.end()
    await sink.stop()
  }, LIMIT)

  const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await sale.sales.world.database.pool.query(text, values)).rows as T[]
  /** Moves the clock past the next delivery. A process that starts afterwards finds it due immediately. */
  const becomeDue = async () => {
    await sale.sales.world.clock.advance('1 day')
    await sale.sales.world.renewTokens()
  }
  /** Moves the clock past the leases of a killed process. */
  const expireLeases = () => sale.sales.world.clock.advance('5 minutes')

  /** Starts the process, waits until it executes the statement on a locked table, and kills it there. */
  async function killAt(table: string, statement: string): Promise<void> {
    const holder = await sale.sales.world.database.pool.connect()
    try {
      await holder.query('begin')
      await holder.query(`lock table ${table} in exclusive mode`)
      await sale.start(0)
      const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`
      await expect.poll(async () => (await query(blocked, [`%${statement}%`])).length, POLL).toBe(1)
      await sale.kill(0)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  }
  const listRuns = () => query('select id, status, file_id from report_runs where report_code = $1 order by id', [report.code])
  const listMessages = () => query(`select id, status, source_id from messages where source_kind = 'reportRun' order by id`)
  const countFiles = async () => (await query(`select from files where owner_kind = 'reportRun'`)).length
  const countStoredFiles = () =>
    readdirSync(join(sale.sales.world.dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

  it(
    'sends one report email and keeps one file if the process is killed before or after the report run is done',
    { timeout: LIMIT },
    async () => {
      await becomeDue()
      await killAt('files', 'insert into "files"')
      expect(await listRuns()).toMatchObject([{ status: 'running', file_id: null }])
      expect([countStoredFiles(), await countFiles()]).toEqual([1, 0])

      await expireLeases()
      await killAt('messages', 'insert into messages')
      expect(await listRuns()).toMatchObject([{ status: 'done', file_id: expect.any(String) }])
      expect([await listMessages(), sink.receivedEmails.length]).toEqual([[], 0])

      await expireLeases()
      await sale.start(0)
      await expect.poll(async () => (await listMessages()).map(({ status }) => status), POLL).toEqual(['sent'])
      expect(sink.receivedEmails.map(({ to }) => to)).toEqual([[sale.sales.olga.email]])
      const [run, ...others] = await listRuns()
      expect(others).toEqual([])
      expect((await sale.sales.call('get_report', { runId: run.id })).run).toMatchObject({
        status: 'done',
        recipients: [{ email: sale.sales.olga.email, status: 'sent' }],
      })
      await sale.kill(0)
      // The bytes of the interrupted attempt are deleted as unclaimed after a day.
      await sale.sales.world.clock.advance('25 hours')
      const { database, services } = sale.sales.world
      await cleanUpFiles({ transact: database.transact, files: services.files })
      expect([countStoredFiles(), await countFiles()]).toEqual([1, 1])
    },
  )

  it('sends one email of a report if the process is killed after the mail server received it', { timeout: LIMIT }, async () => {
    await sale.sales.world.renewTokens()
    const before = sink.receivedEmails.length
    sink.setBehavior(() => 'silent-after')
    await sale.start(0)
    await expect.poll(() => sink.receivedEmails.length, POLL).toBe(before + 1)
    await sale.kill(0)
    expect((await listMessages()).at(-1)).toMatchObject({ status: 'handed' })

    sink.setBehavior(() => 'accept')
    await expireLeases()
    await sale.start(0)
    await expect.poll(async () => (await listMessages()).at(-1).status, POLL).toBe('uncertain')
    const message = (await listMessages()).at(-1)
    expect((await sale.sales.call('get_report', { runId: message.source_id })).run).toMatchObject({
      status: 'done',
      recipients: [{ email: sale.sales.olga.email, status: 'sent', reason: 'uncertain' }],
    })
    // Control: the same email is seen a second time if the outbox sends it again.
    await query(`update messages set status = 'queued', attempts = 0 where id = $1`, [message.id])
    await expect.poll(async () => (await listMessages()).at(-1).status, POLL).toBe('sent')
    expect(sink.receivedEmails.length).toBe(before + 2)
    expect(await listRuns()).toHaveLength(2)
  })
})
