import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { createFailureCollector } from '../../src/domains/feedback/failures.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { text } from '../../src/kernel/args.ts'
import { accountTool, type Tool } from '../../src/kernel/tool.ts'
import { callOrganizerTool } from '../../src/surfaces/mcp/call-tool.ts'
import { sendHttp, buildLegacyMessage, postMessage, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, resourceAt, type World } from '../support/world.ts'
import { OPERATOR_ENV, operatorAt } from './operator.ts'

let world: World
let served: Served
let operator: ReturnType<typeof operatorAt>
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world, { env: OPERATOR_ENV })
  operator = operatorAt(served)
  olga = await world.organizer({ at: await world.client({ code: 'acme' }) })
})
afterAll(() => world.end())
beforeEach(() => world.database.pool.query('delete from feedback'))

/** A planted request value: request data can appear in error messages, and none of it may be stored. */
const CANARY = 'canary-5f3a'

const failingTool = (name: string, fail: (said: string) => unknown): Tool =>
  accountTool({
    name,
    title: 'Fail',
    description: 'Fails.',
    effect: 'read',
    permission: null,
    input: { said: text().optional() },
    output: {},
    run: async (_ctx, { said = '' }) => {
      throw fail(said)
    },
  })
const breakingTool = failingTool('fixture_break', (said) => new TypeError(`cannot read ${said}`))

const collector = (appVersion = '0.1.0') => createFailureCollector({ database: world.database, log: world.services.log, appVersion })

/** Calls a tool through the real call pipeline and returns the error that the caller gets. */
async function callAndGetError(tool: Tool, failures: ReturnType<typeof collector>): Promise<string> {
  const organizer = await verifyOrganizer(world.database.pool, olga.token, resourceAt(world.services.baseUrl))
  const outcome = await callOrganizerTool({ ...world.services, failures }, organizer!, tool, { said: CANARY })
  if (outcome.kind !== 'error') throw new Error('it went through')
  return outcome.error.message
}

interface StoredError {
  id: string
  text: string
  page: string | null
  tool: string | null
  errorRef: string
  count: number
  revision: number
}
const all = async () => (await operator.call('list_feedback')).feedback as StoredError[]
const referenceIn = (message: string) => /reference ([0-9a-f]{12})/.exec(message)![1]!

describe('internal error report', () => {
  it('stores one report per error, counts repetitions, and finds the report by its reference', async () => {
    const failures = collector()
    const messages = [
      await callAndGetError(breakingTool, failures),
      await callAndGetError(breakingTool, failures),
      await callAndGetError(breakingTool, failures),
    ]
    await failures.flush()
    const [stored, ...others] = (await all()) as [StoredError, ...StoredError[]]
    expect(others).toEqual([])
    expect(stored).toMatchObject({ source: 'error', kind: 'error', status: 'new', tool: 'fixture_break', count: 3, appVersion: '0.1.0' })
    expect(stored.text).toMatch(/^TypeError in fixture_break, at surfaces\/mcp\/run-tool /)
    const { feedback } = await operator.call('get_feedback', { feedbackId: stored.id })
    expect(feedback.errorReferences.map((one: { reference: string }) => one.reference)).toEqual(messages.map(referenceIn).toReversed())
    expect(feedback.errorRef).toBe(referenceIn(messages[2]!))
    expect((await operator.call('list_feedback', { search: referenceIn(messages[0]!) })).total).toBe(1)
    expect(world.logged.join()).toContain(referenceIn(messages[0]!))
  })

  it('distinguishes error reports by tool and error class, not by message', async () => {
    const failures = collector()
    for (const tool of [
      breakingTool,
      failingTool('fixture_break', () => new TypeError('other words')),
      failingTool('fixture_break', () => new RangeError('x')),
      failingTool('fixture_break', () => Object.assign(new Error('x'), { code: '23505' })),
      failingTool('fixture_other', () => new TypeError('x')),
      failingTool('fixture_other', () => 'a bare text'),
    ]) {
      await callAndGetError(tool, failures)
    }
    await failures.flush()
    expect((await all()).map((one) => `${one.text.split(',')[0]}: ${one.count}`).toSorted()).toEqual([
      'Error 23505 in fixture_break: 1',
      'RangeError in fixture_break: 1',
      'TypeError in fixture_break: 2',
      'TypeError in fixture_other: 1',
      'string in fixture_other: 1',
    ])
  })

  it('stores no request data in an internal error report, and stores no report for expected refusals', async () => {
    const failures = collector()
    await callAndGetError(breakingTool, failures)
    await olga.refused('list_events', { clientCode: 'nowhere' })
    await failures.flush()
    const { rows } = await world.database.pool.query<{ kept: string }>(`select f::text as kept from feedback f`)
    expect(rows).toHaveLength(1)
    expect(rows[0]!.kept).not.toContain(CANARY)
  })

  it('stores error reports of many server nodes in one row with the newest twenty references', async () => {
    const nodes = [collector(), collector(), collector()]
    for (let i = 0; i < 300; i++) nodes[i % 3]!.note({ met: { tool: 'x' }, reference: String(i).padStart(12, '0'), error: new Error('x') })
    await Promise.all(nodes.map((node) => node.flush()))
    const [stored, ...others] = (await all()) as [StoredError, ...StoredError[]]
    expect([stored.count, others]).toEqual([300, []])
    expect((await operator.call('get_feedback', { feedbackId: stored.id })).feedback.errorReferences).toHaveLength(20)
  })

  it("counts a recurring error without a conflict with an operator's edit of the error report", async () => {
    const failures = collector()
    await callAndGetError(breakingTool, failures)
    await failures.flush()
    const [{ id, revision }] = (await all()) as [StoredError]
    await callAndGetError(breakingTool, failures)
    await failures.flush()
    await operator.call('update_feedback', { feedbackId: id, status: 'triaged', ifRevision: revision })
  })

  it('never fails or delays a call because its error report cannot be stored', async () => {
    const failures = createFailureCollector({
      database: { ...world.database, transact: () => Promise.reject(new Error('no room')) },
      log: world.services.log,
      appVersion: '0.1.0',
    })
    const message = await callAndGetError(breakingTool, failures)
    expect(message).toMatch(/^Internal error — reference [0-9a-f]{12}$/)
    await failures.flush()
    expect(world.logged.at(-1)).toContain('could not be stored')
    expect(await all()).toEqual([])
  })
})

