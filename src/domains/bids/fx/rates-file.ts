import { isCurrency } from '../../../kernel/money.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { isPositiveDecimal, readCsvLines } from './csv-lines.ts'
import type { FxRate } from './store-rates.ts'

const COLUMNS = ['day', 'currency', 'perEur'] as const

export interface FxFileProblem {
  line: number
  /** The description of the problem. Contains no text of the file, because the path may be wrong and name a file with secrets. */
  problem: string
}

/** Parses a file of exchange rates. Returns the rates, and the line number and error of each invalid line. */
export async function parseFxFile(content: Buffer): Promise<{ rates: FxRate[]; problems: FxFileProblem[] }> {
  const rates = new Map<string, FxRate & { line: number }>()
  const problems: FxFileProblem[] = []
  let columns: readonly number[] | null = null
  for await (const { number: line, cells } of readCsvLines(splitChunks(content))) {
    if (columns === null) {
      columns = COLUMNS.map((column) => cells.indexOf(column))
      if (columns.includes(-1)) return { rates: [], problems: [{ line, problem: `the header must be ${COLUMNS.join(',')}` }] }
      continue
    }
    const [day = '', currency = '', perEur = ''] = columns.map((column) => cells[column])
    const key = `${currency} ${day}`
    const problem = findProblem({ day, currency, perEur }, rates.get(key)?.line)
    if (problem === null) rates.set(key, { day, currency, perEur, line })
    else problems.push({ line, problem })
  }
  if (columns === null) problems.push({ line: 1, problem: `the header must be ${COLUMNS.join(',')}` })
  return { rates: [...rates.values()], problems }
}

/** Size of the chunks in which the file is parsed, with a pause after each, so that the event loop is not blocked. */
const CHUNK_BYTES = 64 * 1024

function* splitChunks(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES)
}

function findProblem({ day, currency, perEur }: FxRate, earlierLine: number | undefined): string | null {
  if (!isCalendarDay(day)) return 'day must be a date such as 2026-11-16'
  if (currency === 'EUR') return 'currency must not be EUR: all rates are per euro'
  if (!isCurrency(currency)) return 'currency must be an ISO 4217 code such as USD'
  if (!isPositiveDecimal(perEur)) return 'perEur must be a decimal above zero such as 1.0845'
  return earlierLine === undefined ? null : `the same day and currency are on line ${earlierLine}`
}
