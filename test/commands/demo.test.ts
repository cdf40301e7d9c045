import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoDependencies, deleteDemoTenant, seedDemo } from '../../src/demo.ts'
import type { EventConfigFacts } from '../../src/domains/configuration/read.ts'
import { type ConfigDocument, EventConfig } from '../../src/domains/configuration/schema/event-config.ts'
import { toStorageKey } from '../../src/domains/files/keys.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { findWrongRegistrationFigures } from '../../src/domains/registration/summary/aggregate-figures.ts'
import { findIssuesSynchronously, reviewFlowsSynchronously } from '../support/synchronous-configuration.ts'
import { getTranslationStates } from '../../src/domains/configuration/texts.ts'
import type { FileStore, PasswordHasher } from '../../src/kernel/ports.ts'
import { newWorld, RESOURCE, type World } from '../support/world.ts'

let world: World
let madeAt: Date
const passwords: PasswordHasher = { hash: (password) => Promise.resolve(`hash of ${password.length}`), verify: () => Promise.resolve(true) }

const seed = (more: Partial<Pick<DemoDependencies, 'reset' | 'people' | 'files' | 'passwords'>> = {}) =>
  seedDemo(world.database, { resource: RESOURCE, passwords, keys: world.services.keys, files: world.services.files, ...more })

beforeAll(async () => {
  world = await newWorld()
  madeAt = await world.clock.now()
  await seed()
})
afterAll(() => world.end())

const query = async <R>(text: string, values: unknown[] = []): Promise<R[]> => (await world.database.pool.query<R>(text, values)).rows

/** Restricts a query to the rows of the conference. */
const AT_SUMMIT = `tenant_id = (select id from tenants where code = 'demo') and event_id = (select id from events where code = 'summit-2027')`

const liveOf = async (code: string): Promise<ConfigDocument> => {
  const [live] = await query<{ document: ConfigDocument }>(
    `select v.document from events e join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
     where e.code = $1`,
    [code],
  )
  return live!.document
}

const clockSource = async () =>
  (await query<{ source: string }>(`select pg_get_functiondef('lanyard_now()'::regprocedure) as source`))[0]!.source

const DAY = 24 * 3600_000

describe('demo tenant', () => {
  it('creates a published summit with a realistic configuration', async () => {
    const document = await liveOf('summit-2027')
    const config = EventConfig.parse(document)
    expect(config.flows.map(({ slug }) => slug)).toEqual(['attendee', 'speaker', 'exhibitor'])
    expect(config.products).toHaveLength(12)
    expect(config.policies.length).toBeGreaterThan(1)
    expect(JSON.stringify(config.flows)).toContain('"showWhen":{"all"')
    const facts: EventConfigFacts = {
      name: 'Acme Summit 2027',
      startsOn: '2027-05-11',
      endsOn: '2027-05-13',
      timezone: 'Europe/Lisbon',
      currency: 'EUR',
      locale: 'en',
      locales: ['en', 'pt'],
      testMode: false,
      status: 'published',
      publishedVersion: 1,
      liveId: null,
      liveSha256: null,
      establishedIn: null,
      paymentTermsDays: 30,
      draftRevision: 2,
      basedOnVersion: 1,
      restoredFrom: null,
      updatedAt: new Date(),
      updatedBy: null,
      now: new Date('2027-01-15T12:00:00Z'),
    }
    const around = { connections: new Map(), files: new Map() }
    expect(findIssuesSynchronously({ document, config, facts }, around)).toEqual([])
    const reviewContext = {
      document,
      config,
      facts,
      externalRecords: around,
      directoryOutputs: new Map(),
      soldOut: new Set<string>(),
      inviteLists: new Set<string>(),
    }
    expect(reviewFlowsSynchronously(reviewContext).flatMap(({ findings }) => findings.filter(({ level }) => level === 'error'))).toEqual([])
    expect(getTranslationStates(document, config, facts)).toMatchObject([
      { locale: 'pt', coveragePercent: 100, missing: [], stale: [], orphaned: [] },
    ])
  })

  it('creates demo events in every status, each published event with its published version', async () => {
    expect(await query(`select code, status, published_version as version from events order by code`)).toEqual([
      { code: 'partner-day-2027', status: 'draft', version: null },
      { code: 'roadshow-madrid', status: 'published', version: 1 },
      { code: 'summit-2026', status: 'archived', version: 1 },
      { code: 'summit-2027', status: 'published', version: 1 },
    ])
    const [held] = await query(
      `select (select count(*)::int from event_hotels where ${AT_SUMMIT}) as hotels, (select count(*)::int from companies where ${AT_SUMMIT}) as companies,
        (select count(*)::int from floor_plans where ${AT_SUMMIT}) as plans`,
    )
    expect(held).toEqual({ hotels: 4, companies: 8, plans: 1 })
    const [rooms] = await query<Record<'contracts' | 'blocks' | 'requests' | 'waiting' | 'booked_hotels', number>>(
      `select (select count(*)::int from housing_contracts where ${AT_SUMMIT} and status = 'definite') as contracts,
        (select count(*)::int from room_blocks where ${AT_SUMMIT} and status = 'active') as blocks,
        (select count(*)::int from block_requests where ${AT_SUMMIT} and status = 'submitted') as requests,
        (select count(*)::int from hotel_waitlist_entries where ${AT_SUMMIT} and status = 'waiting') as waiting,
        (select count(distinct hotel_id)::int from reservations where ${AT_SUMMIT} and status = 'confirmed') as booked_hotels`,
    )
    expect(rooms).toMatchObject({ contracts: 4, requests: 1 })
    expect(Math.min(rooms!.blocks, rooms!.waiting)).toBeGreaterThan(0)
    expect(rooms!.booked_hotels).toBeGreaterThan(1)
  })

  it('leaves the database clock unchanged after the demo is created', async () => {
    const now = (await world.clock.now()).getTime()
    expect(now - madeAt.getTime()).toBeGreaterThanOrEqual(0)
    expect(now - madeAt.getTime()).toBeLessThan(DAY)
    expect(await clockSource()).not.toContain('story')
  })
})

