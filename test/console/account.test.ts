import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resetRateLimits, buildLegacyMessage, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { INITIAL_PASSWORD, ConsoleBrowser, withPassword } from './console-browser.ts'

const NEW_PASSWORD = 'a lantern over quiet water'
let world: World
let served: Served
let acme: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  olga = await withPassword(world, await world.organizer({ at: acme }))
  served = await serve(world)
})
afterAll(() => world.end())

const auditsOf = async (userId: string) => {
  const { rows } = await world.database.pool.query<{ tool: string; targets: unknown }>(
    'select tool, targets from audit_entries where actor_id = $1 order by id',
    [userId],
  )
  return rows
}

describe('account page', () => {
  it('requires a signed-in user to open the account page', async () => {
    const page = await new ConsoleBrowser(served).get('/console/account')
    expect([page.status, page.location]).toEqual([303, '/console/sign-in?next=%2Fconsole%2Faccount'])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'made-up'])(
    'ignores ?done=%s in the address and shows no success message for it',
    async (done) => {
      const visitor = await new ConsoleBrowser(served).enter(world, olga)
      const [plain, page] = [await visitor.get('/console/account'), await visitor.get(`/console/account?done=${done}`)]
      expect([page.status, page.html]).toEqual([200, plain.html])
    },
  )

  it("changes the user's name and writes one audit entry", async () => {
    const person = await world.organizer({ at: acme, name: 'Olga Before' })
    const visitor = await new ConsoleBrowser(served).enter(world, person)
    const saved = await visitor.submit('/console/account', '/console/account/name', { name: '  Olga   After ' })
    expect([saved.status, saved.location]).toEqual([303, '/console/account?done=saved'])
    const page = await visitor.get(saved.location!)
    expect(page.text).toContain('Saved.')
    expect(page.html).toContain('value="Olga After"')
    expect(await auditsOf(person.userId)).toEqual([
      {
        tool: 'change_own_name',
        targets: [{ kind: 'user', id: person.userId, fields: { name: { before: 'Olga Before', after: 'Olga After' } } }],
      },
    ])
  })

  it('rejects an invalid user name with the reason and keeps the input', async () => {
    const visitor = await new ConsoleBrowser(served).enter(world, olga)
    const page = await visitor.submit('/console/account', '/console/account/name', { name: ' \u0000 ' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('Enter your name.')
    const long = await visitor.submit('/console/account', '/console/account/name', { name: '<b>'.repeat(50) })
    expect(long.status).toBe(400)
    expect(long.html).toContain(`value="${'&lt;b&gt;'.repeat(50)}"`)
  })

  it('rejects an account form from another site or without its CSRF token', async () => {
    const visitor = await new ConsoleBrowser(served).enter(world, olga)
    const { html } = await visitor.get('/console/account')
    const csrf = /name="_csrf" value="([^"]+)"/.exec(html)![1]!
    for (const proof of [{ csrf: null }, { csrf: 'x' }, { csrf, origin: 'https://evil.example' }]) {
      const refused = await visitor.forge('/console/account/name', { name: 'Mallory' }, proof)
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('This form has expired or did not come from this site.')
    }
    const other = await new ConsoleBrowser(served).enter(world, olga)
    expect((await other.forge('/console/account/name', { name: 'Mallory' }, { csrf })).status).toBe(400)
    expect((await visitor.get('/console/account')).html).not.toContain('Mallory')
  })
})

