import { availableParallelism } from 'node:os'
import { compare } from './measure.ts'
import type { Result } from './report.ts'
import { measureList } from './report-queries.ts'
import type { Fleet } from './servers.ts'

/** The limits of the specification for a large event; the time holds for 8 cores. */
const LIMIT_MS = 20 * 60_000
const LIMIT_MB = 512
const CORES = 8
const LARGE = 1_000_000

/** The participant list as CSV, and an export of a large event with all personal data: time and memory. */
export async function measureReportExport(fleet: Fleet, server: string): Promise<Result[]> {
  const child = await fleet.start('report-queries', { TEST_DATABASE_URL: server })
  const { people } = await child.ask<{ people: number }>('found')
  const list = await measureList(child, people)
  const { ms, megabytes, rows } = await child.ask<{ ms: number; megabytes: number; rows: number }>('writeExport')
  await child.ask('end')
  child.stop()
  const note = `${people.toLocaleString('en')} participants, ${rows.toLocaleString('en')} rows of all kinds`
  const target = people >= LARGE && availableParallelism() >= CORES ? { atMost: 1 } : null
  return [
    ...list,
    { name: 'export_event full, time limit', unit: 'ms', ...compare([ms], [LIMIT_MS], 'lower'), target, note },
    { name: 'export_event full, peak memory', unit: 'MB', ...compare([megabytes], [LIMIT_MB], 'lower'), target: { atMost: 1 } },
  ]
}
