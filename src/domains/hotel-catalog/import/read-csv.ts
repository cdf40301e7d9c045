import type { Readable } from 'node:stream'
import { type CastingContext, parse } from 'csv-parse'
import { AppError } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import {
  CATALOG_COLUMNS,
  type CatalogColumn,
  type CatalogRecordValues,
  type HotelImportRecord,
  validateCatalogRecord,
} from './imported-hotel.ts'

const MAX_RECORD_BYTES = 64 * 1024
const DELIMITERS = [',', ';', '\t'] as const

/** Detects the delimiter: the one that splits the header into the most columns. */
export const detectDelimiter = (start: string): string => {
  const header = start.split(/\r?\n/, 1)[0] ?? ''
  return DELIMITERS.toSorted((a, b) => header.split(b).length - header.split(a).length)[0]!
}

const fold = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '')

/** Reads the header: returns the catalog column of each column of the file, or null for a column that is not used. */
export function readCatalogHeader(cells: readonly string[]): (CatalogColumn | null)[] {
  const columns = cells.map((cell) => CATALOG_COLUMNS.find((column) => fold(column) === fold(cell)) ?? null)
  if (columns.includes('name')) return columns
  const near = cells.find((cell) => findMostSimilarName(cell, ['name']) !== null)
  throw new AppError(
    'invalid_arguments',
    `The first line must name the columns: ${CATALOG_COLUMNS.join(', ')}. Only name is required, and it is missing${near ? ` (did you mean name by ${JSON.stringify(near)}?)` : ''}`,
  )
}

interface CsvRecord {
  record: string[]
  info: CastingContext
}

/** Reads a CSV file record by record. A record with a wrong value is reported, and the others are read. */
export async function* readCsv(file: Readable, delimiter: string): AsyncGenerator<HotelImportRecord> {
  const broken: HotelImportRecord[] = []
  const parser = file.pipe(
    parse({
      delimiter,
      bom: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
      on_skip: (error) => {
        broken.push({ at: `line ${String(error?.['lines'] ?? '?')}`, problems: ['is not readable as CSV: check its quotes'] })
        return undefined
      },
    }),
  )
  file.on('error', (error) => parser.destroy(error))
  let columns: (CatalogColumn | null)[] | null = null
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    yield* broken.splice(0)
    if (columns === null) columns = readCatalogHeader(record)
    else yield { at: `line ${info.lines}`, ...validateCatalogRecord(toValues(columns, record), 'csv') }
  }
  yield* broken
}

const toValues = (columns: readonly (CatalogColumn | null)[], record: readonly string[]): CatalogRecordValues =>
  Object.fromEntries(columns.flatMap((column, index) => (column === null || record[index] === undefined ? [] : [[column, record[index]]])))
