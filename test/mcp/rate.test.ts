import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectAppWithoutSignInPage, getUserByEmail } from '../../src/domains/access/users.ts'
import {
  type HttpAnswer,
  sendHttp,
  resetRateLimits,
  buildLegacyMessage,
  buildModernMessage,
  ORGANIZER_PATH,
  postMessage,
  toolCallParams,
} from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, resourceAt, type World } from '../support/world.ts'

let world: World
let served: Served
let secondNode: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  secondNode = await serve(world, { port: 0, env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1' } })
})
beforeEach(async () => {
  await resetRateLimits(world)
  await world.clock.stopAt(TWENTY_PAST)
})
afterEach(() => world.clock.reset())
afterAll(() => world.end())

/** A time twenty seconds into a minute. */
const MINUTE = Date.parse('2026-11-02T09:10:00Z') / 1000
const TWENTY_PAST = new Date((MINUTE + 20) * 1000).toISOString()

const LIST = buildLegacyMessage('tools/list')
const rateOf = ({ headers }: HttpAnswer) => [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']]
const spend = (token: string, times: number, node = served) =>
  Promise.all(Array.from({ length: times }, async () => (await postMessage(node, token, LIST)).status))
/** Signs the same user in through the given app, which creates another grant. */
async function signIn({ email }: OrganizerHandle, app: string): Promise<string> {
  const { write } = world.database
  const { id, ...user } = await getUserByEmail(write, email)
  const resource = resourceAt(world.services.baseUrl)
  const clientId = `app-${app.toLowerCase()}`
  return (
    await connectAppWithoutSignInPage(write, { ...user, userId: id, clientId, appName: app, resource, lifetime: '1 hour' })
  ).token.reveal()
}
const count = (key: string, n: number) =>
  world.database.pool.query(`insert into rate_windows (key, window_start, count) values ($1, date_trunc('minute', lanyard_now()), $2)`, [
    key,
    n,
  ])

describe('limit of 120 requests a minute', () => {
  it('refuses the 121st request of a minute and returns the time to retry', async () => {
    const { token } = await world.organizer()
    const first = await postMessage(served, token, LIST)
    expect(rateOf(first)).toEqual(['120', '119', String(MINUTE + 60)])
    expect(new Set(await spend(token, 119))).toEqual(new Set([200]))
    const refused = await postMessage(served, token, LIST)
    expect(refused.status).toBe(429)
    expect(refused.json).toEqual({ jsonrpc: '2.0', error: { code: -32000, message: 'Too Many Requests' }, id: null })
    expect(refused.headers['retry-after']).toBe('40')
    expect(rateOf(refused)).toEqual(['120', '0', String(MINUTE + 60)])
    await world.clock.stopAt(new Date((MINUTE + 60) * 1000).toISOString())
    expect(rateOf(await postMessage(served, token, LIST))).toEqual(['120', '119', String(MINUTE + 120)])
  })

  it('applies the rate limit to a user and app together, across their tokens', async () => {
    const olga = await world.organizer({ app: 'Assistant' })
    const second = await signIn(olga, 'Assistant')
    await spend(olga.token, 60)
    await spend(second, 60)
    expect((await postMessage(served, olga.token, LIST)).status).toBe(429)
    expect((await postMessage(served, second, LIST)).status).toBe(429)
  })

  it('applies the rate limit separately to two apps of one user, and to two users of one app', async () => {
    const olga = await world.organizer({ app: 'Assistant' })
    await spend(olga.token, 120)
    expect((await postMessage(served, olga.token, LIST)).status).toBe(429)
    expect(rateOf(await postMessage(served, await signIn(olga, 'Editor'), LIST))[1]).toBe('119')
    expect(rateOf(await postMessage(served, (await world.organizer({ app: 'Assistant' })).token, LIST))[1]).toBe('119')
  })

  it('shares the limit of 120 requests a minute between all server nodes', async () => {
    const { token } = await world.organizer()
    await Promise.all([spend(token, 60), spend(token, 59, secondNode)])
    expect(rateOf(await postMessage(secondNode, token, LIST))[1]).toBe('0')
    expect((await postMessage(served, token, LIST)).status).toBe(429)
    expect((await postMessage(secondNode, token, LIST)).status).toBe(429)
  })

  it('counts requests that are refused after authentication towards the rate limit, but none that are refused before', async () => {
    const { token } = await world.organizer()
    await postMessage(served, token, { headers: LIST.headers, body: 'not JSON' })
    await postMessage(served, token, LIST, `${ORGANIZER_PATH}?toolsets=foo`)
    await sendHttp(served.url(ORGANIZER_PATH), { headers: { authorization: `Bearer ${token}` } })
    expect(rateOf(await postMessage(served, token, LIST))[1]).toBe('117')
  })
})

describe('requests without a valid token', () => {
  it('limits requests without a valid token to 600 a minute per IP address, without affecting organizers there', async () => {
    const { token } = await world.organizer()
    await count('anonymous:127.0.0.1', 599)
    expect((await postMessage(served, null, LIST)).status).toBe(401)
    for (const bad of [null, 'lat_wrong']) {
      const refused = await postMessage(served, bad, LIST)
      expect(refused.status).toBe(429)
      expect(refused.json.error.message).toBe('Too Many Requests')
      expect(refused.headers['retry-after']).toBe('40')
      expect(refused.headers['www-authenticate']).toBeUndefined()
    }
    expect((await postMessage(served, token, LIST)).status).toBe(200)
  })

  it('counts requests without a valid token by the address that a trusted proxy forwards, ignoring other headers', async () => {
    await count('anonymous:203.0.113.9', 600)
    const forwarded = { ...LIST, headers: { ...LIST.headers, 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } }
    expect((await postMessage(served, null, forwarded)).status).toBe(401)
    expect((await postMessage(secondNode, null, forwarded)).status).toBe(429)
  })
})

describe('rate limit headers', () => {
  it('sends rate limit headers with every answer of the endpoint', async () => {
    const { token } = await world.organizer()
    const signedIn = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const at = (query = '') => served.url(`${ORGANIZER_PATH}${query}`)
    const answers: Record<string, HttpAnswer> = {
      200: await postMessage(served, token, LIST),
      202: await postMessage(served, token, { headers: LIST.headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      204: await sendHttp(at(), { method: 'OPTIONS' }),
      '200 by the library': await postMessage(served, token, buildLegacyMessage('ping')),
      '200 with an error': await postMessage(served, token, buildLegacyMessage('tools/call', toolCallParams('fixture_echo', {}))),
      '400 for its toolset': await postMessage(served, token, LIST, `${ORGANIZER_PATH}?toolsets=foo`),
      '400 for its JSON': await postMessage(served, token, { headers: LIST.headers, body: '{' }),
      '400 by the library': await postMessage(served, token, { ...buildModernMessage('tools/list'), body: LIST.body as object }),
      401: await postMessage(served, null, LIST),
      '403 for its origin': await sendHttp(at(), { method: 'POST', headers: { ...signedIn, origin: 'https://evil.example' }, body: '{}' }),
      '403 for its host': await sendHttp(at(), { method: 'POST', headers: { ...signedIn, host: 'evil.example' }, body: '{}' }),
      404: await postMessage(served, token, buildModernMessage('tools/fly')),
      405: await sendHttp(at()),
      406: await postMessage(served, token, { headers: { accept: 'text/html' }, body: LIST.body }),
      413: await sendHttp(at(), { method: 'POST', headers: { ...signedIn, 'content-length': String(2 ** 30) } }),
      415: await postMessage(served, token, { headers: { ...LIST.headers, 'content-type': 'text/plain' }, body: LIST.body }),
    }
    await spend(token, 120)
    answers[429] = await postMessage(served, token, LIST)
    for (const [what, answer] of Object.entries(answers)) {
      const number = expect.stringMatching(/^\d+$/)
      expect({ what, status: String(answer.status), rate: rateOf(answer) }).toEqual({
        what,
        status: what.slice(0, 3),
        rate: ['120', number, number],
      })
      expect(Number(answer.headers['x-ratelimit-reset']) % 60).toBe(0)
    }
    for (const what of [401, 405, '403 for its origin', '403 for its host']) expect(rateOf(answers[what]!)[1]).toBe('120')
  })
})
