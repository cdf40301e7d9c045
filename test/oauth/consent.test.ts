import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser } from '../../src/domains/access/users.ts'
import { resetRateLimits } from '../support/rpc.ts'
import { assignPassword, TEST_USER_PASSWORD } from '../support/browser.ts'
import {
  APP_URI,
  authorizePath,
  obtainCode,
  connectOAuthApp,
  submitConsent,
  readConsentForm,
  LOOPBACK_URI,
  newPkce,
  openStage,
  type RegisteredClient,
  registerOAuthClient,
  type Stage,
  openSignedInVisitor,
  Visitor,
} from './flow.ts'

let stage: Stage
let client: RegisteredClient
let olga: Visitor
const { challenge } = newPkce()
const CONSENT = '/api/oauth/consent'

beforeAll(async () => {
  stage = await openStage()
  client = await registerOAuthClient(stage.served)
  olga = await openSignedInVisitor(stage, stage.olga.userId)
})
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

const open = async (visitor: Visitor, changes: Record<string, string | null> = {}) =>
  visitor.follow(await visitor.go(authorizePath(client.client_id, challenge, changes)))

const codes = async () =>
  Number((await stage.world.database.pool.query<{ n: number }>('select count(*)::int as n from oauth_codes')).rows[0]!.n)

describe('OAuth consent page', () => {
  it("names the app, its website, the user, the user's clients, and the requested permissions on the consent page", async () => {
    const { status, text, headers } = await open(olga)
    expect(status).toBe(200)
    for (const shown of [
      'Assistant',
      'assistant.example',
      'Olga Organizer',
      stage.olga.email,
      'Acme Events',
      'Authorize',
      'Deny',
      'Switch account',
    ])
      expect(text).toContain(shown)
    expect(text).not.toContain('any program')
    // The page must not be framed or cached. A form-action policy would block the redirect to the app.
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).not.toContain('form-action')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['referrer-policy']).toBe('same-origin')
  })

  it('warns of apps that run as local programs or use custom URL schemes', async () => {
    const here = await open(olga, { redirect_uri: LOOPBACK_URI })
    expect(here.text).toContain('this computer (localhost:53682)')
    expect(here.text).toContain('any program could use this name')
    const cursor = await registerOAuthClient(stage.served, { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth'] })
    const page = await olga.follow(
      await olga.go(authorizePath(cursor.client_id, challenge, { redirect_uri: 'cursor://anysphere.cursor-mcp/oauth' })),
    )
    expect(page.text).toContain('cursor://anysphere.cursor-mcp')
    expect(page.text).toContain('any app on your device could intercept')
  })

  it('marks clients with assistants turned off on the consent page', async () => {
    const off = await stage.world.client({ code: 'quiet', name: 'Quiet Fairs', ai: false })
    const otto = await stage.world.organizer({ at: off, name: 'Otto' })
    expect((await open(await openSignedInVisitor(stage, otto.userId))).text).toMatch(
      /Quiet Fairs<\/span><span class="badge warning">Assistants off/,
    )
  })

  it('escapes HTML in the name of the app', async () => {
    const evil = await registerOAuthClient(stage.served, { client_name: '<img src=x onerror=alert(1)>"\'&' })
    const { text } = await olga.follow(await olga.go(authorizePath(evil.client_id, challenge)))
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('<img')
  })

  it("redirects to the app's registered address with code, state and iss if the user agrees", async () => {
    const location = await submitConsent(olga, authorizePath(client.client_id, challenge, { state: 'ä&=/ ?' }))
    expect(location.origin + location.pathname).toBe(APP_URI)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      code: expect.stringMatching(/^lac_[\w-]{43}$/),
      state: 'ä&=/ ?',
      iss: `${stage.served.baseUrl}/api/oauth`,
    })
  })

  it('redirects to the app with access_denied if the user denies', async () => {
    const before = await codes()
    const location = await submitConsent(olga, authorizePath(client.client_id, challenge), 'deny')
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'st-1',
      iss: `${stage.served.baseUrl}/api/oauth`,
    })
    expect(await codes()).toBe(before)
  })

  it('shows the consent page again to a user who agreed earlier', async () => {
    await connectOAuthApp(stage, olga, client)
    const again = await open(olga)
    expect(again.status).toBe(200)
    expect(again.text).toContain('Authorize')
    const silent = await olga.follow(await olga.go(`${authorizePath(client.client_id, challenge)}&prompt=none`))
    expect(silent.text).toContain('Authorize')
  })

  it('takes app and redirect address from the stored authorization request, not from the consent form', async () => {
    const form = readConsentForm((await open(olga)).text)
    const answer = await olga.go(CONSENT, {
      ...form,
      decision: 'authorize',
      redirect_uri: 'https://evil.test/',
      client_id: 'other',
      state: 'x',
    })
    expect(answer.headers.location).toMatch(/^https:\/\/assistant\.example\/callback\?code=/)
    expect(answer.headers.location).toContain('state=st-1')
  })
})

