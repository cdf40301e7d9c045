import { CLASS_NEEDS } from '../../figures/dictionary/classes.ts'
import type { QueryTree } from '../../figures/query/data-query.ts'
import { streamQuery } from '../../figures/query/run-query.ts'
import type { ReportColumn, ReportRow } from '../../figures/report-table.ts'
import type { ReportScope, TableSource } from './types.ts'

interface TableQuery {
  entity: string
  /** The path of each column in the dictionary. */
  paths: Readonly<Record<string, string>>
  filter?: readonly QueryTree[]
  orderBy: readonly string[]
}

/** The columns whose class the caller may see. */
export const readableColumns = ({ snapshot }: ReportScope, columns: readonly ReportColumn[]): ReportColumn[] =>
  columns.filter(({ class: of }) => {
    const needed = CLASS_NEEDS[of].result
    return needed === null || snapshot.reader.permissions.has(needed)
  })

/** The rows of an entity of the dictionary as a table of a report. Entities without test data have none in its table. */
export async function queryTable(
  scope: ReportScope,
  columns: readonly ReportColumn[],
  { entity, paths, filter = [], orderBy }: TableQuery,
): Promise<TableSource> {
  const { snapshot, isTestData } = scope
  const hasTestData = !snapshot.dictionary.get(entity)?.noTestData
  if (isTestData && !hasTestData) return { rows: [] }
  const shown = readableColumns(scope, columns)
  const conditions: QueryTree[] = [...filter, ...(isTestData ? [{ field: 'isTestData', op: 'equals', value: true }] : [])]
  const { rows } = await streamQuery(snapshot, {
    entity,
    fields: shown.map(({ name }) => paths[name]!),
    orderBy,
    includeTestData: isTestData,
    ...(conditions.length > 0 ? { filter: { all: conditions } } : {}),
  })
  return { rows: rename(rows, shown, paths) }
}

async function* rename(
  rows: AsyncIterable<ReportRow>,
  columns: readonly ReportColumn[],
  paths: TableQuery['paths'],
): AsyncIterable<ReportRow> {
  for await (const row of rows) yield Object.fromEntries(columns.map(({ name }) => [name, row[paths[name]!] ?? null]))
}
