import type { XmlCallbacks } from './xml.ts'
import { createXmlParser } from './xml.ts'
import type { ZipArchive } from './zip.ts'

/** Streams the text of one file of a workbook's ZIP archive. */
export async function* readPartText(archive: ZipArchive, part: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of archive.read(part)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

export async function parseXmlPart(archive: ZipArchive, part: string, reader: XmlCallbacks): Promise<void> {
  const scan = createXmlParser(reader)
  for await (const text of readPartText(archive, part)) scan.write(text)
}
