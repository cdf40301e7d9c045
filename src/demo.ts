import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { createApiAccount, issueApiToken } from './domains/access/api-accounts.ts'
import { connectApp, createUser, getUserByEmail, setMembership } from './domains/access/users.ts'
import { editDraft } from './domains/authoring/edit.ts'
import { publishEvent } from './domains/authoring/publish.ts'
import { templateOf } from './domains/authoring/templates/templates.ts'
import type { ConfigDocument } from './domains/configuration/schema/event-config.ts'
import { addInstructions, addMemory } from './domains/memories/found.ts'
import { setPassword } from './domains/sign-in/passwords.ts'
import { SHIPPED_RATES } from './domains/taxation/rates.ts'
import { createClient, createEvent, createTenant } from './domains/tenancy/found.ts'
import { writeAnnounced } from './domains/webhooks/write-messages.ts'
import { addHotel, type NewHotel } from './domains/housing/hotels.ts'
import { inPortuguese } from './demo/portuguese.ts'
import { seedExhibitors } from './demo/summit-exhibitors.ts'
import { SUMMIT_HOTELS } from './demo/summit-hotels.ts'
import { seedSessions } from './demo/summit-sessions.ts'
import { SUMMIT } from './demo/summit.ts'
import type { Db } from './kernel/columns.ts'
import type { Actor, EventContext } from './kernel/context.ts'
import { changeWithin } from './kernel/keep-change.ts'
import { newContext } from './kernel/new-context.ts'
import { permissionsOf } from './kernel/permissions.ts'
import type { Passwords } from './kernel/ports.ts'
import { type Keys, Secret } from './kernel/secrets.ts'

export const DEMO_TENANT = 'demo'
export const DEMO_ORGANIZER = 'organizer@demo.example'
const ORGANIZER = 'Olga Organizer'

export interface Demo {
  organizer: string
  password: Secret
  organizerToken: Secret
  apiToken: Secret
  /** Of the first exhibitor of the summit. */
  activationCode: Secret
  events: readonly string[]
}

interface DemoEvent {
  code: string
  startsOn: string
  endsOn: string
  timezone: string
  locales: string[]
  status: 'draft' | 'published' | 'archived'
  document: ConfigDocument
  hotels?: readonly NewHotel[]
  exhibitors?: (ctx: EventContext) => Promise<Secret>
  sessions?: (ctx: EventContext) => Promise<void>
}

const smallEvent = (details: ConfigDocument['details']): ConfigDocument => ({
  details: { contactEmail: 'events@demo.example', ...details },
  ...templateOf('conference', { free: '0.00' }),
})

const EVENTS: readonly DemoEvent[] = [
  {
    code: 'summit-2027',
    startsOn: '2027-05-11',
    endsOn: '2027-05-13',
    timezone: 'Europe/Lisbon',
    locales: ['en', 'pt'],
    status: 'published',
    document: inPortuguese(SUMMIT),
    hotels: SUMMIT_HOTELS,
    exhibitors: seedExhibitors,
    sessions: seedSessions,
  },
  {
    code: 'partner-day-2027',
    startsOn: '2027-09-21',
    endsOn: '2027-09-21',
    timezone: 'Europe/Berlin',
    locales: ['en'],
    status: 'draft',
    document: smallEvent({
      name: 'Partner Day 2027',
      startsOn: '2027-09-21',
      endsOn: '2027-09-21',
      venue: { city: 'Hamburg', country: 'DE' },
    }),
  },
  {
    code: 'roadshow-madrid',
    startsOn: '2027-02-18',
    endsOn: '2027-02-18',
    timezone: 'Europe/Madrid',
    locales: ['en'],
    status: 'published',
    document: smallEvent({
      name: 'Roadshow Madrid',
      startsOn: '2027-02-18',
      endsOn: '2027-02-18',
      venue: { city: 'Madrid', country: 'ES' },
    }),
  },
  {
    code: 'summit-2026',
    startsOn: '2026-05-12',
    endsOn: '2026-05-14',
    timezone: 'Europe/Lisbon',
    locales: ['en'],
    status: 'archived',
    document: smallEvent({
      name: 'Acme Summit 2026',
      startsOn: '2026-05-12',
      endsOn: '2026-05-14',
      venue: { city: 'Porto', country: 'PT' },
    }),
  },
]

