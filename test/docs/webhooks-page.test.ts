import { afterAll, beforeAll, expect, it } from 'vitest'
import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../src/kernel/announce.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { readPageSource } from '../support/code-blocks.ts'
import { executePage } from '../support/executed-page.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { deliverDueMessages, allowLoopbackReceivers } from '../support/webhooks.ts'
import { openSummit, type Summit } from './summit.ts'

let summit: Summit
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.respondWith((response) => response.end('ok'))
  summit = await openSummit({ fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) })
  allowLoopbackReceivers(summit.world)
})
afterAll(async () => {
  await summit.world.end()
  receiver.end()
})

it('documents webhook requests and messages that match those of the server', async () => {
  const page = executePage('webhooks', { served: summit.served, variables: { LANYARD_TOKEN: summit.account.token } })
  page.declareValue('https://crm.example/hook', receiver.url)
  await page.runUntil('What is sent')
  const before = receiver.received.length
  await summit.call('add_participant', {
    flowSlug: 'attendee',
    data: {
      '@participant.firstName': 'Ana',
      '@participant.lastName': 'Lima',
      '@participant.email': 'ana@example.org',
      '@custom.topics': ['ai'],
      '@product.pass': 1,
    },
  })
  await deliverDueMessages(summit.world)
  const received = receiver.received.slice(before).map(({ headers, body }) => ({ headers, body: JSON.parse(body) }))
  const made = received.find(({ body }) => body.type === 'participant.created')!
  await page.runUntil('Check the signature')
  page.expectExample('What is sent', made.headers)
  page.expectExample('What is sent', made.body)
  await page.runUntil()
  page.finish()
})

it('lists every webhook event kind once', () => {
  const [, table] = readPageSource('webhooks').split('\n## Kinds\n')
  const listed = [...table!.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, kind]) => kind)
  expect(listed.toSorted()).toEqual([...WEBHOOK_ANNOUNCEMENT_KINDS].toSorted())
})
