import { damaged } from './damage.ts'

export interface ByteReader {
  /** Exactly so many. */
  take: (count: number) => Promise<Buffer>
  /** Up to the end of the line, without it; null where no line ends within `most` bytes. */
  line: (most: number) => Promise<string | null>
  atEnd: () => Promise<boolean>
}

/** Reads a stream piece by piece, whatever pieces it comes in. */
export function byteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function holds(count: number): Promise<boolean> {
    const parts = [held]
    let size = held.length
    while (size < count) {
      const { done, value } = await chunks.next()
      if (done) break
      parts.push(value)
      size += value.length
    }
    if (parts.length > 1) held = Buffer.concat(parts)
    return size >= count
  }

  async function take(count: number): Promise<Buffer> {
    if (!(await holds(count))) throw damaged()
    const taken = held.subarray(0, count)
    held = held.subarray(count)
    return taken
  }

  return {
    take,
    async line(most) {
      await holds(most)
      const end = held.subarray(0, most).indexOf('\n')
      return end < 0 ? null : (await take(end + 1)).toString('utf8', 0, end)
    },
    atEnd: async () => !(await holds(1)),
  }
}
