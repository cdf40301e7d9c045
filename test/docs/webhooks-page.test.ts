import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANNOUNCEMENT_KINDS } from '../../src/kernel/announce.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { readPageSource } from '../support/page-blocks.ts'
import { playPage } from '../support/page-play.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { deliverAll, reachReceivers } from '../support/webhooks.ts'
import { openSummit, type Summit } from './summit.ts'

let summit: Summit
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.say((response) => response.end('ok'))
  summit = await openSummit({ fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) })
  reachReceivers(summit.world)
})
afterAll(async () => {
  await summit.world.end()
  receiver.end()
})

it('the page about webhooks is what a program asks and is told', async () => {
  const page = playPage('webhooks', { served: summit.served, variables: { LANYARD_TOKEN: summit.account.token } })
  page.know('https://crm.example/hook', receiver.url)
  await page.play('What is sent')
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
  await deliverAll(summit.world)
  const told = receiver.received.slice(before).map(({ headers, body }) => ({ headers, body: JSON.parse(body) }))
  const made = told.find(({ body }) => body.type === 'participant.created')!
  await page.play('Check the signature')
  page.isExample('What is sent', made.headers)
  page.isExample('What is sent', made.body)
  await page.play()
  page.finish()
})

it('the page about webhooks lists every kind, once', () => {
  const [, table] = readPageSource('webhooks').split('\n## Kinds\n')
  const listed = [...table!.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, kind]) => kind)
  expect(listed.toSorted()).toEqual([...ANNOUNCEMENT_KINDS].toSorted())
})
