import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/kernel/ports.ts'
import { requestLead, ANA_BADGE, BEHIND_A_PROXY, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let company: { id: string; code: string }

/** Counts the queries of the pool, and can make them fail. */
const pool = { asked: 0, broken: null as Error | null }

function watched(database: Database): Database {
  const query: Database['pool']['query'] = (text, values) => {
    pool.asked++
    return pool.broken ? Promise.reject(pool.broken) : database.pool.query(text, values)
  }
  const connect: Database['pool']['connect'] = () => {
    pool.asked++
    return database.pool.connect()
  }
  return { ...database, pool: { ...database.pool, query, connect } }
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.stopAt('2027-03-01T09:00:20Z')
  floor = await openShowFloor(world)
  company = await floor.createLicensedCompany()
  served = await serve({ ...world, database: watched(world.database) }, { env: BEHIND_A_PROXY })
})
afterAll(() => world.end())

const wrong = () => ({ ...floor.leadRequest(company, ANA_BADGE), activationCode: randomBytes(10).toString('hex') })

describe('guesses of activation codes', () => {
  it('allows 30 wrong activation codes a minute from one IP address, and accepts the right code at any time', async () => {
    const from = '10.9.0.1'
    for (let i = 0; i < 30; i++) expect((await requestLead(served, wrong(), { from })).status).toBe(401)
    for (let i = 0; i < 3; i++) {
      const { status, headers, body } = await requestLead(served, wrong(), { from })
      expect([status, headers.get('retry-after'), body.code, body.retryAfter]).toEqual([429, '40', 'too_many_requests', 40])
      expect(body.error).toEqual({ code: 'too_many_requests', message: 'Too many calls: try again in 40 seconds' })
      expect((await requestLead(served, floor.leadRequest(company, ANA_BADGE), { from })).status).toBe(200)
    }
    // Refusals above the limit write nothing.
    const { rows } = await world.database.pool.query(`select count from rate_windows where key like 'lead-tries:%' and count > 30`)
    expect(rows).toEqual([])
    const bare = await floor.exhibitors.company({ appointmentsEnabled: false })
    expect((await requestLead(served, floor.leadRequest(bare, ANA_BADGE), { from })).status).toBe(403)
    expect((await requestLead(served, floor.leadRequest(company, 'absent'), { from })).status).toBe(404)
    await world.clock.stopAt('2027-03-01T09:01:00Z')
    expect((await requestLead(served, wrong(), { from })).status).toBe(401)
  })

  it('control: answers any number of wrong activation codes from one IP address if they are not counted', async () => {
    const from = '10.9.0.2'
    const statuses = new Set<number>()
    for (let i = 0; i < 34; i++) {
      statuses.add((await requestLead(served, wrong(), { from })).status)
      if (i === 29) await world.database.pool.query(`delete from rate_windows where key = 'lead-tries:10.9.0.2'`)
    }
    expect([...statuses]).toEqual([401])
  })

  it('does not count missing parameters, missing licences or unknown badges as wrong codes', async () => {
    const from = '10.9.0.3'
    const bare = await floor.exhibitors.company({ appointmentsEnabled: false })
    for (let i = 0; i < 35; i++) {
      expect((await requestLead(served, {}, { from })).status).toBe(400)
      expect((await requestLead(served, floor.leadRequest(bare, ANA_BADGE), { from })).status).toBe(403)
      expect((await requestLead(served, floor.leadRequest(company, 'absent'), { from })).status).toBe(404)
    }
    expect((await requestLead(served, floor.leadRequest(company, ANA_BADGE), { from })).status).toBe(200)
  })

  it('rejects every guessed activation code, from any number of IP addresses', async () => {
    const outcomes = new Set<number>()
    for (let i = 0; i < soakRounds(100); i++)
      outcomes.add((await requestLead(served, wrong(), { from: `10.8.${Math.floor(i / 250)}.${i % 250}` })).status)
    expect([...outcomes]).toEqual([401])
  })
})

