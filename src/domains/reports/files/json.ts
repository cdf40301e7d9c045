import type { ReportTable } from '../../figures/report-table.ts'
import type { ReportFileHeader } from './facts.ts'

const CHUNK_CHARACTERS = 64 * 1024

/** Writes the header, the alternative texts of pictures and all tables as one JSON document, row by row. */
export async function* writeJson(
  facts: ReportFileHeader,
  tables: readonly ReportTable[],
  pictures: readonly string[] = [],
): AsyncGenerator<Buffer> {
  const head = JSON.stringify({
    report: facts.report.code,
    name: facts.report.name,
    event: facts.event.code,
    asOf: facts.asOf.toISOString(),
    parameters: Object.fromEntries(facts.parameters.map(({ label, value }) => [label, value])),
    requestedBy: facts.requestedBy,
    containsPersonal: facts.containsPersonal,
    ...(pictures.length === 0 ? {} : { pictures }),
  })
  let chunk = `${head.slice(0, -1)},"tables":[`
  for (const [index, table] of tables.entries()) {
    chunk += `${index === 0 ? '' : ','}${JSON.stringify({ title: table.title, columns: table.columns }).slice(0, -1)},"rows":[`
    let isFirst = true
    for await (const row of table.rows) {
      chunk += `${isFirst ? '\n' : ',\n'}${JSON.stringify(row)}`
      isFirst = false
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield Buffer.from(chunk)
      chunk = ''
    }
    chunk += `],"totals":${JSON.stringify(table.totals())},"checks":${JSON.stringify(table.checks())}}`
  }
  yield Buffer.from(`${chunk}]}\n`)
}

/** Writes the rows of a table as JSON lines. */
export async function* writeJsonLines({ rows }: Pick<ReportTable, 'rows'>): AsyncGenerator<Buffer> {
  let chunk = ''
  for await (const row of rows) {
    chunk += `${JSON.stringify(row)}\n`
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (chunk !== '') yield Buffer.from(chunk)
}
