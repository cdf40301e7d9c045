import { Readable } from 'node:stream'
import type { ZipFile } from 'yazl'

/** Opens a zip archive that is written entry by entry; `output` ends after `close`. An entry is complete when its promise resolves. */
export async function createArchive(modifiedAt: Date) {
  const { ZipFile } = await import('yazl')
  const zip: ZipFile = new ZipFile()
  const output = zip.outputStream as Readable
  return {
    output,
    /** Adds an entry from a stream. Large entries use Zip64. */
    add: (path: string, content: AsyncIterable<Buffer>, { compress = true }: { compress?: boolean } = {}): Promise<void> =>
      new Promise((resolve, reject) => {
        const source = Readable.from(content, { objectMode: false })
        const fail = (error: Error) => {
          output.destroy(error)
          reject(error)
        }
        source.once('end', resolve).once('error', fail)
        output.once('close', () => reject(new Error('The archive was closed before its last entry')))
        zip.addReadStream(source, path, { mtime: modifiedAt, compress })
      }),
    close: () => zip.end(),
  }
}
