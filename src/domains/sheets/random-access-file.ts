import { Readable } from 'node:stream'

/** A file that can be read at any position. ZIP archives require this, because their directory is at the end. */
export interface RandomAccessFile {
  size: number
  /** Reads a range of the file; both ends are inclusive. */
  read: (range?: { start: number; end: number }) => Promise<Readable>
}

export const toRandomAccessFile = (content: Buffer): RandomAccessFile => ({
  size: content.length,
  read: (range) => Promise.resolve(Readable.from([range ? content.subarray(range.start, range.end + 1) : content], { objectMode: false })),
})

/** Reads a range of the file into memory. Only for ranges that are known to be small. */
export async function readRange(bytes: RandomAccessFile, start: number, end: number): Promise<Buffer> {
  if (end < start) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await bytes.read({ start, end })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
