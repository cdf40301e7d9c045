import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { disableUser, setUserRoleAtClient, setStaffRole } from '../../src/domains/access/users.ts'
import type { Role } from '../../src/kernel/permissions.ts'
import { hashToken, newToken } from '../../src/kernel/secrets.ts'
import { type HttpAnswer, sendHttp, resetRateLimits, buildLegacyMessage, ORGANIZER_PATH, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let event: EventHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  served = await serve(world)
})
beforeEach(() => resetRateLimits(world))
afterAll(() => world.end())

const LIST = buildLegacyMessage('tools/list')
const statusWith = async (token: string | null) => (await postMessage(served, token, LIST)).status

function expectChallenge(answer: HttpAnswer, { tokenSent }: { tokenSent: boolean }) {
  const metadata = `${world.services.baseUrl}/.well-known/oauth-protected-resource/api/mcp/organizer`
  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toBe(
    `Bearer resource_metadata="${metadata}", scope="organizer"${tokenSent ? ', error="invalid_token"' : ''}`,
  )
  const message = tokenSent ? 'Invalid or expired access token — sign in again' : 'Missing access token — sign in'
  expect(answer.json).toEqual({ jsonrpc: '2.0', error: { code: -32000, message }, id: null })
}

describe('request without a token', () => {
  it('answers a request without a token with 401 and the address of the OAuth sign-in', async () => {
    expectChallenge(await postMessage(served, null, LIST), { tokenSent: false })
  })

  it.each(['Basic b2xnYTpwYXNz', 'Bearer', 'Bearer ', 'Bearer a b', `Bearer ${'x'.repeat(501)}`])(
    'refuses a request with the invalid Authorization header %.24s',
    async (authorization) => {
      const headers = { ...LIST.headers, 'content-type': 'application/json', authorization }
      expectChallenge(await sendHttp(served.url(ORGANIZER_PATH), { method: 'POST', headers, body: '{}' }), { tokenSent: false })
    },
  )

  it('refuses a token in the query string, since addresses are written to logs', async () => {
    const { token } = await world.organizer({ at: event })
    for (const query of [`?access_token=${token}`, `?token=${token}`, `?toolsets=${token}`]) {
      expectChallenge(await postMessage(served, null, LIST, `${ORGANIZER_PATH}${query}`), { tokenSent: false })
    }
    expect(await statusWith(token)).toBe(200)
  })
})

describe('access token of another endpoint', () => {
  it('refuses the token of another endpoint like an unknown token', async () => {
    const olga = await world.organizer({ at: event })
    const accountId = await createApiAccount(world.database.write, {
      tenantId: event.tenantId,
      name: 'Concierge',
      canActAsParticipantAgent: true,
      restAccess: true,
      allowedClients: [{ tenantCode: event.tenantCode, clientCode: event.clientCode }],
      allowedEvents: [],
    })
    const apiToken = (await issueApiToken(world.database.write, { tenantId: event.tenantId, accountId })).reveal()
    const refreshToken = newToken('lrt_')
    await sql`insert into oauth_tokens (hash, kind, grant_id, expires_at)
      values (${hashToken(refreshToken)}, 'refresh', ${olga.grantId}, lanyard_now() + interval '30 days')`.execute(world.database.write)
    for (const token of [apiToken, refreshToken, 'lat_made-up', olga.token.toUpperCase(), olga.token.slice(0, -1)]) {
      expectChallenge(await postMessage(served, token, LIST), { tokenSent: true })
    }
    expect(await statusWith(olga.token)).toBe(200)
  })
})

describe("access of an organizer's assistant", () => {
  const onGrant = (change: string) => (olga: OrganizerHandle) =>
    world.database.pool.query(`update oauth_grants set ${change} where id = $1`, [olga.grantId])
  const member = (olga: OrganizerHandle) => ({ tenantId: event.tenantId, userId: olga.userId })

  const endings: [string, (olga: OrganizerHandle) => Promise<unknown>][] = [
    ['the app is disconnected', onGrant('revoked_at = lanyard_now()')],
    [
      'the token expires',
      (olga) => world.database.pool.query('update oauth_tokens set expires_at = lanyard_now() where grant_id = $1', [olga.grantId]),
    ],
    ['the app was not used for 30 days', onGrant(`last_used_at = lanyard_now() - interval '30 days 1 second'`)],
    ['the token was made for another address', onGrant(`resource = 'https://other.example/api/mcp/organizer'`)],
    ['the token was made for the address with a slash', onGrant(`resource = resource || '/'`)],
    ['the user is deactivated', (olga) => disableUser(world.database.write, olga.userId)],
    [
      'the role changes',
      (olga) => setUserRoleAtClient(world.database.write, { ...member(olga), clientId: event.clientId, role: 'analyst' }),
    ],
    ['the last membership is removed', (olga) => world.database.pool.query('delete from memberships where user_id = $1', [olga.userId])],
  ]

  it.each(endings)("ends organizer access with the user's next request when %s", async (_what, end) => {
    const olga = await world.organizer({ at: event })
    const bystander = await world.organizer({ at: event })
    expect(await statusWith(olga.token)).toBe(200)
    await end(olga)
    expectChallenge(await postMessage(served, olga.token, LIST), { tokenSent: true })
    expect(await statusWith(bystander.token)).toBe(200)
  })

  it('keeps organizer access if permissions are only added, by a first role or a role that includes the previous one', async () => {
    const olga = await world.organizer({ at: event, role: 'analyst' })
    const give = (role: Role, clientId = event.clientId) => setUserRoleAtClient(world.database.write, { ...member(olga), clientId, role })
    await setStaffRole(world.database.write, { ...member(olga), eventId: event.eventId, role: 'onsite' })
    expect(await statusWith(olga.token)).toBe(200)
    await give('finance', (await world.client()).clientId)
    expect(await statusWith(olga.token)).toBe(200)
    await give('manager')
    expect(await statusWith(olga.token)).toBe(200)
    await give('admin')
    expect(await statusWith(olga.token)).toBe(200)
    // Neither role includes the other, so permissions are lost.
    await give('registrar')
    expect(await statusWith(olga.token)).toBe(401)
    await give('admin')
    expect(await statusWith(olga.token)).toBe(401)
  })

  it('keeps organizer access after 29 days without use, and when the same role is assigned again', async () => {
    const olga = await world.organizer({ at: event })
    await onGrant(`last_used_at = lanyard_now() - interval '29 days'`)(olga)
    await setUserRoleAtClient(world.database.write, { ...member(olga), clientId: event.clientId, role: 'admin' })
    expect(await statusWith(olga.token)).toBe(200)
  })

  it('does not restore organizer access when a deactivated user is activated again', async () => {
    const olga = await world.organizer({ at: event })
    await disableUser(world.database.write, olga.userId)
    await world.database.pool.query('update users set active = true where id = $1', [olga.userId])
    expect(await statusWith(olga.token)).toBe(401)
  })

  it('ends organizer access an hour after the token was issued', async () => {
    const olga = await world.organizer({ at: event })
    await world.clock.advance('59 minutes')
    expect(await statusWith(olga.token)).toBe(200)
    await world.clock.advance('2 minutes')
    expect(await statusWith(olga.token)).toBe(401)
    await world.clock.reset()
  })
})
