import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeDemo, seedDemo } from '../../src/demo.ts'
import type { EventFacts } from '../../src/domains/configuration/read.ts'
import { type ConfigDocument, EventConfig } from '../../src/domains/configuration/schema/event-config.ts'
import { issuesOf, reviewFlows } from '../support/at-once.ts'
import { translationStates } from '../../src/domains/configuration/texts.ts'
import type { Passwords } from '../../src/kernel/ports.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
const passwords: Passwords = { hash: (password) => Promise.resolve(`hash of ${password.length}`), verify: () => Promise.resolve(true) }

beforeAll(async () => {
  world = await newWorld()
  await world.database.transact((db) =>
    seedDemo(db, { resource: 'http://localhost:3000/api/mcp/organizer', passwords, keys: world.road.keys }),
  )
})
afterAll(() => world.end())

const liveOf = async (code: string): Promise<ConfigDocument> => {
  const { rows } = await world.database.pool.query<{ document: ConfigDocument }>(
    `select v.document from events e join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
     where e.code = $1`,
    [code],
  )
  return rows[0]!.document
}

describe('the demo', () => {
  it('has a summit that is configured for real and published', async () => {
    const document = await liveOf('summit-2027')
    const config = EventConfig.parse(document)
    expect(config.flows.map(({ slug }) => slug)).toEqual(['attendee', 'speaker', 'exhibitor'])
    expect(config.products).toHaveLength(12)
    expect(config.policies.length).toBeGreaterThan(1)
    expect(JSON.stringify(config.flows)).toContain('"showWhen":{"all"')
    const facts: EventFacts = {
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
    expect(issuesOf({ document, config, facts }, around)).toEqual([])
    const scene = { document, config, facts, around, gives: new Map(), soldOut: new Set<string>(), inviteLists: false }
    expect(reviewFlows(scene).flatMap(({ findings }) => findings.filter(({ level }) => level === 'error'))).toEqual([])
    expect(translationStates(document, config, facts)).toMatchObject([
      { locale: 'pt', coveragePercent: 100, missing: [], stale: [], orphaned: [] },
    ])
  })

  it('has events in every state, each published one with its version', async () => {
    const { rows } = await world.database.pool.query(`select code, status, published_version as version from events order by code`)
    expect(rows).toEqual([
      { code: 'partner-day-2027', status: 'draft', version: null },
      { code: 'roadshow-madrid', status: 'published', version: 1 },
      { code: 'summit-2026', status: 'archived', version: 1 },
      { code: 'summit-2027', status: 'published', version: 1 },
    ])
  })

  it('goes without a trace', async () => {
    await world.database.transact((db) => removeDemo(db))
    const { rows } = await world.database.pool.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.column_name = 'tenant_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
    )
    for (const { name } of rows) {
      const left = await world.database.pool.query<{ n: number }>(`select count(*)::int as n from "${name}"`)
      expect({ name, left: left.rows[0]!.n }).toEqual({ name, left: 0 })
    }
  })
})
