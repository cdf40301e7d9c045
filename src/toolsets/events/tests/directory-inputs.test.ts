import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario } from '../../../../test/support/directory-scenario.ts'
import { sendJson } from '../../../../test/support/internet.ts'
import { retryLookup } from '../../../domains/directories/retry.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const call: DirectoryScenario['call'] = (tool, args) => stage.call(tool, args)
const remove = (connection: string) => call('delete_directory_connection', { connection })
const query = async <T>(text: string, values: unknown[] = []) => (await stage.world.database.pool.query<T>(text, values)).rows

/** The number of requests that the directory received during `run`. */
async function seen(run: () => Promise<unknown>): Promise<number> {
  const before = stage.directory.received.length
  await run()
  return stage.directory.received.length - before
}

/** A connection that looks members up by the number in its path, at a directory where every member has one. */
async function byNumber(more: Record<string, unknown> = {}): Promise<string> {
  const connection = await stage.connectAndTest(more)
  const lookup = { path: '/members/{{input.memberNumber}}', inputs: ['memberNumber'], resultPath: '$.member' }
  await call('configure_directory_requests', { connection, lookup })
  await call('configure_directory_connection', { connection, bindings: [{ from: '$.name', to: '@participant.lastName' }] })
  stage.directory.answer = (request, response) => {
    const name = decodeURIComponent(new URL(`https://${request.url}`).pathname.split('/').at(-1)!)
    sendJson(response, { member: { name: `Owner of ${name}` } })
  }
  const tested = await call('test_directory_connection', { connection, inputs: { memberNumber: '1' }, expect: 'found' })
  expect(tested.status).toBe('ready')
  return connection
}

const circuitOf = async (connection: string) => {
  const { status, failures } = (await call('describe_directory_connection', { connection })).connection
  return { status, failures }
}

describe('lookup input that cannot be sent in an HTTP request', () => {
  const notFound = { outcome: 'notFound', cacheHit: false, followed: null, answers: {}, tags: [] }

  it("treats a lookup input that cannot be sent as not found, sends no request, and keeps the directory's status", async () => {
    const connection = await byNumber()
    expect(
      await seen(async () => {
        for (const memberNumber of ['..', '.', ' .. ', 'x'.repeat(501), '..', '..'])
          expect(await stage.lookUp(connection, { memberNumber })).toMatchObject(notFound)
      }),
    ).toBe(0)
    expect(await circuitOf(connection)).toEqual({ status: 'ready', failures: 0 })
    expect(await stage.lookUp(connection, { memberNumber: 'good' })).toMatchObject({ outcome: 'found', followed: null })
    const logged = await query(`select outcome, answer is null as dropped, asked from directory_lookups where outcome = 'notFound'`)
    expect(logged).toEqual(Array.from({ length: 6 }, () => ({ outcome: 'notFound', dropped: true, asked: null })))
    stage.directory.answer = null
    await remove(connection)
  })

  it('does not count a lookup input that cannot be sent as an attempt to reach a directory that is down', async () => {
    const connection = await byNumber({ cacheMinutes: 0 })
    stage.directory.down = true
    for (let i = 0; i < 4; i++) await stage.lookUp(connection, { memberNumber: '1' })
    await stage.lookUp(connection, { memberNumber: '..' })
    expect(await circuitOf(connection)).toEqual({ status: 'ready', failures: 4 })
    await stage.lookUp(connection, { memberNumber: '1' })
    await stage.world.clock.advance('61 seconds')
    expect(await stage.lookUp(connection, { memberNumber: '..' })).toMatchObject(notFound)
    expect(await circuitOf(connection)).toEqual({ status: 'failing', failures: 5 })
    stage.directory.down = false
    expect(await stage.lookUp(connection, { memberNumber: '1' })).toMatchObject({ outcome: 'found' })
    expect(await circuitOf(connection)).toEqual({ status: 'ready', failures: 0 })
    stage.directory.answer = null
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })

  it('fails the connection test for a lookup input that cannot be sent in a request', async () => {
    const connection = await byNumber()
    await call('configure_directory_requests', { connection, probe: { path: '/', inputs: [], resultPath: '$' } })
    const tested = await call('test_directory_connection', { connection, inputs: { memberNumber: '..' }, expect: 'notFound' })
    expect(tested).toMatchObject({ ok: false, status: 'draft', outcome: 'notFound', steps: [{ name: 'request', ok: false }] })
    stage.directory.answer = null
    await remove(connection)
  })

  it('ends a queued directory lookup as not found if the changed request cannot send its input', async () => {
    const connection = await stage.connectAndTest({ onFailure: 'queue' })
    stage.directory.down = true
    const { lookupId } = await stage.lookUp(connection, { email: '..' })
    stage.directory.down = false
    await query(`update directory_connections set requests = jsonb_set(requests, '{lookup,path}', '"/members/{{input.email}}"')`)
    const [job] = await query<{ id: string }>(`select id from jobs where input ->> 'lookupId' = $1`, [lookupId])
    const run = createJobRunner(stage.world.services)
    expect(await seen(() => run(retryLookup as Job, { tenantId: stage.event.tenantId, jobId: job!.id }))).toBe(0)
    expect(await query('select status, result from jobs where id = $1', [job!.id])).toEqual([
      { status: 'done', result: { outcome: 'notFound', tags: [] } },
    ])
    expect(await query('select outcome, answer, asked from directory_lookups where id = $1', [lookupId])).toEqual([
      { outcome: 'notFound', answer: null, asked: null },
    ])
    await remove(connection)
  })
})

