import { describe, expect, it } from 'vitest'
import { readSources, type Source } from './sources.ts'

/** The only file that may lock an event row. */
const LOCK_FILE = 'src/domains/tenancy/lock-event.ts'

const LOCKS = 'for\\s+(?:no\\s+key\\s+update|update|share|key\\s+share)'

const RULES = [
  // SQL text: a statement on events, under any alias, that ends with a lock clause.
  new RegExp(`\\b(?:from|join)\\s+events\\b[^\`;]*?\\b${LOCKS}\\b`, 'i'),
  // Query builder: a chain that starts at events and locks before the next statement.
  /\.(?:selectFrom|innerJoin|leftJoin)\(\s*['"]events(?: as \w+)?['"](?:(?!\bselectFrom\(|\bawait\b|\bconst\b|\n\n)[\s\S])*?\.for(?:NoKeyUpdate|Update|Share|KeyShare)\(/,
  // An advisory lock on the event would be a second lock on the same resource; locks of a job at an event are allowed.
  /pg_(?:try_)?advisory_(?:xact_)?lock(?![^\n]*'job )[^\n]*event/i,
]

const problems = (sources: readonly Source[]) =>
  sources.filter(({ path, text }) => path !== LOCK_FILE && RULES.some((rule) => rule.test(text))).map(({ path }) => path)

const planted = (text: string): Source => ({ path: 'src/domains/housing/blocks.ts', text })

describe('locks on event rows in the database', () => {
  it('locks event rows of the database in one source file only', () => {
    expect(problems(readSources())).toEqual([])
    const home = readSources().filter(({ path }) => path === LOCK_FILE)
    expect(home).toHaveLength(1)
    expect(RULES.some((rule) => rule.test(home[0]!.text))).toBe(true)
  })

  it.each([
    'await sql`select from events where tenant_id = ${a} and id = ${b} for no key update`.execute(ctx.db)',
    'await sql`select 1\n  from events e where e.id = ${id}\n  for update of e`.execute(ctx.db)',
    "ctx.db.selectFrom('events').select('id').where('id', '=', id).forUpdate().execute()",
    "ctx.db\n    .selectFrom('events as e')\n    .selectAll()\n    .where('e.id', '=', id)\n    .forNoKeyUpdate('e')\n    .executeTakeFirst()",
    'await sql`select pg_advisory_xact_lock(hashtext(${ctx.event.id}))`.execute(ctx.db)',
  ])('reports code that locks an event row: %s', (text) => {
    expect(problems([planted(text)])).toHaveLength(1)
  })

  it.each([
    "ctx.db.selectFrom('events').select('id').where('id', '=', id).execute()",
    "const a = await ctx.db.selectFrom('events').select('id').execute()\n\nconst b = await ctx.db.selectFrom('orders').forUpdate().execute()",
    'await sql`select from orders where event_id = ${id} for update`.execute(ctx.db)',
    'await lockEventRow(ctx)',
  ])('does not report code without a lock on an event row: %s', (text) => {
    expect(problems([planted(text)])).toEqual([])
  })
})
