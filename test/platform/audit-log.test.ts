import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAuditActionsOfGroup } from '../../src/domains/audit/actions.ts'
import { type AuditFilter, listAuditEntries } from '../../src/domains/audit/log.ts'
import { createClient, createTenant } from '../../src/domains/tenancy/create.ts'
import type { AccountContext } from '../../src/kernel/context.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { type FreshDatabase, createFreshDatabase } from '../support/database.ts'
import { chooseForSoak } from '../support/soak.ts'

interface Plan {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

const AT_ONCE = 20_000
/** The number of audit rows: enough that a page without an index would read ten times the limit. A soak uses 200,000. */
const ROWS = Number(process.env['AUDIT_ROWS'] ?? chooseForSoak(200_000, 60_000))

/** The seconds between two rows, so that any number of rows covers more than two days. */
const SECONDS = Math.max(1, 200_000 / ROWS)

/** The most database blocks that a page may read, for any number of rows. */
const MOST_BLOCKS = 400

describe.skipIf(!process.env['TEST_DATABASE_URL'])('audit log with very many rows', { timeout: 900_000 }, () => {
  let fresh: FreshDatabase
  let ctx: AccountContext
  let small: AccountContext
  let events: string[]
  let sent: { text: string; values: readonly unknown[] }[] = []

  async function blocksOf(run: () => Promise<unknown>): Promise<number> {
    sent = []
    await run()
    const statements = sent
    let blocks = 0
    for (const { text, values } of statements) {
      const { rows } = await fresh.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, buffers, format json) ${text}`, values)
      const plan = rows[0]!['QUERY PLAN'][0]!.Plan
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    return blocks
  }

  beforeAll(async () => {
    fresh = await createFreshDatabase()
    const reader: Pool = {
      ...fresh.reader,
      query: (text, values) => {
        sent.push({ text, values: values ?? [] })
        return fresh.reader.query(text, values)
      },
    }
    const { write, read } = createDatabaseAccess({ ...fresh, reader })
    const tenantId = await createTenant(write, { code: 'many', name: 'Many' })
    const clients: { id: string; code: string }[] = []
    for (const code of ['large', 'small']) clients.push({ code, id: await createClient(write, { tenant_id: tenantId, code, name: code }) })
    events = ['a', 'b'].map((sign) => sign.repeat(24))
    for (const [index, id] of events.entries())
      await fresh.pool.query(
        `insert into events (tenant_id, client_id, id, code, name, timezone, starts_on, ends_on, currency)
         values ($1, $2, $3, $4, 'Event', 'UTC', '2026-01-01', '2026-01-02', 'EUR')`,
        [tenantId, clients[0]!.id, id, `event-${index}`],
      )
    // Nine of ten rows are at one event and by few users; the rare ones are old.
    for (let first = 1; first <= ROWS; first += AT_ONCE)
      await fresh.pool.query(
        `insert into audit_entries (tenant_id, client_id, event_id, id, at, actor_kind, actor_id, actor_name, app_name, tool, targets)
       select $1, case when i % ${ROWS / 10} = 7 then $3 else $2 end, case when i % ${ROWS / 10} = 7 then null when i % 10 < 9 then $4 else $5 end,
         lpad(to_hex(i), 24, '0'), timestamptz '2026-01-01' + make_interval(secs => i * ${SECONDS}), 'organizer', lpad(to_hex(i % 50), 24, 'a'), 'Somebody ' || i % 50,
         case when i between 100 and 110 then 'Rare app' else 'Claude' end, case when i between 200 and 210 then 'write_memory' else 'edit_participant' end,
         jsonb_build_array(jsonb_build_object('kind', case when i between 300 and 310 then 'webhook' else 'participant' end, 'id', lpad(to_hex(i % 5000), 24, 'c'),
           'fields', jsonb_build_object('company', jsonb_build_object('before', md5(i::text), 'after', md5((i + 1)::text)))))
       from generate_series($6::int, $7::int) i`,
        [tenantId, clients[0]!.id, clients[1]!.id, events[0], events[1], first, Math.min(ROWS, first + AT_ONCE - 1)],
      )
    await fresh.pool.query('vacuum analyze audit_entries')
    const contextFor = (codes: readonly string[]) => {
      const own = clients
        .filter(({ code }) => codes.includes(code))
        .map((client) => ({ ...client, name: client.code, active: true, aiAssistantsAllowed: true, roles: ['admin'] as const }))
      const parts = { tenantId, db: read, keys: deriveKeys(randomBytes(32)), cursorScope: '', actor: { id: 'f'.repeat(24) } }
      return { ...parts, access: { clients: own, staff: [] } } as unknown as AccountContext
    }
    ctx = contextFor(['large', 'small'])
    small = contextFor(['small'])
  }, 900_000)
  afterAll(() => fresh.drop())

  const page = (filter: AuditFilter = {}, as = ctx) => listAuditEntries(as, { ...filter, limit: 25 })

  it.each<[string, () => AuditFilter, number]>([
    ['nothing else', () => ({}), 25],
    ['an event', () => ({ eventCode: 'event-1' }), 25],
    ['a client', () => ({ clientCode: 'large' }), 25],
    ['actor', () => ({ by: `${'a'.repeat(23)}5` }), 25],
    ['a rare app', () => ({ app: 'rare APP' }), 11],
    ['a rare action', () => ({ tool: 'write_memory' }), 11],
    ['a group of rare actions', () => ({ tools: listAuditActionsOfGroup('memory') }), 11],
    ['a group of frequent actions', () => ({ tools: listAuditActionsOfGroup('registrations') }), 25],
    ['a rare kind', () => ({ kind: 'webhook' }), 11],
    ['days long ago', () => ({ from: '2026-01-01', until: '2026-01-01' }), 25],
    ['days long ago at an event', () => ({ eventCode: 'event-0', until: '2026-01-01' }), 25],
  ])('reads a limited number of database blocks per page of the audit log, filtered by %s', async (_, filter, found) => {
    expect((await page(filter())).items).toHaveLength(found)
    expect(await blocksOf(() => page(filter()))).toBeLessThan(MOST_BLOCKS)
  })

  it('reads only few database blocks of the audit log for a small client, although other clients have very many entries', async () => {
    expect((await page({}, small)).items.length).toBeGreaterThan(5)
    expect(await blocksOf(() => page({}, small))).toBeLessThan(MOST_BLOCKS)
  })

  it('reads only the audit entries of a record if the audit log is filtered by it', async () => {
    const record = `${'c'.repeat(22)}0f`
    expect((await page({ record })).items.length).toBeGreaterThan(5)
    expect(await blocksOf(() => page({ record }))).toBeLessThan(MOST_BLOCKS * 4)
  })

  it('reads no more database blocks for a page in the middle of the audit log than for the first page, in both directions', async () => {
    let { nextCursor } = await page({ until: '2026-01-02' })
    const older = await listAuditEntries(ctx, { until: '2026-01-02', limit: 25, cursor: nextCursor! })
    nextCursor = older.nextCursor
    for (const cursor of [nextCursor!, older.previousCursor!])
      expect(await blocksOf(() => listAuditEntries(ctx, { until: '2026-01-02', limit: 25, cursor }))).toBeLessThan(MOST_BLOCKS)
  })
})
