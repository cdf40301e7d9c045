import { Readable } from 'node:stream'
import type { ReportTable } from '../../figures/report-table.ts'
import { writeCsv } from './csv.ts'
import { type ReportFileHeader, type FileFormat, buildReportFileName, getReportFileTranslator } from './facts.ts'
import { writeHtml } from './html.ts'
import { writeJson } from './json.ts'
import { listPictureAltTexts, listReportTables, type ReportPart } from './parts.ts'
import { writePdf } from './pdf.ts'
import { writeWorkbook } from './xlsx.ts'
import { createZipArchive } from './zip.ts'

export interface RenderedFile {
  name: string
  content: Readable
}

/** Writes a report as a file. The content is generated while it is read, except for PDF files. */
export async function renderReportFile(format: FileFormat, facts: ReportFileHeader, parts: readonly ReportPart[]): Promise<RenderedFile> {
  const named = (extension: string, content: Readable) => ({ name: buildReportFileName(facts, extension), content })
  switch (format) {
    case 'json':
      return named('json', toReadable(writeJson(facts, listReportTables(parts), listPictureAltTexts(parts))))
    case 'csv': {
      const tables = listReportTables(parts)
      return tables.length === 1
        ? named('csv', toReadable(writeReportCsv(facts, tables[0]!)))
        : named('zip', await writeCsvArchive(facts, tables))
    }
    case 'xlsx':
      return named('xlsx', await writeWorkbook(facts, listReportTables(parts), { pictures: listPictureAltTexts(parts) }))
    case 'pdf':
      return named('pdf', Readable.from([await writePdf(facts, parts)], { objectMode: false }))
    case 'html':
      return named('html', toReadable(writeHtml(facts, parts)))
  }
}

const toReadable = (content: AsyncIterable<Buffer>) => Readable.from(content, { objectMode: false })

/** Writes a table as CSV whose headers are the column labels in the language of the file. */
function writeReportCsv(facts: ReportFileHeader, table: ReportTable): AsyncGenerator<Buffer> {
  const { say } = getReportFileTranslator(facts)
  return writeCsv(table, { header: ({ label }) => label, currency: ({ label }) => say('reportFile.currency', { column: label }) })
}

/** Writes several tables as a zip archive with one CSV file each and a manifest. */
async function writeCsvArchive(facts: ReportFileHeader, tables: readonly ReportTable[]): Promise<Readable> {
  const archive = await createZipArchive(facts.asOf)
  const write = async () => {
    const files: { path: string; table: string; totals: object; checks: object }[] = []
    for (const [index, table] of tables.entries()) {
      const path = `${String(index + 1).padStart(2, '0')}-${toPathName(table.title)}.csv`
      await archive.add(path, writeReportCsv(facts, table))
      files.push({ path, table: table.title, totals: table.totals(), checks: table.checks() })
    }
    const { report, event, asOf, parameters, requestedBy, containsPersonal } = facts
    const manifest = { report, event: { code: event.code, name: event.name }, asOf, parameters, requestedBy, containsPersonal, files }
    await archive.add('manifest.json', toChunks(`${JSON.stringify(manifest, null, 2)}\n`))
    archive.close()
  }
  write().catch((error: Error) => archive.output.destroy(error))
  return archive.output
}

async function* toChunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** Converts a title into a path segment of an archive. */
const toPathName = (title: string) =>
  title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60) || 'table'
