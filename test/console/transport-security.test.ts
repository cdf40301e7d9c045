import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchange } from '../support/rpc.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
/** By plain http on this computer, and by https behind a proxy. */
let here: Served
let there: Served
beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  // Before there is anybody, the sign-in page leads to the set-up.
  await world.organizer()
  here = await serve(world)
  const port = Number(new URL(await freeBaseUrl()).port)
  there = await serve(world, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })
})
afterAll(() => world.end())

const PAGES = ['/', '/docs', '/console', '/console/sign-in', '/nowhere', '/api/oauth/token', '/healthz']

it('every page asks browsers to come by https only, where that is how it is reached', async () => {
  for (const path of PAGES) {
    const [plain, secure] = [await exchange(here.url(path)), await exchange(there.url(path))]
    expect([path, plain.headers['strict-transport-security'], secure.headers['strict-transport-security']]).toEqual([
      path,
      undefined,
      'max-age=31536000',
    ])
  }
})

it('cookies ask for https where that is how the site is reached, and not on this computer, where some browsers would drop them', async () => {
  const [plain, secure] = [await exchange(here.url('/console/sign-in')), await exchange(there.url('/console/sign-in'))]
  expect(plain.headers['set-cookie']).toEqual([expect.stringMatching(/^lanyard-visitor=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)])
  expect(secure.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-lanyard-visitor=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ])
})

it('a browser that keeps no cookie is told so when it signs in', async () => {
  const body = new URLSearchParams({ email: 'olga@example.org', password: 'x', _csrf: 'x' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await exchange(here.url('/console/sign-in'), { method: 'POST', headers, body })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('Your browser did not keep the cookie of this page.')
  expect(answer.text).toContain('value="olga@example.org"')
})
