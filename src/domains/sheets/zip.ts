import type { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type Bytes, readPart } from './bytes.ts'
import { SHEET_LIMITS, tooMuch, unreadable } from './limits.ts'

interface Entry {
  name: string
  method: number
  packed: number
  unpacked: number
  at: number
}

export interface Archive {
  has: (name: string) => boolean
  /** The content of one entry, unpacked piece by piece. */
  read: (name: string) => AsyncGenerator<Buffer>
}

const END = Buffer.from('PK\x05\x06')
const END_BYTES = 22
const MAX_COMMENT = 65_535
const MAX_ENTRIES = 10_000
const ENTRY = 0x02014b50
const ENCRYPTED = 1
const OLD_OFFICE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

const BROKEN = 'The file cannot be read as a workbook; open it in a spreadsheet program and save it again as .xlsx'

/**
 * Opens an archive by its table of contents, which says how large everything is: what would unpack to too much is refused before
 * any of it is unpacked, and an entry that holds more than it says is cut off there.
 */
export async function openArchive(bytes: Bytes): Promise<Archive> {
  if ((await readPart(bytes, 0, 3)).equals(OLD_OFFICE)) {
    throw tooMuch('The workbook is encrypted or of the old .xls format; save it as .xlsx without a password')
  }
  const entries = new Map((await readEntries(bytes)).map((entry) => [entry.name, entry]))
  return {
    has: (name) => entries.has(name),
    read: (name) => {
      const entry = entries.get(name)
      if (!entry) throw unreadable(BROKEN)
      return contentOf(bytes, entry)
    },
  }
}

async function readEntries(bytes: Bytes): Promise<Entry[]> {
  const tail = await readPart(bytes, Math.max(0, bytes.size - END_BYTES - MAX_COMMENT), bytes.size - 1)
  const at = tail.lastIndexOf(END)
  if (at < 0 || at + END_BYTES > tail.length) throw unreadable(BROKEN)
  const [count, size, start] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (count > MAX_ENTRIES) throw tooMuch(`The workbook has ${count} parts, more than ${MAX_ENTRIES}`)
  if (start + size > bytes.size) throw unreadable(BROKEN)
  const entries = entriesIn(await readPart(bytes, start, start + size - 1), count)
  refuseBomb(entries, bytes.size)
  return entries
}

function entriesIn(table: Buffer, count: number): Entry[] {
  const entries: Entry[] = []
  for (let at = 0, left = count; left > 0; left--) {
    if (at + 46 > table.length || table.readUInt32LE(at) !== ENTRY) throw unreadable(BROKEN)
    const [name, extra, comment] = [table.readUInt16LE(at + 28), table.readUInt16LE(at + 30), table.readUInt16LE(at + 32)]
    if (table.readUInt16LE(at + 8) & ENCRYPTED) throw tooMuch('The workbook is encrypted; save it without a password')
    entries.push({
      name: table.toString('utf8', at + 46, at + 46 + name).replace(/^\//, ''),
      method: table.readUInt16LE(at + 10),
      ...largeSizes(table.subarray(at + 46 + name, at + 46 + name + extra), {
        unpacked: table.readUInt32LE(at + 24),
        packed: table.readUInt32LE(at + 20),
        at: table.readUInt32LE(at + 42),
      }),
    })
    at += 46 + name + extra + comment
  }
  return entries
}

const IN_EXTRA = 0xffffffff

/** Some programs write all sizes in the longer form, in this order and only those that are marked so. */
function largeSizes<T extends Record<string, number>>(extra: Buffer, sizes: T): T {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
    let used = 0
    const large = Object.entries(sizes).map(([name, size]) => {
      if (size !== IN_EXTRA || used + 8 > field.length) return [name, size]
      used += 8
      return [name, Number(field.readBigUInt64LE(used - 8))]
    })
    return Object.fromEntries(large) as T
  }
  return sizes
}

function refuseBomb(entries: readonly Entry[], size: number): void {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpacked, 0)
  if (unpacked > SHEET_LIMITS.unpackedBytes) throw tooMuch('The workbook unpacks to more than 2 GB')
  // A few kilobytes of blanks are no bomb, whatever they were packed into.
  if (unpacked > SHEET_LIMITS.unpackedTimes * Math.max(size, 10_000)) {
    throw tooMuch(`The workbook unpacks to more than ${SHEET_LIMITS.unpackedTimes} times its size`)
  }
}

async function* contentOf(bytes: Bytes, entry: Entry): AsyncGenerator<Buffer> {
  const head = await readPart(bytes, entry.at, entry.at + 29)
  if (head.length < 30) throw unreadable(BROKEN)
  const start = entry.at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  if (start + entry.packed > bytes.size || (entry.method !== 0 && entry.method !== 8)) throw unreadable(BROKEN)
  if (entry.packed === 0) return
  const packed = await bytes.read({ start, end: start + entry.packed - 1 })
  let seen = 0
  for await (const chunk of entry.method === 0 ? packed : unpacked(packed)) {
    seen += (chunk as Buffer).length
    if (seen > entry.unpacked) throw tooMuch('The workbook unpacks to more than it says')
    yield chunk as Buffer
  }
}

async function* unpacked(packed: Readable): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  packed.on('error', (error) => inflate.destroy(error))
  packed.pipe(inflate)
  try {
    for await (const chunk of inflate) yield chunk as Buffer
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unreadable(BROKEN)
    throw error
  } finally {
    packed.destroy()
    inflate.destroy()
  }
}
