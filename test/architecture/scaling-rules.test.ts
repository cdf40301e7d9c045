import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTenant } from '../../src/domains/tenancy/create.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'
import { readSources, type Source } from './sources.ts'
import { stripComments } from './templates.ts'

/** Transaction ids and activity of sessions mean nothing on a replica or in a database that is distributed over several servers. */
const SERVER_INTERNALS = /\bxmin\b|\bxmax\b|pg_current_xact_id|\btxid_|pg_snapshot|pg_stat_activity/i

/** A setting of a session, which a pooler passes on to other clients; and statements that assume that a session is kept. */
const SESSION_STATE =
  /[`'";]\s*set\s+(?!local\b|transaction\b|constraints\b)\w+\s*(?:=|\bto\b)\s*(?:'[^']*'|[\w.]+)\s*[`'";]|\blisten\s+\w+[`'"]|pg_(?:try_)?advisory_lock|\bdeallocate\b|\bdiscard all\b|statement_timeout:/i

const SESSION_STATE_FILES: Record<string, string> = {
  'src/platform/pool.ts': 'read-only sessions that no other client uses, and the single session of the embedded database',
  'src/platform/prepared-statements.ts': 'the probe for poolers that pass on names, within its transaction',
  'src/platform/role-defaults.ts': "the role's own defaults",
}

/** A value that code or a trigger stores in a setting of the transaction, for another trigger or for the application. */
const SETTING = /\bset_config\(\s*(?:'([^']+)'|(\$\{[^}]+\}))/g

/** Files that store settings, with the reason why that also works on several servers, or what has to change there first. */
const SETTING_FILES: Record<string, string> = {
  'src/demo.ts': 'the demo is created and removed on one server',
  'src/demo/story-clock.ts': 'the demo is created and removed on one server',
  'src/domains/figures/query/snapshot-role.ts': 'the role of the transaction',
  'src/domains/figures/query/snapshot.ts':
    'row-level security has no other parameter; read by policies of the same statement, never by triggers',
  'src/kernel/announce.ts': 'TO CHANGE: triggers have to store announcements as rows, which the commit reads',
  'src/platform/snapshots.ts': 'limits, role and row-level security of a read-only transaction',
}

/** Functions of the database that store settings, likewise. */
const SETTING_FUNCTIONS: Record<string, string> = {
  lanyard_announce: 'TO CHANGE: has to store announcements as rows',
  lanyard_is_first_check: 'only saves time: a check that does not find the setting runs once more',
}

/** Triggers with transition tables, with what they derive. All of them group by tenant, so none writes outside of its rows' tenants. */
const TRANSITION_TRIGGERS: Record<string, string> = {
  attendance_people_counted: 'counts of people on site. TO CHANGE: row triggers, or counted by door_scans, the only writer of many rows',
  attendance_scans_counted: 'figures of scans. TO CHANGE: row triggers, or counted by door_scans, the only writer of many rows',
  entry_figures_count: 'figures of money. TO CHANGE: counted by sale_record and the other writers of the ledger',
  line_figures_count: 'figures of products. TO CHANGE: counted by sale_record and the other writers of order lines',
  order_lines_recommend:
    'queue of changed people for recommendations. TO CHANGE: a row trigger that inserts the person on conflict do nothing',
  participants_recommend_added: 'as order_lines_recommend',
  participants_recommend_changed: 'as order_lines_recommend',
  participants_recommend_removed: 'as order_lines_recommend',
}

/** Tables of identity and routing, and of data that all tenants share. */
const TABLES_WITHOUT_TENANT = [
  'backups',
  'lanyard_migrations',
  'recurring_slots',
  'replica_horizon',
  'setup_keys',
  'tenants',
  'browser_sessions',
  'oauth_clients',
  'oauth_codes',
  'oauth_requests',
  'oauth_tokens',
  'password_links',
  'recovery_codes',
  'rate_windows',
  'sign_in_failures',
  'catalog_hotels',
  'fx_rates',
  'provider_hotels',
  'seal_certificates',
  'feedback',
  'feedback_notes',
]

/** Keys of tenants' tables without the tenant: a token or an address is looked up before its tenant is known. */
const KEYS_WITHOUT_TENANT = [
  'api_tokens.api_tokens_pkey',
  'oauth_grants.oauth_grants_client_id_fkey',
  'oauth_grants.oauth_grants_pkey',
  'users.users_pkey',
  'users.users_signing_in',
]

/** Foreign keys that change rows of other tables. TO CHANGE: the writer of the referenced row has to update them. */
const CHANGING_KEYS = [
  'appointments_tenant_id_event_id_offering_id_starts_at_ends_fkey',
  'attendance_scans_tenant_id_event_id_duplicate_of_fkey',
  'lead_captures_tenant_id_event_id_lead_id_company_id_fkey',
  'oauth_codes_grant_id_fkey',
]

/** Functions with a row as argument. TO CHANGE: they have to take its columns. */
const ROW_ARGUMENTS = ['door_refusal', 'licence_seats', 'reservation_night_must_add_up']

const findSettings = (sources: readonly Source[]) =>
  sources.filter(({ text }) => [...stripComments(text).matchAll(SETTING)].length > 0).map(({ path }) => path)

const findMatches = (sources: readonly Source[], pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(stripComments(text))).map(({ path }) => path)

const planted = (text: string): Source[] => [{ path: 'src/domains/housing/blocks.ts', text }]

describe('schema and statements for several servers', () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await createFreshDatabase()
  })
  afterAll(() => database.drop())

  it('finds no SQL statement that uses transaction ids or the activity of database sessions', async () => {
    expect(findMatches(readSources(), SERVER_INTERNALS)).toEqual([])
    const { rows } = await database.pool.query<{ name: string; source: string }>(
      `select proname::text as name, prosrc as source from pg_proc where pronamespace = current_schema()::regnamespace`,
    )
    expect(rows.filter(({ source }) => SERVER_INTERNALS.test(source)).map(({ name }) => name)).toEqual([])
    expect(rows.length).toBeGreaterThan(50)
    expect(findMatches(planted('sql`select 1 from leads l where l.xmin = pg_current_xact_id()::xid`'), SERVER_INTERNALS)).toHaveLength(1)
  })

  it('finds SQL statements that keep state in a database session only in the files that manage connections', () => {
    expect(findMatches(readSources(), SESSION_STATE).toSorted()).toEqual(Object.keys(SESSION_STATE_FILES))
  })

  it.each([
    "await client.query('set statement_timeout = 5000')",
    "await client.query(`begin; set work_mem = '1GB'`)",
    "await client.query('listen jobs')",
    'await sql`select pg_advisory_lock(1)`.execute(db)',
    'new pg.Pool({ statement_timeout: 20_000 })',
  ])('reports a statement that keeps state in a database session: %s', (text) => {
    expect(findMatches(planted(text), SESSION_STATE)).toHaveLength(1)
  })

  it.each([
    'await sql`set local statement_timeout = 0`.execute(db)',
    "await sql`update leads set notes = ''`.execute(db)",
    'await sql`select pg_advisory_xact_lock(1)`.execute(db)',
  ])('accepts a setting or lock that ends with the database transaction: %s', (text) => {
    expect(findMatches(planted(text), SESSION_STATE)).toEqual([])
  })

  const names = async (query: string) => (await database.pool.query<{ name: string }>(query)).rows.map(({ name }) => name).toSorted()
  const OWN = `current_schema()::regnamespace`

  it('finds calls of set_config only in the listed source files and SQL functions', async () => {
    expect(findSettings(readSources()).toSorted()).toEqual(Object.keys(SETTING_FILES))
    const functions = `select proname::text as name from pg_proc where pronamespace = ${OWN} and prosrc ~* '\\yset_config\\y'`
    expect(await names(functions)).toEqual(Object.keys(SETTING_FUNCTIONS))
    expect(findSettings(planted("sql`select set_config('lanyard.seen', '1', true)`"))).toHaveLength(1)
    expect(findSettings(planted('sql`select set_config(${NAME}, ${value}, true)`'))).toHaveLength(1)
    expect(findSettings(planted("sql`select current_setting('lanyard.seen', true)`"))).toEqual([])
    await database.pool.query(`create function planted() returns text language sql as $$ select set_config('lanyard.seen', '1', true) $$`)
    expect(await names(functions)).toContain('planted')
    await database.pool.query('drop function planted()')
  })

  it('finds SQL transition tables only in the listed triggers', async () => {
    const triggers = `select distinct t.tgfoid::regproc::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = ${OWN} and (t.tgoldtable is not null or t.tgnewtable is not null)`
    expect(await names(triggers)).toEqual(Object.keys(TRANSITION_TRIGGERS))
    await database.pool.query(`create function planted() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger planted after insert on leads referencing new table as added for each statement execute function planted()`)
    expect(await names(triggers)).toContain('planted')
    await database.pool.query('drop function planted() cascade')
  })

  it('finds tenant_id in every table and key, except those read before the tenant is known or shared by all tenants', async () => {
    const hasTenant = (table: string) =>
      `exists (select from pg_attribute a where a.attrelid = ${table} and a.attname = 'tenant_id' and not a.attisdropped`
    const tables = `select c.relname::text as name from pg_class c where c.relnamespace = ${OWN} and c.relkind in ('r', 'p') and not ${hasTenant('c.oid')})`
    expect(await names(tables)).toEqual(TABLES_WITHOUT_TENANT.toSorted())
    const keys = `select x.indrelid::regclass || '.' || x.indexrelid::regclass as name from pg_index x join pg_class c on c.oid = x.indrelid
      where c.relnamespace = ${OWN} and (x.indisunique or x.indisexclusion) and ${hasTenant('c.oid')})
        and not ${hasTenant('c.oid')} and a.attnum = any(x.indkey::int2[]))
      union all select f.conrelid::regclass || '.' || f.conname from pg_constraint f
      where f.contype = 'f' and f.connamespace = ${OWN} and ${hasTenant('f.conrelid')}) and not ${hasTenant('f.conrelid')} and a.attnum = any(f.conkey))`
    expect(await names(keys)).toEqual(KEYS_WITHOUT_TENANT)
    await database.pool.query(`create table planted (tenant_id integer, lead_id text unique); create table planted_too (id text)`)
    expect(await names(keys)).toContain('planted.planted_lead_id_key')
    expect(await names(tables)).toContain('planted_too')
    await database.pool.query('drop table planted, planted_too')
  })

  it('finds cascading foreign keys, and SQL functions that take a row as argument, only in the lists of accepted ones', async () => {
    const changing = `select conname::text as name from pg_constraint where contype = 'f' and connamespace = ${OWN}
      and (confupdtype in ('c', 'n', 'd') or confdeltype in ('n', 'd'))`
    expect(await names(changing)).toEqual(CHANGING_KEYS)
    const rowArguments = `select p.proname::text as name from pg_proc p where p.pronamespace = ${OWN} and exists (
      select from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) t (id) join pg_type y on y.oid = t.id where y.typtype = 'c')`
    expect(await names(rowArguments)).toEqual(ROW_ARGUMENTS)
    await database.pool.query(`create table planted (tenant_id integer references tenants on update cascade);
      create function planted(l leads) returns text language sql as $$ select l.id $$`)
    expect([await names(changing), await names(rowArguments)]).toEqual([
      expect.arrayContaining(['planted_tenant_id_fkey']),
      expect.arrayContaining(['planted']),
    ])
    await database.pool.query('drop function planted(leads); drop table planted')
  })

  it('gives tenants random ids, so that two installations have no tenant id in common', async () => {
    const { write } = createDatabaseAccess(database)
    const first = await createTenant(write, { code: 'first', name: 'First' })
    const second = await createTenant(write, { code: 'second', name: 'Second' })
    const other = await createFreshDatabase()
    const elsewhere = await createTenant(createDatabaseAccess(other).write, { code: 'first', name: 'First' })
    await other.drop()
    expect(new Set([first, second, elsewhere]).size).toBe(3)
    // Identity columns would count from 1, so random ids are far above.
    for (const id of [first, second, elsewhere]) expect(id).toBeGreaterThan(1000)
  })
})
