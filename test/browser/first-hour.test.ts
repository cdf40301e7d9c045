import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveScreenshot, WALKED_LOOKS, openContext, signInWith } from '../support/browser.ts'
import { OAuthClientStore } from '../support/oauth-client-store.ts'
import { createTestFolder } from '../support/folder.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'

/**
 * The first hour of a new user: start the server, sign in, connect an assistant, let it change a price, publish, and read the audit log.
 */

const APP = 'Assistant of a newcomer'

const dataDir = createTestFolder()
let base: string
let service: ServiceProcess
/** The assistant on the user's computer, which listens for the OAuth redirect. */
let app: Server

beforeAll(async () => {
  base = await chooseFreeBaseUrl()
  service = startProcess(['--enable-source-maps', 'dist/main.js'], {
    port: Number(new URL(base).port),
    env: { LANYARD_DATA_DIR: dataDir, LANYARD_BASE_URL: base },
  })
  app = createServer((_request, response) => void response.end('You may close this window.')).listen(0, '127.0.0.1')
  await once(app, 'listening')
})
afterAll(async () => {
  app.close()
  if (service.child.exitCode === null) await service.end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

/** The value that the first start printed after this label. */
const printed = (word: string) => new RegExp(`^\\s*${word}\\s+(\\S+)`, 'm').exec(service.output())![1]!

interface Product {
  code: string
  name: string
  prices?: { amount: string }[]
}

const connected = async (endpoint: string, memory: OAuthClientStore): Promise<Client> => {
  const client = new Client({ name: APP, version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: memory }))
  return client
}

it.each([WALKED_LOOKS[0], WALKED_LOOKS[2]])(
  'leads a new user from the first start to a published change at $width px with scripts $scripts',
  async (look) => {
    await service.ready()
    await expect.poll(() => service.output()).toContain('Discovery')
    const page = await (await openContext(look)).newPage()
    const shot = (name: string) => saveScreenshot(page, `first-hour-${name}-${look.width}-${look.scheme}`)
    await signInWith(page, base, { email: printed('Sign in as'), password: printed('Password') })

    await page.click('main a[href$="/summit-2027"]')
    const event = await page.innerText('h1')
    expect(event).toContain('Summit')
    await shot('event')

    await page.goto(`${base}/console/connect`)
    const endpoint = (await page.innerText('#address')).trim()
    expect(endpoint).toBe(`${base}/api/mcp/organizer`)
    const memory = new OAuthClientStore(APP, { redirectUrl: `http://localhost:${(app.address() as AddressInfo).port}/callback` })
    await expect(connected(endpoint, memory)).rejects.toThrow(UnauthorizedError)
    await page.goto(memory.opened!.href)
    expect(await page.innerText('main')).toContain(APP)
    await shot('consent')
    await page.click('button[value=authorize]')
    await page.waitForURL(`${memory.redirectUrl}?**`)
    await new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: memory }).finishAuth(new URL(page.url()).searchParams)
    const client = await connected(endpoint, memory)

    const call = async (name: string, args: object) => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: { eventCode: 'summit-2027', ...args } })
      expect([isError ?? false, isError ? content : null]).toEqual([false, null])
      return structuredContent as any
    }
    const explored = await call('config_explore', { path: '/products', depth: 0 })
    const product = (JSON.parse(explored.valueJson) as Product[]).find(
      ({ prices }) => prices?.length === 1 && Number(prices[0]!.amount) > 0,
    )!
    const before = product.prices![0]!.amount
    const after = `${Number.parseInt(before, 10) + 7}.00`
    await call('config_set', {
      operations: [{ op: 'set', path: `/products/${product.code}/prices/0/amount`, valueJson: JSON.stringify(after) }],
    })
    await client.close()

    const figure = (amount: string) => amount.replace(/\.00$/, '')
    await page.goto(`${base}/console`)
    await page.click('main a[href$="/summit-2027"]')
    const changed = page.locator('main .changes li', { hasText: product.name }).filter({ hasText: figure(after) })
    expect(await changed.first().innerText()).toContain(figure(before))
    await shot('differences')
    await page.click('main a[href$="/draft"]')
    expect(await page.innerText('main .changes')).toContain(APP)
    await shot('draft')
    await page.click('main button:has-text("Publish")')
    expect(await page.innerText('main')).toContain('Published. Your changes are live.')
    await shot('published')

    await page.goto(`${base}/console/audit`)
    await shot('audit')
    const rows = page.locator('main li, main tr, main article').filter({ hasText: 'Olga Organizer' })
    // The audit entry with actor, record and app, independent of its wording.
    const priced = rows.filter({ hasText: /price|config_set|edited the draft/i }).filter({ hasText: APP })
    expect(await priced.filter({ hasText: new RegExp(`${product.name}|${product.code}|${event}|summit-2027`) }).count()).toBeGreaterThan(0)
    const published = rows.filter({ hasText: /publish/i }).filter({ hasText: new RegExp(`${event}|summit-2027`) })
    expect(await published.count()).toBeGreaterThan(0)
    await page.context().close()
  },
)