describe('password change', () => {
  it('requires the current password, rejects common passwords, and ends all other sessions and connected apps', async () => {
    const person = await withPassword(world, await world.organizer({ at: acme }))
    const [here, there] = [new ConsoleBrowser(served), new ConsoleBrowser(served)]
    await here.signIn(person.email, INITIAL_PASSWORD)
    await there.signIn(person.email, INITIAL_PASSWORD)
    const change = (current: string, password: string) =>
      here.submit('/console/account', '/console/account/password', { current, password })

    const wrong = await change('not the password', NEW_PASSWORD)
    expect([wrong.status, wrong.text.includes('That is not your current password.')]).toEqual([400, true])
    const common = await change(INITIAL_PASSWORD, 'Password2027!')
    expect([common.status, common.text.includes('among the first that attackers try')]).toEqual([400, true])
    const short = await change(INITIAL_PASSWORD, 'short')
    expect(short.text).toContain('A password has at least 12 characters.')
    expect(await auditsOf(person.userId)).toEqual([])

    const changed = await change(INITIAL_PASSWORD, NEW_PASSWORD)
    expect([changed.status, changed.location]).toEqual([303, '/console/account?done=password'])
    expect((await here.get('/console/account?done=password')).text).toContain('Password changed.')
    expect((await there.get('/console/account')).status).toBe(303)
    expect((await new ConsoleBrowser(served).signIn(person.email, INITIAL_PASSWORD)).status).toBe(401)
    expect((await new ConsoleBrowser(served).signIn(person.email, NEW_PASSWORD)).status).toBe(303)
    expect(await auditsOf(person.userId)).toEqual([
      { tool: 'change_own_password', targets: [{ kind: 'user', id: person.userId, fields: { password: { after: '[secret]' } } }] },
    ])
  })

  it("disconnects the user's assistants when the password changes", async () => {
    const person = await world.organizer({ at: acme })
    const call = () => postMessage(served, person.token, buildLegacyMessage('tools/list'))
    expect((await call()).status).toBe(200)
    await withPassword(world, person)
    expect((await call()).status).toBe(401)
    await resetRateLimits(world)
  })
})

describe('user sessions', () => {
  it("lists user sessions with the current one marked, and signs out only the user's own other sessions", async () => {
    const person = await world.organizer({ at: acme })
    const [here, there, phone] = [
      new ConsoleBrowser(served),
      new ConsoleBrowser(served),
      new ConsoleBrowser(served, { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1' }),
    ]
    for (const visitor of [here, there, phone]) await visitor.enter(world, person)
    const stranger = await new ConsoleBrowser(served).enter(world, olga)
    const page = await here.get('/console/account')
    expect(page.text).toContain('Safari on iPhone')
    expect(page.text.match(/Firefox on Linux/g)).toHaveLength(2)
    expect(page.text.match(/This browser/g)).toHaveLength(1)
    expect(page.text).toContain('Sign out the 2 other sessions')
    const ended = await here.submit('/console/account', '/console/account/sessions/end', {})
    expect(ended.location).toBe('/console/account?done=ended')
    expect((await here.get('/console/account')).status).toBe(200)
    expect((await there.get('/console/account')).status).toBe(303)
    expect((await phone.get('/console/account')).status).toBe(303)
    expect((await stranger.get('/console/account')).status).toBe(200)
    expect((await auditsOf(person.userId)).map(({ tool }) => tool)).toEqual(['end_other_sessions'])
  })

  it('ends a user session after twelve idle hours and after seven days at most', async () => {
    const visitor = await new ConsoleBrowser(served).enter(world, olga)
    try {
      await world.clock.advance('11 hours 59 minutes')
      expect((await visitor.get('/console/account')).status).toBe(200)
      for (let day = 0; day < 14; day++) {
        await world.clock.advance('11 hours 55 minutes')
        await visitor.get('/console/account')
      }
      expect((await visitor.get('/console/account')).status).toBe(303)
      const idle = await new ConsoleBrowser(served).enter(world, olga)
      await world.clock.advance('12 hours 1 minute')
      expect((await idle.get('/console/account')).status).toBe(303)
      // An expired session is not listed.
      const now = await new ConsoleBrowser(served).enter(world, olga)
      const page = await now.get('/console/account')
      expect([page.text.match(/Firefox on Linux/g)?.length, page.text.includes('You are not signed in anywhere else.')]).toEqual([1, true])
    } finally {
      await world.clock.reset()
    }
  })
})
