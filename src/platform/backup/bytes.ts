import { createDamagedBackupError } from './damage.ts'

export interface ByteReader {
  /** Returns exactly `count` bytes. */
  take: (count: number) => Promise<Buffer>
  /** Returns the text up to the next line break, without it; null if there is no line break within `most` bytes. */
  line: (most: number) => Promise<string | null>
  atEnd: () => Promise<boolean>
}

/** Reads exact byte counts from a stream, regardless of its chunk sizes. */
export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)

  async function fillBuffer(count: number): Promise<boolean> {
    const parts = [buffered]
    let size = buffered.length
    while (size < count) {
      const { done, value } = await chunks.next()
      if (done) break
      parts.push(value)
      size += value.length
    }
    if (parts.length > 1) buffered = Buffer.concat(parts)
    return size >= count
  }

  async function take(count: number): Promise<Buffer> {
    if (!(await fillBuffer(count))) throw createDamagedBackupError()
    const taken = buffered.subarray(0, count)
    buffered = buffered.subarray(count)
    return taken
  }

  return {
    take,
    async line(most) {
      await fillBuffer(most)
      const end = buffered.subarray(0, most).indexOf('\n')
      return end < 0 ? null : (await take(end + 1)).toString('utf8', 0, end)
    },
    atEnd: async () => !(await fillBuffer(1)),
  }
}
