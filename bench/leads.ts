import { computeActivationCodeHmacs } from '../src/domains/exhibitors/activation-codes.ts'
import { LEAD_SCAN_PATH } from '../src/surfaces/leads/endpoint.ts'
import { Secret } from '../src/kernel/secrets.ts'
import { openShowFloor } from '../test/support/lead-requests.ts'
import { newWorld } from '../test/support/world.ts'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { RecordedStatements } from './servers/statements.ts'
import type { Fleet } from './servers.ts'

const CONNECTIONS = 16
/** The number of companies. At 600 scans a minute each, they may send five thousand a second together. */
const COMPANIES = 500
const ATTENDEES = 400

/**
 * Measures a lead scan through the whole product, compared with a server that only runs the same SQL statement and has the signatures of
 * all activation codes in advance.
 */
export async function measureLeads(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  process.env['TEST_DATABASE_URL'] = server
  const world = await newWorld()
  try {
    const floor = await openShowFloor(world)
    const badges = Array.from({ length: ATTENDEES }, (_, i) => `bench-${i}`)
    for (const badge_id of badges) await floor.people.person({ badge_id })
    const codes: string[] = []
    for (let i = 0; i < COMPANIES; i++) codes.push((await floor.createLicensedCompany()).code)
    await world.database.pool.query('vacuum analyze')
    const requests = Array.from({ length: COMPANIES * 20 }, (_, i) => {
      const question = floor.leadRequest({ code: codes[i % COMPANIES]! }, badges[(i * 7) % ATTENDEES]!)
      return `GET ${LEAD_SCAN_PATH}?${new URLSearchParams({ ...question }).toString()} HTTP/1.1\r\nhost: localhost:3000\r\nuser-agent: bench/1.0.0\r\naccept: application/json\r\n\r\n`
    })
    const environment = { DATABASE_URL: world.url! }
    const product = await fleet.start('product', { ...environment, LANYARD_SECRET_KEY: world.secretKey })
    const bare = await fleet.start('bare-leads', environment)
    const ours = await fleet.aim(product, requests, CONNECTIONS)
    const single = await fleet.aim(product, requests, 1)
    await single.answer()
    await product.ask('record')
    await single.answer()
    const { statements, roundTrips } = await product.ask<RecordedStatements>('recorded')
    const signatures = Object.fromEntries(codes.map((code) => [code, computeActivationCodeHmacs(world.services.keys, new Secret(code))]))
    await bare.ask('use', { statement: statements.at(-1), signatures })
    const limit = await fleet.aim(bare, requests, CONNECTIONS)
    const values = await interleave({ ours: ours.window, limit: limit.window }, rounds)
    for (const child of [product, bare]) child.stop()
    const rates = (side: 'ours' | 'limit') => values[side].map(({ rate }) => rate)
    const note = `${statements.length} statement in ${roundTrips} round trip, for a new or known attendee`
    return [
      { name: 'lead scan', unit: '/s', ...compareMeasurements(rates('ours'), rates('limit'), 'higher'), target: { atLeast: 0.7 }, note },
    ]
  } finally {
    await world.end()
  }
}
