import { createApiAccount, issueApiToken } from '../../../src/domains/access/api-accounts.ts'
import { createIrreversibleEffectCounter } from '../../../src/kernel/effects.ts'
import { defineEmail, sendEmail } from '../../../src/kernel/email.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { hashToken } from '../../../src/kernel/secrets.ts'
import { createHotelAccessLink } from '../../../src/domains/housing/rooming/links.ts'
import { findHotel } from '../../../src/domains/housing/find-hotel.ts'
import { createRoomingList } from '../../../src/domains/housing/rooming/lists.ts'
import { createHotelAt, inEventTransaction } from '../../support/hotels.ts'
import { storeRoomingLists } from '../../support/rooming-lists.ts'
import { createDeliveredReport } from '../../support/designed-reports.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../../support/sourcing.ts'
import { createNegotiationFixtures } from '../../support/negotiations.ts'
import { createSigningFixtures } from '../../support/signing.ts'
import { storeInstructions, storeMemory } from '../../support/memories.ts'
import { newAttendee } from '../../support/sales-scenario.ts'
import { createWebhookSubscription } from '../../support/webhooks.ts'
import { WORKED_EXAMPLE } from '../../support/worked-example.ts'
import type { EventHandle, OrganizerHandle, World } from '../../support/world.ts'

/** Values for path parameters and for form fields that take a record's id. */
export type RouteValues = Record<string, string>

/** A client with an event and rows in every list, and functions that create more of the records that forms consume. */
export interface PopulatedClient {
  place: EventHandle
  owner: OrganizerHandle
  ids: RouteValues
  person: () => Promise<string>
  /** A participant who waits for a product; returns the id of the waiting list entry. */
  waiting: () => Promise<string>
  /** A group that pays for its one member; `bill` is the file name of its invoice. */
  group: () => Promise<{ group: string; member: string; bill: string }>
  member: () => Promise<OrganizerHandle>
  staff: () => Promise<OrganizerHandle>
  account: () => Promise<string>
  token: (accountId: string) => Promise<string>
  webhook: () => Promise<string>
  memory: () => Promise<string>
  /** Creates a device that scans at the gate. */
  device: () => Promise<string>
  /** Adds a hotel with a contact, a link and an attestation that waits for a review. */
  hotel: () => Promise<{ hotel: string; record: string }>
  /** A sourcing brief that is complete, and locked unless it is `open`. */
  brief: (state?: 'open' | 'locked') => Promise<string>
  /** A run of a report, with its file unless it is still queued. */
  reportRun: (status?: 'queued' | 'done') => Promise<string>
  /** A designed report that is sent by email every day; returns its code. */
  report: () => Promise<string>
  /** A supplier that was not verified yet. */
  supplier: () => Promise<string>
  /** RFPs and contracts in the middle of a negotiation. */
  negotiations: ReturnType<typeof createNegotiationFixtures>
  /** Adds a contract with milestones and returns the first one. */
  milestone: () => Promise<string>
  /** A floor plan with one booth. */
  plan: (more?: Record<string, unknown>) => Promise<{ plan: string; booth: string }>
  /** An exhibitor with a submitted application for space. */
  exhibitor: () => Promise<{ company: string; application: string }>
  /** A proposal of a session, submitted or accepted. */
  proposal: (status?: 'submitted' | 'accepted') => Promise<string>
}

const SURVEY = { code: 'after', name: 'After', questions: [{ code: 'recommend', name: 'Would you recommend us?', type: 'nps' }] }

const PROGRAM = {
  tracks: [{ code: 'build', name: 'Build' }],
  formats: [{ code: 'talk', name: 'Talk', minutes: 40 }],
  rooms: [{ code: 'hall', name: 'Hall', capacity: 100 }],
}

/** An SVG drawing, used as the source file of a plan. */
export const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="20000mm" height="10000mm"><rect width="20000" height="10000"/></svg>'

const NOTICE = defineEmail<null>({
  code: 'furnished',
  category: 'transactional',
  render: () => ({ subject: 'Welcome', text: 'Hello.', html: '<p>Hello.</p>' }),
})

async function mailAt(world: World, { tenantId, eventId }: EventHandle): Promise<string> {
  const source = { kind: 'test', id: newId(), recipientKey: 'guest' }
  await sendEmail(
    { tenantId, db: world.database.write, effects: createIrreversibleEffectCounter(), baseUrl: world.services.baseUrl },
    NOTICE,
    {
      to: { address: 'guest@example.org', name: 'Gina Guest' },
      content: null,
      source,
      attachments: [{ name: 'note.txt', mime: 'text/plain', content: Buffer.from('A note') }],
      eventId,
    },
  )
  const { rows } = await world.database.pool.query<{ id: string }>('select id from messages where source_id = $1', [source.id])
  return rows[0]!.id
}

