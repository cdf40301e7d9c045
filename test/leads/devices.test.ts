import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../../src/kernel/secrets.ts'
import { findTablesWithTokens } from '../support/leaks.ts'
import {
  buildActivation,
  ANA_BADGE,
  requestDevice,
  requestLead,
  BEHIND_A_PROXY,
  LEAD_PRODUCTS,
  openShowFloor,
  type ShowFloor,
} from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let scanned = 0

const NOW = '2027-03-01T09:00:20.000Z'
const after = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString()
const address = () => `10.7.${Math.floor(++scanned / 250)}.${scanned % 250}`
const nonce = () => `nonce-${++scanned}`

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.stopAt(NOW)
  floor = await openShowFloor(world, {
    products: LEAD_PRODUCTS,
    exhibitorConfig: { leadVisibleFields: ['email', 'jobTitle', 'cf:topics'], leadQualifiers: ['topics', 'diet', 'budget'] },
    customFields: [
      {
        code: 'topics',
        name: 'Topics',
        responseType: 'multiChoice',
        choices: [
          { code: 'ai', name: 'Artificial intelligence' },
          { code: 'b2b', name: 'B2B' },
        ],
      },
      { code: 'diet', name: 'Diet', responseType: 'text', sensitive: true },
      { code: 'budget', name: 'Budget', responseType: 'number' },
    ],
  } as never)
  served = await serve(world, { env: BEHIND_A_PROXY })
})
afterAll(() => world.end())

interface Company {
  id: string
  code: string
}

const activate = (company: Company, name?: string, from = address()) =>
  requestDevice(served, '', { body: buildActivation(floor, company, name), from })
const sync = (token: string, captures: unknown, more: object = {}) =>
  requestDevice(served, '/captures', { token, body: { captures, ...more }, from: address() })
const leadsOf = (token: string, query = '') => requestDevice(served, `/leads?${query}`, { token, from: address() })
const rows = async <T = Record<string, unknown>>(query: string, ...values: unknown[]) =>
  (await world.database.pool.query<T & object>(query, values)).rows
const scan = (badge = ANA_BADGE, more: object = {}) => ({ badge, at: NOW, nonce: nonce(), ...more })

async function withDevices(seats: number): Promise<Company> {
  const company = await floor.exhibitors.company({ appointmentsEnabled: false })
  await floor.license(company.id, ['device'], seats)
  return company
}

async function withToken(company?: Company): Promise<{ company: Company; token: string; deviceId: string }> {
  const found = company ?? (await withDevices(3))
  const { status, body } = await activate(found)
  expect(status).toBe(201)
  return { company: found, token: body.deviceToken, deviceId: body.deviceId }
}

const problem = (code: string, status: number, message: string) => ({ status, code, detail: message, error: { code, message } })

