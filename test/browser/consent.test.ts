import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setUserRoleAtClient } from '../../src/domains/access/users.ts'
import { postOAuthForm, authorizePath, newPkce, refresh, registerOAuthClient, requestStatus } from '../oauth/flow.ts'
import {
  findProblemsInLooks,
  assignPassword,
  saveScreenshot,
  WALKED_LOOKS,
  openContext,
  TEST_USER_PASSWORD,
  findSeriousProblems,
  WALKS,
} from '../support/browser.ts'
import { resetRateLimits } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle
let acme: ClientHandle
/** The assistant on the user's computer, which listens for the OAuth redirect. */
let app: Server
let callback: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const quiet = await world.client({ code: 'quiet', name: 'Quiet Fairs GmbH', ai: false })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  await setUserRoleAtClient(world.database.write, {
    tenantId: acme.tenantId,
    userId: olga.userId,
    clientId: quiet.clientId,
    role: 'manager',
  })
  await assignPassword(world, olga)
  served = await serve(world)
  app = createServer((_request, response) => void response.end('You may close this window.'))
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  callback = `http://localhost:${(app.address() as AddressInfo).port}/callback`
})
beforeEach(() => resetRateLimits(world))
afterAll(async () => {
  app.close()
  await world.end()
})

async function signIn(page: Page): Promise<void> {
  await page.fill('#email', olga.email)
  await page.fill('#password', TEST_USER_PASSWORD)
  await page.click('main button[type=submit]')
}

describe.each(WALKS)('OAuth consent with scripts $scripts', ({ looks }) => {
  it('signs a user in, shows the requesting app and authorizes the app, which has access until the user disconnects it', async () => {
    const client = await registerOAuthClient(served, { client_name: 'Claude Code', redirect_uris: ['http://localhost/callback'] })
    const { verifier, challenge } = newPkce()
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(served.url(authorizePath(client.client_id, challenge, { redirect_uri: callback })))
    expect(page.url()).toContain('/console/sign-in?next=')
    await signIn(page)
    expect(page.url()).toContain('/api/oauth/consent?request=')
    const shown = await page.innerText('main')
    for (const words of [
      'Claude Code',
      `this computer (${new URL(callback).host})`,
      'Olga Organizer',
      olga.email,
      'Acme Events',
      'Quiet Fairs GmbH',
      'Assistants off',
    ])
      expect(shown).toContain(words)
    expect(await findProblemsInLooks(page, looks, 'consent')).toEqual([])
    await page.click('button[value=authorize]')
    await page.waitForURL(`${callback}?**`)
    const answer = new URL(page.url()).searchParams
    expect([answer.get('state'), answer.get('iss')]).toEqual(['st-1', `${served.baseUrl}/api/oauth`])
    const form = {
      grant_type: 'authorization_code',
      code: answer.get('code')!,
      client_id: client.client_id,
      redirect_uri: callback,
      code_verifier: verifier,
    }
    const tokens = (await postOAuthForm(served, 'token', form)).json
    expect(await requestStatus(served, tokens.access_token)).toBe(200)
    // Going back in the browser shows that the authorization request is no longer valid, instead of an open form.
    await page.goBack()
    expect(await page.innerText('main')).toContain('This request is no longer valid')
    await page.goto(served.url('/console/account/apps'))
    expect(await page.innerText('main')).toContain(`this computer (${new URL(callback).host})`)
    await page.click('[aria-label="Disconnect Claude Code"]')
    expect(await page.innerText('main')).toContain('Claude Code loses access immediately')
    await page.click('text="Disconnect"')
    expect(await page.innerText('main')).toContain('App disconnected. It no longer has access.')
    expect(await requestStatus(served, tokens.access_token)).toBe(401)
    expect((await refresh(served, client, tokens.refresh_token)).json.error).toBe('invalid_grant')
    await context.close()
  })
})

describe('OAuth consent page', () => {
  it('lets the user deny access or switch accounts on the consent page', async () => {
    const client = await registerOAuthClient(served, { client_name: 'Claude', redirect_uris: [callback] })
    const context = await openContext(WALKED_LOOKS[0])
    const page = await context.newPage()
    await page.goto(served.url(authorizePath(client.client_id, newPkce().challenge, { redirect_uri: callback })))
    await signIn(page)
    await page.click('text=Switch account')
    expect(page.url()).toContain('/console/sign-in?next=')
    await signIn(page)
    expect(await page.innerText('main')).toContain('Claude')
    await page.click('button[value=deny]')
    await page.waitForURL(`${callback}?**`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    await context.close()
  })

  it('forbids framing the consent page', async () => {
    const client = await registerOAuthClient(served, { client_name: 'Claude', redirect_uris: [callback] })
    const context = await openContext(WALKED_LOOKS[0])
    const page = await context.newPage()
    const address = served.url(authorizePath(client.client_id, newPkce().challenge, { redirect_uri: callback }))
    await page.goto(address)
    await signIn(page)
    const consent = page.url()
    await page.goto(`${callback}?framing`)
    const blocked = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()))
    await page.setContent(`<iframe src="${consent}"></iframe>`)
    await blocked
    await context.close()
  })

  it('shows an error instead of redirecting for an invalid authorization request', async () => {
    const context = await openContext(WALKED_LOOKS[1])
    const page = await context.newPage()
    await page.goto(served.url(authorizePath('loc_unknown', newPkce().challenge)))
    expect(await page.innerText('h1')).toBe('This app cannot connect')
    await saveScreenshot(page, 'oauth-error-390-dark')
    expect(await findSeriousProblems(page)).toEqual([])
    await context.close()
  })

  it('shows no warning on the consent page for an app that is a website', async () => {
    const client = await registerOAuthClient(served, { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] })
    const context = await openContext({ width: 390, scheme: 'light', scripts: true })
    const page = await context.newPage()
    await page.goto(
      served.url(authorizePath(client.client_id, newPkce().challenge, { redirect_uri: 'https://claude.ai/api/mcp/auth_callback' })),
    )
    await signIn(page)
    expect(await page.innerText('main')).toMatch(/returns to\s+claude\.ai/)
    expect(await page.locator('.notice.warning').count()).toBe(0)
    await saveScreenshot(page, 'consent-website-390-light')
    await context.close()
  })
})