describe('directory host that does not resolve', () => {
  it('counts a host that does not resolve as a failure of the directory, although no request was sent', async () => {
    const connection = await byNumber({ baseUrl: 'https://leaving.example/api' })
    stage.directory.names.set('leaving.example', ['10.0.0.7'])
    expect(
      await seen(async () =>
        expect(await stage.lookUp(connection, { memberNumber: '2' })).toMatchObject({ outcome: 'error', followed: 'allow' }),
      ),
    ).toBe(0)
    expect(await circuitOf(connection)).toEqual({ status: 'ready', failures: 1 })
    stage.directory.names.delete('leaving.example')
    stage.directory.answer = null
    await remove(connection)
  })
})

describe('cached lookup result', () => {
  it('uses a cached lookup result for exactly one member number', async () => {
    const connection = await byNumber()
    const owner = async (memberNumber: string) => {
      const { cacheHit, answers } = await stage.lookUp(connection, { memberNumber })
      return [cacheHit, answers['@participant.lastName']]
    }
    expect(await owner('003aB')).toEqual([false, 'Owner of 003aB'])
    expect(await owner('003Ab')).toEqual([false, 'Owner of 003Ab'])
    expect(await owner('００3aB')).toEqual([false, 'Owner of ００3aB'])
    expect(await owner(' 003aB ')).toEqual([true, 'Owner of 003aB'])
    stage.directory.answer = null
    await remove(connection)
  })
})

describe('row of an uploaded list', () => {
  const outcomes = async (csv: string, asked: Record<string, string>[]) => {
    const { connection: made } = await call('create_directory_connection', { name: 'Sheet', preset: 'uploaded-list', settings: { csv } })
    await call('configure_directory_connection', {
      connection: made.code,
      bindings: [{ from: '$.Name', to: '@participant.lastName' }],
    })
    await call('test_directory_connection', { connection: made.code, inputs: asked[0]! })
    const found: unknown[] = []
    for (const inputs of asked) {
      const { outcome, answers } = await stage.lookUp(made.code, inputs)
      found.push(outcome === 'found' ? answers['@participant.lastName'] : outcome)
    }
    await remove(made.code)
    return found
  }
  const both = (email: string, memberNumber: string) => ({ email: `${email}@example.org`, memberNumber })

  it('finds a member list row without a member number by email only, and one without an email by number only', async () => {
    const emails = 'Email,Name\nada@example.org,Ada\n'
    expect(await outcomes(emails, [both('ada', '1001'), both('ben', '1001')])).toEqual(['Ada', 'notFound'])
    const numbers = 'Member number,Name\n1001,Ada\n'
    expect(await outcomes(numbers, [both('ada', '1001'), both('ada', '1002')])).toEqual(['Ada', 'notFound'])
  })

  it('finds a member list row with only an email or number by it, one with both only by both, and prefers the latter', async () => {
    const csv =
      'Email,Member number,Name\nada@example.org,,Ada\n,77,Seven\nben@example.org,1002,Ben\ntwin@example.org,,Tina\ntwin@example.org,5,Toni\n,5,Theo\n'
    const asked = [
      both('ada', '1001'),
      both('eve', '77'),
      both('ben', '1003'),
      both('eve', '1002'),
      both('twin', '5'),
      both('twin', '6'),
      both('ada', '77'),
    ]
    expect(await outcomes(csv, asked)).toEqual(['Ada', 'Seven', 'notFound', 'notFound', 'Toni', 'Tina', 'many'])
  })
})
