import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario, DIRECTORY_MEMBERS } from '../../../../test/support/directory-scenario.ts'
import { sendJson } from '../../../../test/support/internet.ts'
import { retryLookup } from '../../../domains/directories/retry.ts'
import { cleanUpDirectories } from '../../../domains/directories/cleanup.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const call: DirectoryScenario['call'] = (tool, args) => stage.call(tool, args)
const refused: DirectoryScenario['refused'] = (tool, args) => stage.refused(tool, args)
const remove = (connection: string) => call('delete_directory_connection', { connection })
const ada = { email: 'ada@example.org' }

/** The number of requests that the directory received during `run`. */
async function seen(run: () => Promise<unknown>): Promise<number> {
  const before = stage.directory.received.length
  await run()
  return stage.directory.received.length - before
}
const summary = async (code: string) =>
  (await call('list_directory_connections')).connections.find((one: { code: string }) => one.code === code)
const query = async <T>(text: string, values: unknown[] = []) => (await stage.world.database.pool.query<T>(text, values)).rows

describe('directory lookup', () => {
  it('sends one request for ten lookups of one member within the cache time', async () => {
    const connection = await stage.connectAndTest()
    const outcomes: unknown[] = []
    expect(
      await seen(async () => {
        for (let i = 0; i < 10; i++)
          outcomes.push((await stage.lookUp(connection, i % 2 === 0 ? ada : { email: ' ADA@example.org ' })).outcome)
      }),
    ).toBe(1)
    expect(new Set(outcomes)).toEqual(new Set(['found']))
    expect((await summary(connection)).lookups24h).toMatchObject({ found: 10, notFound: 0, many: 0, error: 0, cacheHits: 9 })
    await remove(connection)
  })

  it('fills in mapped fields of a directory record and assigns tags by rule, also from a cached lookup result', async () => {
    await stage.configure({
      tags: [
        { code: 'member', name: 'Member' },
        { code: 'guest', name: 'Guest' },
      ],
    })
    const connection = await stage.connectAndTest()
    await call('configure_directory_connection', {
      connection,
      bindings: [{ from: '$.LastName', to: '@participant.lastName', mode: 'lock' }],
      tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member', elseTag: 'guest' }],
    })
    const found = {
      outcome: 'found',
      followed: null,
      answers: { '@participant.lastName': 'Lovelace' },
      modes: { '@participant.lastName': 'lock' },
      tags: ['member'],
    }
    expect(await stage.lookUp(connection, ada)).toMatchObject({ ...found, cacheHit: false })
    expect(await stage.lookUp(connection, ada)).toMatchObject({ ...found, cacheHit: true })
    expect(await stage.lookUp(connection, { email: 'ben@example.org' })).toMatchObject({ outcome: 'found', tags: ['guest'] })
    expect(await stage.lookUp(connection, { email: 'absent@example.org' })).toMatchObject({ outcome: 'notFound', answers: {}, tags: [] })
    expect(await stage.lookUp(connection, { email: 'twin@example.org' })).toMatchObject({ outcome: 'many', answers: {}, tags: [] })
    const rows = await query<{ tags_given: string[]; answer: string }>(
      `select tags_given, answer from directory_lookups where not cache_hit order by id`,
    )
    expect(rows[0]!.tags_given).toEqual(['member'])
    expect(rows.map(({ answer }) => answer).join()).not.toContain('Lovelace')
    await remove(connection)
  })

  it('sends a new directory request if the cached result has expired, the connection was changed, or the cache is off', async () => {
    const connection = await stage.connectAndTest({ cacheMinutes: 30 })
    const once = () => seen(() => stage.lookUp(connection, ada))
    expect([await once(), await once()]).toEqual([1, 0])
    await stage.world.clock.advance('31 minutes')
    expect([await once(), await once()]).toEqual([1, 0])
    await stage.world.renewTokens()
    await call('configure_directory_connection', { connection, bindings: [{ from: '$.FirstName', to: '@participant.firstName' }] })
    expect([await once(), await once()]).toEqual([1, 0])
    await call('configure_directory_connection', { connection, cacheMinutes: 10 })
    expect([await once(), await once()]).toEqual([1, 0])
    await call('configure_directory_connection', { connection, cacheMinutes: 0 })
    expect(await query(`select 1 from directory_lookups where answer is not null`)).toHaveLength(0)
    expect([await once(), await once()]).toEqual([1, 1])
    expect(await query(`select 1 from directory_lookups where answer is not null`)).toHaveLength(0)
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })

  it('deletes expired lookup results in the hourly cleanup', async () => {
    const connection = await stage.connectAndTest()
    await stage.lookUp(connection, ada)
    const held = async () => (await query<{ n: number }>(`select count(*)::int as n from directory_lookups where answer is not null`))[0]!.n
    await cleanUpDirectories(stage.world.database.write, stage.world.services.keys)
    expect(await held()).toBe(1)
    await stage.world.clock.advance('16 minutes')
    await cleanUpDirectories(stage.world.database.write, stage.world.services.keys)
    expect(await held()).toBe(0)
    await stage.world.clock.advance('31 days')
    await cleanUpDirectories(stage.world.database.write, stage.world.services.keys)
    expect(await query('select 1 from directory_lookups')).toHaveLength(0)
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })

  it('finds a directory member by several inputs together if one input alone is ambiguous', async () => {
    const connection = await stage.connectAndTest()
    const search = {
      path: '/search',
      query: { email: '{{input.email}}', name: '{{input.lastName}}' },
      inputs: ['email', 'lastName'],
      resultPath: '$.members',
    }
    await call('configure_directory_requests', { connection, search })
    await call('test_directory_connection', { connection, inputs: ada })
    await stage.lookUp(connection, { ...ada, lastName: 'Lovelace' })
    const { pathname, searchParams } = new URL(`https://${stage.directory.received.at(-1)!.url}`)
    expect([pathname, Object.fromEntries(searchParams)]).toEqual(['/api/search', { email: 'ada@example.org', name: 'Lovelace' }])
    await expect(stage.lookUp(connection, { lastName: 'Lovelace' })).rejects.toThrow('needs email')
    await remove(connection)
  })
})

