import { describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { CONTACT_EMAIL_EDIT, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { JOB_DEFINITIONS } from '../../../jobs.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { HEADER, libraryFile, person } from '../../../toolsets/clients/tests/import-story.ts'
import { importEvent, type ImportRequest, readImportRowsOrStartJob } from '../import-event.ts'

const scenario = useDraftScenario()
const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows

const PEOPLE = 1100
const sheet = (count: number, header = HEADER) =>
  [
    header,
    ...Array.from({ length: count }, (_, n) => person(n, { on: '2025-03-04', ...(n % 100 === 7 ? { email: 'wrong' } : {}) })),
    person(1, { on: '2025-03-04' }),
    '',
  ].join('\n')

async function setUp(content: string): Promise<string> {
  await scenario.set([CONTACT_EMAIL_EDIT])
  const fileId = await libraryFile(scenario, content, 'people.csv')
  return (await scenario.call('setup_import_flow', { fileIds: [fileId], sourceSystem: 'old', save: true })).setupId
}

/** Imports as the tool does, with a time limit that the first batch exceeds. Returns the result and its effects. */
async function importWithin(request: ImportRequest, maxMs: number) {
  const { world, event } = scenario
  const content = await readImportRowsOrStartJob({ ...(await createEventContextAt(world, event)), files: world.services.files }, request)
  return world.database.transact(async (db) => {
    const ctx = await createEventContextAt(world, event, db)
    const within = { ...world.database, transact: (run: any) => run(db) }
    const result: any = await commitChange(
      within,
      { name: 'import_event' },
      () => ctx,
      () => importEvent(ctx, request, content, { maxMs }),
    )
    return { result, effects: ctx.effects.digest() }
  })
}

async function work(jobId: string): Promise<void> {
  const [{ name }] = await rows('select name from jobs where id = $1', [jobId])
  const services = { ...scenario.world.services, queue: { send: () => Promise.resolve() } }
  await createJobRunner(services)(
    JOB_DEFINITIONS.find((one) => one.name === name)!,
    { tenantId: scenario.event.tenantId, jobId },
  )
}

const figures = ({ rows: all, created, duplicates, errors }: any) => ({ all, created, duplicates, errors })
const runOf = async (setupId: string, runId: string) =>
  (await scenario.call('setup_import_flow', { setupId })).runs.find((run: any) => run.runId === runId)

describe('import_event beyond the time limit of a call', () => {
  const request = { mode: 'test', withPayments: false, onRowError: 'skip', updateExisting: true, publish: false } as const

  it('keeps the batches written within the time limit, and imports the remaining rows in a job with the same result', async () => {
    const setupId = await setUp(sheet(PEOPLE))
    const whole = await importWithin({ ...request, setupId, dryRun: true }, 10_000)
    expect(figures(whole.result)).toEqual({ all: 1101, created: 1089, duplicates: 1, errors: 11 })
    const { result, effects } = await importWithin({ ...request, setupId }, 0)
    expect(result).toMatchObject({ status: 'running', rows: 500, created: 495, jobId: expect.any(String) })
    // The confirm token of the dry run stays valid: the effects are those of the whole file.
    expect(effects).toEqual(whole.effects)
    expect(await runOf(setupId, result.runId)).toMatchObject({ status: 'running', rows: 500, progress: { done: 500, total: 1101 } })
    const [{ n }] = await rows('select count(*)::int n from participants where event_id = $1', [scenario.event.eventId])
    expect(n).toBe(495)
    await work(result.jobId)
    const done = await runOf(setupId, result.runId)
    expect(figures(done)).toEqual(figures(whole.result))
    expect(done).toMatchObject({ status: 'done', notInFile: 0, progress: { done: 1101, total: 1101 } })
    expect(await rows('select count(*)::int n from import_errors where run_id = $1', [result.runId])).toEqual([{ n: 11 }])
  })

  it('completes a short import within the call, and counts a dry run without writing a participant', async () => {
    const setupId = await setUp(sheet(600))
    const dry = await importWithin({ ...request, setupId, dryRun: true }, 0)
    expect(dry.result).not.toHaveProperty('jobId')
    const [{ n }] = await rows('select count(*)::int n from participants where event_id = $1', [scenario.event.eventId])
    expect(n).toBe(0)
    const { result, effects } = await importWithin({ ...request, setupId }, 600_000)
    expect(result).toMatchObject({ status: 'done' })
    expect(result).not.toHaveProperty('jobId')
    expect(effects).toEqual(dry.effects)
  })
})

describe('invite list of the imported flow', () => {
  it('gives imported people the tags of their invitation, keeps the tags in later imports, and uses up the invitations', async () => {
    const header = `${HEADER},Tags`
    const file = (tags: string) =>
      [header, ...[1, 2, 3].map((n) => `${person(n, { on: '2025-03-04', ...(n === 3 ? { status: 'Cancelled' } : {}) })},${tags}`), ''].join(
        '\n',
      )
    await scenario.set(['vip', 'speaker', 'board'].map((code) => ({ op: 'insert', path: `/tags/${code}`, value: { name: code } })))
    const setupId = await setUp(file('speaker'))
    await scenario.call('publish_event', { acceptWarnings: true })
    await scenario.call('update_event', { testMode: false })
    const invited = [1, 3].map((n) => ({ email: `P${n}@example.org`, tags: ['vip'] }))
    await scenario.call('add_invite_list_participants', { flowSlug: 'imported', rows: invited })
    const run = async () => {
      const live = { setupId, mode: 'live' }
      const { confirmToken } = await scenario.call('import_event', { ...live, dryRun: true })
      return scenario.call('import_event', { ...live, confirmToken })
    }
    const tagsOf = () => rows('select manual_tags from participants where event_id = $1 order by email', [scenario.event.eventId])
    expect(await run()).toMatchObject({ created: 3 })
    expect(await tagsOf()).toEqual([{ manual_tags: ['speaker', 'vip'] }, { manual_tags: ['speaker'] }, { manual_tags: ['speaker'] }])
    expect(await rows('select status from invite_list_entries where event_id = $1 order by email', [scenario.event.eventId])).toEqual([
      { status: 'registered' },
      { status: 'invited' },
    ])
    const changed = await libraryFile(scenario, file('board'), 'people.csv')
    await scenario.call('setup_import_flow', { setupId, fileIds: [changed], save: true })
    expect(await run()).toMatchObject({ created: 0, updated: 3 })
    expect(await tagsOf()).toEqual([{ manual_tags: ['board', 'vip'] }, { manual_tags: ['board'] }, { manual_tags: ['board'] }])
  })
})