describe('lead device', () => {
  it('activates a device with the company’s code and stores only a hash of its token', async () => {
    const company = await withDevices(1)
    const { status, headers, body } = await activate(company, '  Booth\u200b iPad ')
    expect(status).toBe(201)
    expect(body).toEqual({
      deviceId: expect.stringMatching(/^[0-9a-f]{24}$/),
      deviceToken: expect.stringMatching(/^lld_[A-Za-z0-9_-]{43}$/),
      company: { id: company.id, name: expect.stringMatching(/^Company \d+$/) },
      qualifiers: [
        {
          code: 'topics',
          label: 'Topics',
          type: 'multiChoice',
          choices: [
            { code: 'ai', label: 'Artificial intelligence' },
            { code: 'b2b', label: 'B2B' },
          ],
        },
        { code: 'budget', label: 'Budget', type: 'number', choices: [] },
      ],
    })
    const headerValue = (name: string) => headers.get(name)
    expect(['cache-control', 'referrer-policy', 'access-control-allow-origin', 'etag', 'set-cookie'].map(headerValue)).toEqual([
      'no-store',
      'no-referrer',
      '*',
      null,
      null,
    ])
    expect(await rows('select name, platform, status, token_hash from lead_devices where id = $1', body.deviceId)).toEqual([
      { name: 'Booth iPad', platform: 'ios', status: 'active', token_hash: hashToken(body.deviceToken) },
    ])
    expect(await findTablesWithTokens(world.database.pool)).toEqual([])
    expect(
      await rows(
        `select actor_kind, actor_id, targets from audit_entries where tool = 'activate_lead_device' and actor_id = $1`,
        company.id,
      ),
    ).toEqual([
      {
        actor_kind: 'exhibitor',
        actor_id: company.id,
        targets: [
          {
            kind: 'leadDevice',
            id: body.deviceId,
            fields: expect.objectContaining({ name: { after: 'Booth iPad' } }),
          },
        ],
      },
    ])
  })

  it('rejects a device activation without a device licence or a free seat', async () => {
    const bare = await floor.createLicensedCompany()
    const refused = await activate(bare)
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject(problem('not_licensed', 403, 'This company has no licence for lead devices at this event'))
    const full = await withDevices(1)
    expect((await activate(full)).status).toBe(201)
    const second = await activate(full)
    expect([second.status, second.body.code]).toEqual([403, 'no_seat_left'])
    expect(second.body.detail).toBe('All seats of this company are in use — revoke a device, or ask for more seats')
  })

  it('rejects any wrong activation code with the same message, and with 429 after thirty attempts', async () => {
    const company = await withDevices(1)
    const from = address()
    const body = buildActivation(floor, company)
    const cancelled = await withDevices(1)
    await rows(`update companies set status = 'cancelled' where id = $1`, cancelled.id)
    const wrong = [
      { ...body, activationCode: 'AAAA-AAAA-AAAA-AAAA' },
      { ...body, eventCode: 'elsewhere' },
      { ...body, clientCode: 'no code at all \u00e9' },
      { ...buildActivation(floor, cancelled) },
    ]
    for (const one of wrong) {
      const refused = await requestDevice(served, '', { body: one, from })
      expect(refused.status).toBe(401)
      expect(refused.body).toMatchObject(
        problem('invalid_activation', 401, 'The activation code is not valid for this tenant, client and event'),
      )
    }
    for (let i = wrong.length; i < 30; i++) expect((await requestDevice(served, '', { body: wrong[0], from })).status).toBe(401)
    // Scans with a wrong code from this address count as well, and so do unknown tokens.
    for (const refused of [
      await requestDevice(served, '', { body: wrong[0], from }),
      await requestLead(served, { ...floor.leadRequest(company, '0'), activationCode: 'AAAA' }, { from }),
      await requestDevice(served, '/leads', { token: 'lld_none', from }),
    ])
      expect([refused.status, refused.headers.get('retry-after'), refused.body.code]).toEqual([429, '40', 'too_many_requests'])
    // The right code is accepted, because a hall shares one address.
    const licensed = await floor.createLicensedCompany()
    expect((await requestLead(served, floor.leadRequest(licensed, '0'), { from })).status).toBe(200)
    expect((await requestDevice(served, '', { body, from })).status).toBe(201)
  })

  it('allows thirty wrong device tokens a minute, and accepts the right token at any time', async () => {
    const from = address()
    for (let i = 0; i < 30; i++) {
      const refused = await requestDevice(served, '/captures', { token: `lld_${i}`, body: { captures: [scan()] }, from })
      expect([refused.status, refused.body.code]).toEqual([401, 'invalid_device'])
    }
    const { token } = await withToken()
    expect((await requestDevice(served, '/leads', { token: 'lld_30', from })).status).toBe(429)
    expect((await requestDevice(served, '/leads', { token, from })).status).toBe(200)
    // A request without a token is not a guess.
    for (let i = 0; i < 35; i++) expect((await requestDevice(served, '/leads', { from: '10.6.0.1' })).status).toBe(401)
    expect((await requestDevice(served, '/leads', { token, from: '10.6.0.1' })).status).toBe(200)
  })

  it('allows a device to send 600 badges a minute', async () => {
    const { token } = await withToken()
    const batch = () => Array.from({ length: 200 }, () => scan('absent'))
    for (let i = 0; i < 3; i++) expect((await sync(token, batch())).status).toBe(200)
    const busy = await sync(token, [scan()])
    expect([busy.status, busy.headers.get('retry-after'), busy.body.code]).toEqual([429, '40', 'too_many_requests'])
    expect((await leadsOf(token)).status).toBe(429)
  })
})

