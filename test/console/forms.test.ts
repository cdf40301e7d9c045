import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeTotpCode } from '../../src/domains/sign-in/totp.ts'
import { decodeShownSecret } from '../support/authenticator.ts'
import { TEST_USER_PASSWORD } from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor } from '../support/visitor.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { withPassword } from './console-browser.ts'

let world: World
let served: Served
let acme: ClientHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  served = await serve(world)
})
afterAll(() => world.end())

async function signedIn(): Promise<{ person: OrganizerHandle; who: Visitor }> {
  const person = await withPassword(world, await world.organizer({ at: acme, name: 'Olga Before' }))
  const who = visitor(served)
  await who.signIn(person)
  return { person, who }
}

describe('chunked form request', () => {
  /** Sends the form in chunks without Content-Length, as some browsers do. With `end: false` the request never ends. */
  async function sendInPieces(who: Visitor, fields: Record<string, string>, { end }: { end: boolean }): Promise<number> {
    const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' }
    const sent = request(served.url('/console/account/name'), { method: 'POST', family: 4, headers })
    const body = new URLSearchParams(fields).toString()
    for (let at = 0; at < body.length; at += 16_384) sent.write(body.slice(at, at + 16_384))
    if (end) sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    sent.destroy()
    return answer.statusCode!
  }
  const csrfOf = async (who: Visitor) => readFieldValue((await who.get('/console/account')).html, '_csrf')!
  const nameOf = async (who: Visitor) => readFieldValue((await who.get('/console/account')).html, 'name')

  it('accepts a chunked form request up to 256 KB', async () => {
    const { who } = await signedIn()
    const fields = { _csrf: await csrfOf(who), name: 'Olga After', more: 'x'.repeat(200_000) }
    expect([await sendInPieces(who, fields, { end: true }), await nameOf(who)]).toEqual([303, 'Olga After'])
  })

  it('refuses a chunked form request as soon as it exceeds 256 KB, without buffering it', async () => {
    const { who } = await signedIn()
    const fields = { _csrf: await csrfOf(who), name: 'Olga After', more: 'x'.repeat(300_000) }
    expect([await sendInPieces(who, fields, { end: true }), await nameOf(who)]).toEqual([400, 'Olga Before'])
    expect([await sendInPieces(who, fields, { end: false }), await nameOf(who)]).toEqual([400, 'Olga Before'])
  })
})

describe('outdated sign-in form of the console', () => {
  const CONSENT = '/api/oauth/consent?request=lar_x'
  const asked = `/console/sign-in?next=${encodeURIComponent(CONSENT)}`

  it('redirects a user who is already signed in to the requested page', async () => {
    const person = await withPassword(world, await world.organizer({ at: acme }))
    const who = visitor(served)
    const old = (await who.get(asked)).html
    const csrf = readFieldValue(old, '_csrf')!
    await who.post('/console/sign-in', { email: person.email, password: TEST_USER_PASSWORD })
    const fields = { email: person.email, password: TEST_USER_PASSWORD, next: readFieldValue(old, 'next')! }
    const answer = await who.post('/console/sign-in', fields, { csrf })
    expect([answer.status, answer.location]).toEqual([303, CONSENT])
    for (const elsewhere of ['//evil.example', 'https://evil.example', '/\\evil.example', '/a\u0000\u0007b'])
      expect((await who.post('/console/sign-in', { next: elsewhere }, { csrf })).location).toBe('/console')
  })

  it('shows an outdated sign-in form again to a visitor who is not signed in, and keeps the requested page', async () => {
    const who = visitor(served)
    await who.get('/console/sign-in')
    const answer = await who.post('/console/sign-in', { email: 'a@example.org', password: 'x', next: CONSENT }, { csrf: 'old' })
    expect([answer.status, answer.location]).toEqual([303, asked])
  })

  it('asks for a required second factor after an outdated sign-in form or second factor form', async () => {
    const { person, who: first } = await signedIn()
    const STEP = 60_000_000
    await world.clock.stopAt(new Date(STEP * 30_000).toISOString())
    const path = '/console/account/second-factor'
    await first.signIn(person)
    await first.post(`${path}/begin`, { current: TEST_USER_PASSWORD }, { from: path })
    const secret = decodeShownSecret((await first.get(path)).html)
    await first.post(`${path}/confirm`, { code: computeTotpCode(secret, STEP) }, { from: path })

    const who = visitor(served)
    const csrf = readFieldValue((await who.get(asked)).html, '_csrf')!
    await who.post('/console/sign-in', { email: person.email, password: TEST_USER_PASSWORD })
    const totp = `/console/sign-in/totp?next=${encodeURIComponent(CONSENT)}`
    expect((await who.post('/console/sign-in', { next: CONSENT }, { csrf })).location).toBe(totp)

    const waiting = readFieldValue((await who.get(totp)).html, '_csrf')!
    expect((await who.post('/console/sign-in/totp', { code: '1', next: CONSENT }, { csrf: 'old' })).location).toBe(totp)
    await who.post('/console/sign-in/totp', { code: computeTotpCode(secret, STEP + 1) })
    expect((await who.post('/console/sign-in/totp', { code: '1', next: CONSENT }, { csrf: waiting })).location).toBe(CONSENT)
    who.cookies.clear()
    expect((await who.post('/console/sign-in/totp', { code: '1', next: CONSENT }, { csrf: waiting })).location).toBe(asked)
    expect((await who.get(totp)).location).toBe(asked)
    await world.clock.reset()
  })
})

describe('invalid characters in requests', () => {
  it('returns no server error for invalid characters in a request path', async () => {
    const { who } = await signedIn()
    const base = '/console/clients/acme'
    const paths = [
      ['/console?search=%00', 200],
      ['/console?search=a%00b&status=%00&cursor=', 200],
      ['/console?cursor=%00', 400],
      ['/console/events/new?client=%00', 200],
      ['/console/events/acme/%00', 404],
      ['/console/events/%00/%00/versions/%00', 404],
      ['/console/mailbox?search=%00&event=%00', 200],
      ['/console/audit?client=%00&event=%00&tool=%00&person=%00', 200],
      ['/console/jobs?status=%00', 200],
      [`${base}/memory?place=%00&search=%00`, 200],
      [`${base}/memory/new?place=%00`, 200],
      [`${base}/memory/instructions/events/%00`, 404],
      [`${base}/memory/%00`, 404],
      [`${base}/users/%00`, 404],
      ['/console/clients/%00/users', 404],
      ['/console/connect?preset=%00', 200],
      ['/console/sign-in?next=/%00', 303],
      ['/console/password?token=%00', 410],
      ['/docs?q=%00', 200],
      ['/docs/feedback?page=/%00', 200],
    ] as const
    for (const [path, status] of paths) expect([path, (await who.get(path)).status]).toEqual([path, status])
  })
})