describe('demo participants', () => {
  it('creates 60 demo participants in every state, with fictional names and addresses', async () => {
    const rows = await query<{ status: string; n: number }>(
      `select status, count(*)::int as n from participants where ${AT_SUMMIT} and not is_test_data group by status order by status`,
    )
    expect(rows).toEqual([
      { status: 'cancelled', n: 4 },
      { status: 'complete', n: 52 },
      { status: 'incomplete', n: 3 },
      { status: 'waitlisted', n: 1 },
    ])
    expect(await query(`select email from participants where email is not null and email !~ '@example\\.(org|com)$'`)).toEqual([])
    expect(await query(`select to_address from messages where to_address !~ '@example\\.(org|com)$'`)).toEqual([])
    const [counted] = await query(
      `select count(*) filter (where host_id is not null)::int as guests, count(*) filter (where group_id is not null)::int as members,
        count(*) filter (where substituted_by_id is not null)::int as substituted, count(distinct source)::int as sources,
        count(*) filter (where last_name ~ '[ء-ي]')::int as arabic, bool_or(length(first_name || last_name) > 40) as long
       from participants where ${AT_SUMMIT}`,
    )
    expect(counted).toEqual({ guests: 4, members: 6, substituted: 1, sources: 3, arabic: 2, long: true })
  })

  it('registers demo participants in waves over the six weeks before the first start', async () => {
    const [registered] = await query<{ first: Date; last: Date; days: number; most: number }>(
      `select min(created_at) as first, max(created_at) as last, count(distinct created_at::date)::int as days,
        (select max(n)::int from (select count(*) as n from participants where ${AT_SUMMIT} group by created_at::date) d) as most
       from participants where ${AT_SUMMIT}`,
    )
    const daysAgo = (at: Date) => (madeAt.getTime() - at.getTime()) / DAY
    expect(daysAgo(registered!.first)).toBeGreaterThan(41)
    expect(daysAgo(registered!.first)).toBeLessThan(43)
    expect(daysAgo(registered!.last)).toBeLessThan(0.1)
    expect(daysAgo(registered!.last)).toBeGreaterThan(0)
    expect(registered!.days).toBeGreaterThan(20)
    expect(registered!.most).toBeLessThan(10)
  })

  it('creates demo participants that satisfy every data invariant, with totals that match the rows', async () => {
    const [at] = await query<{ tenantId: number; eventId: string }>(
      `select tenant_id as "tenantId", id as "eventId" from events where code = 'summit-2027'`,
    )
    const checks = await checkIntegrity(world.database.read, at!.tenantId, at!.eventId)
    expect(checks.length).toBeGreaterThan(12)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(await findWrongRegistrationFigures(world.database.read, at!.tenantId, at!.eventId)).toEqual([])
  })

  it('creates purchases, payments, debts, cancellations and refunds of demo participants', async () => {
    const [money] = await query<Record<string, number>>(
      `select (select count(*)::int from payments where ${AT_SUMMIT}) as payments,
        (select count(distinct method)::int from payments where ${AT_SUMMIT}) as methods,
        (select count(*)::int from refunds where ${AT_SUMMIT}) as refunds,
        (select count(*)::int from invoices where ${AT_SUMMIT} and kind = 'credit_note') as "creditNotes",
        (select count(*)::int from invoices where ${AT_SUMMIT} and balance > 0 and due_on < $1) as overdue,
        (select count(*)::int from invoices where ${AT_SUMMIT} and balance > 0) as open,
        (select count(*)::int from orders where ${AT_SUMMIT} and unapplied < 0) as credit`,
      [madeAt.toISOString().slice(0, 10)],
    )
    expect(money).toMatchObject({ methods: 2, refunds: 1, overdue: 1, credit: 1 })
    expect(money!['payments']).toBeGreaterThan(30)
    expect(money!['creditNotes']).toBeGreaterThan(1)
    expect(money!['open']).toBeGreaterThan(5)
    const [held] = await query<Record<string, number>>(
      `select (select count(*)::int from reservations where ${AT_SUMMIT} and status = 'confirmed') as rooms,
        (select count(*)::int from session_enrolments where ${AT_SUMMIT} and status = 'enrolled') as heard,
        (select count(*)::int from session_enrolments where ${AT_SUMMIT} and status = 'waitlisted') as waits,
        (select count(*)::int from waitlist_entries where ${AT_SUMMIT} and status = 'waiting') as waiting,
        (select count(*)::int from hotel_waitlist_entries where ${AT_SUMMIT} and status = 'waiting') as "waitForRooms"`,
    )
    expect(held).toMatchObject({ rooms: 8, waits: 1, waiting: 1, waitForRooms: 2 })
    expect(held!['heard']).toBeGreaterThan(15)
  })

  it('records visits of demo participants to the registration form, some of whom stop before the last page', async () => {
    const visits = await query(`select outcome, count(*)::int as n from flow_visits where ${AT_SUMMIT} group by outcome order by outcome`)
    expect(visits).toEqual([
      // 45 completed visits: 34 in the form, and 11 by a team member.
      { outcome: 'completed', n: 45 },
      { outcome: 'waitlisted', n: 1 },
      { outcome: null, n: 3 },
    ])
  })
})

