import { inspect } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { createHostileCalls } from '../support/hostile-queries.ts'
import { createRegistrationFixtures } from '../support/registrations.ts'
import { soakRounds, soakSeed } from '../support/soak.ts'
import { deskScenario } from '../../src/toolsets/registration/tests/desk.ts'

/** With SOAK=10 two thousand calls. */
const CALLS = soakRounds(200)
const CLEAR_CODES = ['invalid_arguments', 'limit_exceeded', 'not_found', 'forbidden', 'unavailable', 'ambiguous', 'precondition_failed']
/** The last name of people at another event, whom a call of one event must not show, and of people whom no call may show. */
const OTHER_EVENT = 'Canaryevent'
const FORBIDDEN = ['Canaryclient', 'Canarytenant']
const TABLES = [
  'participants',
  'orders',
  'order_lines',
  'ledger_entries',
  'invoices',
  'events',
  'config_versions',
  'users',
  'contacts',
  'reports',
  'fx_rates',
]

const desk = deskScenario()

const readChecksums = async () => {
  const { rows } = await desk.world.database.pool.query(
    TABLES.map(
      (table) => `select '${table}' as name, count(*)::int as rows, md5(string_agg(t::text, ',' order by t::text)) as sum from ${table} t`,
    ).join(' union all '),
  )
  return rows
}

beforeEach(async () => {
  const anna = await desk.person({ last_name: 'Berg', country: 'DE', tags: ['vip'], flow_slug: 'attendee' })
  await desk.buys(anna, [{ product: 'pass', net: 63750, tax: 12750 }])
  await desk.person({ last_name: 'Roy', country: 'FR', status: 'cancelled', host_id: anna })
  const near = await desk.world.event({ at: desk.event, code: 'near-2026' })
  const others = [
    [near, OTHER_EVENT],
    [await desk.world.event({ at: await desk.world.client({ tenant: desk.event.tenantCode }), code: 'rival-2026' }), FORBIDDEN[0]!],
    [
      await desk.world.event({ at: await desk.world.client({ tenant: `abroad-${desk.event.eventCode}` }), code: desk.event.eventCode }),
      FORBIDDEN[1]!,
    ],
  ] as const
  for (const [event, name] of others) {
    const there = createRegistrationFixtures(desk.world, event)
    const id = await there.person({
      last_name: name,
      first_name: name,
      email: `${name}@example.org`,
      city: name,
      country: 'DE',
      tags: [name.toLowerCase()],
    })
    await there.buys(id, [{ product: name.toLowerCase(), net: 777, tax: 7 }])
  }
})

describe('hostile query_data calls', () => {
  it('answers hostile queries with a clear error or a harmless result, changes nothing and shows no row of another event, client or tenant', async () => {
    const before = await readChecksums()
    const next = createHostileCalls(soakSeed(6060))
    const faults: unknown[] = []
    let answered = 0
    for (let n = 0; n < CALLS; n++) {
      const { tool, args } = next()
      const logged = desk.world.logged.length
      const result = await desk.olga.answer(tool, tool === 'query_across_events' ? args : { eventCode: desk.event.eventCode, ...args })
      const code = result.isError ? result._meta?.['lanyard/error'].code : null
      const shown = JSON.stringify(result)
      const leaked = [...FORBIDDEN, ...(tool === 'query_across_events' ? [] : [OTHER_EVENT])].filter((name) =>
        new RegExp(name, 'i').test(shown),
      )
      if (code === null) answered++
      if ((code !== null && !CLEAR_CODES.includes(code)) || leaked.length > 0)
        faults.push({
          tool,
          code,
          leaked,
          args: inspect(args, { depth: 8, maxStringLength: 300, maxArrayLength: 5 }),
          logged: desk.world.logged.slice(logged),
        })
      if (n % 20 === 19) expect((await desk.call('query_data', { entity: 'participant' })).rows).toEqual([{ count: 2 }])
    }
    expect(faults).toEqual([])
    expect(await readChecksums()).toEqual(before)
    expect(answered).toBeGreaterThan(CALLS / 50)
  })

  it('control: detects that a query changed a row or returned a person of another event', async () => {
    const before = await readChecksums()
    await desk.world.database.pool.query(`update participants set last_name = 'changed' where last_name = $1`, [OTHER_EVENT])
    expect(await readChecksums()).not.toEqual(before)
    const across = await desk.olga.call('query_across_events', { entity: 'participant', fields: ['firstName'] })
    expect(JSON.stringify(across)).toContain(OTHER_EVENT)
  })
})