/** A tenant to try things on: a client with a handful of events, its organizer with a connected app, and an API account. */
export async function seedDemo(
  db: Db,
  { resource, passwords, keys }: { resource: string; passwords: Passwords; keys: Keys },
): Promise<Demo> {
  const tenantId = await createTenant(db, { code: DEMO_TENANT, name: 'Demo' })
  const clientId = await createClient(db, {
    tenant_id: tenantId,
    code: 'acme',
    name: 'Acme Events',
    default_currency: 'EUR',
    default_timezone: 'Europe/Lisbon',
    established_in: 'PT',
  })
  const email = DEMO_ORGANIZER
  const userId = await createUser(db, { tenantId, email, name: ORGANIZER })
  await setMembership(db, { tenantId, userId, clientId, role: 'admin' })
  const eventIds = new Map<string, string>()
  let activationCode = new Secret('')
  for (const event of EVENTS) {
    const seeded = await seedEvent(db, { tenantId, clientId, userId, keys, baseUrl: new URL(resource).origin }, event)
    eventIds.set(event.code, seeded.id)
    if (seeded.activationCode) activationCode = seeded.activationCode
  }
  await seedMemories(db, { tenantId, clientId, userId, eventId: eventIds.get('summit-2027')! })
  const password = `demo-${randomBytes(9).toString('base64url')}`
  await setPassword(db, { id: userId, email }, password, { passwords })
  const { accessVersion } = await getUserByEmail(db, email)
  // It can only be used on this computer, so it may last as long as a connection may lie unused.
  const { token } = await connectApp(db, {
    userId,
    tenantId,
    accessVersion,
    clientId: 'lanyard-demo',
    appName: 'Demo terminal',
    resource,
    lifetime: '30 days',
  })
  const accountId = await createApiAccount(db, {
    tenantId,
    name: 'Concierge by Acme',
    canActAsParticipantAgent: true,
    restAccess: true,
    allowedClients: [{ tenantCode: DEMO_TENANT, clientCode: 'acme' }],
    allowedEvents: [],
  })
  const apiToken = await issueApiToken(db, { tenantId, accountId })
  const events = EVENTS.map((event) => event.code)
  return { organizer: email, password: new Secret(password), organizerToken: token, apiToken, activationCode, events }
}

/** Configured as an organizer would: the draft is edited and published by the same functions that tools call. */
async function seedEvent(
  db: Db,
  at: { tenantId: number; clientId: string; userId: string; keys: Keys; baseUrl: string },
  { code, startsOn, endsOn, timezone, locales, status, document, hotels = [], exhibitors, sessions }: DemoEvent,
): Promise<{ id: string; activationCode: Secret | null }> {
  const name = document.details.name
  const id = await createEvent(db, {
    tenant_id: at.tenantId,
    client_id: at.clientId,
    code,
    name,
    starts_on: startsOn,
    ends_on: endsOn,
    timezone,
    currency: 'EUR',
    locales,
    test_mode: status === 'draft',
  })
  const actor: Actor = { kind: 'organizer', id: at.userId, name: ORGANIZER, app: { id: null, name: 'Demo' } }
  const parts = {
    keys: at.keys,
    queue: { send: () => Promise.reject(new Error('the demo starts no job')) },
    cards: { for: () => null, named: () => null },
    baseUrl: at.baseUrl,
    taxRates: SHIPPED_RATES,
    writeAnnounced,
  }
  const ctx: EventContext = {
    ...newContext(parts, { tenantId: at.tenantId, tenantCode: DEMO_TENANT, actor, cursorScope: '' }, db),
    access: { clients: [], staff: [] },
    client: { id: at.clientId, code: 'acme', name: 'Acme Events', active: true, aiAssistantsAllowed: true, roles: ['admin'] },
    event: { id, code, name, status: 'draft', timezone, currency: 'EUR', testMode: status === 'draft' },
    permissions: permissionsOf(['admin']),
  }
  return changeWithin({ name: 'demo', clientId: at.clientId, eventId: id }, ctx, async () => {
    await editDraft(ctx, { tool: 'demo', operations: [] }, () => document)
    if (status !== 'draft') await publishEvent(ctx, { acceptWarnings: true })
    for (const hotel of hotels) await addHotel(ctx, hotel)
    await sessions?.(ctx)
    if (status === 'archived')
      await db.updateTable('events').set({ status }).where('tenant_id', '=', at.tenantId).where('id', '=', id).execute()
    return { id, activationCode: exhibitors ? await exhibitors(ctx) : null }
  })
}

