import { Readable } from 'node:stream'
import type { ZipFile } from 'yazl'

/** Creates a zip archive that is written entry by entry. An entry is complete when its promise resolves; `output` ends after `close`. */
export async function createZipArchive(modifiedAt: Date) {
  const { ZipFile } = await import('yazl')
  const zip: ZipFile = new ZipFile()
  const output = zip.outputStream as Readable
  /** Aborts the entry that is being written, when the reader of the archive disconnects. */
  let abandon: ((error: Error) => void) | null = null
  output.once('close', () => abandon?.(new Error('The archive was closed before its last entry')))
  return {
    output,
    /** Adds an entry from a stream. Large entries use Zip64. Entries are written one after the other. */
    add: (path: string, content: AsyncIterable<Buffer>, { compress = true }: { compress?: boolean } = {}): Promise<void> =>
      new Promise((resolve, reject) => {
        const source = Readable.from(content, { objectMode: false })
        abandon = reject
        source.once('end', resolve).once('error', (error: Error) => {
          output.destroy(error)
          reject(error)
        })
        zip.addReadStream(source, path, { mtime: modifiedAt, compress })
      }),
    close: () => zip.end(),
  }
}
