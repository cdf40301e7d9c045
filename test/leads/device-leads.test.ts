import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/kernel/ports.ts'
import { buildActivation, ANA_BADGE, requestDevice, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let scanned = 0

/** Counts write statements inside and outside transactions, and can drop the connection after a commit. */
const line = { asked: 0, cutAfterCommit: false }

const COUNTING: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult({ result }) {
    line.asked++
    return Promise.resolve(result)
  },
}

function watched(database: Database): Database {
  const query: Database['pool']['query'] = (text, values) => {
    // Scheduled tasks also run statements, so only those about leads count.
    if (text.includes('lead')) line.asked++
    return database.pool.query(text, values)
  }
  return {
    ...database,
    pool: { ...database.pool, query },
    transact: async (run) => {
      const result = await database.transact((db) => run(db.withPlugin(COUNTING)))
      if (!line.cutAfterCommit) return result
      line.cutAfterCommit = false
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
    },
  }
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  served = await serve({ ...world, database: watched(world.database) })
})
afterAll(() => world.end())

async function device(): Promise<{ token: string; company: { id: string; code: string } }> {
  const company = await floor.exhibitors.company({ appointmentsEnabled: false })
  await floor.license(company.id, ['device', 'sdk'], 5)
  return { company, token: (await requestDevice(served, '', { body: buildActivation(floor, company) })).body.deviceToken }
}

const byText = (a = '', b = '') => (a < b ? -1 : 1)
const scan = (badge = ANA_BADGE, more: object = {}) => ({ badge, at: new Date().toISOString(), nonce: `list-${++scanned}`, ...more })
const sync = (token: string, captures: object[]) => requestDevice(served, '/captures', { token, body: { captures } })
const list = async (token: string, query: Record<string, string> = {}) =>
  (await requestDevice(served, `/leads?${new URLSearchParams(query).toString()}`, { token })).body
const rows = async <T = Record<string, unknown>>(query: string, ...values: unknown[]) =>
  (await world.database.pool.query<T & object>(query, values)).rows

