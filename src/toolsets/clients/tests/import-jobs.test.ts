import { afterAll, describe, expect, it } from 'vitest'
import { JOB_DEFINITIONS } from '../../../jobs.ts'
import type { Job, JobRunContext } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { CONTACT_EMAIL_EDIT, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { HEADER, libraryFile, person } from './import-story.ts'

const scenario = useDraftScenario()
const PEOPLE = 2100

afterAll(() => scenario.world.clock.reset())

const sheet = (count: number) =>
  [
    HEADER,
    ...Array.from({ length: count }, (_, n) =>
      n % 50 === 7 ? person(n, { email: '=wrong', on: '2025-03-04' }) : person(n, { on: '2025-03-04' }),
    ),
    person(1, { on: '2025-03-04' }),
    '',
  ].join('\n')

const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const people = async () => Number((await rows(`select count(*) n from participants where event_id = $1`, [scenario.event.eventId]))[0].n)

/** Runs the job as a worker does, with the services of the test; `before` may abort the process before a step. */
async function work(jobId: string, before: (step: number) => void = () => {}): Promise<void> {
  const { name } = (await rows('select name from jobs where id = $1', [jobId]))[0]
  const job = JOB_DEFINITIONS.find((one) => one.name === name)!
  let steps = 0
  const watched: Job = {
    ...job,
    run: (run: JobRunContext, given) =>
      job.run(
        {
          ...run,
          step: (step) => {
            before(++steps)
            return run.step(step)
          },
        },
        given,
      ),
  }
  const services = { ...scenario.world.services, queue: { send: () => Promise.resolve() } }
  await createJobRunner(services)(watched, { tenantId: scenario.event.tenantId, jobId })
}

async function prepared(): Promise<string> {
  await scenario.set([CONTACT_EMAIL_EDIT])
  const fileId = await libraryFile(scenario, sheet(PEOPLE), 'people.csv')
  const { setupId, status } = await scenario.call('setup_import_flow', { fileIds: [fileId], sourceSystem: 'old', save: true })
  expect(status).toBe('ready')
  return setupId
}

const figures = ({ rows: all, created, duplicates, errors }: any) => ({ all, created, duplicates, errors })
const EXPECTED = { all: 2101, created: 2058, duplicates: 1, errors: 42 }
const runOf = async (setupId: string, runId: string) =>
  (await scenario.call('setup_import_flow', { setupId })).runs.find((run: any) => run.runId === runId)

describe('import of more than 2,000 rows', () => {
  it('continues an import of more than 2,000 rows as a background job, and resumes it with the same result after an interruption', async () => {
    const setupId = await prepared()
    const { status, jobId, runId } = await scenario.call('import_event', { setupId, mode: 'test' })
    expect(status).toBe('queued')
    // The first step opens the run; two batches are written, and the third never begins.
    await expect(
      work(jobId, (step) => {
        if (step === 4) throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect(await runOf(setupId, runId)).toMatchObject({ status: 'running', rows: 1000, position: { sheet: 'people', row: 1001 } })
    expect(await people()).toBe(980)
    await work(jobId)
    const run = await runOf(setupId, runId)
    expect(figures(run)).toEqual(EXPECTED)
    expect(run).toMatchObject({ status: 'done', mode: 'test', dryRun: false, notInFile: 0 })
    expect(await people()).toBe(2058)
    // A repeated delivery is ignored.
    await work(jobId)
    expect(await people()).toBe(2058)

    const [written] = await rows(`select id from jobs where event_id = $1 and name = 'write-import-errors'`, [scenario.event.eventId])
    await work(written.id)
    const { errorFile } = await runOf(setupId, runId)
    expect(errorFile).toContain('import-errors')
    const [{ error_file_id }] = await rows('select error_file_id from import_runs where id = $1', [runId])
    const content: Buffer[] = []
    for await (const chunk of (await scenario.world.services.files.open(`${scenario.event.tenantId}/${error_file_id}`))!)
      content.push(chunk as Buffer)
    const lines = Buffer.concat(content).toString().trim().split('\n')
    expect(lines).toHaveLength(43)
    expect(lines[1]).toMatch(/^people,9,Email,'=wrong,email,/)
  })

  it('runs the dry run of an import as its own job, requires its confirm token for the live run, and runs one live run at a time', async () => {
    const setupId = await prepared()
    const live = { setupId, mode: 'live', publish: true }
    const dry = await scenario.call('import_event', { ...live, dryRun: true })
    expect(dry).toMatchObject({ status: 'queued', dryRun: true })
    expect(await scenario.refused('import_event', { ...live, confirmToken: dry.confirmToken })).toMatchObject({
      message: expect.stringContaining('queued'),
    })
    // An interrupted dry run starts again from the beginning, and returns the same counts.
    await expect(work(dry.jobId, (step) => void (step === 3 && fail()))).rejects.toThrow('killed')
    await work(dry.jobId)
    expect(figures(await runOf(setupId, dry.runId))).toEqual(EXPECTED)
    expect(await people()).toBe(0)
    expect(await scenario.refused('import_event', live)).toMatchObject({ code: 'precondition_failed', fix: { tool: 'import_event' } })
    const run = await scenario.call('import_event', { ...live, confirmToken: dry.confirmToken })
    const going = { code: 'conflict', message: expect.stringContaining(`run ${run.runId}`) }
    expect(await scenario.refused('import_event', { setupId, mode: 'live', dryRun: true })).toMatchObject(going)
    expect(await scenario.refused('import_event', live)).toMatchObject(going)
    expect(await scenario.refused('import_event', { setupId, mode: 'test' })).toMatchObject(going)
    expect(await scenario.refused('setup_import_flow', { text: 'Email\na@example.org\n', sourceSystem: 'next' })).toMatchObject(going)
    expect(await scenario.refused('import_products', { text: 'code,price\npass,10\n' })).toMatchObject(going)
    await work(run.jobId)
    expect(figures(await runOf(setupId, run.runId))).toEqual(EXPECTED)
    expect(await scenario.refused('delete_test_imports', { runId: run.runId })).toMatchObject({
      message: expect.stringContaining('is live; imported registrations are cancelled, not deleted'),
    })
  })
})

describe('import that exceeds the parameter limit of one SQL statement', () => {
  const linesFile = (count: number, line: (n: number) => string) =>
    libraryFile(
      scenario,
      ['Registration ID,Product,Quantity,Amount', ...Array.from({ length: count }, (_, n) => line(n)), ''].join('\n'),
      'lines.csv',
    )
  const importFiles = async (fileIds: string[]) => {
    await scenario.set([CONTACT_EMAIL_EDIT])
    const { setupId, questions } = await scenario.call('setup_import_flow', {
      fileIds,
      sourceSystem: 'old',
      kinds: [{ sheet: 'lines', kind: 'orderLines' }],
      save: true,
    })
    expect(questions).toEqual([])
    const { jobId, runId } = await scenario.call('import_event', { setupId, mode: 'test' })
    await work(jobId)
    return runOf(setupId, runId)
  }

  it('stores 6,600 invalid lines of one import file, which exceed the parameter limit of one SQL statement', async () => {
    const people = await libraryFile(scenario, [HEADER, person(1, { on: '2025-03-04' }), ''].join('\n'), 'people.csv')
    const run = await importFiles([people, await linesFile(6600, (n) => `R1,Pass,1,${n === 0 ? '10.00' : 'free'}`)])
    expect(run).toMatchObject({ status: 'done', created: 1, errors: 6599 })
    const [{ noted }] = await rows('select count(*)::int noted from import_errors where run_id = $1', [run.runId])
    expect(noted).toBe(6599)
  })

  it('writes six products for each of 500 people in one import batch, which exceeds the parameter limit of one SQL statement', async () => {
    const all = Array.from({ length: 500 }, (_, n) => person(n, { status: 'Confirmed', on: '2025-03-04' }))
    const people = await libraryFile(scenario, [HEADER, ...all, ''].join('\n'), 'people.csv')
    const run = await importFiles([people, await linesFile(3000, (n) => `R${n % 500},Product ${Math.floor(n / 500)},1,10.00`)])
    expect(run).toMatchObject({ status: 'done', created: 500, errors: 0, money: { ordered: { amount: '30000.00' } } })
    const [{ lines }] = await rows('select count(*)::int lines from order_lines where event_id = $1', [scenario.event.eventId])
    expect(lines).toBe(3000)
  })
})

function fail(): never {
  throw new Error('killed')
}
