import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { Keys } from '../../kernel/secrets.ts'
import { byteReader, type ByteReader } from './bytes.ts'
import { damaged } from './damage.ts'
import { sealed, unsealed } from './sealed-file.ts'

/** A part of a backup: a table, the work that waits, or the bytes of a file. */
export interface Section {
  name: string
  /** In the pieces in which it is to be read again. */
  content: AsyncIterable<Buffer>
}

interface SectionSum {
  name: string
  bytes: number
  sha256: string
}

export interface Manifest<About> {
  about: About
  sections: SectionSum[]
}

const KINDS = { section: 1, piece: 2, end: 3, manifest: 4 } as const

function frame(kind: keyof typeof KINDS, payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(KINDS[kind])
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** Sections one after the other, and at the end the manifest: what there is of each, by its sum, and what is to be known of all. */
async function* framed<About>(sections: AsyncIterable<Section>, about: () => About): AsyncGenerator<Buffer> {
  const sums: SectionSum[] = []
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

/** The bytes of a backup. `about` is asked at the end, when all sections were read. */
export function archived<About>(sections: AsyncIterable<Section>, about: () => About, keys: Keys): AsyncIterable<Buffer> {
  // What goes wrong before it reaches the reader too, who is told.
  const packed = pipeline(framed(sections, about), createGzip(), () => {})
  return sealed(packed, keys)
}

/**
 * Reads a backup and hands over each section, whose content is read to its end whether or not the visitor does so. Throws unless every
 * section is the one of the manifest.
 */
export async function readArchive<About>(
  path: string,
  keys: Keys,
  visit: (section: Section) => Promise<void> = () => Promise.resolve(),
): Promise<Manifest<About>> {
  const unpacked = pipeline(unsealed(path, keys), createGunzip(), () => {})
  const reader = byteReader(unpacked)
  const sums: SectionSum[] = []
  try {
    for (;;) {
      const { kind, payload } = await nextFrame(reader)
      if (kind === KINDS.manifest) {
        const manifest = JSON.parse(payload.toString()) as Manifest<About>
        if (JSON.stringify(manifest.sections) !== JSON.stringify(sums) || !(await reader.atEnd())) throw damaged()
        return manifest
      }
      if (kind !== KINDS.section) throw damaged()
      sums.push(await visitSection(reader, payload.toString(), visit))
    }
  } finally {
    unpacked.destroy()
  }
}

async function visitSection(reader: ByteReader, name: string, visit: (section: Section) => Promise<void>): Promise<SectionSum> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* read(): AsyncGenerator<Buffer> {
    for (let next = await nextFrame(reader); next.kind !== KINDS.end; next = await nextFrame(reader)) {
      if (next.kind !== KINDS.piece) throw damaged()
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
