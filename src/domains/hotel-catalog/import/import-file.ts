import { createReadStream } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Db } from '../../../kernel/columns.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { ImportedHotel, HotelImportRecord } from './imported-hotel.ts'
import { detectDelimiter, readCsv } from './read-csv.ts'
import { readGeoJson } from './read-geojson.ts'
import { readOsmHotels, readOsmXml, readOverpassJson } from './read-osm.ts'
import { storeHotels } from './store.ts'

export interface ImportReport {
  format: FileFormat
  read: number
  added: number
  changed: number
  unchanged: number
  /** Number of records that are not hotels. */
  skipped: number
  bad: number
  /** The first invalid records with their problems. */
  problems: { at: string; problems: readonly string[] }[]
}

type FileFormat = 'CSV' | 'GeoJSON' | 'Overpass JSON' | 'OSM XML'

const BATCH_SIZE = 1000
const MAX_LISTED_PROBLEMS = 20
const START_BYTES = 64 * 1024

/**
 * Imports a file of hotels into the catalog that all tenants share. Hotels are recognized by their ids: known ones are updated, and the
 * same file twice changes nothing. Each batch is saved by itself, so an interrupted import can be repeated.
 */
export async function importCatalogFile(
  path: string,
  transact: <T>(run: (db: Db) => Promise<T>) => Promise<T>,
  onProgress: (read: number) => void = () => {},
): Promise<ImportReport> {
  const { format, records } = await openCatalogFile(path)
  const report: ImportReport = { format, read: 0, added: 0, changed: 0, unchanged: 0, skipped: 0, bad: 0, problems: [] }
  const firstSeen = new Map<string, string>()
  let batch: ImportedHotel[] = []
  const save = async () => {
    const { added, changed } = await transact((db) => storeHotels(db, batch))
    report.added += added
    report.changed += changed
    report.unchanged += batch.length - added - changed
    batch = []
  }
  for await (const record of records) {
    report.read++
    if (report.read % BATCH_SIZE === 0) onProgress(report.read)
    const usable = 'hotel' in record ? refuseRepeated(record, firstSeen) : record
    if ('hotel' in usable) batch.push(usable.hotel)
    else if ('skipped' in usable) report.skipped++
    else if (++report.bad <= MAX_LISTED_PROBLEMS) report.problems.push({ at: usable.at, problems: usable.problems })
    if (batch.length === BATCH_SIZE) await save()
  }
  if (batch.length > 0) await save()
  if (report.read === 0) throw new AppError('invalid_arguments', `The file has no records. It was read as ${format}`)
  return report
}

/** Reports a second record with the same id as a problem, because it would overwrite the first one at every import. */
function refuseRepeated(record: HotelImportRecord & { hotel: ImportedHotel }, firstSeen: Map<string, string>): HotelImportRecord {
  const { ref } = record.hotel
  const first = firstSeen.get(ref)
  if (first !== undefined) return { at: record.at, problems: [`is the same hotel as ${first} (${ref})`] }
  firstSeen.set(ref, record.at)
  return record
}

async function openCatalogFile(path: string): Promise<{ format: FileFormat; records: AsyncIterable<HotelImportRecord> }> {
  const zipped = /\.gz$/i.test(path)
  const open = (): Readable => {
    const file = createReadStream(path)
    if (!zipped) return file
    const plain = createGunzip()
    file.on('error', (error) => plain.destroy(error))
    return file.pipe(plain)
  }
  const start = await readStart(path, zipped ? open : null)
  const format = detectFormat(path.replace(/\.gz$/i, ''), start)
  const readers: Record<FileFormat, () => AsyncIterable<HotelImportRecord>> = {
    CSV: () => readCsv(open(), detectDelimiter(start)),
    GeoJSON: () => readGeoJson(open()),
    'Overpass JSON': () => readOsmHotels(() => readOverpassJson(open())),
    'OSM XML': () => readOsmHotels(() => readOsmXml(open())),
  }
  return { format, records: readers[format]() }
}

/** Reads the beginning of the imported file, to recognize its format. */
async function readStart(path: string, unzip: (() => Readable) | null): Promise<string> {
  const handle = await openFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new AppError('not_found', `${path} cannot be read (${code})`)
  })
  try {
    if (unzip) {
      for await (const chunk of unzip()) return (chunk as Buffer).subarray(0, START_BYTES).toString('utf8')
      return ''
    }
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(START_BYTES) })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await handle.close()
  }
}

function detectFormat(path: string, start: string): FileFormat {
  const text = start.replace(/^\uFEFF/, '').trimStart()
  if (text.startsWith('<')) return 'OSM XML'
  if (text.startsWith('{')) return /"elements"\s*:/.test(text) || /"osm3s"\s*:/.test(text) ? 'Overpass JSON' : 'GeoJSON'
  if (/\.(pbf|zip|xlsx?)$/i.test(path) || text.includes('\0'))
    throw new AppError(
      'invalid_arguments',
      'This format cannot be read. Give CSV, GeoJSON, Overpass JSON or OSM XML, also compressed as .gz',
    )
  return 'CSV'
}
