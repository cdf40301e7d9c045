import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { createApiAccount, issueApiToken } from './domains/access/api-accounts.ts'
import { connectApp, createUser, getUserByEmail, setMembership } from './domains/access/users.ts'
import { setPassword } from './domains/sign-in/passwords.ts'
import { createClient, createEvent, createTenant } from './domains/tenancy/found.ts'
import type { Db } from './kernel/columns.ts'
import type { Passwords } from './kernel/ports.ts'
import { Secret } from './kernel/secrets.ts'

export const DEMO_TENANT = 'demo'

export interface Demo {
  organizer: string
  password: Secret
  organizerToken: Secret
  apiToken: Secret
  events: readonly string[]
}

const EVENTS = [
  {
    code: 'summit-2027',
    name: 'Acme Summit 2027',
    status: 'published',
    startsOn: '2027-05-11',
    endsOn: '2027-05-13',
    city: 'Lisbon',
    country: 'PT',
    timezone: 'Europe/Lisbon',
    version: 1,
  },
  {
    code: 'partner-day-2027',
    name: 'Partner Day 2027',
    status: 'draft',
    startsOn: '2027-09-21',
    endsOn: '2027-09-21',
    city: 'Hamburg',
    country: 'DE',
    timezone: 'Europe/Berlin',
    version: null,
  },
  {
    code: 'roadshow-madrid',
    name: 'Roadshow Madrid',
    status: 'published',
    startsOn: '2027-02-18',
    endsOn: '2027-02-18',
    city: 'Madrid',
    country: 'ES',
    timezone: 'Europe/Madrid',
    version: 2,
  },
  {
    code: 'summit-2026',
    name: 'Acme Summit 2026',
    status: 'archived',
    startsOn: '2026-05-12',
    endsOn: '2026-05-14',
    city: 'Porto',
    country: 'PT',
    timezone: 'Europe/Lisbon',
    version: 4,
  },
] as const

/** A tenant to try things on: a client with a handful of events, its organizer with a connected app, and an API account. */
export async function seedDemo(db: Db, { resource, passwords }: { resource: string; passwords: Passwords }): Promise<Demo> {
  const tenantId = await createTenant(db, { code: DEMO_TENANT, name: 'Demo' })
  const clientId = await createClient(db, {
    tenant_id: tenantId,
    code: 'acme',
    name: 'Acme Events',
    default_currency: 'EUR',
    default_timezone: 'Europe/Lisbon',
    established_in: 'PT',
  })
  for (const event of EVENTS) {
    await createEvent(db, {
      tenant_id: tenantId,
      client_id: clientId,
      code: event.code,
      name: event.name,
      status: event.status,
      starts_on: event.startsOn,
      ends_on: event.endsOn,
      city: event.city,
      country: event.country,
      timezone: event.timezone,
      currency: 'EUR',
      test_mode: event.status === 'draft',
      published_version: event.version,
    })
  }
  const email = 'organizer@demo.example'
  const userId = await createUser(db, { tenantId, email, name: 'Olga Organizer' })
  await setMembership(db, { tenantId, userId, clientId, role: 'admin' })
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
  return { organizer: email, password: new Secret(password), organizerToken: token, apiToken, events: EVENTS.map((event) => event.code) }
}

export async function tenantCodes(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tenants').select('code').orderBy('code').execute()
  return rows.map((row) => row.code)
}

/** Removes all that belongs to the demo tenant and nothing else; tables are emptied in the order their references allow. */
export async function removeDemo(db: Db): Promise<void> {
  const tenant = await db.selectFrom('tenants').select('id').where('code', '=', DEMO_TENANT).executeTakeFirst()
  if (!tenant) return
  for (const table of OWNED) await sql`delete from ${sql.table(table)} where tenant_id = ${tenant.id}`.execute(db)
  await sql`delete from tenants where id = ${tenant.id}`.execute(db)
}

const OWNED = [
  'messages',
  'jobs',
  'confirmations',
  'idempotency_keys',
  'audit_entries',
  'api_tokens',
  'api_accounts',
  'oauth_grants',
  'event_staff',
  'memberships',
  'users',
  'participants',
  'events',
  'clients',
]
