import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MeasuredComparison } from './measure.ts'

/**
 * One line of the result table: the product's value and the value that it is compared with, both measured in the same minute on the same
 * machine.
 */
export interface BenchResult extends MeasuredComparison {
  name: string
  unit: 'CPU µs' | '/s' | 'ms' | 'MB'
  /** The target: the product's value must be at most or at least this multiple of the other value. Null if the line is only informative. */
  target: { atMost: number } | { atLeast: number } | null
  note?: string
}

export function isMet({ ratio, target }: BenchResult): boolean {
  if (!target) return true
  return 'atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast
}

export function formatTable(results: readonly BenchResult[]): string {
  const rows = [
    ['measure', 'unit', 'ours', 'limit', 'ratio', 'quartiles', 'target', ''],
    ...results.map((result) => [
      result.name,
      result.unit,
      result.ours.toFixed(result.ours < 1000 ? 1 : 0),
      result.limit.toFixed(result.limit < 1000 ? 1 : 0),
      `${result.ratio.toFixed(2)}×`,
      `${result.low.toFixed(2)}–${result.high.toFixed(2)}`,
      formatTarget(result.target),
      result.target ? (isMet(result) ? 'met' : 'MISSED') : '',
    ]),
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd(),
  )
  const notes = results.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  return [...lines, '', ...notes].join('\n')
}

const formatTarget = (target: BenchResult['target']) => (target ? ('atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`) : '')

/** The file with the results, for comparison between days. Git ignores it. */
export function saveResults(results: readonly BenchResult[]): string {
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  const file = `${folder}${at.slice(0, 19).replaceAll(':', '-')}.json`
  writeFileSync(file, `${JSON.stringify({ at, node: process.version, results }, null, 2)}\n`)
  return file
}
