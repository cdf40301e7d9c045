import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAuditEntries } from '../../src/domains/audit/log.ts'
import { createClient, createTenant } from '../../src/domains/tenancy/create.ts'
import { listEvents } from '../../src/domains/tenancy/events.ts'
import type { ClientContext } from '../../src/kernel/context.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { type FreshDatabase, createFreshDatabase } from '../support/database.ts'
import { chooseForSoak } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'

describe('search of records', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.end())

  it.each([
    ['the start of a word', 'gal', true],
    ['a part of a word', 'ummi', true],
    ['words in any order, of any column', 'munch SUMMIT gala-26', true],
    ['capitals and accents away', 'MÜNCHEN cafe', true],
    ['accents that were not written', 'Spríng', true],
    ['another Unicode normalization form', 'ｓｐｒｉｎｇ', true],
    ['sharp s as two', 'grossstrasse', true],
    ['one sigma of two', 'ΟΔΥΣΣΕΥΣ', true],
    ['one character at the start of a word', 's', true],
    ['two characters at the start of a word', 'mu', true],
    ['two characters after a symbol', '26', true],
    ['a part across a symbol, as in an address', 'g@fête.ex', true],
    ['two characters of a script without blanks, anywhere', '京都', true],
    ['one of them', '都', true],
    ['its long words', '東京都サミ', true],
    ['Korean syllables', '국어', true],
    ['two characters inside of a word only', 'um', false],
    ['characters of a script that are not adjacent', '東都', false],
    ['a wildcard for any number of characters', 's%t', false],
    ['a wildcard for one character', 'S_mmit', false],
    ['a word across two columns', 'straßegala', false],
    ['one unknown word', 'summit autumn', false],
  ])('matches search words as specified: %s', async (_, search, found) => {
    const at = await world.client()
    await world.event({
      at,
      code: 'gala-26',
      name: "Spring  Summit\u00a0Café, Ὀδυσσεύς (org@fete.example) l'été 東京都サミット 한국어 Großstraße",
      city: 'München',
    })
    await world.event({ at, code: 'other', name: 'Another thing', city: 'Paris' })
    const olga = await world.organizer({ at })
    const { events } = await olga.call('list_events', { clientCode: at.clientCode, search })
    expect(events.map((event: { code: string }) => event.code)).toEqual(found ? ['gala-26'] : [])
  })

  it('normalizes pure ASCII text to the same result as the same text beside other characters', async () => {
    const texts = ['Paula PERSON 7', "O'Neil-Smith  &   Sons (UK)", 'a@b.example~c', ' two  blanks first', '!', '-_-%\\x', 'tab\tand\nline']
    const random = Array.from(
      { length: 300 },
      () => `${[...randomBytes(20)].map((byte) => String.fromCharCode(32 + (byte % 95))).join('')}z`,
    )
    const { rows } = await world.database.pool.query<{ text: string; alone: string; beside: string }>(
      `select t as text, lanyard_searched(t) || ' e' as alone, lanyard_searched(t, 'é') as beside from unnest($1::text[]) t`,
      [[...texts, ...random]],
    )
    expect(rows).toHaveLength(texts.length + random.length)
    for (const { text, alone, beside } of rows) expect({ text, normalized: alone }).toEqual({ text, normalized: beside })
  })

  it('uses a trigram index for every searched table', async () => {
    const { rows } = await world.database.pool.query<{ table: string; indexed: boolean }>(
      `select c.relname as table, exists (select from pg_index i where i.indrelid = c.oid and pg_get_indexdef(i.indexrelid) like '%gin (searched gin_trgm_ops)') as indexed
       from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attname = 'searched' and c.relkind = 'r' order by 1`,
    )
    expect(rows.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['audit_entries', 'clients', 'events', 'feedback', 'memories', 'messages', 'users']),
    )
    expect(rows.filter(({ indexed }) => !indexed)).toEqual([])
  })
})

