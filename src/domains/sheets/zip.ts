import type { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type RandomAccessFile, readRange } from './random-access-file.ts'
import { SHEET_LIMITS, sheetLimitExceededError, unreadableSheetError } from './limits.ts'

interface Entry {
  name: string
  method: number
  packed: number
  unpacked: number
  at: number
}

export interface ZipArchive {
  has: (name: string) => boolean
  /** Streams the unpacked content of one archive entry. */
  read: (name: string) => AsyncGenerator<Buffer>
}

const END_SIGNATURE = Buffer.from('PK\x05\x06')
const END_BYTES = 22
const MAX_COMMENT = 65_535
const MAX_ENTRIES = 10_000
const ENTRY_SIGNATURE = 0x02014b50
const ENCRYPTED = 1
const OLE_SIGNATURE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

const UNREADABLE_WORKBOOK = 'The file cannot be read as a workbook. Open it in a spreadsheet program and save it again as .xlsx.'

/**
 * Opens a ZIP archive by its central directory, which contains all sizes: an oversized archive is rejected before unpacking, and an entry
 * larger than declared is cut off.
 */
export async function openZipArchive(bytes: RandomAccessFile): Promise<ZipArchive> {
  if ((await readRange(bytes, 0, 3)).equals(OLE_SIGNATURE)) {
    throw sheetLimitExceededError('The workbook is encrypted or in the old .xls format. Save it as .xlsx without a password.')
  }
  const entries = new Map((await readEntries(bytes)).map((entry) => [entry.name, entry]))
  return {
    has: (name) => entries.has(name),
    read: (name) => {
      const entry = entries.get(name)
      if (!entry) throw unreadableSheetError(UNREADABLE_WORKBOOK)
      return readEntry(bytes, entry)
    },
  }
}

async function readEntries(bytes: RandomAccessFile): Promise<Entry[]> {
  const tail = await readRange(bytes, Math.max(0, bytes.size - END_BYTES - MAX_COMMENT), bytes.size - 1)
  const at = tail.lastIndexOf(END_SIGNATURE)
  if (at < 0 || at + END_BYTES > tail.length) throw unreadableSheetError(UNREADABLE_WORKBOOK)
  const [count, size, start] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (count > MAX_ENTRIES) throw sheetLimitExceededError(`The workbook has ${count} parts, more than ${MAX_ENTRIES}`)
  if (start + size > bytes.size) throw unreadableSheetError(UNREADABLE_WORKBOOK)
  const entries = entriesIn(await readRange(bytes, start, start + size - 1), count)
  rejectZipBomb(entries, bytes.size)
  return entries
}

function entriesIn(table: Buffer, count: number): Entry[] {
  const entries: Entry[] = []
  for (let at = 0, left = count; left > 0; left--) {
    if (at + 46 > table.length || table.readUInt32LE(at) !== ENTRY_SIGNATURE) throw unreadableSheetError(UNREADABLE_WORKBOOK)
    const [name, extra, comment] = [table.readUInt16LE(at + 28), table.readUInt16LE(at + 30), table.readUInt16LE(at + 32)]
    if (table.readUInt16LE(at + 8) & ENCRYPTED) throw sheetLimitExceededError('The workbook is encrypted. Save it without a password.')
    entries.push({
      name: table.toString('utf8', at + 46, at + 46 + name).replace(/^\//, ''),
      method: table.readUInt16LE(at + 10),
      ...readZip64Sizes(table.subarray(at + 46 + name, at + 46 + name + extra), {
        unpacked: table.readUInt32LE(at + 24),
        packed: table.readUInt32LE(at + 20),
        at: table.readUInt32LE(at + 42),
      }),
    })
    at += 46 + name + extra + comment
  }
  return entries
}

const ZIP64_MARKER = 0xffffffff

/**
 * Reads the ZIP64 sizes of an archive entry. The extra field contains, in this order, only those sizes whose regular field is 0xffffffff.
 */
function readZip64Sizes<T extends Record<string, number>>(extra: Buffer, sizes: T): T {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
    let used = 0
    const large = Object.entries(sizes).map(([name, size]) => {
      if (size !== ZIP64_MARKER || used + 8 > field.length) return [name, size]
      used += 8
      return [name, Number(field.readBigUInt64LE(used - 8))]
    })
    return Object.fromEntries(large) as T
  }
  return sizes
}

function rejectZipBomb(entries: readonly Entry[], size: number): void {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpacked, 0)
  if (unpacked > SHEET_LIMITS.unpackedBytes) throw sheetLimitExceededError('The workbook unpacks to more than 2 GB')
  // The unpacked size is compared with an archive size of at least 10,000 bytes, because tiny files may have a high compression ratio.
  if (unpacked > SHEET_LIMITS.unpackedTimes * Math.max(size, 10_000)) {
    throw sheetLimitExceededError(`The workbook unpacks to more than ${SHEET_LIMITS.unpackedTimes} times its size`)
  }
}

async function* readEntry(bytes: RandomAccessFile, entry: Entry): AsyncGenerator<Buffer> {
  const head = await readRange(bytes, entry.at, entry.at + 29)
  if (head.length < 30) throw unreadableSheetError(UNREADABLE_WORKBOOK)
  const start = entry.at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  if (start + entry.packed > bytes.size || (entry.method !== 0 && entry.method !== 8)) throw unreadableSheetError(UNREADABLE_WORKBOOK)
  if (entry.packed === 0) return
  const packed = await bytes.read({ start, end: start + entry.packed - 1 })
  let seen = 0
  for await (const chunk of entry.method === 0 ? packed : inflateStream(packed)) {
    seen += (chunk as Buffer).length
    if (seen > entry.unpacked) throw sheetLimitExceededError('The workbook unpacks to more than its declared size')
    yield chunk as Buffer
  }
}

async function* inflateStream(packed: Readable): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  packed.on('error', (error) => inflate.destroy(error))
  packed.pipe(inflate)
  try {
    for await (const chunk of inflate) yield chunk as Buffer
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unreadableSheetError(UNREADABLE_WORKBOOK)
    throw error
  } finally {
    packed.destroy()
    inflate.destroy()
  }
}
