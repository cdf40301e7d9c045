import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { streamAllQueryRows } from '../../figures/query/stream-fields.ts'
import type { ReportColumn, ReportRow } from '../../figures/report-table.ts'
import type { ReportScope, ReportTableSource } from './types.ts'

interface TableQuery {
  entity: string
  /** The data dictionary path of each report column, by column name. */
  paths: Readonly<Record<string, string>>
  filter?: readonly ConditionTree[]
  orderBy: readonly string[]
}

/** Returns the columns that the caller has permission to read. */
export const listReadableColumns = ({ snapshot }: ReportScope, columns: readonly ReportColumn[]): ReportColumn[] =>
  columns.filter(({ class: of }) => {
    const needed = ACCESS_CLASS_PERMISSIONS[of].result
    return needed === null || snapshot.reader.permissions.has(needed)
  })

/** Reads the rows of an entity as a report table. In a report on test data, the table is empty if the entity has no test data. */
export function readEntityTable(
  scope: ReportScope,
  columns: readonly ReportColumn[],
  { entity, paths, filter = [], orderBy }: TableQuery,
): ReportTableSource {
  const { snapshot, isTestData } = scope
  const hasTestData = !snapshot.dictionary.get(entity)?.noTestData
  if (isTestData && !hasTestData) return { rows: [] }
  const shown = listReadableColumns(scope, columns)
  const conditions: ConditionTree[] = [...filter, ...(isTestData ? [{ field: 'isTestData', op: 'equals', value: true }] : [])]
  const { rows } = streamAllQueryRows(snapshot, {
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
