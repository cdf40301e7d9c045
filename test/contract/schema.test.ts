import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FreshDatabase, createFreshDatabase } from '../support/database.ts'
import { prepareFixtures } from '../support/fixture-tools/index.ts'
import { findTableProblems, readCatalogue } from './table-catalogue.ts'

/**
 * Tables without a tenant: tenants themselves, users and their credentials, rate limits, recurring jobs, the operator's settings and
 * feedback, and the catalog of hotels.
 */
const GLOBAL_TABLES = new Set([
  'tenants',
  'users',
  'recovery_codes',
  'browser_sessions',
  'password_links',
  'sign_in_failures',
  'setup_keys',
  'backups',
  'api_tokens',
  'oauth_clients',
  'oauth_requests',
  'oauth_codes',
  'oauth_grants',
  'oauth_tokens',
  'rate_windows',
  'recurring_slots',
  'replica_horizon',
  'feedback',
  'feedback_notes',
  'catalog_hotels',
  'fx_rates',
  'seal_certificates',
  'provider_hotels',
  'lanyard_migrations',
])

let database: FreshDatabase
beforeAll(async () => {
  database = await createFreshDatabase()
  await prepareFixtures(database.pool)
})
afterAll(() => database.drop())

async function withPlanted(statement: string): Promise<string[]> {
  await database.pool.query(statement)
  try {
    return findTableProblems(await readCatalogue(database.pool), GLOBAL_TABLES).filter((problem) => problem.startsWith('planted'))
  } finally {
    await database.pool.query('drop table if exists planted_child, planted')
  }
}

const owned = 'tenant_id integer not null references tenants, id text not null'
const atEvent = 'tenant_id integer not null, event_id text not null, id text not null, foreign key (tenant_id, event_id) references events'

describe('database tables', () => {
  it('restricts every table to one tenant, except the listed global tables', async () => {
    const tables = await readCatalogue(database.pool)
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['clients', 'events', 'participants', 'messages', 'tenants']))
    expect(findTableProblems(tables, GLOBAL_TABLES)).toEqual([])
  })

  it('reads database tables with their keys and foreign keys from the PostgreSQL catalogue', async () => {
    const events = (await readCatalogue(database.pool)).find(({ name }) => name === 'events')!
    expect(events.primary).toEqual(['tenant_id', 'id'])
    expect(events.uniques.map(({ columns }) => columns)).toEqual([
      ['tenant_id', 'id'],
      ['tenant_id', 'client_id', 'code'],
    ])
    expect(events.references).toEqual([
      {
        name: 'events_tenant_id_client_id_fkey',
        columns: ['tenant_id', 'client_id'],
        to: 'clients',
        toColumns: ['tenant_id', 'id'],
      },
    ])
  })

  it.each([
    [
      'without a tenant',
      'create table planted (id text primary key)',
      [
        'planted: has no tenant_id, or one that may be null',
        'planted: its primary key does not start with tenant_id',
        'planted: planted_pkey is unique across tenants',
      ],
    ],
    [
      'with a tenant that may be null',
      'create table planted (tenant_id integer, id text, unique (tenant_id, id))',
      ['planted: has no tenant_id, or one that may be null', 'planted: its primary key does not start with tenant_id'],
    ],
    [
      'whose primary key starts with another column',
      `create table planted (${owned}, primary key (id, tenant_id))`,
      ['planted: its primary key does not start with tenant_id'],
    ],
    [
      'with a code that is unique across tenants',
      `create table planted (${owned}, code text, primary key (tenant_id, id)); create unique index planted_code on planted (lower(code)) include (tenant_id)`,
      ['planted: planted_code is unique across tenants'],
    ],
    [
      'referencing a row of any tenant',
      `create table planted (${owned}, user_id text references users (id), primary key (tenant_id, id))`,
      ['planted: planted_user_id_fkey does not include the tenant'],
    ],
    [
      'with an event_id without a foreign key',
      `create table planted (${owned}, event_id text not null, primary key (tenant_id, id))`,
      ['planted: event_id has no foreign key'],
    ],
    [
      'referencing a row of any event',
      `create table planted (${atEvent}, primary key (tenant_id, event_id, id), unique (tenant_id, id));
       create table planted_child (${atEvent}, parent_id text, primary key (tenant_id, event_id, id),
         foreign key (tenant_id, parent_id) references planted (tenant_id, id))`,
      ['planted_child: planted_child_tenant_id_parent_id_fkey does not include the event'],
    ],
  ])('reports a database table %s', async (_fault, statement, expected) => {
    expect(await withPlanted(statement)).toEqual(expected)
  })

  it('accepts a database table whose keys all include tenant and event', async () => {
    const sound = `create table planted (${atEvent}, primary key (tenant_id, event_id, id));
      create table planted_child (${atEvent}, parent_id text, primary key (tenant_id, event_id, id),
        foreign key (tenant_id, event_id, parent_id) references planted)`
    expect(await withPlanted(sound)).toEqual([])
  })
})
