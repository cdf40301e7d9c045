import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendHttp } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
/** One server with plain http on localhost, and one with https behind a proxy. */
let here: Served
let there: Served
beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  // Without any user, the sign-in page redirects to the setup.
  await world.organizer()
  here = await serve(world)
  const port = Number(new URL(await chooseFreeBaseUrl()).port)
  there = await serve(world, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })
})
afterAll(() => world.end())

const PAGES = ['/', '/docs', '/console', '/console/sign-in', '/nowhere', '/api/oauth/token', '/healthz']

it('sends HSTS on every page served by https', async () => {
  for (const path of PAGES) {
    const [plain, secure] = [await sendHttp(here.url(path)), await sendHttp(there.url(path))]
    expect([path, plain.headers['strict-transport-security'], secure.headers['strict-transport-security']]).toEqual([
      path,
      undefined,
      'max-age=31536000',
    ])
  }
})

it('marks cookies Secure for https, and not on localhost, where some browsers would drop them', async () => {
  const [plain, secure] = [await sendHttp(here.url('/console/sign-in')), await sendHttp(there.url('/console/sign-in'))]
  expect(plain.headers['set-cookie']).toEqual([expect.stringMatching(/^lanyard-visitor=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)])
  expect(secure.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-lanyard-visitor=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ])
})

it('reports a missing cookie at sign-in if the browser blocks cookies', async () => {
  const body = new URLSearchParams({ email: 'olga@example.org', password: 'x', _csrf: 'x' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await sendHttp(here.url('/console/sign-in'), { method: 'POST', headers, body })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('Your browser blocked a cookie that this page needs.')
  expect(answer.text).toContain('value="olga@example.org"')
})
