import type { OrderOwner } from '../../src/domains/orders/orders.ts'
import { recordSales } from '../../src/domains/registration/sale/record-sales.ts'
import { loadEventSnapshot } from '../../src/domains/registration/event-snapshot.ts'
import { grantLeadLicence } from '../../src/domains/exhibitors/licences.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { createEventContextAt } from './at-event.ts'
import { type Exhibitors, createExhibitorFixtures } from './companies.ts'
import { type Registrations, createRegistrationFixtures } from './registrations.ts'
import { WORKED_EXAMPLE } from './sales-scenario.ts'
import type { Served } from './server.ts'
import type { EventHandle, World } from './world.ts'

export const LEAD_TOPICS = [
  { code: 'ai', name: 'Artificial intelligence' },
  { code: 'b2b', name: 'B2B' },
]

export const LEAD_PRODUCTS = [
  ...WORKED_EXAMPLE.products,
  { code: 'lead-app', name: 'Lead retrieval', category: 'leadRetrieval', prices: [{ amount: '200.00' }], grants: ['sdk'] },
  { code: 'lead-device', name: 'Lead device', category: 'leadRetrieval', prices: [{ amount: '100.00' }], grants: ['device'] },
]

export const ANA_BADGE = '9f3a51c2d4e5f607'

/** A request to the lead endpoint; each test omits the parameters that it does not need. */
export interface LeadRequest {
  tenantCode: string
  clientCode: string
  eventCode: string
  activationCode: string
  badgeId: string
}

export interface ShowFloor {
  event: EventHandle
  exhibitors: Exhibitors
  people: Registrations
  /** Creates a company with a lead license. */
  createLicensedCompany: () => Promise<{ id: string; code: string }>
  license: (companyId: string, grants?: string[], seats?: number) => Promise<string>
  /** Adds a lead product to an order, like any other sale. */
  buyLeadProduct: (owner: OrderOwner, productCode: string, quantity?: number) => Promise<void>
  leadRequest: (company: { code: string }, badgeId: string) => LeadRequest
  /** Stores the metadata of a picture, without its bytes. */
  insertPicture: (id: string, name: string) => Promise<void>
  ana: string
}

/** An event with exhibitors and one attendee, Ana, whose badge id is ANA_BADGE. */
export async function openShowFloor(world: World, sections: Partial<ConfigDocument> = {}): Promise<ShowFloor> {
  const event = await world.event({ startsOn: '2027-03-01', endsOn: '2027-03-03' })
  await world.database.pool.query('update events set test_mode = false where id = $1', [event.eventId])
  const exhibitors = createExhibitorFixtures(world, event)
  const people = createRegistrationFixtures(world, event)
  await exhibitors.publish({
    customFields: [
      { code: 'topics', name: 'Topics', responseType: 'multiChoice', choices: LEAD_TOPICS },
      { code: 'diet', name: 'Diet', responseType: 'text', sensitive: true },
    ],
    exhibitorConfig: { leadVisibleFields: ['firstName', 'lastName', 'email', 'jobTitle', 'cf:topics'] },
    ...sections,
  } as Partial<ConfigDocument>)
  const ana = await people.person({
    first_name: 'Ana',
    last_name: 'Lima',
    email: 'ana@example.org',
    job_title: 'CTO',
    mobile_phone: '+4930123456',
    badge_id: ANA_BADGE,
    custom_field_responses: JSON.stringify({ topics: ['ai', 'b2b'], diet: 'vegan' }),
  })
  const license = (companyId: string, grants = ['sdk'], seats = 1) =>
    world.database.transact(async (db) =>
      grantLeadLicence(await createEventContextAt(world, event, db), { companyId, productCode: 'lead-app', grants, seats, reason: 'Test' }),
    )
  return {
    event,
    exhibitors,
    people,
    license,
    buyLeadProduct: (owner, productCode, quantity = 1) =>
      world.database.transact(async (db) => {
        const ctx = await createEventContextAt(world, event, db)
        const snapshot = await loadEventSnapshot(ctx)
        const net = 20_000 * quantity
        const amounts = { listAmount: net, discount: 0, net, tax: 0, total: net }
        const tax = { taxCode: null, taxRate: '0', taxInclusive: false, taxComponents: [], taxNote: null }
        const sold = { kind: 'sale', productCode, description: productCode, quantity, unitPrice: 20_000 } as const
        const line = { ...sold, participantId: null, pricedAt: snapshot.at, ...amounts, ...tax }
        await recordSales(ctx, snapshot, [{ owner, billTo: {}, discountCode: null, people: [], lines: [line] }])
      }),
    async createLicensedCompany() {
      const company = await exhibitors.company({ appointmentsEnabled: false })
      await license(company.id)
      return company
    },
    leadRequest: ({ code }, badgeId) => ({
      tenantCode: event.tenantCode,
      clientCode: event.clientCode,
      eventCode: event.eventCode,
      activationCode: code,
      badgeId,
    }),
    async insertPicture(id, name) {
      await world.database.pool.query(
        `insert into files (tenant_id, id, client_id, event_id, purpose, name, mime, size, sha256, created_by)
         values ($1, $2, $3, $4, 'headshot', $5::text, 'image/png', 4, sha256(convert_to($5::text, 'UTF8')), 'test')`,
        [event.tenantId, id, event.clientId, event.eventId, name],
      )
    },
    ana,
  }
}

export interface LeadResponse {
  status: number
  headers: Headers
  // Untyped, because each test asserts the shape it expects.
  body: any
}

/** Sends a request to the lead endpoint as an app does. `from` is the scanner's IP address, for a server that trusts its proxy. */
export async function requestLead(
  served: Served,
  question: Partial<LeadRequest>,
  { from = '10.0.0.1', method = 'GET' } = {},
): Promise<LeadResponse> {
  const query = new URLSearchParams(question as Record<string, string>)
  const response = await fetch(served.url(`/api/public/lead-sdk?${query.toString()}`), { method, headers: { 'x-forwarded-for': from } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

export const BEHIND_A_PROXY = { LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1' }

/** Sends a request to the device endpoints as a device does. */
export async function requestDevice(
  served: Served,
  path: '' | '/captures' | '/leads' | `/leads?${string}`,
  { token, body, from = '10.0.0.1', method }: { token?: string; body?: unknown; from?: string; method?: string } = {},
): Promise<LeadResponse> {
  const response = await fetch(served.url(`/api/public/lead-devices${path}`), {
    method: method ?? (path.startsWith('/leads') ? 'GET' : 'POST'),
    headers: {
      'x-forwarded-for': from,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

/** The body that an app sends to register as a device of a company. */
export function buildActivation(floor: ShowFloor, company: { code: string }, name = 'iPad 1') {
  const { badgeId: _, ...codes } = floor.leadRequest(company, '')
  return { ...codes, name, platform: 'ios' }
}
