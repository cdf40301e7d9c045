import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  findProblemsInLooks,
  assignPassword,
  WALKED_LOOKS,
  openContext,
  openMenu,
  TEST_USER_PASSWORD,
  signInWith,
  WALKS,
} from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  for (const code of ['summit-2027', 'partner-day', 'roadshow']) await world.event({ code, at: acme })
  olga = await world.organizer({ at: acme })
  await assignPassword(world, olga)
  served = await serve(world)
})
afterAll(() => world.end())

describe.each(WALKS)('console sign-in with scripts $scripts', ({ looks }) => {
  it('signs a user in, shows their events and signs them out', async () => {
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/console?search=summit`)
    expect(page.url()).toContain('/console/sign-in?next=%2Fconsole%3Fsearch%3Dsummit')
    expect(await findProblemsInLooks(page, looks, 'sign-in', { isCoveredByEveryPage: true })).toEqual([])
    await page.fill('#email', olga.email)
    await page.fill('#password', 'not the password')
    await page.click('main button[type=submit]')
    expect(await page.textContent('[role=alert]')).toContain('The email or password is not correct.')
    expect(await findProblemsInLooks(page, looks, 'sign-in-refused')).toEqual([])
    expect(await page.inputValue('#email')).toBe(olga.email)
    await page.fill('#password', TEST_USER_PASSWORD)
    await page.click('main button[type=submit]')
    expect(page.url()).toBe(`${served.baseUrl}/console?search=summit`)
    await page.goto(`${served.baseUrl}/console`)
    expect(await page.locator('tbody tr').count()).toBe(3)
    expect(await findProblemsInLooks(page, looks, 'events', { isCoveredByEveryPage: true })).toEqual([])
    await openMenu(page)
    await page.click('text=Sign out')
    await page.goto(`${served.baseUrl}/console`)
    expect(page.url()).toContain('/console/sign-in')
    await context.close()
  })
})

describe('console sign-in', () => {
  it('sets an HttpOnly same-site session cookie with a new value at each sign-in', async () => {
    const context = await openContext(WALKED_LOOKS[0])
    const page = await context.newPage()
    const cookieOf = async () => (await context.cookies()).find((cookie) => cookie.name === 'lanyard-organizer')
    await signInWith(page, served.baseUrl, { email: olga.email, password: TEST_USER_PASSWORD })
    const first = await cookieOf()
    expect(first).toMatchObject({ httpOnly: true, secure: false, sameSite: 'Lax', path: '/' })
    await page.click('text=Sign out')
    await signInWith(page, served.baseUrl, { email: olga.email, password: TEST_USER_PASSWORD })
    expect((await cookieOf())!.value).not.toBe(first!.value)
    await context.close()
  })

  it('redirects a user after sign-in to a page of this server only', async () => {
    const context = await openContext(WALKED_LOOKS[0])
    const page = await context.newPage()
    for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      await context.clearCookies()
      await signInWith(page, served.baseUrl, { email: olga.email, password: TEST_USER_PASSWORD }, next)
      expect(page.url()).toBe(`${served.baseUrl}/console`)
    }
    await context.close()
  })
})
