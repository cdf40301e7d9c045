import { AppError } from '../../../kernel/errors.ts'
import type { Fetcher } from '../../../kernel/fetcher.ts'
import { isCurrency } from '../../../kernel/money.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { toRandomAccessFile } from '../../sheets/random-access-file.ts'
import { openZipArchive } from '../../sheets/zip.ts'
import { isPositiveDecimal, readCsvLines } from './csv-lines.ts'
import type { FxRate } from './store-rates.ts'

const MB = 1024 * 1024
/** Maximum size of the downloaded archive of ECB exchange rates. In practice it is smaller than 1 MB, and the file inside is about 2 MB. */
const MAX_ARCHIVE_BYTES = 5 * MB
const MAX_CSV_BYTES = 20 * MB
const TIMEOUT_MS = 15_000
const CSV_NAME = 'eurofxref-hist.csv'

const unreadable = (why: string) => new AppError('unavailable', `The history of ECB rates cannot be read: ${why}`)

/** Fetches the history of the ECB's reference rates and returns the rates from a day on. */
export async function fetchEcbRates(fetcher: Fetcher, { url, from }: { url: string; from: string | null }): Promise<FxRate[]> {
  const { status, body } = await fetcher.fetch(url, { maxBytes: MAX_ARCHIVE_BYTES, timeoutMs: TIMEOUT_MS })
  if (status !== 200) throw unreadable(`the server responded with status ${status}`)
  return parseEcbRates(unpackCsv(body), from)
}

async function* unpackCsv(archive: Buffer): AsyncGenerator<Buffer> {
  let size = 0
  try {
    const { read, has } = await openZipArchive(toRandomAccessFile(archive))
    if (!has(CSV_NAME)) throw unreadable(`the archive has no file ${CSV_NAME}`)
    for await (const chunk of read(CSV_NAME)) {
      size += chunk.length
      if (size > MAX_CSV_BYTES) throw unreadable(`its file is larger than ${MAX_CSV_BYTES / MB} MB`)
      yield chunk
    }
  } catch (error) {
    // Replaces errors of `openZipArchive`, whose messages are about Excel workbooks and would mislead the operator.
    throw error instanceof AppError && error.code !== 'unavailable' ? unreadable('the archive is damaged or too large') : error
  }
}

/** Parses the CSV file of the ECB, which has one line per day and one column per currency. A currency without a rate on a day has `N/A`. */
async function parseEcbRates(csv: AsyncIterable<Buffer>, from: string | null): Promise<FxRate[]> {
  const rates = new Map<string, FxRate>()
  let currencies: readonly string[] | null = null
  let days = 0
  for await (const { number, cells } of readCsvLines(csv)) {
    const [day = '', ...values] = cells
    if (currencies === null) {
      if (day !== 'Date' || !values.some(isCurrency)) throw unreadable('its first line does not name the currencies')
      currencies = values
      continue
    }
    if (!isCalendarDay(day)) throw unreadable(`line ${number} does not start with a day`)
    days++
    if (from !== null && day < from) continue
    for (const [index, perEur] of values.entries()) {
      const currency = currencies[index] ?? ''
      if (isCurrency(currency) && isPositiveDecimal(perEur)) rates.set(`${currency} ${day}`, { day, currency, perEur })
    }
  }
  if (days === 0) throw unreadable('it has no day')
  return [...rates.values()]
}
