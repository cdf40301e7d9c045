import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { raw } from 'hono/html'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assetPages } from '../../src/surfaces/web/assets.ts'
import { renderHtmlDocument } from '../../src/surfaces/web/components/layout.tsx'
import { themePages } from '../../src/surfaces/web/theme/pages.ts'
import { buildThemeStylesheetPath } from '../../src/surfaces/web/theme/stylesheet.ts'
import { sendPage, type WebEnv } from '../../src/surfaces/web/web.ts'
import { sharedBrowser, findSeriousProblems } from '../support/browser.ts'

let server: Server

const BODY = '<main id="main"><h1>Summit</h1><p><a href="/">Link</a></p><button class="button primary">Pay</button></main>'
const theme = buildThemeStylesheetPath({ colors: { brand: '#ffd43b' }, fontHeading: 'Georgia', radius: 3 })

beforeAll(async () => {
  const pages = new Hono<WebEnv>()
    .route('/', assetPages())
    .route('/', themePages())
    .get('/plain', (c) => sendPage(c, renderHtmlDocument('Summit', raw(BODY))))
    .get('/themed', (c) => sendPage(c, renderHtmlDocument('Summit', raw(BODY), { theme })))
  const listener = getRequestListener(pages.fetch, { overrideGlobalObjects: false })
  server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
})

async function looks(path: string, colorScheme: 'light' | 'dark') {
  const context = await (await sharedBrowser()).newContext({ colorScheme })
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  const style = (selector: string, name: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
  const seen = {
    button: await style('button', 'backgroundColor'),
    heading: await style('h1', 'fontFamily'),
    radius: await style('button', 'borderRadius'),
    ground: await style('html', 'backgroundColor'),
    findings: await findSeriousProblems(page),
  }
  await context.close()
  return seen
}

it('applies a theme’s accent, headings and corners only, and stays readable in both color schemes', async () => {
  const [plain, light, dark] = [await looks('/plain', 'light'), await looks('/themed', 'light'), await looks('/themed', 'dark')]
  expect([light.button, light.heading, light.radius]).not.toEqual([plain.button, plain.heading, plain.radius])
  expect([light.heading.startsWith('Georgia'), light.radius]).toEqual([true, '2px'])
  expect(light.ground).toBe(plain.ground)
  // Yellow is unreadable on white, so the light scheme darkens it; the dark scheme uses it unchanged.
  expect([light.button === 'rgb(255, 212, 59)', dark.button]).toEqual([false, 'rgb(255, 212, 59)'])
  expect([...light.findings, ...dark.findings]).toEqual([])
})