describe('invalid lead device request', () => {
  it('returns all validation errors of a device request in one response', async () => {
    const { token } = await withToken()
    const post = (path: '' | '/captures', body: unknown) => requestDevice(served, path, { token, body, from: address() })
    const of = async (reply: Promise<{ status: number; body: any }>) => {
      const { status, body } = await reply
      return [status, body.code, body.detail]
    }
    expect(await of(post('', { tenantCode: ' ', eventCode: 7, nam: 'x', platform: 'x' }))).toEqual([
      400,
      'invalid_request',
      'tenantCode: is empty; clientCode: is missing; eventCode: must be a text; activationCode: is missing; name: is missing; nam: is an unknown field — did you mean name?',
    ])
    expect(await of(post('/captures', '{"captures": ['))).toEqual([400, 'invalid_request', expect.stringContaining('The body is not JSON')])
    expect(await of(post('/captures', { captures: [] }))).toEqual([400, 'invalid_request', 'captures: is empty'])
    const wrong = {
      badge: '',
      at: '2027-03-01',
      nonce: 'x'.repeat(65),
      rating: 6,
      notes: 'a\0b',
      tags: 'hot',
      qualifiers: { a: {} },
      extra: 1,
    }
    const { body } = await post('/captures', { captures: [scan(), wrong], sentAt: 'now' })
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter).toSorted()).toEqual(
      ['at', 'badge', 'extra', 'nonce', 'notes', 'qualifiers/a', 'rating', 'tags'].map((name) => `captures/1/${name}`).concat('sentAt'),
    )
    const many = (count: number) => Array.from({ length: count }, () => scan('absent'))
    expect(await of(post('/captures', { captures: many(201) }))).toEqual([
      400,
      'invalid_request',
      'captures: has more than 200 captures: send them in several requests',
    ])
    expect((await sync(token, many(200))).body.results).toHaveLength(200)
    expect(await of(post('/captures', { captures: [scan('x', { notes: 'x'.repeat(3 * 1024 * 1024) })] }))).toEqual([
      400,
      'invalid_request',
      'The body is larger than 2097152 bytes',
    ])
    expect(await of(requestDevice(served, '/leads?since=now&limit=0' as never, { token }))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('updatedSince'),
    ])
    expect(await of(requestDevice(served, '/leads?cursor=x' as never, { token }))).toEqual([400, 'invalid_cursor', expect.any(String)])
  })

  it('returns the supported methods and CORS headers of the device endpoints', async () => {
    for (const [path, method] of [
      ['', 'POST'],
      ['/captures', 'POST'],
      ['/leads', 'GET'],
    ] as const) {
      const other = method === 'POST' ? 'GET' : 'POST'
      const refused = await requestDevice(served, path, { method: other })
      expect([refused.status, refused.headers.get('allow'), refused.body.code]).toEqual([405, `${method}, OPTIONS`, 'method_not_allowed'])
      const asked = await requestDevice(served, path, { method: 'OPTIONS' })
      expect(asked.status).toBe(204)
      const corsHeaders = ['origin', 'methods', 'headers'].map((name) => asked.headers.get(`access-control-allow-${name}`))
      expect(corsHeaders).toEqual(['*', method, 'authorization, content-type'])
    }
    const response = await fetch(served.url('/api/public/lead-devices'), { method: 'POST', body: 'tenantCode=a' })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([415, 'unsupported_media_type'])
    expect((await requestLead(served, {}, { method: 'OPTIONS' })).status).toBe(405)
  })
})

