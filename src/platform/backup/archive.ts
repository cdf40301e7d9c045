import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import { createByteReader, type ByteReader } from './bytes.ts'
import { createDamagedBackupError } from './damage.ts'
import { sealStream, unsealFile } from './sealed-file.ts'

/** A part of a backup: a table, the queued work, or the bytes of a file. */
export interface BackupSection {
  name: string
  /** The bytes of the section in chunks. A restore receives the same chunks. */
  content: AsyncIterable<Buffer>
}

interface SectionChecksum {
  name: string
  bytes: number
  sha256: string
}

export interface Manifest<About> {
  about: About
  sections: SectionChecksum[]
}

const FRAME_KINDS = { section: 1, piece: 2, end: 3, manifest: 4 } as const

function frame(kind: keyof typeof FRAME_KINDS, payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(FRAME_KINDS[kind])
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** Writes the sections one after another, then the manifest with the checksum of each section and the description of the backup. */
async function* toFrames<About>(sections: AsyncIterable<BackupSection>, about: () => About): AsyncGenerator<Buffer> {
  const sums: SectionChecksum[] = []
  for await (const { name, content } of sections) {
    const hash = createHash('sha256')
    let bytes = 0
    yield frame('section', Buffer.from(name))
    for await (const piece of content) {
      hash.update(piece)
      bytes += piece.length
      yield frame('piece', piece)
    }
    yield frame('end', Buffer.alloc(0))
    sums.push({ name, bytes, sha256: hash.digest('hex') })
  }
  yield frame('manifest', Buffer.from(JSON.stringify({ about: about(), sections: sums } satisfies Manifest<About>)))
}

/**
 * Creates the compressed bytes of a backup. `about` returns the backup's description; it is called at the end, after all sections were
 * read.
 */
export function createArchive<About>(sections: AsyncIterable<BackupSection>, about: () => About, keys: DerivedKeys): AsyncIterable<Buffer> {
  // The callback of `pipeline` ignores errors, because the reader of the resulting stream receives them too.
  const packed = pipeline(toFrames(sections, about), createGzip(), () => {})
  return sealStream(packed, keys)
}

/**
 * Reads a backup and passes each section to `visit`. A section is always read to its end, even if the visitor stops early. Throws unless
 * all sections match the manifest.
 */
export async function readArchive<About>(
  path: string,
  keys: DerivedKeys,
  visit: (section: BackupSection) => Promise<void> = () => Promise.resolve(),
): Promise<Manifest<About>> {
  const unpacked = pipeline(unsealFile(path, keys), createGunzip(), () => {})
  const reader = createByteReader(unpacked)
  const sums: SectionChecksum[] = []
  try {
    for (;;) {
      const { kind, payload } = await nextFrame(reader)
      if (kind === FRAME_KINDS.manifest) {
        const manifest = JSON.parse(payload.toString()) as Manifest<About>
        if (JSON.stringify(manifest.sections) !== JSON.stringify(sums) || !(await reader.atEnd())) throw createDamagedBackupError()
        return manifest
      }
      if (kind !== FRAME_KINDS.section) throw createDamagedBackupError()
      sums.push(await visitSection(reader, payload.toString(), visit))
    }
  } finally {
    unpacked.destroy()
  }
}

async function visitSection(reader: ByteReader, name: string, visit: (section: BackupSection) => Promise<void>): Promise<SectionChecksum> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* read(): AsyncGenerator<Buffer> {
    for (let next = await nextFrame(reader); next.kind !== FRAME_KINDS.end; next = await nextFrame(reader)) {
      if (next.kind !== FRAME_KINDS.piece) throw createDamagedBackupError()
      hash.update(next.payload)
      bytes += next.payload.length
      yield next.payload
    }
  }
  const content = read()
  await visit({ name, content: { [Symbol.asyncIterator]: () => ({ next: () => content.next() }) } })
  for await (const piece of content) void piece
  return { name, bytes, sha256: hash.digest('hex') }
}

async function nextFrame(reader: ByteReader): Promise<{ kind: number; payload: Buffer }> {
  const head = await reader.take(5)
  return { kind: head.readUInt8(), payload: await reader.take(head.readUInt32BE(1)) }
}