/** Adds a door device, as the console page does. */
async function addDoorDevice(world: World, { tenantId, eventId }: EventHandle): Promise<string> {
  const id = newId()
  await world.database.write
    .insertInto('door_devices')
    .values({
      tenant_id: tenantId,
      event_id: eventId,
      id,
      name: `Phone ${id}`,
      token_hash: Buffer.from(id),
      created_by: id,
      created_by_name: 'Olga',
      expires_at: new Date('2030-01-01'),
    })
    .execute()
  return id
}

async function addHotelWithLink(world: World, place: EventHandle): Promise<{ hotel: string; record: string }> {
  const code = `hotel-${newId().slice(-8)}`
  const hotelId = await createHotelAt(world, place, { code, contacts: [{ name: 'Eva', email: 'eva@hotel.example' }] })
  const [record, file] = [newId(), newId()]
  await world.database.pool.query(
    `insert into files (tenant_id, id, client_id, purpose, name, mime, size, sha256, created_by)
     values ($1, $2, $3, 'contract', 'aoc.pdf', 'application/pdf', 1, sha256('x'), 'test')`,
    [place.tenantId, file, place.clientId],
  )
  await world.database.write
    .insertInto('hotel_pci_records')
    .values({
      tenant_id: place.tenantId,
      client_id: place.clientId,
      id: record,
      hotel_ref: `own:${hotelId}`,
      document_type: 'AOC-SAQ',
      dss_version: '4.0.1',
      entity_legal_name: 'Grand SA',
      property_covered: true,
      result: 'compliant',
      assessed_on: '2026-09-01',
      signed_by: 'Eva',
      file_id: file,
    })
    .execute()
  await inEventTransaction(world, place, (ctx) => createHotelAccessLink(ctx, hotelId, { name: 'Eva', email: 'eva@hotel.example' }))
  return { hotel: code, record }
}

/** Stores the first rooming list of a hotel. Returns the name of its file. */
async function addRoomingList(world: World, place: EventHandle, code: string): Promise<string> {
  await inEventTransaction(world, place, async (ctx) => createRoomingList(ctx, (await findHotel(ctx, code)).hotel.id))
  await storeRoomingLists(world)
  return '1.csv'
}