describe('stored scan of a device', () => {
  it('reports for each scan whether a lead was created or extended, the scan was a duplicate, or the badge was unknown', async () => {
    const { token, deviceId, company } = await withToken()
    const [first, again] = [scan(`${ANA_BADGE}|Ana`, { at: after(-60) }), scan(ANA_BADGE.toUpperCase(), { at: after(-30) })]
    const { status, body } = await sync(token, [first, again, first, scan('absent'), scan('0')])
    expect(status).toBe(200)
    const lead = {
      leadId: expect.stringMatching(/^[0-9a-f]{24}$/),
      badgeId: ANA_BADGE,
      source: 'device',
      captures: 2,
      firstCapturedAt: after(-60),
      lastCapturedAt: after(-30),
      fields: { firstName: 'Ana', lastName: 'Lima', email: 'ana@example.org', jobTitle: 'CTO' },
      customFields: [{ code: 'topics', label: 'Topics', value: 'Artificial intelligence, B2B' }],
      rating: null,
      notes: null,
      tags: [],
      qualifiers: {},
      updatedAt: NOW,
    }
    const { badgeId: _, ...known } = { ...lead, updatedAt: expect.any(String) }
    expect(body.results.slice(0, 4)).toEqual([
      { nonce: first.nonce, result: 'created', lead: { ...known, badgeId: ANA_BADGE } },
      { nonce: again.nonce, result: 'counted', lead: { ...known, badgeId: ANA_BADGE } },
      { nonce: first.nonce, result: 'duplicate', lead: known },
      { nonce: expect.any(String), result: 'unknown_badge' },
    ])
    expect(body.results[4]).toMatchObject({ result: 'created', lead: { isTest: true, leadId: '0'.repeat(24), source: 'device' } })
    expect((await sync(token, [again])).body.results).toEqual([{ nonce: again.nonce, result: 'duplicate', lead: known }])
    expect(await rows('select type, at, device_id, nonce from lead_captures where company_id = $1 order by at', company.id)).toEqual([
      { type: 'device', at: new Date(after(-60)), device_id: deviceId, nonce: first.nonce },
      { type: 'device', at: new Date(after(-30)), device_id: deviceId, nonce: again.nonce },
    ])
  })

  it('treats a scan whose nonce was used before as a duplicate, even for another badge or from another device of the company', async () => {
    const one = await withToken()
    const two = await withToken(one.company)
    const bea = 'b'.repeat(16)
    await floor.people.person({ badge_id: bea, first_name: 'Bea' })
    const used = nonce()
    expect((await sync(one.token, [scan(ANA_BADGE, { nonce: used })])).body.results[0].result).toBe('created')
    for (const { token } of [one, two]) {
      const [again] = (await sync(token, [scan(bea, { nonce: used })])).body.results
      expect([again.result, again.lead.fields.firstName]).toEqual(['duplicate', 'Ana'])
    }
    // Another company may use the same nonce.
    const elsewhere = await withToken()
    expect((await sync(elsewhere.token, [scan(bea, { nonce: used })])).body.results[0]).toMatchObject({
      result: 'created',
      lead: { captures: 1 },
    })
    // A scan of an unknown badge is not stored, so its nonce may be used again.
    const early = nonce()
    expect((await sync(one.token, [scan('later', { nonce: early })])).body.results[0].result).toBe('unknown_badge')
    await floor.people.person({ badge_id: 'later' })
    expect((await sync(one.token, [scan('later', { nonce: early })])).body.results[0].result).toBe('created')
  })

  it.each([
    [4, -100, -100],
    [5, -100, -100],
    [6, -100, -106],
    [-4, -100, -100],
    [-5, -100, -100],
    [-6, -100, -94],
    [3600, 3500, -100],
    [-86_400 * 400, -86_400 * 400 - 100, -100],
    // A scan time after the sending time is replaced by the time of arrival.
    [0, 50, 0],
    [6, 50, 0],
  ])('corrects the time of a scan by a device whose clock is %i s ahead: scanned at %i s, stored as %i s', async (ahead, at, expected) => {
    const { token, deviceId } = await withToken()
    const { body } = await sync(token, [scan(ANA_BADGE, { at: after(at) })], { sentAt: after(ahead), appVersion: '2.1' })
    expect(body.results[0].lead.lastCapturedAt).toBe(after(expected))
    const skew = Math.max(-2_147_483_647, ahead * 1000)
    expect(await rows('select clock_skew_ms, app_version from lead_devices where id = $1', deviceId)).toEqual([
      { clock_skew_ms: skew, app_version: '2.1' },
    ])
  })

  it('keeps the time that the device recorded for a scan if the request has no sending time', async () => {
    const { token } = await withToken()
    expect((await sync(token, [scan(ANA_BADGE, { at: after(-7200) })])).body.results[0].lead.firstCapturedAt).toBe(after(-7200))
  })

  it('saves the notes of booth staff on a lead, and leaves other fields of the lead unchanged', async () => {
    const { token, company } = await withToken()
    await world.database.write
      .insertInto('exhibitor_staff')
      .values({
        tenant_id: floor.event.tenantId,
        event_id: floor.event.eventId,
        id: 'c'.repeat(24),
        company_id: company.id,
        is_test_data: false,
        name: 'Sam',
        email: 'Sam@booth.example',
        role: 'staff',
      })
      .execute()
    const said = { rating: 4, notes: ' Wants a demo\u200b ', tags: ['hot', 'hot', ' eu '], staffEmail: 'SAM@booth.example' }
    const [first] = (await sync(token, [scan(ANA_BADGE, { ...said, qualifiers: { topics: ['ai'], budget: 7 } })])).body.results
    expect(first).not.toHaveProperty('leftOut')
    const kept = { rating: 4, notes: 'Wants a demo', tags: ['hot', 'eu'], qualifiers: { topics: ['ai'], budget: 7 } }
    expect(first.lead).toMatchObject(kept)
    const [second] = (await sync(token, [scan()])).body.results
    expect(second.lead).toMatchObject(kept)
    const more = {
      rating: 0,
      tags: [],
      qualifiers: { budget: null, topics: ['gone'], diet: 'vegan', other: 1 },
      staffEmail: 'who@else.example',
    }
    const [third] = (await sync(token, [scan(ANA_BADGE, more)])).body.results
    expect(third.lead).toMatchObject({ rating: 0, notes: 'Wants a demo', tags: [], qualifiers: { topics: ['ai'] } })
    expect(third.leftOut.toSorted()).toEqual(['qualifiers/diet', 'qualifiers/other', 'qualifiers/topics', 'staffEmail'])
    const [last] = (await sync(token, [scan(ANA_BADGE, { rating: 3 }), scan(ANA_BADGE, { rating: null, notes: '' })])).body.results
    expect(last.lead).toMatchObject({ rating: null, notes: null })
    expect(await rows('select staff_id from leads where company_id = $1', company.id)).toEqual([{ staff_id: 'c'.repeat(24) }])
    // A duplicate scan does not change the notes.
    const once = scan(ANA_BADGE, { rating: 5 })
    await sync(token, [once])
    expect((await sync(token, [{ ...once, rating: 1 }])).body.results[0].lead.rating).toBe(5)
  })

  it('restores a deleted lead with a new scan but not with a duplicate', async () => {
    const { token } = await withToken()
    const first = scan()
    const { leadId } = (await sync(token, [first])).body.results[0].lead
    await rows(`update leads set status = 'deleted' where id = $1`, leadId)
    expect((await sync(token, [first])).body.results).toEqual([{ nonce: first.nonce, result: 'duplicate' }])
    expect((await sync(token, [scan()])).body.results[0]).toMatchObject({ result: 'counted', lead: { leadId, captures: 2 } })
  })

  it('does not match badges of test data, cancelled participants or participants of another event', async () => {
    const { token } = await withToken()
    await floor.people.person({ badge_id: 'cancelled', status: 'cancelled' })
    await floor.people.person({ badge_id: 'unfinished', status: 'incomplete' })
    await floor.people.person({ badge_id: 'rehearsed', is_test_data: true })
    const { body } = await sync(
      token,
      ['cancelled', 'unfinished', 'rehearsed', 'x'.repeat(600)].map((badge) => scan(badge)),
    )
    expect(body.results.map(({ result }: { result: string }) => result)).toEqual(Array.from({ length: 4 }, () => 'unknown_badge'))
    const rehearsing = await floor.exhibitors.company({ appointmentsEnabled: false, isTestData: true })
    await floor.license(rehearsing.id, ['device'])
    const test = await withToken(rehearsing)
    expect((await sync(test.token, [scan(), scan('rehearsed')])).body.results.map(({ result }: { result: string }) => result)).toEqual([
      'unknown_badge',
      'unknown_badge',
    ])
    expect(await rows('select id from leads where company_id = $1', rehearsing.id)).toEqual([])
  })
})