describe('demo users', () => {
  it('gives demo users different roles, and makes one user staff of a single event', async () => {
    expect(await query(`select u.name, m.role from memberships m join users u on u.id = m.user_id order by m.role`)).toEqual([
      { name: 'Olga Organizer', role: 'admin' },
      { name: 'Priya Nair', role: 'analyst' },
      { name: 'Kenji Watanabe', role: 'exhibits' },
      { name: 'Jonas Weber', role: 'finance' },
      { name: 'Beatriz Lopes', role: 'manager' },
      { name: 'Amira Haddad', role: 'registrar' },
    ])
    expect(await query(`select u.name, s.role from event_staff s join users u on u.id = s.user_id`)).toEqual([
      { name: 'Mateus Rocha', role: 'onsite' },
    ])
  })

  it('creates audit entries of demo users in chronological order, made through their apps', async () => {
    const rows = await query<{ who: string; app: string; tool: string; at: Date }>(
      `select actor_name as who, app_name as app, tool, at from audit_entries where ${AT_SUMMIT} order by id`,
    )
    const times = rows.map(({ at }) => at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)!).toBeLessThanOrEqual(madeAt.getTime())
    const auditedActions = new Set(rows.map(({ who, app, tool }) => `${who}, ${app}: ${tool}`))
    expect([...auditedActions]).toEqual(
      expect.arrayContaining([
        'Olga Organizer, console: publish_event',
        'Beatriz Lopes, Claude: config_set',
        'Beatriz Lopes, Claude: assign_event_staff',
        'Amira Haddad, Claude: add_participant',
        'Amira Haddad, ChatGPT: substitute_participant',
        'Amira Haddad, console: edit_participant',
        'Jonas Weber, console: record_manual_payment',
        'clara.weiss@example.com, web: finish registration',
      ]),
    )
  })

  it('names the actor of every audit entry of the demo', async () => {
    expect(await query(`select tool from audit_entries where ${AT_SUMMIT} and actor_name = '' group by 1`)).toEqual([])
  })

  it('changes a price and a text in the demo draft that are not published yet', async () => {
    const [draft] = await query<{ document: ConfigDocument }>(`select document from config_drafts where ${AT_SUMMIT}`)
    const live = await liveOf('summit-2027')
    expect(draft!.document.products![0]!.prices![1]).toMatchObject({ amount: '790.00' })
    expect(live.products![0]!.prices![1]).toMatchObject({ amount: '750.00' })
    expect(draft!.document.details.summary).not.toBe(live.details.summary)
  })
})

