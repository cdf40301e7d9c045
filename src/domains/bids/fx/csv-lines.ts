import { Readable } from 'node:stream'
import { type CastingContext, parse } from 'csv-parse'
import { yieldToEventLoop } from '../../../kernel/cooperative.ts'
import { parseDecimal } from '../../../kernel/money.ts'

export interface CsvLine {
  number: number
  cells: readonly string[]
}

/** Reads the lines of a CSV file. A quote never spans lines, so that one broken line does not hide the lines after it. */
export async function* readCsvLines(content: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<CsvLine> {
  const source = Readable.from(content, { objectMode: false })
  const parser = parse({ bom: true, info: true, quote: false, skip_empty_lines: true, relax_column_count: true })
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<{ record: string[]; info: CastingContext }>) {
      yield { number: info.lines, cells: record.map(trimCell) }
      await yieldToEventLoop()
    }
  } finally {
    source.destroy()
    parser.destroy()
  }
}

const trimCell = (cell: string) => cell.trim().replace(/^"(.*)"$/, '$1')

/** Whether the text is a decimal above zero. */
export function isPositiveDecimal(text: string): boolean {
  const decimal = parseDecimal(text)
  return decimal !== null && decimal.units > 0n
}
