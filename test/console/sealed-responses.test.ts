import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { submitResponse, declineRfp } from '../../src/domains/bids/submit.ts'
import type { RfpResponseContent } from '../../src/domains/bids/tables.ts'
import { REST_ENTITIES } from '../../src/domains/entities/catalogue.ts'
import { saveOfferDraft } from '../../src/domains/rfps/portal.ts'
import { postSupplierQuestion } from '../../src/domains/rfps/questions.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { createEventContextAt } from '../support/at-event.ts'
import { createNegotiationFixtures } from '../support/negotiations.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { RESPONSE_A, createSourcingFixtures } from '../support/sourcing.ts'
import { visitor } from '../support/visitor.ts'
import { allowLoopbackReceivers, deliverDueMessages, createWebhookSubscription } from '../support/webhooks.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const RESPONSES = 100
/** Words and amounts that occur only in responses, with or without separators. Ids contain digits too, so an amount counts only on its own. */
const CANARY = /canary|(?<![0-9a-f.])765[,.' \u00a0\u202f]?4[0-9]{2}(?![0-9a-f])/i

const withCanaries = (n: number): RfpResponseContent => ({
  ...RESPONSE_A,
  rental: 76_540_000 + n,
  otherFees: [{ name: `Canary fee ${n}`, amount: 76_541_000 + n, mandatory: true }],
  concessions: [{ kind: 'other', value: 76_542, text: `Canary gift ${n}` }],
  answers: { wifi: `Canary answer ${n}` },
  note: `Canary note ${n}`,
})

let world: World
let event: EventHandle
let organizer: OrganizerHandle
let served: Served
let browser: ConsoleBrowser
let receiver: Receiver
let rfpId: string
let responseId: string
let recipientIds: string[]
/** The page of a supplier whose offer is sealed, and the page of another one. */
let portals: { own: string; other: string }

const change = async <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> => {
  const at = await createEventContextAt(world, event)
  const scope = { name: 'submit_response', clientId: event.clientId, eventId: event.eventId }
  return commitChange(world.database, scope, (db) => ({ ...at, db }), run)
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  event = await world.event({ timezone: 'UTC' })
  organizer = await world.organizer({ at: event })
  served = await serve(world)
  receiver = await startReceiver()
  allowLoopbackReceivers(world)
  await createWebhookSubscription(world, event, { url: receiver.url })
  browser = await new ConsoleBrowser(served).enter(world, organizer)
  const rows = createSourcingFixtures(world, event)
  const criteria = [{ code: 'cost', name: 'Cost', weight: 100, scorer: 'formula' as const, formula: 'lowestCost' }]
  rfpId = await rows.rfp(await rows.brief(), {
    rubric: { name: 'Ours', criteria },
    questions: [{ code: 'wifi', text: 'Which Wi-Fi?', type: 'text', required: true }],
  })
  recipientIds = []
  for (let n = 0; n < RESPONSES; n++) recipientIds.push(await rows.recipient(rfpId, await rows.supplier(`Hotel ${n}`)))
  for (const [n, recipientId] of recipientIds.entries())
    responseId = (await change((ctx) => submitResponse(ctx, { recipientId, dateOption: 0, content: withCanaries(n), source: 'portal' }))).id
  // Drafts are sealed too, also those of suppliers who have not sent an offer or turned the request down.
  for (const name of ['Drafting hotel', 'Leaving hotel']) {
    const recipientId = await rows.recipient(rfpId, await rows.supplier(name))
    await change((ctx) =>
      saveOfferDraft(ctx, recipientId, { dateOption: 0, values: { rental: '765,400.00', note: 'Canary draft' }, files: [] }),
    )
    if (name === 'Leaving hotel') await change((ctx) => declineRfp(ctx, recipientId, { reason: 'full', message: '' }))
    recipientIds.push(recipientId)
  }
  await change((ctx) => postSupplierQuestion(ctx, recipientIds[1]!, 'Is parking needed?'))
  const call = (tool: string, args: Record<string, unknown>) =>
    organizer.call(tool, { clientCode: event.clientCode, eventCode: event.eventCode, ...args })
  const negotiations = createNegotiationFixtures(world, event, call)
  const linkOf = async (recipientId: string) => `/supplier/${await negotiations.requestLink(recipientId)}`
  portals = { own: await linkOf(recipientIds[0]!), other: await linkOf(recipientIds.at(-2)!) }
})
afterAll(async () => {
  receiver.end()
  await world.end()
})

/** The text of a file that organizers or suppliers download: PDF, workbook or plain. */
async function readText(path: string, cookie = ''): Promise<string> {
  const response = await fetch(served.url(path), { headers: { cookie }, redirect: 'manual' })
  const content = Buffer.from(await response.arrayBuffer())
  if (content.subarray(0, 4).toString() === '%PDF') return readPdfText(content)
  if (content.subarray(0, 2).toString() !== 'PK') return content.toString()
  const zip = await JSZip.loadAsync(content)
  const parts = await Promise.all(Object.values(zip.files).map((file) => file.async('string')))
  return parts.join('\n')
}

