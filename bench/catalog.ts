import { compare, interleave, type Rounds } from './measure.ts'
import type { Result } from './report.ts'
import type { Fleet } from './servers.ts'

/** The time limit in section 8 of the specification, in milliseconds. */
const LIMIT_MS = 250

/**
 * find_hotel in a catalog of 500,000 hotels. What the tool reads, which includes the hotels of the client's events, is compared with the bare
 * indexed query of the catalog, as in the part `sourcing`; the whole call, which also verifies the caller, with the time limit. The whole call
 * beside the bare query is printed without a target: a search for a rare word takes less time than the verification.
 */
export async function measureCatalog(fleet: Fleet, server: string, rounds: Rounds): Promise<Result[]> {
  const child = await fleet.start('catalog', { TEST_DATABASE_URL: server })
  const note = `${(await child.ask<number>('found')).toLocaleString('en')} hotels`
  const window = (query: string) => (seconds: number) => child.ask<number>('time', { query, seconds })
  const results: Result[] = []
  for (const query of ['near', 'text']) {
    const windows = { call: window(query), read: window(`${query}, read`), bare: window(`${query}, bare`) }
    const { call, read, bare } = await interleave(windows, rounds)
    const limits = call.map(() => LIMIT_MS)
    results.push(
      { name: `find_hotel, ${query}, what it reads`, unit: 'ms', ...compare(read, bare, 'lower'), target: { atMost: 3 }, note },
      { name: `find_hotel, ${query}, whole call`, unit: 'ms', ...compare(call, bare, 'lower'), target: null, note },
      { name: `find_hotel, ${query}, time limit`, unit: 'ms', ...compare(call, limits, 'lower'), target: { atMost: 1 }, note },
    )
  }
  await child.ask('end')
  child.stop()
  return results
}
