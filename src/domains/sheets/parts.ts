import type { XmlReader } from './xml.ts'
import { scanXml } from './xml.ts'
import type { Archive } from './zip.ts'

/** Streams the text of one file of a workbook's ZIP archive. */
export async function* readPartText(archive: Archive, part: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of archive.read(part)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

export async function readXml(archive: Archive, part: string, reader: XmlReader): Promise<void> {
  const scan = scanXml(reader)
  for await (const text of readPartText(archive, part)) scan.write(text)
}
