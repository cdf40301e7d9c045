import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** The limits of the specification, section 8, in milliseconds at the 95th percentile. */
const LIMITS_MS = { search: 250, compare: 500, diff: 300 }

const MEASURED = [
  { query: 'text', name: 'search_suppliers, text', limit: LIMITS_MS.search, of: 'suppliers' },
  { query: 'near', name: 'search_suppliers, near', limit: LIMITS_MS.search, of: 'suppliers' },
  { query: 'facts', name: 'search_suppliers, facts', limit: LIMITS_MS.search, of: 'suppliers' },
  { query: 'fit', name: 'search_suppliers, fit for a brief', limit: LIMITS_MS.search, of: 'suppliers' },
  { query: 'compare', name: 'compare_responses', limit: LIMITS_MS.compare, of: 'responses' },
  { query: 'diff', name: 'difference of two versions', limit: LIMITS_MS.diff, of: 'words' },
] as const

interface Window {
  mean: number
  p95: number
}

/**
 * Measures the search of suppliers, the comparison of RFP responses and the difference of two contracts. What each tool reads is compared
 * with hand-written SQL statements for the same rows, and the difference also with a plain difference of the words. The whole call,
 * including its chart, is compared with the time limit.
 */
export async function measureSourcing(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('sourcing', { TEST_DATABASE_URL: server })
  const sizes = await child.ask<Record<(typeof MEASURED)[number]['of'], number>>('sizes')
  const window = (query: string) => (seconds: number) => child.ask<Window>('time', { query, seconds })
  const results: BenchResult[] = []
  for (const { query, name, limit, of } of MEASURED) {
    const windows = { call: window(query), read: window(`${query}, read`), bare: window(`${query}, bare`) }
    const { call, read, bare } = await interleave(windows, rounds)
    const means = (measured: readonly Window[]) => measured.map(({ mean }) => mean)
    const p95 = call.map((one) => one.p95)
    const limits = call.map(() => limit)
    const note = `${sizes[of].toLocaleString('en')} ${of}`
    results.push(
      { name, unit: 'ms', ...compareMeasurements(means(read), means(bare), 'lower'), target: { atMost: 3 }, note },
      { name: `${name}, call, p95`, unit: 'ms', ...compareMeasurements(p95, limits, 'lower'), target: { atMost: 1 }, note },
    )
  }
  await child.ask('end')
  child.stop()
  return results
}
