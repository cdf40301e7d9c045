import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

/** The event of the documentation pages: a summit that sells passes and asks one question. */
const SECTIONS = {
  details: { contactEmail: 'hello@acme.example', venue: { name: 'Kongresshalle', city: 'Berlin', country: 'DE' } },
  taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
  products: [{ code: 'pass', name: 'Summit pass', category: 'admission', taxCode: 'vat', prices: [{ amount: '500.00' }] }],
  customFields: [
    {
      code: 'topics',
      name: 'What are you here for?',
      responseType: 'multiChoice',
      choices: [
        { code: 'ai', name: 'Artificial intelligence' },
        { code: 'b2b', name: 'B2B' },
      ],
    },
  ],
  emails: [
    {
      code: 'confirmation',
      name: 'Confirmation',
      trigger: 'registration.completed',
      subject: 'You are registered for {{event.name}}',
      blocks: [{ id: 'hello', type: 'heading', text: 'Thank you, {{participant.firstName}}' }],
    },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      confirmationEmail: 'confirmation',
      pages: [
        {
          code: 'contact',
          title: 'You',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'company', type: 'field', binding: '@participant.company' },
            { id: 'topics', type: 'field', binding: '@custom.topics', required: true },
          ],
        },
        {
          code: 'choices',
          title: 'Choices',
          widgets: [
            { id: 'passes', type: 'products', products: ['pass'], min: 1 },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}

export interface Summit {
  world: World
  served: Served
  event: EventHandle
  olga: OrganizerHandle
  /** An API account that covers the client. */
  account: { id: string; token: string }
  call: (tool: string, args?: Record<string, unknown>) => Promise<any>
}

/** Starts a server with tenant demo, client acme and event summit-2027 (the codes of the demo), open for registration. */
export async function openSummit({ sections = {}, fetcher }: { sections?: object; fetcher?: Fetcher } = {}): Promise<Summit> {
  const world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const client = await world.client({ code: 'acme', name: 'Acme Events' })
  const event = await world.event({
    at: client,
    code: 'summit-2027',
    name: 'Summit 2027',
    status: 'draft',
    startsOn: '2027-03-01',
    endsOn: '2027-03-03',
  })
  const olga = await world.organizer({ at: client })
  const call: Summit['call'] = (tool, args) => olga.call(tool, { eventCode: event.eventCode, ...args })
  await call('configure_event', { sections: { ...SECTIONS, ...sections } })
  await call('publish_event')
  await call('update_event', { testMode: false })
  const { tenantId, tenantCode, clientCode } = event
  const id = await createApiAccount(world.database.write, {
    tenantId,
    name: 'Concierge by Acme',
    canActAsParticipantAgent: true,
    restAccess: true,
    allowedClients: [{ tenantCode, clientCode }],
    allowedEvents: [],
  })
  const token = (await issueApiToken(world.database.write, { tenantId, accountId: id })).reveal()
  const served = await serve(world, fetcher ? { extras: { fetcher } } : {})
  return { world, served, event, olga, account: { id, token }, call }
}
