import { Readable } from 'node:stream'

/** A file that can be read from anywhere: a workbook's table of contents is at its end. */
export interface Bytes {
  size: number
  /** Both ends of a range are part of it. */
  read: (range?: { start: number; end: number }) => Promise<Readable>
}

export const bytesOf = (content: Buffer): Bytes => ({
  size: content.length,
  read: (range) => Promise.resolve(Readable.from([range ? content.subarray(range.start, range.end + 1) : content], { objectMode: false })),
})

/** A part that is known to be small. */
export async function readPart(bytes: Bytes, start: number, end: number): Promise<Buffer> {
  if (end < start) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await bytes.read({ start, end })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
