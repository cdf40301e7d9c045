import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signedInVisitor, type Visitor } from '../support/visitor.ts'
import { allowLoopbackReceivers, deliverDueMessages } from '../support/webhooks.ts'
import { newWorld, type ClientHandle, type World } from '../support/world.ts'

const PAGES = '/console/clients/acme/webhooks'

let world: World
let served: Served
let acme: ClientHandle
let admin: Visitor
let account: string
let receiver: Receiver

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const accountAt = (clientCodes: string[], name = 'CRM', more: object = {}) =>
  createApiAccount(world.database.write, {
    tenantId: acme.tenantId,
    name,
    canActAsParticipantAgent: false,
    restAccess: true,
    allowedClients: clientCodes.map((clientCode) => ({ tenantCode: 'demo', clientCode })),
    allowedEvents: [],
    ...more,
  })

const create = (fields: Record<string, string | readonly string[]> = {}, by = admin) =>
  by.post(
    PAGES,
    { account, url: receiver.url, all: 'yes', eventCode: '', description: 'Run by Bob', ...fields },
    { from: by === admin ? `${PAGES}/new` : PAGES },
  )
const act = (id: string, what: string, fields: Record<string, string> = {}) =>
  admin.post(`${PAGES}/${id}/${what}`, fields, { from: `${PAGES}/${id}` })
const made = async (fields: Record<string, string | readonly string[]> = {}) =>
  /webhooks\/([0-9a-f]{24})/.exec((await create(fields)).location!)![1]!

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  await world.client({ code: 'other' })
  await world.event({ code: 'summit', name: 'The summit', at: acme })
  allowLoopbackReceivers(world)
  served = await serve(world, { extras: { fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) } })
  admin = await signedInVisitor(world, served, await world.organizer({ at: acme }))
  account = await accountAt(['acme'])
})
afterAll(() => world.end())
beforeEach(async () => {
  receiver = await startReceiver()
  await rows('delete from webhook_endpoints')
})
afterEach(() => receiver.end())

it('lists webhooks and creates a webhook, whose secret is shown once', async () => {
  expect((await admin.get(PAGES)).html).toContain('No webhooks yet')
  const { location } = await create({ eventCode: 'summit', all: '', kinds: ['participant.created', 'order.paid'] })
  const first = await admin.get(location!)
  expect(first.html).toMatch(/whsec_[\w+/]{43}=/)
  expect((await admin.get(location!)).html).not.toContain('whsec_')
  expect(await rows('select kinds, client_code, event_code, description from webhook_endpoints')).toEqual([
    { kinds: ['participant.created', 'order.paid'], client_code: 'acme', event_code: 'summit', description: 'Run by Bob' },
  ])
  expect((await admin.get(PAGES)).html).toContain(new URL(receiver.url).host)
})

it('shows webhook form errors at their field and keeps the input', async () => {
  const page = await create({ url: 'http://example.org/hook', all: '' })
  expect(page.status).toBe(400)
  expect(page.html).toContain('name at least one kind')
  const address = await create({ url: 'http://example.org/hook' })
  expect(address.html).toContain('The address must start with https://')
  expect(address.html).toContain('value="http://example.org/hook"')
  expect(await rows('select 1 from webhook_endpoints')).toEqual([])
})

it("sends a webhook test event and shows the receiver's answer", async () => {
  const id = await made()
  receiver.respondWith((response) => response.writeHead(200).end('thanks <b>a lot</b>'))
  const tried = await act(id, 'test')
  expect(tried.html).toMatch(/Delivered: status 200 in \d+ ms/)
  expect(tried.html).toContain('thanks &lt;b&gt;a lot&lt;/b&gt;')
  receiver.respondWith(500)
  expect((await act(id, 'test')).html).toContain('The receiver answered 500')
  expect((await admin.get(`${PAGES}/${id}?status=exhausted`)).html).toContain('said 500')
  expect((await admin.get(`${PAGES}/${id}?status=exhausted`)).html).not.toContain('thanks')
})

it('records in the audit log of the client that a webhook was disabled automatically, with the reason', async () => {
  const id = await made()
  await act(id, 'test')
  const [{ message_id }] = await rows('select message_id from webhook_deliveries')
  await act(id, 'replay', { message: message_id })
  receiver.respondWith(410)
  await deliverDueMessages(world)
  expect(await rows('select status from webhook_endpoints')).toEqual([{ status: 'disabled' }])
  const log = (await admin.get('/console/audit?client=acme')).text.replaceAll(/\s+/g, ' ')
  expect(log).toMatch(/Lanyard disabled the webhook \S+ ?: The receiver answered 410: it wants no more messages/)
})

it('resends a webhook message, pauses a webhook, and renews the secret of a webhook or deletes the webhook after a confirmation', async () => {
  const id = await made()
  await act(id, 'test')
  const [{ message_id }] = await rows('select message_id from webhook_deliveries')
  expect((await act(id, 'replay', { message: message_id })).location).toContain('done=again')
  expect(await rows('select status from webhook_deliveries')).toEqual([{ status: 'pending' }])
  await act(id, 'status', { status: 'paused' })
  expect(
    await rows('select w.status, d.status as delivery from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id'),
  ).toEqual([{ status: 'paused', delivery: 'dropped' }])
  expect((await admin.get(`${PAGES}/${id}`)).html).not.toContain('Send a test')
  await act(id, 'status', { status: 'active' })
  expect((await act(id, 'secret')).html).toContain('Renew secret?')
  expect((await admin.get((await act(id, 'secret', { sure: 'yes' })).location!)).html).toMatch(/whsec_/)
  expect((await act(id, 'delete')).html).toContain('Delete this webhook?')
  await act(id, 'delete', { sure: 'yes' })
  expect(await rows('select 1 from webhook_endpoints')).toEqual([])
  expect(
    await rows(`select tool from audit_entries where tool like '%webhook%' and targets::text like $1 order by id`, [`%${id}%`]),
  ).toEqual(
    ['create_webhook', 'test_webhook', 'replay_webhook', 'update_webhook', 'update_webhook', 'renew_webhook_secret', 'delete_webhook'].map(
      (tool) => ({ tool }),
    ),
  )
})

it('shows webhooks to managers, but lets only administrators of every event of the account create webhooks', async () => {
  const id = await made()
  const looker = await signedInVisitor(world, served, await world.organizer({ at: acme, role: 'manager' }))
  const seen = await looker.get(PAGES)
  expect([seen.status, seen.html.includes('New webhook')]).toEqual([200, false])
  expect((await create({}, looker)).status).toBe(403)
  const onsite = await signedInVisitor(world, served, await world.organizer({ at: acme, role: 'onsite' }))
  expect((await onsite.get(PAGES)).status).toBe(403)
  const shared = await accountAt(['acme', 'other'], 'Shared')
  expect((await create({ account: shared })).status).toBe(403)
  expect((await admin.get(`${PAGES}/${'0'.repeat(24)}`)).status).toBe(404)
  expect((await admin.get(`${PAGES}/${id}`)).status).toBe(200)
})
