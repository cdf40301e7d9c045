import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { newToken } from '../../src/kernel/secrets.ts'
import { sendHttp, resetRateLimits, buildLegacyMessage, ORGANIZER_PATH, PARTICIPANT_PATH, postMessage } from '../support/rpc.ts'
import {
  obtainCode,
  connectOAuthApp,
  openStage,
  type RegisteredClient,
  registerOAuthClient,
  SESSION_COOKIE,
  openSignedInVisitor,
  type Stage,
  type Tokens,
  requestStatus,
  type Visitor,
} from './flow.ts'

let stage: Stage
let client: RegisteredClient
let olga: Visitor
let tokens: Tokens

beforeAll(async () => {
  stage = await openStage()
  client = await registerOAuthClient(stage.served)
  olga = await openSignedInVisitor(stage, stage.olga.userId)
  tokens = await connectOAuthApp(stage, olga, client)
})
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

const grantOf = `(select grant_id from oauth_tokens where hash = sha256($1::text::bytea))`

describe('OAuth access token', () => {
  it('accepts an access token for an hour', async () => {
    const own = await connectOAuthApp(stage, olga, client)
    await stage.world.clock.advance('59 minutes')
    expect(await requestStatus(stage.served, own.access_token)).toBe(200)
    await stage.world.clock.advance('1 minute')
    expect(await requestStatus(stage.served, own.access_token)).toBe(401)
    await stage.world.clock.reset()
  })

  it('rejects an access token that was issued for the address of another endpoint', async () => {
    const own = await connectOAuthApp(stage, olga, client)
    const { pool } = stage.world.database
    const set = (resource: string) =>
      pool.query(`update oauth_grants set resource = $2 where id = ${grantOf}`, [own.access_token, resource])
    await set('https://other.example/mcp')
    expect(await requestStatus(stage.served, own.access_token)).toBe(401)
    await set(`${stage.served.baseUrl}${ORGANIZER_PATH}`)
    expect(await requestStatus(stage.served, own.access_token)).toBe(200)
  })

  it('ignores an access token in the query string', async () => {
    const { body, headers } = buildLegacyMessage('tools/list')
    const answer = await sendHttp(stage.served.url(`${ORGANIZER_PATH}?access_token=${tokens.access_token}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(401)
  })

  it('accepts no credential other than an access token: no session, secret, code or other token', async () => {
    const session = await createBrowserSession(stage.world.database.write, { userId: stage.olga.userId, totpPending: false, userAgent: '' })
    const code = (await obtainCode(stage, olga, client)).code
    for (const token of [tokens.refresh_token, newToken('lat_'), session.reveal(), code, client.client_id, `${tokens.access_token}x`])
      expect(await requestStatus(stage.served, token)).toBe(401)
    const byCookie = await olga.go(ORGANIZER_PATH, { a: 'b' })
    expect(byCookie.status).toBe(401)
    expect((await postMessage(stage.served, tokens.access_token, buildLegacyMessage('tools/list'), PARTICIPANT_PATH)).status).toBe(401)
    // An access token is not a session, so it opens no page.
    const page = await sendHttp(stage.served.url('/console'), { headers: { cookie: `${SESSION_COOKIE}=${tokens.access_token}` } })
    expect(page.headers.location).toContain('/console/sign-in')
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
  })

  it('refuses the 121st request of a minute with one access token', async () => {
    await stage.world.clock.stopAt('2026-11-02T09:10:01Z')
    const statuses: number[] = []
    for (let i = 0; i < 121; i++) statuses.push(await requestStatus(stage.served, tokens.access_token))
    expect(statuses.slice(0, 120).every((status) => status === 200)).toBe(true)
    expect(statuses[120]).toBe(429)
    await stage.world.clock.reset()
  })

  it('does not pass the access token on to tools', async () => {
    const organizer = await verifyOrganizer(stage.world.database.pool, tokens.access_token, `${stage.served.baseUrl}${ORGANIZER_PATH}`)
    expect(organizer?.actor.app).toEqual({ id: client.client_id, name: 'Assistant' })
    expect(JSON.stringify(organizer)).not.toContain(tokens.access_token)
  })

  it('opens no event stream that could outlive the access token', async () => {
    const stream = await sendHttp(stage.served.url(ORGANIZER_PATH), {
      headers: { authorization: `Bearer ${tokens.access_token}`, accept: 'text/event-stream' },
    })
    expect(stream.status).toBe(405)
  })
})
