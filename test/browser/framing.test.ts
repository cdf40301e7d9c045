import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { raw } from 'hono/html'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embedHostsOf } from '../../src/domains/tenancy/embed-hosts.ts'
import { document } from '../../src/surfaces/web/components/layout.tsx'
import { show, type WebEnv } from '../../src/surfaces/web/web.ts'
import { launchBrowser } from '../support/browser.ts'
import { newWorld, type Place, type World } from '../support/world.ts'

let world: World
let acme: Place
let browser: Browser
let site: Server
let pages: Server

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

/** An event's page as the product will show it: framed by the hosts of its client. */
const fixturePages = () =>
  new Hono<WebEnv>()
    .get('/event', async (c) => {
      const framedBy = await embedHostsOf(world.database.read, { tenantId: acme.tenantId, id: acme.clientId })
      return show(c, document('Summit', raw('<main id="main"><h1>Summit</h1></main>')), 200, { framedBy })
    })
    .get('/private', (c) => show(c, document('Private', raw('<main id="main"><h1>Private</h1></main>'))))

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client({ code: 'acme' })
  const listener = getRequestListener(fixturePages().fetch, { overrideGlobalObjects: false })
  pages = await listen(createServer((request, response) => void listener(request, response)))
  site = await listen(
    createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://x').searchParams.get('frame')
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><title>Site</title><iframe src="http://tickets.example:${portOf(pages)}${path}"></iframe>`)
    }),
  )
  await world.database.write
    .updateTable('clients')
    .set({ embed_hosts: [`www.acme.example:${portOf(site)}`, `*.partners.example:${portOf(site)}`] })
    .where('id', '=', acme.clientId)
    .execute()
  browser = await launchBrowser(['--host-resolver-rules=MAP *.example 127.0.0.1'])
})
afterAll(async () => {
  await browser.close()
  for (const server of [site, pages]) server.close()
  await world.end()
})

/** What the frame shows on a website: the page's heading, or null where the browser keeps it out. */
async function framedAt(host: string, path: string): Promise<string | null> {
  const page = await browser.newPage()
  try {
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`http://${host}:${portOf(site)}/?frame=${path}`)
    const heading = await page
      .frames()[1]!
      .locator('main#main h1')
      .allInnerTexts()
      .catch(() => [])
    if (heading.length === 0) expect(refused.join()).toMatch(/frame-ancestors/)
    return heading[0] ?? null
  } finally {
    await page.close()
  }
}

describe('in a real browser', () => {
  it('a page of an event is framed by the websites of its client and by nobody else', async () => {
    expect(await framedAt('www.acme.example', '/event')).toBe('Summit')
    expect(await framedAt('north.partners.example', '/event')).toBe('Summit')
    expect(await framedAt('www.other.example', '/event')).toBeNull()
    expect(await framedAt('acme.example', '/event')).toBeNull()
    expect(await framedAt('partners.example', '/event')).toBeNull()
  })

  it('every other page is framed by nobody, the websites of the client included', async () => {
    expect(await framedAt('www.acme.example', '/private')).toBeNull()
  })
})
