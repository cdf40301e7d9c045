import { availableParallelism } from 'node:os'
import type { Child } from './child.ts'
import { compareMeasurements } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** The limits that the specification sets for a large event. The time limits apply on 8 cores. */
const LIST_LIMIT_MS = 120_000
const LIST_LIMIT_MB = 256
const LIMIT_MS = 20 * 60_000
const LIMIT_MB = 512
/** The most time that a registration may take while a file is written, as a multiple of its time otherwise. */
const WRITES_AT_MOST = 1.1
const CORES = 8
const LARGE = 1_000_000
/** The number of custom fields with which the participant list has 60 columns. */
const LISTED_FIELDS = 50

/** Measures the time and memory of the participant list of a large event as CSV, while people register. */
export async function measureReportCsv(fleet: Fleet, server: string): Promise<BenchResult[]> {
  const child = await fleet.start('report-queries', { TEST_DATABASE_URL: server, BENCH_CUSTOM_FIELDS: String(LISTED_FIELDS) })
  const { people } = await child.ask<{ people: number }>('found')
  const results = await measureList(child, people)
  await child.ask('end')
  child.stop()
  return results
}

/** Measures the time and memory of an export of a large event with all personal data. */
export async function measureReportExport(fleet: Fleet, server: string): Promise<BenchResult[]> {
  const child = await fleet.start('report-queries', { TEST_DATABASE_URL: server })
  const { people } = await child.ask<{ people: number }>('found')
  const { ms, megabytes, rows } = await child.ask<{ ms: number; megabytes: number; rows: number }>('writeExport')
  await child.ask('end')
  child.stop()
  const note = `${people.toLocaleString('en')} participants, ${rows.toLocaleString('en')} rows of all kinds`
  const target = people >= LARGE && availableParallelism() >= CORES ? { atMost: 1 } : null
  return [
    { name: 'export_event full, time limit', unit: 'ms', ...compareMeasurements([ms], [LIMIT_MS], 'lower'), target, note },
    { name: 'export_event full, peak memory', unit: 'MB', ...compareMeasurements([megabytes], [LIMIT_MB], 'lower'), target: { atMost: 1 } },
  ]
}

interface WrittenList {
  ms: number
  megabytes: number
  rows: number
  /** The 95th percentile of the milliseconds of a registration: while the file was written, and before and after that. */
  during: number
  alone: number[]
}

/** Measures writing the participant list as CSV while people register. */
async function measureList(child: Child, people: number): Promise<BenchResult[]> {
  const { ms, megabytes, rows, during, alone } = await child.ask<WrittenList>('writeList')
  const name = 'participant list as CSV'
  const isLarge = people >= LARGE && availableParallelism() >= CORES
  const note = `${rows.toLocaleString('en')} rows`
  return [
    {
      name: `${name}, time limit`,
      unit: 'ms',
      ...compareMeasurements([ms], [LIST_LIMIT_MS], 'lower'),
      target: isLarge ? { atMost: 1 } : null,
    },
    {
      name: `${name}, peak memory`,
      unit: 'MB',
      ...compareMeasurements([megabytes], [LIST_LIMIT_MB], 'lower'),
      target: { atMost: 1 },
      note,
    },
    {
      name: 'registrations during a CSV export compared with none',
      unit: 'ms',
      ...compareMeasurements(
        alone.map(() => during),
        alone,
        'lower',
      ),
      target: isLarge ? { atMost: WRITES_AT_MOST } : null,
      note: 'their 95th percentile',
    },
  ]
}
