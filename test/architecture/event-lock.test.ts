import { describe, expect, it } from 'vitest'
import { readSources, type Source } from './sources.ts'

/** The one place that locks the row of an event. */
const HOME = 'src/domains/tenancy/lock-event.ts'

const LOCKS = 'for\\s+(?:no\\s+key\\s+update|update|share|key\\s+share)'

const RULES = [
  // In SQL: a statement over the events, under whatever alias, that ends in a lock.
  new RegExp(`\\b(?:from|join)\\s+events\\b[^\`;]*?\\b${LOCKS}\\b`, 'i'),
  // In the query builder: a chain that starts at the events and locks before the next statement begins.
  /\.(?:selectFrom|innerJoin|leftJoin)\(\s*['"]events(?: as \w+)?['"](?:(?!\bselectFrom\(|\bawait\b|\bconst\b|\n\n)[\s\S])*?\.for(?:NoKeyUpdate|Update|Share|KeyShare)\(/,
  // An agreement on a number instead of a row would be a second lock of the same thing; whose turn a job's is at an event is another.
  /pg_(?:try_)?advisory_(?:xact_)?lock(?![^\n]*'job )[^\n]*event/i,
]

const problems = (sources: readonly Source[]) =>
  sources.filter(({ path, text }) => path !== HOME && RULES.some((rule) => rule.test(text))).map(({ path }) => path)

const planted = (text: string): Source => ({ path: 'src/domains/housing/blocks.ts', text })

describe('the lock of an event', () => {
  it('is spelled in one place', () => {
    expect(problems(readSources())).toEqual([])
    const home = readSources().filter(({ path }) => path === HOME)
    expect(home).toHaveLength(1)
    expect(RULES.some((rule) => rule.test(home[0]!.text))).toBe(true)
  })

  it.each([
    'await sql`select from events where tenant_id = ${a} and id = ${b} for no key update`.execute(ctx.db)',
    'await sql`select 1\n  from events e where e.id = ${id}\n  for update of e`.execute(ctx.db)',
    "ctx.db.selectFrom('events').select('id').where('id', '=', id).forUpdate().execute()",
    "ctx.db\n    .selectFrom('events as e')\n    .selectAll()\n    .where('e.id', '=', id)\n    .forNoKeyUpdate('e')\n    .executeTakeFirst()",
    'await sql`select pg_advisory_xact_lock(hashtext(${ctx.event.id}))`.execute(ctx.db)',
  ])('is found when planted: %s', (text) => {
    expect(problems([planted(text)])).toHaveLength(1)
  })

  it.each([
    "ctx.db.selectFrom('events').select('id').where('id', '=', id).execute()",
    "const a = await ctx.db.selectFrom('events').select('id').execute()\n\nconst b = await ctx.db.selectFrom('orders').forUpdate().execute()",
    'await sql`select from orders where event_id = ${id} for update`.execute(ctx.db)',
    'await lockEvent(ctx)',
  ])('is not seen where there is none: %s', (text) => {
    expect(problems([planted(text)])).toEqual([])
  })
})