describe('concurrent directory lookups', () => {
  it('runs lookups of different people concurrently without blocking each other', async () => {
    const connection = await stage.connectAndTest()
    const waiting: (() => void)[] = []
    const all = Promise.withResolvers<void>()
    stage.directory.answer = (_request, response) => {
      waiting.push(() => sendJson(response, { members: [] }))
      if (waiting.length === 50) all.resolve()
    }
    const lookups = Array.from({ length: 50 }, (_, i) => stage.lookUp(connection, { email: `person${i}@example.org` }))
    await all.promise
    // Other requests are served meanwhile: a waiting lookup holds no database connection.
    expect(await summary(connection)).toMatchObject({ status: 'ready' })
    for (const answer of waiting) answer()
    expect((await Promise.all(lookups)).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 50 }, () => 'notFound'))
    stage.directory.answer = null
    await remove(connection)
  })
})

describe('directory outage', () => {
  const outage = (run: () => Promise<void>) => {
    stage.directory.down = true
    return run().finally(() => (stage.directory.down = false))
  }

  it('lets people continue unverified during a directory outage, and sends no request after five failed lookups', async () => {
    const connection = await stage.connectAndTest({ cacheMinutes: 0 })
    stage.directory.answer = (_request, response) => sendJson(response, {}, 503)
    const unverified = { outcome: 'error', followed: 'allow', tags: ['directory-unverified'], answers: {} }
    for (let i = 1; i <= 5; i++) {
      expect((await summary(connection)).status).toBe('ready')
      expect(await seen(async () => expect(await stage.lookUp(connection, ada)).toMatchObject(unverified))).toBe(1)
    }
    expect((await summary(connection)).status).toBe('failing')
    expect(await seen(async () => expect(await stage.lookUp(connection, ada)).toMatchObject(unverified))).toBe(0)
    expect((await summary(connection)).lookups24h).toMatchObject({ error: 6, found: 0 })

    // One attempt per minute is made, however many lookups are concurrent.
    await stage.world.clock.advance('61 seconds')
    expect(await seen(() => Promise.all(Array.from({ length: 20 }, () => stage.lookUp(connection, ada))))).toBe(1)
    expect(await seen(() => stage.lookUp(connection, ada))).toBe(0)
    stage.directory.answer = null
    await stage.world.clock.advance('61 seconds')
    expect(await stage.lookUp(connection, ada)).toMatchObject({ outcome: 'found', followed: null })
    expect(await summary(connection)).toMatchObject({ status: 'ready' })
    expect(await seen(() => stage.lookUp(connection, ada))).toBe(1)
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })

  it('counts only consecutive failures of a directory, and still uses cached results while it fails', async () => {
    const connection = await stage.connectAndTest()
    await stage.lookUp(connection, ada)
    const fail = (times: number) =>
      outage(async () => {
        for (let i = 0; i < times; i++) await stage.lookUp(connection, { email: `p${i}@example.org` })
      })
    await fail(4)
    await stage.lookUp(connection, { email: 'ben@example.org' })
    await fail(4)
    expect((await summary(connection)).status).toBe('ready')
    await fail(1)
    expect((await summary(connection)).status).toBe('failing')
    expect(await stage.lookUp(connection, ada)).toMatchObject({ outcome: 'found', cacheHit: true })
    const passed = await call('test_directory_connection', { connection, inputs: ada })
    expect(passed).toMatchObject({ ok: true, status: 'ready' })
    await remove(connection)
  })

  it("keeps the revision of a failing directory connection, so that an organizer's edit causes no conflict", async () => {
    const connection = await stage.connectAndTest()
    const { revision } = (await call('describe_directory_connection', { connection })).connection
    await outage(async () => {
      for (let i = 0; i < 5; i++) await stage.lookUp(connection, { email: `p${i}@example.org` })
    })
    const edited = await call('configure_directory_connection', { connection, name: 'Edited', ifRevision: revision })
    expect(edited).toMatchObject({ changed: ['name'], connection: { status: 'failing', revision: revision + 1 } })
    expect((await call('configure_directory_connection', { connection, enabled: false })).connection).toMatchObject({
      revision: revision + 2,
      failures: 0,
    })
    await remove(connection)
  })

  it('asks registrants to try again later if the directory connection is configured to block on failure', async () => {
    const connection = await stage.connectAndTest({ onFailure: 'block' })
    await outage(async () => expect(await stage.lookUp(connection, ada)).toMatchObject({ outcome: 'error', followed: 'block', tags: [] }))
    await remove(connection)
  })

  it('queues the lookup as a job if so configured, and retries it until the directory responds', async () => {
    await stage.configure({ tags: [{ code: 'member', name: 'Member' }] })
    const connection = await stage.connectAndTest({ onFailure: 'queue' })
    const tagRules = [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }]
    await call('configure_directory_connection', { connection, tagRules })
    const run = createJobRunner(stage.world.services)
    const job = retryLookup as Job
    await outage(async () => {
      const { lookupId, followed } = await stage.lookUp(connection, ada)
      expect(followed).toBe('queue')
      const [row] = await query<{ id: string; input: object }>(`select id, input from jobs where input ->> 'lookupId' = $1`, [lookupId])
      expect(JSON.stringify(row!.input)).not.toContain('ada@')
      await run(job, { tenantId: stage.event.tenantId, jobId: row!.id })
      expect(await query('select status from jobs where id = $1', [row!.id])).toEqual([{ status: 'queued' }])
    })
    const [{ id } = { id: '' }] = await query<{ id: string }>(`select id from jobs where name = 'directory-lookup-retry'`)
    const delayed = await query(
      `select 1 from pgboss.job where data ->> 'jobId' = $1 and start_after > created_on + interval '50 seconds'`,
      [id],
    )
    expect(delayed).toHaveLength(1)
    await run(job, { tenantId: stage.event.tenantId, jobId: id })
    expect(await query('select status, result from jobs where id = $1', [id])).toEqual([
      { status: 'done', result: { outcome: 'found', tags: ['member'] } },
    ])
    expect(await query('select outcome, tags_given, asked from directory_lookups where not cache_hit')).toEqual([
      { outcome: 'found', tags_given: ['member'], asked: null },
    ])
    expect(await stage.lookUp(connection, ada)).toMatchObject({ cacheHit: true, tags: ['member'] })
    await remove(connection)
  })

  it('stops retrying a directory lookup after a day', async () => {
    const connection = await stage.connectAndTest({ onFailure: 'queue' })
    await outage(async () => {
      const { lookupId } = await stage.lookUp(connection, ada)
      const [row] = await query<{ id: string }>(`select id from jobs where input ->> 'lookupId' = $1`, [lookupId])
      await stage.world.clock.advance('25 hours')
      await createJobRunner(stage.world.services)(retryLookup as Job, { tenantId: stage.event.tenantId, jobId: row!.id })
      expect(await query('select status, result from jobs where id = $1', [row!.id])).toEqual([
        { status: 'done', result: { outcome: 'error', tags: [] } },
      ])
      expect(await query('select 1 from directory_lookups where asked is not null')).toHaveLength(0)
    })
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })
})

