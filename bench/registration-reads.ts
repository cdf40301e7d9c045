import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

const SEARCHES = {
  name: 'find_participants by parts of a name',
  email: 'find_participants by email',
  tag: 'find_participants by tag',
} as const
type Search = keyof typeof SEARCHES

/** Time limits of read calls at an event with 120,000 participants, in milliseconds. */
const SUMMARY_LIMIT = 150

/**
 * Measures reads of an event among a million registrations: searches compared with their own SQL statements on a bare connection, and the
 * registration summary compared with its time limit.
 */
export async function measureRegistrationReads(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('registration-reads', { TEST_DATABASE_URL: server })
  const found = await child.ask<Record<Search | 'summary' | 'loadedIn', number>>('found')
  const window = (work: Search | 'summary', side: 'ours' | 'bare') => (seconds: number) =>
    child.ask<number>('time', { work, side, seconds })
  const results: BenchResult[] = []
  for (const search of Object.keys(SEARCHES) as Search[]) {
    const values = await interleave({ ours: window(search, 'ours'), bare: window(search, 'bare') }, rounds)
    const note = `${found[search]} found`
    results.push({
      name: SEARCHES[search],
      unit: 'ms',
      ...compareMeasurements(values.ours, values.bare, 'lower'),
      target: { atMost: 3 },
      note,
    })
  }
  const { summary } = await interleave({ summary: window('summary', 'ours') }, rounds)
  results.push({
    name: 'get_registration_summary',
    unit: 'ms',
    ...compareMeasurements(
      summary,
      summary.map(() => SUMMARY_LIMIT),
      'lower',
    ),
    target: { atMost: 1 },
    note: `${found.summary} participants among a million, loaded in ${found.loadedIn} s`,
  })
  await child.ask('end')
  child.stop()
  return results
}
