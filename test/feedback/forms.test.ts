import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/commands/command.ts'
import { feedbackCommand } from '../../src/commands/feedback.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { openMigratedDatabase } from '../../src/open-migrated.ts'
import { createTestFolder } from '../support/folder.ts'
import { sendHttp, resetRateLimits } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { OPERATOR_ENV, operatorAt } from './operator.ts'

let world: World
let served: Served
let operator: ReturnType<typeof operatorAt>
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world, { env: OPERATOR_ENV })
  operator = operatorAt(served)
  olga = await world.organizer()
})
afterAll(() => world.end())
beforeEach(async () => {
  await world.database.pool.query('delete from feedback')
  await resetRateLimits(world)
})

const listStored = async () => (await operator.call('list_feedback')).feedback as any[]

/** Opens a feedback form, fills in the fields and submits it. */
async function fill(path: string, fields: Record<string, string>, cookie = '') {
  const opened = await sendHttp(served.url(path), { headers: cookie ? { cookie } : {} })
  const jar = [cookie, ...(opened.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]!)].filter(Boolean).join('; ')
  const hidden = Object.fromEntries(
    [...opened.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  )
  const send = (more: Record<string, string> = {}) =>
    sendHttp(served.url(path.split('?')[0]!), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: jar },
      body: new URLSearchParams({ ...hidden, ...fields, ...more }).toString(),
    })
  return { opened, send }
}

const SAID = { kind: 'idea', text: 'Say more about limits', email: 'ana@example.org' }

describe('documentation feedback form', () => {
  it('stores the feedback text with the page it is about', async () => {
    const { opened, send } = await fill('/docs/feedback?page=/docs/limits?token=secret', SAID)
    expect(opened.headers['cache-control']).toBe('no-store')
    const sent = await send()
    expect([sent.status, sent.headers.location]).toEqual([303, '/docs/feedback?done=thanks&page=%2Fdocs%2Flimits'])
    expect((await sendHttp(served.url(sent.headers.location!))).text).toContain('Thank you. We have received your feedback.')
    expect(await listStored()).toMatchObject([
      { source: 'docs', kind: 'idea', text: SAID.text, page: '/docs/limits', status: 'new', appVersion: '0.1.0' },
    ])
    const [{ id: feedbackId }] = await listStored()
    expect((await operator.call('get_feedback', { feedbackId })).feedback.contactEmail).toBe('ana@example.org')
  })

  it('shows errors of the feedback form and keeps the input', async () => {
    const { send } = await fill('/docs/feedback', { ...SAID, text: ' ', email: 'absent' })
    const answer = await send()
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Your feedback: must not be empty')
    expect(answer.text).toContain('Your email: not an email address')
    expect(answer.text).toContain('value="absent"')
    expect((await send({ ...SAID, text: 'x'.repeat(4001) })).status).toBe(400)
    expect((await send({ ...SAID, kind: 'error' })).status).toBe(400)
    expect(await listStored()).toEqual([])
  })

  it('accepts five feedback messages an hour from one IP address', async () => {
    const { send } = await fill('/docs/feedback', SAID)
    for (let i = 1; i <= 5; i++) expect((await send({ text: `number ${i}` })).status).toBe(303)
    const sixth = await send({ text: 'number 6' })
    expect(sixth.status).toBe(429)
    expect(sixth.text).toContain('more than 5 messages in the last hour')
    expect(sixth.text).toContain('number 6')
    await world.clock.advance('61 minutes')
    expect((await send({ text: 'number 7' })).status).toBe(303)
    await world.clock.reset()
    expect(await listStored()).toHaveLength(6)
  })

  it('rejects a feedback form from another site', async () => {
    const { send } = await fill('/docs/feedback', SAID)
    expect((await send({ _csrf: 'made up' })).headers.location).toBe('/docs/feedback')
    expect(await listStored()).toEqual([])
  })
})

describe('console feedback form', () => {
  it("stores the feedback text of an organizer with the organizer's tenant", async () => {
    const session = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: '' })
    const { opened, send } = await fill('/console/feedback', SAID, `lanyard-organizer=${session.reveal()}`)
    expect(opened.text).toContain(`value="${olga.email}"`)
    expect((await send()).headers.location).toBe('/console/feedback?done=thanks')
    const [{ id: feedbackId }] = await listStored()
    expect((await operator.call('get_feedback', { feedbackId })).feedback).toMatchObject({
      source: 'console',
      kind: 'idea',
      tenantCode: 'demo',
    })
  })

  it('requires a signed-in user to open the console feedback form', async () => {
    expect((await sendHttp(served.url('/console/feedback'))).headers.location).toContain('/console/sign-in')
  })
})

describe('lanyard feedback add', () => {
  const environment = () =>
    readEnvironment({ LANYARD_DATA_DIR: createTestFolder(), ...(world.url ? { DATABASE_URL: world.url } : {}) }, false)

  it('stores the feedback text of the command line', async () => {
    const there = environment()
    const flags = { kind: 'idea', tool: 'list_events' }
    const { text, data } = await feedbackCommand.run({ environment: there, words: ['add', 'The', 'backup is slow'], flags })
    const { feedbackId } = data as { feedbackId: string }
    expect(text).toBe(`Noted as ${feedbackId}.`)
    const database = await openMigratedDatabase(there)
    const row = await database.read.selectFrom('feedback').selectAll().where('id', '=', feedbackId).executeTakeFirst()
    await database.close()
    expect(row).toMatchObject({ source: 'cli', kind: 'idea', body: 'The backup is slow', tool: 'list_events', app_version: '0.1.0' })
  })

  it.each([
    [['add'], {}, 'the text: must not be empty'],
    [['add', 'x'], { kind: 'error' }, '--kind must be one of bug, idea, question, praise'],
    [['add', 'x'], { email: 'absent' }, '--email is not an email address'],
    [['remove'], {}, 'Unknown action "remove" of feedback. The action is add.'],
  ])('explains the usage of lanyard feedback add for invalid arguments: %j %j', (words, flags, message) => {
    expect(() => feedbackCommand.run({ environment: environment(), words, flags })).toThrow(new UsageError(message))
  })
})
