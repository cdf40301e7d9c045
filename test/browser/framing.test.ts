import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let scenario: SalesScenario
let served: Served
let site: Server
let home: string

const portOf = (server: Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  scenario = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
  page = await (await sharedBrowser()).newPage()
  site = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://x').searchParams
    const address = `http://tickets.example:${served.port}${asked.get('frame')}`
    const link = `<a data-lanyard href="${address}">Register</a><script src="http://tickets.example:${served.port}/embed.js" async></script>`
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Site</title>${asked.has('script') ? link : `<iframe src="${address}"></iframe>`}`)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  await scenario.world.database.write
    .updateTable('clients')
    .set({ embed_hosts: [`www.acme.example:${portOf(site)}`, `*.partners.example:${portOf(site)}`] })
    .where('id', '=', scenario.event.clientId)
    .execute()
})
afterAll(async () => {
  site.close()
  await scenario.world.end()
})

/** One browser window for all websites, as a user has. */
let page: Page

/** The heading of the framed page, or null if the browser blocks it. */
async function framedAt(host: string, path: string, how = ''): Promise<string | null> {
  try {
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`http://${host}:${portOf(site)}/?frame=${encodeURIComponent(path)}${how}`)
    const isRefused = () => refused.some((words) => words.includes('frame-ancestors'))
    const headings = async () =>
      (await page
        .frames()[1]
        ?.locator('main#main h1')
        .allInnerTexts()
        .catch(() => [])) ?? []
    await expect.poll(async () => isRefused() || (await headings()).length > 0).toBe(true)
    return isRefused() ? null : (await headings())[0]!
  } finally {
    page.removeAllListeners('console')
  }
}

describe('framing of event pages in a real browser', () => {
  it('lets only the client’s websites frame an event page', async () => {
    const name = /^Event /
    expect(await framedAt('www.acme.example', home)).toMatch(name)
    expect(await framedAt('north.partners.example', home)).toMatch(name)
    expect(await framedAt('www.other.example', home)).toBeNull()
    expect(await framedAt('acme.example', home)).toBeNull()
    expect(await framedAt('partners.example', home)).toBeNull()
  })

  it('replaces a link with the embedded registration form when the client’s website includes the embed script', async () => {
    expect(await framedAt('www.acme.example', `${home}/register/attendee`, '&script')).toBe('Registration')
    expect(await framedAt('www.other.example', `${home}/register/attendee`, '&script')).toBeNull()
  })

  it('blocks framing of every page that is not an event page, even in the client’s websites', async () => {
    for (const path of ['/', '/console/sign-in', '/docs', '/nowhere'])
      expect([path, await framedAt('www.acme.example', path)]).toEqual([path, null])
  })
})
