import { compareMeasurements } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time and memory limits of the specification for writing a CSV file of 1,000,000 rows with 60 columns. */
const CSV_LIMIT_MS = 120_000
const LIMIT_MB = 256

/**
 * Measures the time and memory of writing report files with 1,000,000 generated rows and 60 columns, compared with joining the same values.
 */
export async function measureReportFiles(fleet: Fleet): Promise<BenchResult[]> {
  const child = await fleet.start('report-files')
  const plain = [await child.ask<number>('plain')]
  const csv = [await child.ask<number>('csv')]
  const csvMemory = [await child.ask<number>('peakMegabytes')]
  const xlsx = [await child.ask<number>('xlsx')]
  const memory = [await child.ask<number>('peakMegabytes')]
  const note = `${(await child.ask<number>('rows')).toLocaleString('en')} rows`
  child.stop()
  return [
    { name: 'report as CSV, joined values', unit: 'ms', ...compareMeasurements(csv, plain, 'lower'), target: { atMost: 3 }, note },
    { name: 'report as CSV, time limit', unit: 'ms', ...compareMeasurements(csv, [CSV_LIMIT_MS], 'lower'), target: { atMost: 1 } },
    { name: 'report as CSV, peak memory', unit: 'MB', ...compareMeasurements(csvMemory, [LIMIT_MB], 'lower'), target: { atMost: 1 } },
    { name: 'report as Excel, joined values', unit: 'ms', ...compareMeasurements(xlsx, plain, 'lower'), target: null, note },
    { name: 'report as Excel, peak memory', unit: 'MB', ...compareMeasurements(memory, [LIMIT_MB], 'lower'), target: { atMost: 1 } },
  ]
}