interface Plan {
  'Node Type': string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

describe.skipIf(!process.env['TEST_DATABASE_URL'])('search of records among very many rows', { timeout: 600_000 }, () => {
  let fresh: FreshDatabase
  let ctx: ClientContext
  let sent: { text: string; values: readonly unknown[] }[] = []
  /** A soak uses 20,000 and 200,000 rows. */
  const SMALL = chooseForSoak(20_000, 4000)
  const LARGE = 10 * SMALL
  const small = new Map<string, number>()

  /** Returns the database blocks that the server read during `run`, and the indexes it used. */
  async function effort(run: () => Promise<unknown>) {
    sent = []
    await run()
    const statements = sent
    let blocks = 0
    const indexes = new Set<string>()
    for (const { text, values } of statements) {
      const { rows } = await fresh.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, buffers, format json) ${text}`, values)
      const plan = rows[0]!['QUERY PLAN'][0]!.Plan
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      for (const node of nodesOf(plan)) if (node['Index Name']) indexes.add(node['Index Name'])
    }
    return { blocks, indexes: [...indexes] }
  }

  async function fill(from: number, until: number): Promise<void> {
    const values = [ctx.tenantId, ctx.client.id, from, until]
    // Ten rows have each rare word for any number of rows; every row has its own code, and all share one word.
    const name = `'Conference ' || md5(i::text) || case when i % ${SMALL / 10} = 0 and i <= ${SMALL} then ' Zyxomma Qz' else '' end`
    const { rows: indexes } = await fresh.pool.query<{ name: string; made: string }>(
      `select indexname as name, indexdef as made from pg_indexes where indexname in ('events_searched', 'audit_entries_searched')`,
    )
    // Creating the indexes after inserting all rows takes a tenth of the time.
    for (const { name } of indexes) await fresh.pool.query(`drop index ${name}`)
    await fresh.pool.query(
      `insert into events (tenant_id, client_id, id, code, name, timezone, starts_on, ends_on, currency)
       select $1, $2, lpad(to_hex(i), 24, '0'), 'e-' || i, ${name}, 'UTC', date '2020-01-01' + i % 3000, date '2020-01-01' + i % 3000, 'EUR'
       from generate_series($3::int, $4::int) i`,
      values,
    )
    await fresh.pool.query(
      `insert into audit_entries (tenant_id, client_id, id, actor_kind, actor_id, actor_name, app_name, tool, targets)
       select $1, $2, lpad(to_hex(i), 24, '0'), 'organizer', lpad(to_hex(i % 5000), 24, 'a'), ${name}, 'Test', 'test', '[]'
       from generate_series($3::int, $4::int) i`,
      values,
    )
    for (const { made } of indexes) await fresh.pool.query(made)
    await fresh.pool.query('vacuum analyze events, audit_entries')
  }

  const events = (search: string) => listEvents(ctx, { search, limit: 25 })
  const entries = (person: string) => listAuditEntries(ctx, { person, limit: 25 })

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
    const id = await createClient(write, { tenant_id: tenantId, code: 'many', name: 'Many' })
    const client = { id, code: 'many', name: 'Many', active: true, aiAssistantsAllowed: true, roles: ['admin'] as const }
    ctx = {
      tenantId,
      db: read,
      client,
      keys: deriveKeys(randomBytes(32)),
      cursorScope: '',
      actor: { id: 'f'.repeat(24) },
      access: { clients: [client], staff: [] },
    } as unknown as ClientContext
    await fill(1, SMALL)
    for (const [search, run] of RUNS()) small.set(search, (await effort(run)).blocks)
    await fill(SMALL + 1, LARGE)
  }, 600_000)
  afterAll(() => fresh.drop())

  const RUNS = (): [string, () => Promise<unknown>][] => [
    ['events: a rare word', () => events('zyxomma')],
    ['events: two rare words', () => events('omma yxo')],
    ['events: the start of a rare word', () => events('qz')],
    ['entries: a rare word', () => entries('zyxomma')],
    ['entries: the start of a rare word', () => entries('qz')],
  ]

  it.each(RUNS().map(([name], index) => [name, index] as const))(
    'reads hardly more database blocks for the search %s in all rows than in a tenth of the rows',
    async (name, index) => {
      const { blocks, indexes } = await effort(RUNS()[index]![1])
      expect(indexes).toContain(name.startsWith('events') ? 'events_searched' : 'audit_entries_searched')
      expect(blocks).toBeLessThan(small.get(name)! * 3)
      expect(blocks).toBeLessThan(400)
    },
  )

  it('finds and counts the records with a rare word among very many rows', async () => {
    expect(await events('zyxomma')).toMatchObject({ total: 10, nextCursor: null })
    expect((await entries('qz')).items).toHaveLength(10)
  })

  it('reads no more rows than one page and the counting limit for a word that all rows contain', async () => {
    expect(await events('conference')).toMatchObject({ totalAtLeast: 10_000 })
    expect(await events('conference')).not.toHaveProperty('total')
    const { blocks } = await effort(() => events('conference'))
    const { rows } = await fresh.pool.query<{ blocks: number }>(`select pg_relation_size('events') / 8192 as blocks`)
    expect(blocks).toBeLessThan(rows[0]!.blocks / 2)
  })

  it('plans the SQL query for each search word separately, even if the same list is requested repeatedly', async () => {
    const connection = await fresh.pool.connect()
    try {
      for (let i = 0; i < 8; i++) {
        sent = []
        await events('conference')
        for (const { text, values } of sent) await connection.query(text, values)
      }
      const { rows } = await connection.query(`select statement from pg_prepared_statements where statement like '%lanyard_word_pattern%'`)
      expect(rows).toEqual([])
    } finally {
      connection.release()
    }
  })
})