async function crawlTools(found: Map<string, string>): Promise<void> {
  const codes = { clientCode: event.clientCode, eventCode: event.eventCode }
  const ids = { rfpId, responseId, responseIds: [responseId] }
  for (const tool of world.tools.values()) {
    if (tool.scope !== 'event') continue
    const isRead = tool.effect === 'read'
    if (!isRead && !(tool.ownArguments.includes('rfpId') && (tool.previews || !tool.ownArguments.includes('confirmToken')))) continue
    const named = Object.fromEntries(Object.entries(ids).filter(([name]) => tool.ownArguments.includes(name)))
    const own = {
      record_manual_scores: { scores: [{ responseId, criterion: 'cost', score: 3 }] },
      propose_award: { lines: [{ responseId }], rationale: 'The best offer for our guests' },
      list_rfp_responses: { allRounds: true },
      query_data: { entity: 'rfpResponse', fields: ['id', 'round', 'total', 'supplierId'], total: true },
    }[tool.name]
    const dryRun = tool.previews ? { dryRun: true } : {}
    for (const args of [named, { ...named, responseId: undefined, responseIds: undefined }]) {
      const sent = JSON.parse(JSON.stringify({ ...codes, ...args, ...own, ...dryRun }))
      const answer = await organizer.answer(tool.name, sent)
      const text = JSON.stringify(answer)
      // A dry run of distribute_rfp returns the PDF.
      const pdf = /"base64":"(JVBER[^"]*)"/.exec(text)?.[1]
      found.set(`${tool.name} ${Object.keys(args).join(' ')}`, pdf ? `${text} ${readPdfText(Buffer.from(pdf, 'base64'))}` : text)
    }
  }
}

async function crawlPages(found: Map<string, string>): Promise<void> {
  const base = `/console/events/${event.clientCode}/${event.eventCode}`
  const rfp = `${base}/rfps/${rfpId}`
  const pages = [
    base,
    `${base}/rfps`,
    rfp,
    `${rfp}/compare`,
    `${rfp}/responses/${recipientIds[0]}`,
    `${rfp}/responses/${recipientIds.at(-1)}`,
  ]
  for (const path of [
    ...pages,
    '/console/audit',
    `/console/clients/${event.clientCode}/audit`,
    `/console/clients/${event.clientCode}/suppliers`,
  ])
    found.set(path, (await browser.get(path)).html)
  for (const path of [`${rfp}/request.pdf`, `${rfp}/compare.xlsx`])
    found.set(path, await readText(path, `lanyard-organizer=${browser.session}`))
  const supplier = visitor(served)
  for (const path of [portals.other, `${portals.other}/offer?dates=0`])
    // The supplier's own draft is on its page, but nothing of the others.
    found.set(path, (await supplier.get(path)).html.replaceAll('765,400.00', '').replaceAll('Canary draft', ''))
  found.set(`${portals.other}/request.pdf`, await readText(`${portals.other}/request.pdf`))
}

/** Everything that the product shows to organizers, integrators and other suppliers, by where it was found. */
async function crawl(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await crawlTools(found)
  await crawlPages(found)
  const rest = await createRestClient(world, served, event.tenantId, { clients: [event], sensitiveData: true })
  for (const { path } of REST_ENTITIES) found.set(`/v1/${path}`, JSON.stringify(await rest.get(`/v1/${path}?limit=100`)))
  for (const path of ['/v1/deletions', '/v1/webhooks', '/v1/me', '/v1/openapi.json']) found.set(path, JSON.stringify(await rest.get(path)))
  await deliverDueMessages(world)
  found.set('webhooks', receiver.received.map(({ body }) => body).join('\n'))
  for (const table of ['audit_entries', 'webhook_messages', 'webhook_deliveries', 'messages', 'jobs', 'files']) {
    const { rows } = await world.database.pool.query(`select * from ${table}`)
    found.set(`table ${table}`, JSON.stringify(rows))
  }
  const { rows: attached } = await world.database.pool.query<{ name: string; bytes: Buffer | null }>(
    'select name, bytes from message_attachments',
  )
  found.set('attachments', attached.map(({ name, bytes }) => `${name} ${bytes ? readPdfText(Buffer.from(bytes)) : ''}`).join('\n'))
  found.set('log', [...world.logged, ...served.logged].join('\n'))
  return found
}

const hits = (found: Map<string, string>) => [...found].filter(([, text]) => CANARY.test(text)).map(([where]) => where)

describe('sealed RFP responses', () => {
  it('hides the content of sealed RFP responses before the due time, and shows the whole content afterwards', async () => {
    const sealed = await crawl()
    expect(sealed.size).toBeGreaterThan(100)
    expect(hits(sealed)).toEqual([])
    // Subscribers and the suppliers themselves received the offers, so the crawled pages were filled.
    expect(receiver.parsedMessages().filter(({ type }) => type === 'rfp.response')).toHaveLength(RESPONSES)
    expect((await visitor(served).get(`${portals.own}/offer?dates=0`)).html).toMatch(CANARY)
    const { responses, pending } = await organizer.call('list_rfp_responses', {
      clientCode: event.clientCode,
      eventCode: event.eventCode,
      rfpId,
      limit: 100,
    })
    expect(pending.map(({ status }: { status: string }) => status).toSorted()).toEqual(['inProgress', 'turnedDown'])
    for (const one of responses) expect(Object.keys(one).toSorted()).toEqual(['status', 'supplier'])

    const countRows = async () =>
      (
        await organizer.call('query_data', {
          clientCode: event.clientCode,
          eventCode: event.eventCode,
          entity: 'rfpResponse',
          fields: ['id'],
          limit: 200,
        })
      ).rows.length
    expect(await countRows()).toBe(0)
    await world.clock.advance('11 days')
    await world.renewTokens()
    browser = await new ConsoleBrowser(served).enter(world, organizer)
    expect(await countRows()).toBe(RESPONSES)
    const open = hits(await crawl())
    for (const tool of ['list_rfp_responses', 'compare_responses', 'summarize_comparison'])
      expect(open.some((one) => one.startsWith(tool))).toBe(true)
    const compare = `/console/events/${event.clientCode}/${event.eventCode}/rfps/${rfpId}/compare`
    expect(open).toEqual(expect.arrayContaining([compare, `${compare}.xlsx`]))
    const never = /^(table|log|webhooks|attachments|\/supplier|\/v1)/
    expect(open.filter((one) => never.test(one))).toEqual([])
  })
})
