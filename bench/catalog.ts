import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** The time limit of find_hotel in section 8 of the specification, in milliseconds. */
const LIMIT_MS = 250

/**
 * Measures find_hotel in a catalog of 500,000 hotels. The reads of the tool, which include the hotels of the client's events, are compared
 * with one indexed query of the catalog. The whole call, which also verifies the caller, is compared with the time limit. Its ratio to the
 * indexed query has no target, because a search for a rare word takes less time than the verification.
 */
export async function measureCatalog(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('catalog', { TEST_DATABASE_URL: server })
  const note = `${(await child.ask<number>('found')).toLocaleString('en')} hotels`
  const window = (query: string) => (seconds: number) => child.ask<number>('time', { query, seconds })
  const results: BenchResult[] = []
  for (const query of ['near', 'text']) {
    const windows = { call: window(query), read: window(`${query}, read`), bare: window(`${query}, bare`) }
    const { call, read, bare } = await interleave(windows, rounds)
    const limits = call.map(() => LIMIT_MS)
    results.push(
      { name: `find_hotel, ${query}, what it reads`, unit: 'ms', ...compareMeasurements(read, bare, 'lower'), target: { atMost: 3 }, note },
      { name: `find_hotel, ${query}, whole call`, unit: 'ms', ...compareMeasurements(call, bare, 'lower'), target: null, note },
      { name: `find_hotel, ${query}, time limit`, unit: 'ms', ...compareMeasurements(call, limits, 'lower'), target: { atMost: 1 }, note },
    )
  }
  await child.ask('end')
  child.stop()
  return results
}
