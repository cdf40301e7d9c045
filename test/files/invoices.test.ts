import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertPassOrder, insertParticipantWith } from '../../src/domains/messages/event-mail/tests/congress-mail.ts'
import { createInvoiceLinkBuilder } from '../../src/domains/orders/invoice-links.ts'
import { deriveKeys, type DerivedKeys } from '../../src/kernel/secrets.ts'
import { createEventContextAt } from '../support/at-event.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let event: EventHandle
let keys: DerivedKeys
let invoice: { id: string; number: string }

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const master = randomBytes(32)
  keys = deriveKeys(master)
  event = await world.event({ name: 'Harbour Congress' })
  await serve(world, { env: { LANYARD_SECRET_KEY: master.toString('base64') } })
  invoice = (await insertPassOrder(world, event, await insertParticipantWith(world, event))).invoice
})
afterAll(() => world.end())
beforeEach(() => world.clock.reset())

const linkTo = async (id = invoice.id) =>
  (await createInvoiceLinkBuilder({ ...(await createEventContextAt(world, event)), keys, baseUrl: world.services.baseUrl }))({ id })

describe('invoice link', () => {
  it('opens the invoice PDF for every holder of the link, whose address reveals nothing', async () => {
    const url = await linkTo()
    expect(url).toMatch(/\/invoices\/[\w.-]+\.pdf$/)
    for (const known of [invoice.id, invoice.number, event.eventId, event.eventCode, event.tenantCode]) expect(url).not.toContain(known)
    const answer = await fetch(url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': expect.stringContaining(`inline; filename="${invoice.number}.pdf"`),
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(readPdfText(Buffer.from(await answer.arrayBuffer()))).toContain(`Invoice ${invoice.number}`)
    expect((await fetch(`${url}?download`)).headers.get('content-disposition')).toMatch(/^attachment/)
    expect([(await fetch(url, { method: 'HEAD' })).status, (await fetch(url, { method: 'POST' })).status]).toEqual([200, 404])
  })

  it('rejects an invoice link that was altered, encrypted with other keys or issued for another purpose', async () => {
    const url = await linkTo()
    const at = url.length - 12
    const changed = `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`
    const claims = JSON.stringify({ tenantId: event.tenantId, eventId: event.eventId, invoiceId: invoice.id, until: 9e9 })
    const others = [deriveKeys(randomBytes(32)).seal('invoice link', claims, ''), keys.seal('file link', claims, '')]
    for (const bad of [
      changed,
      ...others.map((sealed) => `${world.services.baseUrl}/invoices/${sealed}.pdf`),
      await linkTo('0'.repeat(24)),
    ])
      expect((await fetch(bad)).status).toBe(404)
    // The same claims sealed as an invoice link work, so the refusals above have the intended cause.
    expect((await fetch(`${world.services.baseUrl}/invoices/${keys.seal('invoice link', claims, '')}.pdf`)).status).toBe(200)
  })

  it('expires an invoice link after one day', async () => {
    const url = await linkTo()
    await world.clock.advance('23 hours 59 minutes')
    expect((await fetch(url)).status).toBe(200)
    await world.clock.advance('2 minutes')
    expect((await fetch(url)).status).toBe(410)
    expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('expired')
  })
})