describe('uploaded list as a directory', () => {
  const csv =
    'E-Mail;Mitgliedsnummer;Name;Status\nAda@Example.org;M-1001;Lovelace;aktiv\nben@example.org;1002;Bernoulli;ruht\ntwin@example.org;1;A;x\ntwin@example.org;2;B;x\n'

  it('searches an uploaded member list locally by email or member number, and stores no readable personal data', async () => {
    const { connection: made } = await call('create_directory_connection', { name: 'Sheet', preset: 'uploaded-list', settings: { csv } })
    expect(made).toMatchObject({
      baseUrl: '',
      settings: { rows: '4', columns: 'E-Mail, Mitgliedsnummer, Name, Status', duplicates: '1' },
      status: 'draft',
    })
    const connection = made.code
    const tested = await call('test_directory_connection', { connection, inputs: ada, expect: 'found' })
    expect(tested).toMatchObject({ ok: true, status: 'ready', httpStatus: null })
    await call('configure_directory_connection', { connection, bindings: [{ from: '$.Name', to: '@participant.lastName' }] })
    const outcomes: unknown[] = []
    expect(
      await seen(async () => {
        for (const inputs of [
          ada,
          { memberNumber: 'm 1001' },
          { email: 'absent@example.org' },
          { email: 'twin@example.org' },
          { email: 'twin@example.org', memberNumber: '2' },
        ])
          outcomes.push(
            [await stage.lookUp(connection, inputs)].map(({ outcome, answers }) => [outcome, answers['@participant.lastName']])[0],
          )
      }),
    ).toBe(0)
    expect(outcomes).toEqual([
      ['found', 'Lovelace'],
      ['found', 'Lovelace'],
      ['notFound', undefined],
      ['many', undefined],
      ['found', 'B'],
    ])
    const dump = JSON.stringify(
      await query(
        'select t::text from directory_list_entries t union all select c::text from directory_connections c union all select l::text from directory_lookups l',
      ),
    )
    for (const { LastName } of DIRECTORY_MEMBERS.slice(0, 2)) expect(dump).not.toContain(LastName)
    expect(dump.toLowerCase()).not.toContain('ada@example.org')
    expect(
      (await call('list_directory_binding_options', { connection })).sources.map(({ expression }: { expression: string }) => expression),
    ).toEqual(['$.E-Mail', '$.Mitgliedsnummer', '$.Name', '$.Status'])

    const replaced = await call('configure_directory_connection', { connection, settings: { csv: 'email,Name\nzoe@example.org,Zoe\n' } })
    expect(replaced).toMatchObject({ changed: ['settings', 'status'], connection: { status: 'draft', settings: { rows: '1' } } })
    await call('test_directory_connection', { connection, inputs: { email: 'zoe@example.org' }, expect: 'found' })
    expect(await stage.lookUp(connection, ada)).toMatchObject({ outcome: 'notFound' })
    expect(await refused('configure_directory_connection', { connection, baseUrl: 'https://x.example' })).toMatchObject({
      code: 'invalid_arguments',
    })
    const unreadable = await refused('configure_directory_connection', { connection, settings: { csv: 'Name\nAda\n' } })
    expect(unreadable.fields![0]).toMatchObject({ path: 'settings/csv' })
    await remove(connection)
    expect(await query('select 1 from directory_list_entries')).toHaveLength(0)
  })
})