describe('demo emails, webhook messages and leads', () => {
  it('creates demo emails that are in the mailbox as sent, each with its own time', async () => {
    const [emails] = await query<Record<string, number | Date>>(
      `select count(*)::int as n, count(*) filter (where status = 'sent')::int as sent, count(distinct subject)::int as subjects,
        count(*) filter (where sent_at - queued_at > interval '1 minute')::int as late, max(sent_at) as last
       from messages`,
    )
    expect(emails).toMatchObject({ sent: emails!['n'], late: 0 })
    expect(emails!['n']).toBeGreaterThan(30)
    expect(emails!['subjects']).toBeGreaterThan(5)
    expect((emails!['last'] as Date).getTime()).toBeLessThanOrEqual(madeAt.getTime())
    const [attached] = await query(`select count(*)::int > 12 as enough from message_attachments where mime = 'application/pdf'`)
    expect(attached).toEqual({ enough: true })
  })

  it('creates deliveries of messages to a demo webhook that is paused', async () => {
    expect(await query(`select url, status, failing_since from webhook_endpoints`)).toEqual([
      { url: 'https://crm.example.com/hooks/lanyard', status: 'paused', failing_since: null },
    ])
    const deliveries = await query<{ status: string; attempts: number; n: number }>(
      `select status, attempts, count(*)::int as n from webhook_deliveries group by status, attempts order by attempts`,
    )
    expect(deliveries).toEqual([
      { status: 'delivered', attempts: 1, n: expect.any(Number) },
      { status: 'delivered', attempts: 2, n: expect.any(Number) },
    ])
    expect(deliveries[0]!.n).toBeGreaterThan(30)
    expect(await query(`select distinct status from webhook_attempts order by status`)).toEqual([{ status: 200 }, { status: 503 }])
  })

  it('creates exhibitor leads of two demo companies', async () => {
    const leads = await query(
      `select c.name, count(*)::int as n from leads l join companies c on c.id = l.company_id where l.status = 'active' group by c.name order by c.name`,
    )
    expect(leads).toEqual([
      { name: 'Borealis Systems', n: 4 },
      { name: 'Cumulus', n: 3 },
    ])
  })

  it("shows the demo client's brand with a logo", async () => {
    const [client] = await query<{ brand: { logoFileId: string; color: string } }>(`select brand from clients`)
    const { logoFileId: id, color } = client!.brand
    expect(color).toBe('#0b5d6b')
    const [file] = await query<{ tenantId: number; size: number }>(`select tenant_id as "tenantId", size::int from files where id = $1`, [
      id,
    ])
    const bytes = await buffer((await world.services.files.open(toStorageKey({ tenantId: file!.tenantId, id })))!)
    expect([bytes.length, bytes.subarray(1, 4).toString()]).toEqual([file!.size, 'PNG'])
  })
})

const tenantTables = async () =>
  query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.column_name = 'tenant_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`,
  )

const countAll = async () => {
  const counts: Record<string, number> = {}
  for (const { name } of await tenantTables()) {
    const [held] = await query<{ n: number }>(`select count(*)::int as n from "${name}"`)
    if (held!.n > 0) counts[name] = held!.n
  }
  return counts
}

describe('demo recreation', () => {
  it('creates the same demo data at any time, and removes all old data', async () => {
    const before = await countAll()
    const old = await query<{ tenantId: number; id: string }>(`select tenant_id as "tenantId", id from files`)
    await world.clock.stopAt('2028-02-01T10:00:00Z')
    await seed({ reset: true })
    expect(await countAll()).toEqual(before)
    for (const file of old) expect(await world.services.files.open(toStorageKey(file))).toBe(null)
    const [latest] = await query<{ last: Date }>(`select max(created_at) as last from participants where ${AT_SUMMIT}`)
    expect(latest!.last.getTime()).toBeLessThan(Date.parse('2027-04-10'))
    await world.clock.reset()
  })

  it('refuses to create the demo again while it exists', async () => {
    await expect(seed()).rejects.toThrow('Tenant demo exists already')
  })

  it('leaves no files and rows and resets the clock if creating the demo fails', async () => {
    await world.database.transact((db) => deleteDemoTenant(db))
    const put: string[] = []
    const files: FileStore = {
      ...world.services.files,
      put: (key, content) => {
        put.push(key)
        return world.services.files.put(key, content)
      },
    }
    const failing: PasswordHasher = { ...passwords, hash: () => Promise.reject(new Error('no more memory')) }
    await expect(seed({ files, passwords: failing })).rejects.toThrow('no more memory')
    expect(put).toHaveLength(1)
    for (const key of put) expect(await world.services.files.open(key)).toBe(null)
    expect(await countAll()).toEqual({})
    expect(await clockSource()).not.toContain('story')
  })

  it('creates only the demo events if it runs without participants', async () => {
    await seed({ people: false })
    expect(await query(`select count(*)::int as n from participants`)).toEqual([{ n: 0 }])
    expect(await query(`select count(*)::int as n from events`)).toEqual([{ n: 4 }])
  })

  it('removes the demo tenant completely', async () => {
    await world.database.transact((db) => deleteDemoTenant(db))
    expect(await countAll()).toEqual({})
  })
})