export async function populateClient(
  world: World,
  { tenant, client, event, receiver }: { tenant: string; client: string; event: string; receiver: string },
): Promise<PopulatedClient> {
  const { pool, write } = world.database
  const at = await world.client({ tenant, code: client, name: `Client ${client}` })
  const place = await world.event({ at, code: event, name: `Event ${event}`, status: 'draft' })
  const app = `App ${client}`
  const owner = await world.organizer({ at, app })
  const here = { eventCode: event, clientCode: client }
  await owner.call('configure_event', { ...here, sections: { ...WORKED_EXAMPLE, sessions: PROGRAM, surveys: [SURVEY] } })
  await owner.call('publish_event', { ...here, acceptWarnings: true })
  await owner.call('update_event', { ...here, testMode: false })

  let halls = 0
  const made: Omit<PopulatedClient, 'ids'> = {
    place,
    owner,
    person: async () =>
      (await owner.call('add_participant', { ...here, flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } })).participant
        .id,
    async waiting() {
      const { rows } = await pool.query<{ id: string }>(
        `insert into waitlist_entries (tenant_id, event_id, id, participant_id, is_test_data, target, position)
         select $1, $2, $3, $4, false, 'product:workshop', coalesce(max(position), 0) + 1 from waitlist_entries returning id`,
        [place.tenantId, place.eventId, newId(), await made.person()],
      )
      return rows[0]!.id
    },
    async group() {
      const admins = [{ email: 'ada@example.org', name: 'Ada' }]
      const asked = { ...here, name: `Group of ${client}`, kind: 'company', payBy: 'group', flowSlug: 'attendee', admins }
      const { group } = await owner.call('create_managed_group', asked)
      const add = [{ data: { ...newAttendee(), '@product.pass': 1 } }]
      const { invoice } = await owner.call('update_managed_group_members', { ...here, groupCode: group.code, add })
      const { members } = await owner.call('list_managed_groups', { ...here, groupCode: group.code })
      return { group: group.code, member: members[0].participantId, bill: `${invoice.number}.pdf` }
    },
    member: () => world.organizer({ at, role: 'marketer', app }),
    staff: () => world.organizer({ staffOf: place, staffRole: 'onsite', app }),
    account: () =>
      createApiAccount(write, {
        tenantId: at.tenantId,
        name: 'CRM',
        canActAsParticipantAgent: true,
        restAccess: true,
        allowedClients: [{ tenantCode: tenant, clientCode: client }],
        allowedEvents: [],
      }),
    async token(accountId) {
      const token = await issueApiToken(write, { tenantId: at.tenantId, accountId })
      return hashToken(token.reveal()).toString('hex')
    },
    webhook: async () => (await createWebhookSubscription(world, place, { url: receiver, clientCode: client })).endpointId,
    memory: () => storeMemory(world, { at: place, by: owner }),
    device: () => addDoorDevice(world, place),
    hotel: () => addHotelWithLink(world, place),
    async reportRun(status = 'done') {
      const format = status === 'done' ? 'csv' : 'xlsx'
      return (await owner.call('run_report', { ...here, report: 'revenue-by-product', format })).runId
    },
    report: () => createDeliveredReport(world, (tool, args) => owner.call(tool, { ...here, ...args }), owner.email),
    async brief(state = 'locked') {
      // The brief has a budget, which an approval limit requires.
      const briefId = await createSourcingFixtures(world, place).brief({ ...EXAMPLE_NEED, budget: { amount: '90000.00', currency: 'EUR' } })
      if (state === 'open') await owner.call('lock_brief', { ...here, briefId, unlock: true })
      return briefId
    },
    supplier: () => createSourcingFixtures(world, place).supplier(`Palace ${newId()}`, { status: 'unverified' }),
    negotiations: createNegotiationFixtures(world, place, (tool, args) => owner.call(tool, { ...here, ...args })),
    async milestone() {
      const { contractId } = await createSigningFixtures(world, place).contract()
      return (await owner.call('generate_milestones', { ...here, contractId })).milestones[0].id
    },
    async plan(more = { width: 20, height: 10 }) {
      const [plan, booth] = [`${client}-hall-${++halls}`, `${client.slice(0, 4)}-${halls}`]
      await owner.call('manage_floor_plans', { ...here, action: 'create', code: plan, name: `Hall ${halls}`, units: 'm', ...more })
      if (!('svg' in more))
        await owner.call('manage_booths', {
          ...here,
          action: 'create',
          floorPlanCode: plan,
          booths: [{ number: booth, x: 2, y: 2, width: 3, depth: 3 }],
        })
      return { plan, booth }
    },
    async exhibitor() {
      const contact = { name: 'Connie', email: `contact-${++halls}@example.org` }
      const { company } = await owner.call('manage_company', { ...here, action: 'create', name: `Company ${halls}`, fields: { contact } })
      const asked = { ...here, action: 'create', companyId: company.id, wanted: {}, submit: true }
      const { applications } = await owner.call('manage_booth_application', asked)
      return { company: company.id, application: applications[0].number }
    },
    async proposal(status = 'submitted') {
      const email = `speaker-${++halls}@example.org`
      const { speaker } = await owner.call('manage_speaker', { ...here, action: 'create', firstName: 'Sam', lastName: 'Speaker', email })
      const speakers = [{ speakerId: speaker.id }]
      const asked = { ...here, action: 'create', title: `Proposal ${halls}`, trackCode: 'build', formatCode: 'talk', speakers, status }
      return (await owner.call('manage_submission', asked)).submission.number
    },
  }
  await storeInstructions(world, { at, by: owner, text: 'Be brief' })
  await storeInstructions(world, { at: place, by: owner, text: 'Be kind' })
  const account = await made.account()
  const staff = await made.staff()
  const webhook = await made.webhook()
  // From here on, the webhook receives a message for every registration.
  const id = await made.person()
  const invoice = await pool.query<{ number: string; order: string }>(
    'select i.number, o.number as order from invoices i join orders o on o.id = i.order_id where o.participant_id = $1',
    [id],
  )
  const delivered = await pool.query<{ message: string }>('select message_id as message from webhook_deliveries where endpoint_id = $1', [
    webhook,
  ])
  const hotel = await made.hotel()
  const ids = {
    code: client,
    client,
    event,
    number: '1',
    slug: 'attendee',
    position: '0',
    id,
    file: `${invoice.rows[0]!.number}.pdf`,
    order: invoice.rows[0]!.order,
    mail: await mailAt(world, place),
    user: (await made.member()).userId,
    staff: staff.userId,
    eventId: place.eventId,
    account,
    token: await made.token(account),
    webhook,
    message: delivered.rows[0]!.message,
    memory: await made.memory(),
    device: await made.device(),
    ...hotel,
    list: await addRoomingList(world, place, hotel.hotel),
    brief: await made.brief(),
    report: await made.report(),
    run: await made.reportRun(),
    supplier: await made.supplier(),
    ...(await made.negotiations.rfp()),
    award: (await made.negotiations.proposal()).award,
    contract: await made.negotiations.contract(),
    milestone: await made.milestone(),
    entry: await made.waiting(),
    email: 'registration.completed',
    ...(await made.group()),
    ...(await made.plan()),
    ...(await made.exhibitor()),
    proposal: await made.proposal(),
    survey: 'after',
    app: `app-${app.toLowerCase().replaceAll(' ', '-')}`,
  }
  return { ...made, ids }
}
