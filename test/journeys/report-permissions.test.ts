import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import type { Role } from '../../src/kernel/permissions.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'

const [contact, ...pages] = WORKED_EXAMPLE.flows[0]!.pages
const ASKED = ['@participant.country', '@participant.mobilePhone', '@custom.allergy']
const EVENT = {
  ...WORKED_EXAMPLE,
  customFields: [{ code: 'allergy', name: 'Allergies', responseType: 'text', sensitive: true }],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        { ...contact!, widgets: [...contact!.widgets, ...ASKED.map((binding, n) => ({ id: `asked-${n}`, type: 'field', binding }))] },
        ...pages,
      ],
    },
  ],
}

const sales = useSalesScenario(EVENT)
const PEOPLE_BY_COUNTRY = { DE: 7, FR: 6, US: 2, JP: 1 }
const LIST = { report: 'participant-list' }
const BY_COUNTRY = { entity: 'participant', groupBy: ['country'], aggregates: ['count'] }

beforeAll(async () => {
  for (const [country, people] of Object.entries(PEOPLE_BY_COUNTRY))
    for (let n = 0; n < people; n++)
      await sales.register(
        { pass: 1 },
        { data: { '@participant.country': country, '@participant.mobilePhone': '+4915112345678', '@custom.allergy': 'Peanuts' } },
      )
})

const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await sales.world.database.pool.query(text, values)).rows as T[]

/** An organizer with one role, whose calls go to the event. */
async function colleague(role: Role) {
  const organizer = await sales.world.organizer({ at: sales.event, role })
  const at = (args: object) => ({ eventCode: sales.event.eventCode, ...args })
  return {
    call: (tool: string, args: object) => organizer.call(tool, at(args)),
    refused: (tool: string, args: object) => organizer.refused(tool, at(args)),
  }
}

/** Everything that a report could leave behind: runs, jobs, files, bytes on disk and emails. */
async function countTraces(): Promise<number[]> {
  const [row] = await query<{ counts: number[] }>(
    `select array[(select count(*) from report_runs), (select count(*) from report_run_recipients), (select count(*) from jobs),
      (select count(*) from files), (select count(*) from file_uploads), (select count(*) from messages)]::int[] as counts`,
  )
  const folder = readdirSync(sales.world.dataDir, { recursive: true, withFileTypes: true })
  return [...row!.counts, folder.filter((entry) => entry.isFile()).length]
}

describe('report permissions by role', () => {
  it('shows no country with fewer than five people to an analyst, and every country to a registrar', async () => {
    const analyst = await (await colleague('analyst')).call('query_data', BY_COUNTRY)
    expect(analyst.rows).toEqual([
      { country: 'DE', count: 7 },
      { country: null, count: 9, suppressed: true },
    ])
    expect(analyst.suppressed).toEqual({ rows: 3, participants: 9 })
    const registrar = await (await colleague('registrar')).call('query_data', BY_COUNTRY)
    expect(Object.fromEntries(registrar.rows.map(({ country, count }: any) => [country, count]))).toEqual(PEOPLE_BY_COUNTRY)
  })

  it('refuses phone numbers to an analyst, and lists names and email addresses for a marketer', async () => {
    const before = await countTraces()
    const analyst = await colleague('analyst')
    const refused = await analyst.refused('query_data', { entity: 'participant', fields: ['mobilePhone'] })
    expect(refused.code).toBe('forbidden')
    expect(refused.message).toBe('Forbidden — query_data requires the personal.read permission')
    expect(JSON.stringify(refused.fields)).toContain('mobilePhone')
    const marketer = await colleague('marketer')
    const { rows } = await marketer.call('query_data', { entity: 'participant', fields: ['name', 'email'], limit: 100 })
    expect(rows).toHaveLength(16)
    expect(rows[0]).toMatchObject({ name: expect.stringContaining('Paula'), email: expect.stringContaining('@example.org') })
    expect(await countTraces()).toEqual(before)
  })

  it('shows rows with personal answers to a user of the finance role, but refuses to export them as a file', async () => {
    const before = await countTraces()
    const finance = await colleague('finance')
    const { rows, withheld } = await finance.call('run_report', LIST)
    expect(rows).toHaveLength(16)
    expect([rows[0]['custom.allergy'], withheld]).toEqual(['Peanuts', []])
    for (const format of ['csv', 'xlsx', 'pdf', 'html']) {
      const refused = await finance.refused('run_report', { ...LIST, format })
      expect([format, refused.code]).toEqual([format, 'forbidden'])
      expect(refused.message).toContain('personal.export')
    }
    expect((await finance.refused('run_report', { ...LIST, format: 'csv', recipients: [sales.olga.email] })).code).toBe('forbidden')
    expect((await finance.refused('export_event', { personalData: 'full' })).message).toContain('personal.export')
    expect(await countTraces()).toEqual(before)
  })

  it('exports the report file for a registrar with the confirm token of a dry run', async () => {
    const registrar = await colleague('registrar')
    const args = { ...LIST, format: 'csv' }
    const before = await countTraces()
    expect(await registrar.refused('run_report', args)).toMatchObject({ code: 'precondition_failed', fix: { tool: 'run_report' } })
    const preview = await registrar.call('run_report', { ...args, dryRun: true })
    expect(preview).toMatchObject({ rowCount: 16, personal: expect.arrayContaining(['custom.allergy']), confirmToken: expect.any(String) })
    expect(await countTraces()).toEqual(before)
    const { runId, jobId } = await registrar.call('run_report', { ...args, confirmToken: preview.confirmToken })
    await createJobRunner(sales.world.services)(runReportJob as Job, { tenantId: sales.event.tenantId, jobId })
    const { run } = await registrar.call('get_report', { runId })
    expect(run).toMatchObject({ status: 'done', rows: 16, containsPersonal: true, recipients: [] })
    const [stored] = await query<{ id: string }>('select file_id as id from report_runs where id = $1', [runId])
    const content = await sales.world.services.files.open(`${sales.event.tenantId}/${stored!.id}`)
    const text = Buffer.concat(await content!.toArray()).toString('utf8')
    expect(text.split('Peanuts')).toHaveLength(17)
    expect(await query(`select from messages where source_kind = 'reportRun'`)).toEqual([])
    // Control: the traces that the refusals above did not leave are counted.
    expect(await countTraces()).not.toEqual(before)
  })
})