async function badges(count: number, prefix: string): Promise<string[]> {
  const made = Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(3, '0')}`)
  for (const badge_id of made) await floor.people.person({ badge_id, first_name: badge_id })
  return made
}

describe('leads of a company, as its devices list them', () => {
  it("lists a company’s leads to the company's devices in pages sorted by change time, and to no other device", async () => {
    const { token } = await device()
    const other = await device()
    const people = await badges(7, 'page')
    for (const badge of people) await sync(token, [scan(badge)])
    await sync(other.token, [scan(ANA_BADGE)])
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: any = await list(token, { limit: '3', ...(cursor ? { cursor } : {}) })
      seen.push(...page.data.map(({ fields }: any) => fields.firstName))
      expect(page.pageInfo.hasMore).toBe(page.pageInfo.nextCursor !== null)
      cursor = page.pageInfo.nextCursor
      if (cursor)
        expect((await requestDevice(served, `/leads?cursor=${encodeURIComponent(cursor)}`, { token: other.token })).body.code).toBe(
          'invalid_cursor',
        )
    } while (cursor)
    expect(seen).toEqual(people)
    expect((await list(other.token)).data.map(({ fields }: any) => fields.firstName)).toEqual(['Ana'])
    const [lead] = (await list(token)).data
    expect(Object.keys(lead)).toEqual([
      'leadId',
      'source',
      'captures',
      'firstCapturedAt',
      'lastCapturedAt',
      'fields',
      'customFields',
      'rating',
      'notes',
      'tags',
      'qualifiers',
      'updatedAt',
    ])
  })

  it('lists leads that changed after the last page was read: scanned again, shared differently or deleted', async () => {
    const { token, company } = await device()
    const [ada, bob, cyd] = await badges(3, 'since')
    await sync(token, [scan(ada), scan(bob), scan(cyd)])
    const all = (await list(token)).data
    const latest = (page: { updatedAt: string }[]) => page.at(-1)!.updatedAt
    const since = async (updatedSince: string) => (await list(token, { updatedSince })).data
    expect(await since(latest(all))).toEqual([])
    await rows(`update participants set sharing = '{"email": "restrict"}' where badge_id = $1`, bob)
    const [shared] = await since(latest(all))
    expect([shared.fields.firstName, 'email' in shared.fields]).toEqual([bob, false])
    await rows(
      `update leads set status = 'deleted' where company_id = $1 and participant_id = (select id from participants where badge_id = $2)`,
      company.id,
      ada,
    )
    const gone = await since(shared.updatedAt)
    expect(gone).toEqual([{ leadId: expect.any(String), deleted: true, updatedAt: expect.any(String) }])
    expect((await list(token)).data.map(({ fields }: any) => fields.firstName)).toEqual([cyd, bob])
    await sync(token, [scan(cyd)])
    expect((await since(gone[0].updatedAt)).map(({ captures }: any) => captures)).toEqual([2])
  })

  it('withholds leads from the list that changed after the start of the oldest uncommitted transaction', async () => {
    const { token } = await device()
    await sync(token, [scan()])
    const [{ updatedAt }] = (await list(token)).data
    const before = new Date(Date.parse(updatedAt) - 1).toISOString()
    expect((await list(token, { updatedSince: before })).data).toHaveLength(1)
    if (world.database.engine === 'embedded') return
    const open = await world.database.pool.connect()
    await open.query('begin')
    await open.query('select lanyard_stamp()')
    await sync(token, [scan()])
    expect((await list(token, { updatedSince: updatedAt })).data).toEqual([])
    expect((await list(token)).data).toHaveLength(1)
    await open.query('rollback')
    open.release()
    expect((await list(token, { updatedSince: updatedAt })).data).toHaveLength(1)
  })

  it('splits leads with long texts into several pages', async () => {
    const { token } = await device()
    const people = await badges(4, 'long')
    await rows(`update participants set bio = repeat('x', 900000) where badge_id = any($1)`, people)
    await sync(
      token,
      people.map((badge) => scan(badge)),
    )
    const first = await list(token)
    expect([first.data.length, first.pageInfo.hasMore]).toEqual([2, true])
    const second = await list(token, { cursor: first.pageInfo.nextCursor })
    expect([second.data.length, second.pageInfo.hasMore]).toEqual([2, false])
  })
})

describe('batch of lead scans', () => {
  it('runs no more SQL statements for a batch of 200 scans than for a batch of two scans', async () => {
    const people = await badges(200, 'batch')
    const costs = async (badgesOf: string[]) => {
      const { token } = await device()
      line.asked = 0
      const { body } = await sync(
        token,
        badgesOf.map((badge) => scan(badge, { rating: 3, staffEmail: 'sam@booth.example' })),
      )
      expect(body.results.map(({ result }: any) => result)).toEqual(badgesOf.map(() => 'created'))
      return line.asked
    }
    const [small, large] = [await costs(people.slice(0, 2)), await costs(people)]
    expect(small).toBeGreaterThan(5)
    expect(large).toBe(small)
  })

  it('recognizes a batch of scans that is sent again after its response was lost', async () => {
    const { token, company } = await device()
    const people = await badges(5, 'lost')
    const batch = [...people, people[0]!].map((badge) => scan(badge))
    line.cutAfterCommit = true
    const lost = await sync(token, batch)
    expect(lost.status).toBe(503)
    const again = await sync(token, batch)
    expect(again.body.results.map(({ result, lead }: any) => [result, lead.captures])).toEqual([
      ['duplicate', 2],
      ...Array.from({ length: 4 }, () => ['duplicate', 1]),
      ['duplicate', 2],
    ])
    expect(
      await rows('select sum(captures)::int as captures, count(*)::int as leads from leads where company_id = $1', company.id),
    ).toEqual([{ captures: 6, leads: 5 }])
  })

  it('sends one webhook message for each lead scan of a device, and one for notes on an existing lead', async () => {
    const { token, company } = await device()
    await createWebhookSubscription(world, floor.event, { url: 'https://crm.example/hook', kinds: ['lead.captured', 'lead.updated'] })
    const [ada, bob] = await badges(2, 'resent')
    const batch = [scan(ada, { rating: 2 }), scan(ada), scan(bob), scan('absent'), scan('0')]
    await sync(token, batch)
    await sync(token, batch)
    await sync(token, [scan(ada, { rating: 2 }), scan(bob, { rating: 5, tags: ['hot'] })])
    const webhookMessages = (
      await rows<{ body: string }>('select body from webhook_messages where body like $1 order by id', `%${company.id}%`)
    ).map(({ body }) => JSON.parse(body))
    const brief = webhookMessages.map(({ type, data }: any) => [type, data.object.captures, data.object.rating, ...data.changed].join(' '))
    expect(brief.toSorted(byText)).toEqual([
      'lead.captured 1  captures lastCapturedAt',
      'lead.captured 2 2 captures lastCapturedAt',
      'lead.captured 2 2 captures lastCapturedAt',
      'lead.captured 2 5 captures lastCapturedAt',
      'lead.captured 3 2 captures lastCapturedAt',
      'lead.updated 2 5 rating tags',
    ])
    expect(JSON.stringify(webhookMessages)).not.toContain('vegan')
  })
})

it('writes no tokens, codes, badges or notes of device requests to the log', async () => {
  const { token, company } = await device()
  await sync(token, [scan(ANA_BADGE, { notes: 'a private word', nonce: 'nonce-in-no-log' })])
  await list(token)
  await requestDevice(served, '', { body: { ...buildActivation(floor, company, 'Wrong one'), eventCode: 'elsewhere' } })
  await requestDevice(served, '/captures', { token, body: '{"captures": [{"badge": "half' })
  const log = served.logged.join('\n')
  const paths = [...new Set([...log.matchAll(/"route":"(\/api\/public\/lead-devices[^"]*)"/g)].map(([, path]) => path))]
  expect(paths.toSorted(byText)).toEqual(['', '/captures', '/leads'].map((path) => `/api/public/lead-devices${path}`))
  expect(log).toContain(`company ${company.id}`)
  for (const secret of [
    token,
    token.slice(4, 24),
    company.code,
    ANA_BADGE,
    'a private word',
    'nonce-in-no-log',
    'Wrong one',
    'ana@example.org',
  ])
    expect(log).not.toContain(secret)
})

describe('lead device at the event for tests', () => {
  it('serves a lead device of the test event without a licence or database, and finds every badge', async () => {
    line.asked = 0
    const activated = await requestDevice(served, '', {
      body: { tenantCode: 'any', clientCode: 'any', eventCode: 'any', activationCode: '0', name: 'Trial', platform: 'web' },
    })
    expect([activated.status, activated.body]).toEqual([
      201,
      {
        deviceId: 'test-device',
        deviceToken: '0',
        company: { id: 'test-company', name: 'Example Company' },
        qualifiers: [],
        testEvent: true,
      },
    ])
    const { body } = await sync('0', [scan('12345', { rating: 3 })])
    expect(body.results).toEqual([
      {
        nonce: expect.any(String),
        result: 'created',
        lead: expect.objectContaining({ leadId: 'test-lead', badgeId: '12345', source: 'device', rating: 3, testEvent: true }),
      },
    ])
    expect(await list('0')).toEqual({ data: [], pageInfo: { nextCursor: null, hasMore: false } })
    expect(line.asked).toBe(0)
  })
})