async function seedMemories(db: Db, summit: { tenantId: number; clientId: string; userId: string; eventId: string }): Promise<void> {
  const client = { ...summit, eventId: null }
  await addMemory(db, client, {
    title: 'Badges show the first name large',
    text: 'Participants asked for it after 2026: first name in the largest type, then surname and company.',
    tags: ['badges'],
  })
  await addMemory(db, summit, {
    title: 'Parking is at gate C',
    text: 'Gate C opens at 6:30. Exhibitors unload at gate F until 9:00 and then move to C.',
    tags: ['venue', 'parking'],
    pinned: true,
  })
  await addMemory(db, summit, {
    title: 'The keynote speaker needs a quiet room',
    text: 'Room 2.14 is kept free from 8:00 until the keynote ends.',
    tags: ['speakers'],
  })
  await addInstructions(
    db,
    client,
    'Write to participants in plain, friendly English. Ask before anything is sent to more than ten people.',
  )
}

export async function tenantCodes(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tenants').select('code').orderBy('code').execute()
  return rows.map((row) => row.code)
}

/** Removes all that belongs to the demo tenant and nothing else; tables are emptied in the order their references allow. */
export async function removeDemo(db: Db): Promise<void> {
  const tenant = await db.selectFrom('tenants').select('id').where('code', '=', DEMO_TENANT).executeTakeFirst()
  if (!tenant) return
  // Money that was claimed stays written, but for a tenant that goes as a whole.
  await sql`select set_config('lanyard.removed_tenant', ${String(tenant.id)}, true)`.execute(db)
  for (const table of OWNED) await sql`delete from ${sql.table(table)} where tenant_id = ${tenant.id}`.execute(db)
  await sql`delete from tenants where id = ${tenant.id}`.execute(db)
}

const OWNED = [
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_messages',
  'messages',
  'jobs',
  'confirmations',
  'idempotency_keys',
  'audit_entries',
  'api_tokens',
  'participant_sessions',
  'person_sessions',
  'one_time_codes',
  'api_accounts',
  'oauth_grants',
  'memories',
  'custom_instructions',
  'event_staff',
  'memberships',
  'users',
  'directory_list_entries',
  'directory_lookups',
  'directory_credentials',
  'directory_connections',
  'recommendation_profiles',
  'recommendation_postings',
  'recommendation_counts',
  'recommendation_work',
  'session_enrolments',
  'session_speakers',
  'sessions',
  'speakers',
  'registration_progress',
  'flow_visits',
  'invite_list_entries',
  'room_shares',
  'reservation_nights',
  'holds',
  'lead_captures',
  'leads',
  'appointment_people',
  'appointments',
  'offerings',
  'lead_licences',
  'lead_devices',
  'exhibitor_staff',
  'booth_applications',
  'booth_assignments',
  'booths',
  'floor_plans',
  'company_competitors',
  'ledger_entries',
  'write_offs',
  'payment_reversals',
  'refunds',
  'card_notices',
  'outside_calls',
  'payments',
  'order_lines',
  'reservations',
  'hotel_waitlist_entries',
  'charges',
  'card_setups',
  'saved_cards',
  'waitlist_entries',
  'invoices',
  'orders',
  'group_invites',
  'group_admins',
  'participants',
  // What goes is noted there.
  'recommendation_changes',
  'companies',
  'organizations',
  'managed_groups',
  'block_nights',
  'room_blocks',
  'room_nights',
  'housing_contracts',
  'room_types',
  'event_hotels',
  'people_figures',
  'money_figures',
  'inventory',
  'number_series',
  'deletions',
  'events',
  'clients',
]
