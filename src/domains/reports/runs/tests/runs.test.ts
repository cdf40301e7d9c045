import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { reportProgressWhileWriting } from '../progress.ts'
import { expireReportRuns } from '../expire.ts'
import { runsScenario } from '../../../../toolsets/reports/tests/runs.ts'
import { createRecurringTaskContext } from '../../../../surfaces/worker/run-recurring.ts'

const desk = runsScenario()
const REPORT = { report: 'revenue-by-product' }

const statusOf = async (runId: string) =>
  (await desk.world.database.read.selectFrom('report_runs').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()).status

describe('runReportJob', () => {
  it('fails the report run and stores no file when the file store rejects the file', async () => {
    const { files } = desk.world.services
    const { jobId, runId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
    const { put } = files
    files.put = (_key, content) => {
      content.destroy()
      return Promise.reject(new Error('no space left on device'))
    }
    await desk.work(jobId).finally(() => (files.put = put))
    const { run } = await desk.call('get_report', { runId })
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('Files cannot be stored') })
    expect(run).not.toHaveProperty('file')
    const { rows } = await desk.world.database.pool.query(`select 1 from file_uploads where tenant_id = $1`, [desk.event.tenantId])
    expect(rows).toEqual([])
  })

  it('writes the file of a report run again, under the same id, after the process that wrote it was killed', async () => {
    const { jobId, runId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
    await desk.world.database.write.updateTable('report_runs').set({ status: 'running' }).where('id', '=', runId).execute()
    await desk.work(jobId)
    const { run } = await desk.call('get_report', { runId })
    expect(run).toMatchObject({ runId, status: 'done', bytes: (await desk.bytesOf(runId))!.length })
  })

  it('gives each statement of a report run ten minutes and 20 GB on disk, and each statement of a data query ten seconds and 512 MB', async () => {
    const { database } = desk.world.services
    const { snapshot } = database
    const limits = new Set<string>()
    database.snapshot = (scope, run) => {
      return snapshot(scope, async (db) => {
        const { rows } = await sql<{ limits: string }>`
          select current_setting('statement_timeout') || ', ' || current_setting('temp_file_limit') as limits`.execute(db)
        limits.add(rows[0]!.limits)
        return run(db)
      })
    }
    try {
      const { jobId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
      await desk.call('query_data', { entity: 'participant', aggregates: ['count'] })
      expect([...limits]).toEqual(['10s, 512MB'])
      await desk.work(jobId)
      expect([...limits]).toEqual(['10s, 512MB', '10min, 20000MB'])
    } finally {
      database.snapshot = snapshot
    }
  })

  it('reports the progress of a report run as the number of written rows, without a total number', async () => {
    const { jobId, runId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
    const progress: [number, number | null][] = []
    const job = { db: desk.world.database.read, progress: async (...now: [number, number | null]) => void progress.push(now) }
    const run = await desk.world.database.read.selectFrom('report_runs').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
    await reportProgressWhileWriting(job as never, run, async ({ onRow }) => {
      onRow()
      await expect.poll(() => progress, { timeout: 10_000 }).toContainEqual([1, null])
    })
    await desk.work(jobId)
  })

  it('writes no file for a cancelled report run', async () => {
    const { jobId, runId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
    await desk.world.database.write.updateTable('report_runs').set({ status: 'cancelled' }).where('id', '=', runId).execute()
    await desk.work(jobId)
    expect([await statusOf(runId), await desk.bytesOf(runId)]).toEqual(['cancelled', null])
  })

  it('cancels a waiting report run of a client that was deactivated', async () => {
    const { jobId, runId } = await desk.call('run_report', { ...REPORT, format: 'xlsx' })
    await desk.world.database.write.updateTable('clients').set({ active: false }).where('id', '=', desk.event.clientId).execute()
    await desk.work(jobId)
    expect(await statusOf(runId)).toBe('cancelled')
  })
})

describe('expireReportRuns', () => {
  it('deletes the file of a report run after 7 days and keeps the run', async () => {
    const { runId } = await desk.call('run_report', { ...REPORT, format: 'csv' })
    const { database, clock, services } = desk.world
    const run = async () => expireReportRuns.run(createRecurringTaskContext(services, expireReportRuns.name, await clock.now()))
    await run()
    expect(await statusOf(runId)).toBe('done')
    await clock.advance('7 days 1 second')
    await desk.world.renewTokens()
    await run()
    expect([await statusOf(runId), await desk.bytesOf(runId)]).toEqual(['expired', null])
    const files = await database.read.selectFrom('files').select('deleted_at').where('owner_id', '=', runId).execute()
    expect(files.every(({ deleted_at }) => deleted_at !== null)).toBe(true)
    const { run: expired } = await desk.call('get_report', { runId })
    expect(expired).toMatchObject({ status: 'expired', rows: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(expired).not.toHaveProperty('file')
    expect(expired.again).toEqual({ tool: 'run_report', arguments: { ...REPORT, parameters: {}, format: 'csv' } })
    expect((await desk.call(expired.again.tool, expired.again.arguments)).status).toBe('done')
    await clock.reset()
    await desk.world.renewTokens()
  })
})

describe('report_runs', () => {
  it('rejects changes to a finished report run in the database', async () => {
    const { runId } = await desk.call('run_report', { ...REPORT, format: 'csv' })
    const update = (values: object) => desk.world.database.write.updateTable('report_runs').set(values).where('id', '=', runId).execute()
    await expect(update({ rows: 99 })).rejects.toThrow('a finished run never changes')
    await expect(update({ status: 'running' })).rejects.toThrow('a finished run never changes')
  })
})