it('limits one activation code to 600 scans a minute', async () => {
  const busy = await floor.createLicensedCompany()
  const question = floor.leadRequest(busy, '0')
  expect((await requestLead(served, question)).status).toBe(200)
  await world.database.pool.query(`update rate_windows set count = 598 where key like 'lead-code:%' and count = 1`)
  expect((await requestLead(served, question)).status).toBe(200)
  expect((await requestLead(served, { ...question, badgeId: ANA_BADGE })).status).toBe(200)
  const before = await floor.exhibitors.figure('select count(*) as n from lead_captures')
  for (const badgeId of ['0', ANA_BADGE]) expect((await requestLead(served, { ...question, badgeId })).status).toBe(429)
  expect(await floor.exhibitors.figure('select count(*) as n from lead_captures')).toBe(before)
  await world.clock.stopAt('2027-03-01T09:02:00Z')
  expect((await requestLead(served, question)).status).toBe(200)
})

it('logs once that more than 1,000 lead scans failed in an hour at one event', async () => {
  await world.clock.stopAt('2027-03-01T11:00:00Z')
  const place = await openShowFloor(world)
  const its = await place.createLicensedCompany()
  const said = () => served.logged.filter((line) => line.includes('lead scans failed'))
  expect((await requestLead(served, place.leadRequest(its, 'absent'))).status).toBe(404)
  await world.database.pool.query(`update rate_windows set count = 999 where key = $1`, [`lead-failures:${place.event.eventId}`])
  expect((await requestLead(served, { ...place.leadRequest(its, ANA_BADGE), activationCode: 'x' })).status).toBe(401)
  expect(said()).toEqual([])
  expect((await requestLead(served, place.leadRequest(its, 'absent'))).status).toBe(404)
  expect((await requestLead(served, place.leadRequest(its, 'absent'))).status).toBe(404)
  expect(said()).toHaveLength(1)
  expect(JSON.parse(said()[0]!)).toMatchObject({ level: 'error', event: place.event.eventCode, count: 1001 })
  expect((await requestLead(served, place.leadRequest(its, ANA_BADGE))).status).toBe(200)
})

describe('database queries of a lead scan', () => {
  it('runs no database query for a scan at the test event and one for any other scan', async () => {
    await requestLead(served, floor.leadRequest(company, ANA_BADGE))
    pool.asked = 0
    for (const badgeId of ['0', ANA_BADGE, 'x|y']) {
      expect((await requestLead(served, { ...floor.leadRequest(company, badgeId), activationCode: '0' })).status).toBe(200)
    }
    expect((await requestLead(served, { activationCode: 'x' })).status).toBe(400)
    expect(pool.asked).toBe(0)
    await requestLead(served, floor.leadRequest(company, ANA_BADGE))
    await requestLead(served, floor.leadRequest(company, 'absent'))
    await requestLead(served, floor.leadRequest(company, '0'))
    await requestLead(served, wrong())
    expect(pool.asked).toBe(4)
  })

  it('returns a reference number when a lead scan fails, and logs neither code nor badge', async () => {
    pool.broken = Object.assign(new Error('something broke'), { code: 'XX000' })
    const internal = await requestLead(served, floor.leadRequest(company, 'canary-of-a-badge'))
    pool.broken = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const gone = await requestLead(served, floor.leadRequest(company, 'canary-of-a-badge'))
    pool.broken = null
    expect([internal.status, internal.body.code, internal.body.detail]).toEqual([
      500,
      'internal',
      expect.stringMatching(/^Internal error — reference [0-9a-f]{12}$/),
    ])
    expect([gone.status, gone.body.code, gone.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
    expect((await requestLead(served, floor.leadRequest(company, 'canary-of-a-badge'))).status).toBe(404)
    const kept = await world.database.pool.query<{ text: string }>(
      `select to_jsonb(a)::text as text from audit_entries a union all select to_jsonb(w)::text from rate_windows w`,
    )
    const sinks = [...served.logged, ...world.logged, ...kept.rows.map(({ text }) => text)].join('\n')
    expect(sinks).toContain('/api/public/lead-sdk')
    for (const canary of [company.code, company.code.replaceAll('-', ''), 'canary-of-a-badge', 'activationCode', 'badgeId=']) {
      expect(sinks).not.toContain(canary)
    }
  })
})
