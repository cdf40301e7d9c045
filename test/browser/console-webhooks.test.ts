import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { findProblemsInLooks, openSignedIn, WALKS } from '../support/browser.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle
let receiver: Receiver

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  await world.event({ code: 'summit-2027', name: 'The summit', at: acme })
  await createApiAccount(world.database.write, {
    tenantId: acme.tenantId,
    name: 'CRM of Acme',
    canActAsParticipantAgent: false,
    restAccess: true,
    allowedClients: [{ tenantCode: 'demo', clientCode: 'acme' }],
    allowedEvents: [],
  })
  olga = await world.organizer({ at: acme })
  served = await serve(world, { extras: { fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) } })
  receiver = await startReceiver()
})
afterAll(async () => {
  receiver.end()
  await world.end()
})

describe.each(WALKS)('webhook pages of the console with scripts $scripts', ({ looks }) => {
  it('creates, tests, resends and pauses a webhook', async () => {
    const page = await openSignedIn(served, olga, looks[0])
    const mustBeFine = async (part: string, more = {}) =>
      expect(await findProblemsInLooks(page, looks, `webhooks-${part}`, more)).toEqual([])
    await page.goto(`${served.baseUrl}/console/clients/acme/webhooks/new`)
    await mustBeFine('new', { amongEveryPage: true })
    await page.getByLabel('Address').fill('http://nowhere.example/hook')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await mustBeFine('refused')
    await page.getByLabel('Address').fill(`${receiver.url}/${'a-long-name-'.repeat(8)}`)
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('whsec_').waitFor()
    await mustBeFine('secret')
    receiver.respondWith((response) => response.writeHead(500).end('{"error":"no such tenant","detail":"'.padEnd(700, 'x')))
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The receiver answered 500').first().waitFor()
    receiver.respondWith(200)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Delivered: status').waitFor()
    const newest = page.locator('.two-line tbody tr').first()
    // On phones the attempts stand below the delivery, and its button beside the time.
    expect(await newest.locator('td:visible').count()).toBe(5)
    if (looks[0].width === 390) {
      const [time, button, attempts] = await Promise.all(
        ['.detail', '.figure', '.below'].map((cell) => newest.locator(cell).evaluate((one) => one.getBoundingClientRect().toJSON())),
      )
      expect(button.left).toBeGreaterThan(time.right)
      expect(attempts.top).toBeGreaterThanOrEqual(button.bottom)
    }
    await page.locator('details summary').last().click()
    await mustBeFine('log')
    await page.getByRole('button', { name: 'Send again' }).first().click()
    await page.getByText('Delivery sent again').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Activate' }).waitFor()
    await page.goto(`${served.baseUrl}/console/clients/acme/webhooks`)
    await mustBeFine('list', { amongEveryPage: true })
    await page.context().close()
  })
})