describe('delete_directory_connection', () => {
  const flows = (connection: string | null) => ({
    flows: [
      {
        slug: 'attendee',
        name: 'Attendee',
        pages: [
          {
            code: 'start',
            widgets: [
              { id: 'w1', type: 'divider' },
              ...(connection ? [{ id: 'w3', type: 'membershipLookup', connection, inputs: ['email'] }] : []),
            ],
          },
        ],
      },
    ],
  })

  it('refuses to delete a directory connection that the draft or the live version uses, and names the widget', async () => {
    const connection = await stage.connectAndTest()
    await stage.lookUp(connection, ada)
    await stage.configure(flows(connection), true)
    const widget = '/flows/attendee/pages/start/widgets/w3'
    expect((await summary(connection)).usedBy).toEqual([widget])
    const both = await refused('delete_directory_connection', { connection, dryRun: true })
    expect(both).toMatchObject({ code: 'precondition_failed', fields: [{ path: widget }, { path: widget }] })
    expect(both.message).toContain(`${widget} (draft), ${widget} (live version)`)
    await stage.configure(flows(null))
    expect((await refused('delete_directory_connection', { connection })).message).toContain(`used at ${widget} (live version).`)
    await stage.configure(flows(null), true)

    const dry = await call('delete_directory_connection', { connection, dryRun: true })
    expect(dry).toMatchObject({ deleted: false, usedBy: [], credentialsDestroyed: 1, lookupsDestroyed: 1, effects: { deletes: 2 } })
    expect((await summary(connection)).status).toBe('ready')
    const done = await call('delete_directory_connection', { connection, confirmToken: dry.confirmToken })
    expect(done).toEqual({ deleted: true, usedBy: [], credentialsDestroyed: 1, lookupsDestroyed: 1 })
    for (const table of ['connections', 'credentials', 'lookups']) expect(await query(`select 1 from directory_${table}`)).toHaveLength(0)
    expect(await refused('describe_directory_connection', { connection })).toMatchObject({ code: 'not_found' })
  })

  it('refuses to delete a directory connection that a flow uses to look up every participant', async () => {
    const connection = await stage.connectAndTest()
    const [flow] = flows(null).flows
    await stage.configure({ flows: [{ ...flow, directory: connection }] })
    expect((await refused('delete_directory_connection', { connection })).message).toContain('used at /flows/attendee (draft)')
    await stage.configure(flows(null))
    await remove(connection)
  })
})
