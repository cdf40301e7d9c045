import { beforeEach, describe, expect, it } from 'vitest'
import { CONTACT_EMAIL_EDIT, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { ALL_TOOLSETS } from '../../index.ts'
import { HEADER, libraryFile, person } from './import-story.ts'

const scenario = useDraftScenario()
const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows

let setupId: string
/** Another event of the same client. */
let other: string

beforeEach(async () => {
  const { world, event } = scenario
  other = (await world.event({ at: event, status: 'draft' })).eventCode
  await scenario.set([CONTACT_EMAIL_EDIT])
  const fileId = await libraryFile(scenario, [HEADER, person(1), person(2), ''].join('\n'), 'people.csv')
  const formats = { dateOrder: 'DMY' }
  setupId = (await scenario.call('setup_import_flow', { fileIds: [fileId], sourceSystem: 'old', formats, save: true })).setupId
})

/** Stops the next import while it reads its file. */
function pauseReading() {
  const { files } = scenario.world.services
  const { open } = files
  const [reading, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  files.open = async (...given) => {
    files.open = open
    reading.resolve()
    await resume.promise
    return open.apply(files, given)
  }
  return { reading: reading.promise, resume: resume.resolve }
}

const PRICES = { text: 'code,price\npass,10\n' }
const PEOPLE = { text: [HEADER, person(9), ''].join('\n'), sourceSystem: 'next' }
const importAll = () => scenario.call('import_event', { setupId, mode: 'test' })

/** Imports of files with other content than registrations, each with a row that needs no file. */
const OTHER_IMPORTS: Record<string, { row: object; more?: object }> = {
  import_companies: { row: { name: 'Acme AG' } },
  import_speakers: { row: { firstName: 'Ada', lastName: 'Speaker', email: 'ada@example.org' } },
  import_attendance: {
    row: { email: 'ada@example.org', at: '2026-05-12T09:00:00Z', direction: 'in', deviceName: 'Door', gateCode: 'main' },
  },
  import_appointment_offerings: { row: { company: 'Acme AG', day: '2026-05-12', from: '09:00', until: '10:00' } },
  add_invite_list_participants: { row: { email: 'ada@example.org' }, more: { flowSlug: 'attendee' } },
}
/** The refusals of these imports, one after the other; null for an import that ran. */
async function refusalsOf(source: (row: object) => object): Promise<(string | null)[]> {
  const refusals: (string | null)[] = []
  for (const [tool, { row, more }] of Object.entries(OTHER_IMPORTS)) {
    const { isError, _meta } = await scenario.olga.answer(tool, { eventCode: scenario.event.eventCode, ...source(row), ...more })
    refusals.push(isError ? (_meta!['lanyard/error'] as { message: string }).message : null)
  }
  return refusals
}

describe('imports of one client', () => {
  it('runs imports of one client one at a time, across all its events and all import tools', async () => {
    const paused = pauseReading()
    const first = importAll()
    await paused.reading
    const refusals = await Promise.all([
      scenario.refused('import_event', { setupId, mode: 'test' }),
      scenario.refused('import_event', { setupId, mode: 'live', dryRun: true }),
      scenario.refused('setup_import_flow', PEOPLE),
      scenario.refused('import_products', PRICES),
      scenario.olga.refused('import_products', { ...PRICES, eventCode: other }),
      scenario.olga.refused('setup_import_flow', { ...PEOPLE, eventCode: other }),
    ])
    const running = `Another import of ${scenario.event.clientCode} is running: import_event at ${scenario.event.eventCode}, started by `
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'conflict', message: expect.stringContaining(running) })
    expect(await rows(`select lease_until - claimed_at <= interval '1 minute' as short from import_claims`)).toEqual([{ short: true }])
    // Reading the status of an import setup is not blocked by a running import.
    expect((await scenario.call('setup_import_flow', { setupId })).status).toBe('ready')
    // A running import does not block the imports of another client.
    const foreign = await scenario.world.event({ status: 'draft' })
    const freda = await scenario.world.organizer({ at: foreign })
    expect(await freda.call('import_products', { ...PRICES, eventCode: foreign.eventCode })).toMatchObject({ created: 1 })
    paused.resume()
    expect(await first).toMatchObject({ status: 'done', created: 2 })
    expect(await scenario.call('import_products', PRICES)).toMatchObject({ created: 1 })
  })

  it('refuses every import of a file while another import of the client runs, but still imports rows passed in the call', async () => {
    const paused = pauseReading()
    const first = importAll()
    await paused.reading
    for (const message of await refusalsOf(() => ({ fileId: 'f'.repeat(24) }))) expect(message).toContain('Another import of ')
    for (const message of await refusalsOf((row) => ({ rows: [row], dryRun: true })))
      expect(String(message)).not.toContain('Another import')
    paused.resume()
    await first
    for (const message of await refusalsOf(() => ({ fileId: 'f'.repeat(24) }))) expect(message).toContain('No file')
    expect(await rows('select tool from import_claims')).toEqual([])
  })

  it('marks every tool that imports a file as an import, so that only one runs at a time for a client', () => {
    const importing = ALL_TOOLSETS.flatMap(({ tools }) => tools).filter(
      ({ name, ownArguments }) => name.startsWith('import_') || (ownArguments.includes('fileId') && ownArguments.includes('rows')),
    )
    expect(importing.map(({ name }) => name)).toEqual(expect.arrayContaining(['import_event', ...Object.keys(OTHER_IMPORTS)]))
    expect(importing.filter(({ claim }) => claim === null).map(({ name }) => name)).toEqual([])
  })

  it('control: runs two imports of a client concurrently if the import lock is deleted from the database', async () => {
    const paused = pauseReading()
    const first = importAll()
    await paused.reading
    await rows('delete from import_claims')
    expect(await scenario.call('import_products', PRICES)).toMatchObject({ created: 1 })
    paused.resume()
    expect(await first).toMatchObject({ created: 2 })
  })

  it('runs the next import of a client after an earlier import ended with an error', async () => {
    await scenario.refused('import_products', { fileId: '0'.repeat(24) })
    await scenario.refused('import_event', { setupId: '0'.repeat(24), mode: 'test' })
    expect(await rows('select tool from import_claims')).toEqual([])
    expect(await importAll()).toMatchObject({ created: 2 })
  })

  it('blocks other imports of a client for at most a minute after an import crashed', async () => {
    const { tenantId, clientId, eventId } = scenario.event
    await rows(
      `insert into import_claims (tenant_id, client_id, token, tool, event_id, claimed_by_name, lease_until)
       values ($1, $2, 'crashed', 'import_event', $3, 'Olga', lanyard_now() + interval '1 minute')`,
      [tenantId, clientId, eventId],
    )
    expect(await scenario.refused('import_event', { setupId, mode: 'test' })).toMatchObject({ code: 'conflict' })
    await rows(`update import_claims set lease_until = lanyard_now() where token = 'crashed'`)
    expect(await importAll()).toMatchObject({ created: 2 })
  })

  it('does not block imports of a client by an import run whose job has failed', async () => {
    const { tenantId, eventId } = scenario.event
    const insert = (job: string, status: string, mode: string) =>
      rows(
        `with job as (insert into jobs (tenant_id, id, event_id, name, input, created_by, status)
           values ($1, $3, $2, 'run-imports', '{}', 'olga', $4))
         insert into import_runs (tenant_id, event_id, id, setup_id, setup_revision, mode, dry_run, options, status, job_id, created_by)
         values ($1, $2, $3, $5, 1, $6, false, '{}', 'running', $3, 'olga')`,
        [tenantId, eventId, job, status, setupId, mode],
      )
    await insert('a'.repeat(24), 'failed', 'test')
    await insert('b'.repeat(24), 'failed', 'live')
    expect(await importAll()).toMatchObject({ created: 2 })
    expect(await rows(`select distinct status from import_runs where id = any($1)`, [['a'.repeat(24), 'b'.repeat(24)]])).toEqual([
      { status: 'failed' },
    ])
    await insert('c'.repeat(24), 'running', 'test')
    const refused = await scenario.olga.refused('import_products', { ...PRICES, eventCode: other })
    expect(refused.message).toBe(
      `Another import of ${scenario.event.clientCode} is running: run ${'c'.repeat(24)}, a test import at ${scenario.event.eventCode}. Wait until it has ended.`,
    )
    for (const message of await refusalsOf(() => ({ fileId: 'f'.repeat(24) }))) expect(message).toBe(refused.message)
  })
})