describe('error report marked as fixed', () => {
  it('reopens a fixed error report only when the error recurs in a later version', async () => {
    const once = async (version: string) => {
      const failures = collector(version)
      await callAndGetError(breakingTool, failures)
      await failures.flush()
      return (await all())[0]!
    }
    const { id: feedbackId } = await once('0.1.0')
    await operator.call('update_feedback', { feedbackId, status: 'fixed' })
    expect(await once('0.1.0')).toMatchObject({ status: 'fixed', count: 2 })
    expect(await once('0.0.9')).toMatchObject({ status: 'fixed', count: 3, appVersion: '0.1.0' })
    expect(await once('0.1.1')).toMatchObject({ status: 'new', count: 4, appVersion: '0.1.1' })
    const { feedback } = await operator.call('get_feedback', { feedbackId })
    expect(feedback.notes[0]).toMatchObject({ author: 'lanyard', text: 'status: fixed -> new, because it happened again in version 0.1.1' })
    expect(feedback).not.toHaveProperty('fixedIn')
    await operator.call('update_feedback', { feedbackId, status: 'declined' })
    expect(await once('9.0.0')).toMatchObject({ status: 'declined', count: 5 })
  })

  it("counts a recurring error for the report into which the error's own report was merged", async () => {
    const failures = collector()
    await callAndGetError(breakingTool, failures)
    await callAndGetError(
      failingTool('fixture_other', () => new TypeError('x')),
      failures,
    )
    await failures.flush()
    const rows = await all()
    const from = rows.find((one) => one.tool === 'fixture_break')!
    const into = rows.find((one) => one.tool === 'fixture_other')!
    await operator.call('merge_feedback', { feedbackId: from.id, intoId: into.id })
    const message = await callAndGetError(breakingTool, failures)
    await failures.flush()
    expect((await operator.call('get_feedback', { feedbackId: into.id })).feedback).toMatchObject({
      count: 3,
      errorRef: referenceIn(message),
    })
    expect((await operator.call('get_feedback', { feedbackId: from.id })).feedback).toMatchObject({ count: 1, status: 'duplicate' })
  })
})

describe('internal errors at every endpoint', () => {
  const without = async <T>(table: string, run: () => Promise<T>): Promise<T> => {
    await world.database.pool.query(`alter table ${table} rename to away`)
    try {
      return await run()
    } finally {
      await world.database.pool.query(`alter table away rename to ${table}`)
    }
  }

  it('returns the reference of a stored error report, for errors of a tool, an endpoint and a page', async () => {
    const session = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: '' })
    const listEvents = () =>
      postMessage(served, olga.token, buildLegacyMessage('tools/call', toolCallParams('list_events', { clientCode: 'acme' })))
    const tool = await without('participants', listEvents)
    const endpoint = await without('events', listEvents)
    const page = await without('events', () =>
      sendHttp(served.url(`/console?search=${CANARY}`), { headers: { cookie: `lanyard-organizer=${session.reveal()}` } }),
    )
    expect([tool.status, endpoint.status, page.status]).toEqual([200, 500, 500])
    const references = [
      referenceIn(tool.json.result.content[0].text),
      referenceIn(endpoint.json.error.message),
      /number: ([0-9a-f]{12})/.exec(page.text)![1]!,
    ]
    await expect.poll(async () => (await all()).length).toBe(3)
    const stored = await all()
    expect(stored.map((one) => one.errorRef).toSorted()).toEqual(references.toSorted())
    expect(stored.map((one) => one.page ?? one.tool ?? '').toSorted()).toEqual(['/api/mcp/organizer', '/console', 'list_events'])
    expect(JSON.stringify(stored)).not.toContain(CANARY)
  })
})
