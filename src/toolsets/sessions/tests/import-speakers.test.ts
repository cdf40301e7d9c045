import { describe, expect, it } from 'vitest'
import { createSessionAt, programSections } from '../../../../test/support/programs.ts'
import { SAMPLE_FILES } from '../../../../test/support/samples.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { fetchHeadshots } from '../../../domains/sessions/fetch-headshots.ts'
import { AppError } from '../../../kernel/errors.ts'

const scenario = useSalesScenario(programSections())
const load = (rows: object[], more: object = {}) => scenario.call('import_speakers', { rows, ...more })
const person = (number: number, more: object = {}) => ({
  'First name': 'Imported',
  'Last name': `Speaker ${number}`,
  'E-mail': `import${number}@example.org`,
  Organisation: 'Acme',
  ...more,
})

describe('import_speakers', () => {
  it('imports 47 of 50 rows with two invalid addresses and a repeated row, and changes nothing the second time', async () => {
    const rows = Array.from({ length: 49 }, (_, i) => person(i, i < 2 ? { 'E-mail': 'not an address' } : {}))
    rows.push(person(40))
    const figures = { rows: 50, skipped: 1, invalidRows: 2, ambiguous: [] }
    expect(await load(rows, { dryRun: true })).toMatchObject({ ...figures, created: 47 })
    const first = await load(rows)
    expect(first).toMatchObject({ ...figures, created: 47, updated: 0, unchanged: 0 })
    expect(first.invalid).toEqual([
      { row: 2, path: 'email', message: 'not an email address' },
      { row: 3, path: 'email', message: 'not an email address' },
    ])
    expect(first.mapping.find(({ column }: any) => column === 'Organisation')).toMatchObject({ field: 'company' })
    expect(await load(rows)).toMatchObject({ ...figures, created: 0, updated: 0, unchanged: 47 })
    expect(await scenario.queryNumber(`select count(*)::int as figure from messages`)).toBe(0)
  })

  it('fills empty speaker fields, and on request overwrites existing values or skips known speakers', async () => {
    await load([person(100)])
    expect(await load([person(100, { Bio: 'Filled', Organisation: 'Other' })])).toMatchObject({ updated: 1 })
    const get = async () => (await scenario.call('manage_speaker', { action: 'get', email: 'import100@example.org' })).speaker
    expect(await get()).toMatchObject({ bio: 'Filled', company: 'Acme' })
    expect(await load([person(100, { Organisation: 'Other' })], { onMatch: 'skip' })).toMatchObject({ skipped: 1, updated: 0 })
    expect(await load([person(100, { Organisation: 'Other' })], { onMatch: 'update' })).toMatchObject({ updated: 1 })
    expect(await get()).toMatchObject({ bio: 'Filled', company: 'Other' })
  })

  it('matches a speaker without an email address by name and company, and never guesses between two speakers', async () => {
    await load([person(200), person(201, { 'Last name': 'Twin' }), person(202, { 'Last name': 'Twin' })].slice(0, 2))
    await scenario.call('manage_speaker', {
      action: 'create',
      firstName: 'Imported',
      lastName: 'Twin',
      email: 'twin@example.org',
      company: 'ACME',
    })
    const nameless = (more: object) => person(0, { 'E-mail': null, ...more })
    const answer = await load([
      nameless({ 'Last name': 'speaker 200', Bio: 'By name' }),
      nameless({ 'Last name': 'Twin' }),
      nameless({ 'Last name': 'New' }),
    ])
    expect(answer).toMatchObject({ rows: 3, updated: 1, invalidRows: 1, invalid: [{ row: 4, path: 'email', message: 'is missing' }] })
    expect(answer.ambiguous).toMatchObject([{ row: 3, candidates: { length: 2 } }])
  })

  it('adds speakers to conference sessions by title or code, and reports unknown sessions and time conflicts', async () => {
    await createSessionAt(scenario.world, scenario.event, { title: 'Opening Talk', code: 'opening' })
    await createSessionAt(scenario.world, scenario.event, { title: 'At the same time', code: 'clash' })
    const answer = await load([
      person(300, { Session: 'opening  talk', Role: 'Moderator' }),
      person(300, { Session: 'clash' }),
      person(301, { Session: 'opening' }),
      person(302, { Session: 'Nothing' }),
    ])
    expect(answer).toMatchObject({ created: 2, invalidRows: 2 })
    expect(answer.invalid.map(({ row, path }: any) => [row, path])).toEqual([
      [3, 'session'],
      [5, 'session'],
    ])
    expect(await scenario.call('list_speakers', { search: 'Speaker 300' })).toMatchObject({
      speakers: [{ sessions: [{ role: 'moderator' }] }],
    })
  })

  it('downloads speaker photos in a job, and reports failed downloads by row', async () => {
    const { headshots } = await load([
      person(400, { Photo: 'https://photos.example/a.png' }),
      person(401, { Photo: 'https://photos.example/no' }),
    ])
    expect(headshots).toMatchObject({ count: 2, status: 'queued' })
    const { rows } = await scenario.world.database.pool.query(`select input from jobs where id = $1`, [headshots.jobId])
    const ctx = await createEventContextAt(scenario.world, scenario.event)
    const run = () =>
      fetchHeadshots.run(
        {
          step: (change: any) => scenario.world.database.transact((db) => change({ ...ctx, db })),
          fetcher: {
            fetch: async (url: string) => {
              if (url.endsWith('/no')) throw new AppError('unavailable', 'The address does not answer')
              return { status: 200, headers: {}, body: SAMPLE_FILES.png }
            },
          },
          files: scenario.world.services.files,
          db: scenario.world.database.write,
          log: scenario.world.services.log,
          progress: async () => {},
        } as never,
        rows[0]!.input as never,
      )
    expect(await run()).toMatchObject({ fetched: 1, failures: [{ row: 3, message: 'The address does not answer' }] })
    expect(await scenario.call('list_speakers', { search: 'Speaker 40', missing: ['headshot'], hasSession: false })).not.toMatchObject({
      speakers: expect.arrayContaining([expect.objectContaining({ email: 'import400@example.org' })]),
    })
    expect((await load([person(400, { Photo: 'https://photos.example/a.png' })])).headshots).toBeUndefined()
  })
})