describe('decision on the OAuth consent page', () => {
  it('accepts a consent decision once, so that a second click issues no second code', async () => {
    const form = { ...readConsentForm((await open(olga)).text), decision: 'authorize' }
    const before = await codes()
    const answers = await Promise.all([olga.go(CONSENT, form), olga.go(CONSENT, form), olga.go(CONSENT, form)])
    expect(answers.map((a) => String(a.status)).toSorted()).toEqual(['303', '410', '410'])
    expect(await codes()).toBe(before + 1)
  })

  it.each([
    ['without the token of the form', (form: Record<string, string>) => ({ ...form, _csrf: '' }), {}],
    ['with the token of another session', (form: Record<string, string>) => ({ ...form, _csrf: 'x'.repeat(43) }), {}],
    ['from another site', (form: Record<string, string>) => form, { origin: 'https://evil.test' }],
  ])('refuses a consent decision that is sent %s', async (_what, change, headers) => {
    const form = { ...readConsentForm((await open(olga)).text), decision: 'authorize' }
    const before = await codes()
    const refused = await olga.go(CONSENT, change(form), headers)
    expect([refused.status, refused.headers.location]).toEqual([403, undefined])
    expect(await codes()).toBe(before)
    // The same form with a valid token and origin works, so only that check refused it.
    expect((await olga.go(CONSENT, form, { origin: stage.served.baseUrl })).status).toBe(303)
  })

  it('refuses to show or accept a consent decision in another user session', async () => {
    const paul = await openSignedInVisitor(stage, (await stage.world.organizer({ name: 'Paul' })).userId)
    const form = readConsentForm((await open(olga)).text)
    expect((await paul.go(`${CONSENT}?request=${form['request']}`)).status).toBe(410)
    const own = readConsentForm((await open(paul)).text)
    const stolen = await paul.go(CONSENT, { ...own, request: form['request']!, decision: 'authorize' })
    expect([stolen.status, stolen.headers.location]).toEqual([410, undefined])
    // A request whose consent page was never shown cannot be decided either.
    const unseen = new URL((await olga.go(authorizePath(client.client_id, challenge))).headers.location!).searchParams.get('request')!
    expect((await olga.go(CONSENT, { ...form, request: unseen, decision: 'authorize' })).status).toBe(410)
    expect((await olga.go(CONSENT, { ...form, decision: 'authorize' })).status).toBe(303)
  })

  it('expires a consent request after ten minutes', async () => {
    const form = { ...readConsentForm((await open(olga)).text), decision: 'authorize' }
    await stage.world.clock.advance('10 minutes 1 second')
    expect((await olga.go(CONSENT, form)).status).toBe(410)
    await stage.world.clock.reset()
  })

  it('requires a complete sign-in including the second factor before consent', async () => {
    const stranger = new Visitor(stage.served)
    const first = await stranger.go((await stranger.go(authorizePath(client.client_id, challenge))).headers.location!)
    expect(first.headers.location).toMatch(/^\/console\/sign-in\?next=%2Fapi%2Foauth%2Fconsent%3Frequest%3Dlar_/)
    const half = await openSignedInVisitor(stage, stage.olga.userId, { totpPending: true })
    const second = await half.go((await half.go(authorizePath(client.client_id, challenge))).headers.location!)
    expect(second.headers.location).toMatch(/^\/console\/sign-in\/totp\?next=/)
    const form = readConsentForm((await open(olga)).text)
    expect((await half.go(CONSENT, { ...form, decision: 'authorize' })).status).toBe(403)
    expect((await stranger.go(CONSENT, { ...form, decision: 'authorize' })).status).toBe(403)
  })

  it('continues to the consent page after sign-in, where another account can be chosen', async () => {
    const rita = await stage.world.organizer({ name: 'Rita', email: 'rita@example.org' })
    const ruth = await stage.world.organizer({ name: 'Ruth', email: 'ruth@example.org' })
    for (const person of [rita, ruth]) await assignPassword(stage.world, person)
    const visitor = new Visitor(stage.served)
    const signIn = async (page: string, email: string) => {
      const next = /name="next" value="([^"]+)"/.exec(page)![1]!
      const form = { _csrf: readConsentForm(page)['_csrf']!, next, email, password: TEST_USER_PASSWORD }
      return visitor.follow(await visitor.go('/console/sign-in', form))
    }
    const asRita = await signIn((await open(visitor)).text, rita.email)
    expect(asRita.text).toContain('Rita')
    const signInAgain = await visitor.follow(await visitor.go(CONSENT, { ...readConsentForm(asRita.text), decision: 'switch' }))
    expect(signInAgain.text).toContain('Password')
    const asRuth = await signIn(signInAgain.text, ruth.email)
    expect(asRuth.text).toContain('Ruth')
    const answer = await visitor.go(CONSENT, { ...readConsentForm(asRuth.text), decision: 'authorize' })
    expect(answer.headers.location).toContain('code=lac_')
    const { rows } = await stage.world.database.pool.query<{ user_id: string }>(
      'select user_id from oauth_codes order by expires_at desc limit 1',
    )
    expect(rows[0]!.user_id).toBe(ruth.userId)
  })
})

describe('OAuth consent of a user without a client', () => {
  it('shows an error to a user without a client, and redirects to the app with access_denied', async () => {
    const { tenantId } = await stage.world.client()
    const userId = await createUser(stage.world.database.write, { tenantId, email: 'absent@example.org', name: 'Nora' })
    const nora = await openSignedInVisitor(stage, userId)
    const page = await open(nora)
    expect(page.status).toBe(403)
    expect(page.text).toContain('No organizer access — this login belongs to no client')
    expect(page.text).not.toContain('value="authorize"')
    const before = await codes()
    const forced = await nora.go(CONSENT, { ...readConsentForm(page.text), decision: 'authorize' })
    expect(Object.fromEntries(new URL(forced.headers.location!).searchParams)).toMatchObject({ error: 'access_denied', state: 'st-1' })
    expect((await submitConsent(nora, authorizePath(client.client_id, challenge), 'deny')).searchParams.get('error')).toBe('access_denied')
    expect(await codes()).toBe(before)
  })

  it('connects an app for a user who is staff of a single event', async () => {
    const event = await stage.world.event()
    const steve = await stage.world.organizer({ staffOf: event, name: 'Steve' })
    const answer = await (await obtainCode(stage, await openSignedInVisitor(stage, steve.userId), client)).redeem()
    expect(answer.status).toBe(200)
  })
})
