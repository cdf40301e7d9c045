import type { Permission } from '../../../kernel/permissions.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportRow, ReportTable } from '../../figures/report-table.ts'
import { toSummableNumber, openStandardTable } from './open-table.ts'
import type {
  ReportScope,
  ReportTableDefinition,
  StandardReportParameter,
  StandardReport,
  StandardReportParameterValues,
  ReportTableCheck,
} from './types.ts'

interface Declaration {
  code: string
  name: string
  description: string
  category: string
  needs: Permission | readonly Permission[]
  parameters?: readonly StandardReportParameter[]
  tables: readonly ReportTableDefinition[]
}

const scopeOf = (snapshot: QuerySnapshot, values: StandardReportParameterValues, isTestData: boolean): ReportScope => ({
  snapshot,
  tenantId: snapshot.scope.tenantId,
  event: { id: snapshot.event.id, timezone: snapshot.event.timezone, currency: snapshot.event.currency },
  values,
  isTestData,
})

/** Declares a standard report. Test data is in separate tables, so that no sum mixes it with real rows. */
export function defineReport({ tables, needs, parameters = [], ...report }: Declaration): StandardReport {
  return {
    ...report,
    kind: 'standard',
    needs: typeof needs === 'string' ? [needs] : needs,
    parameters,
    columns: tables.flatMap(({ columns }) => columns),
    async open(snapshot, values, { includeTestData }) {
      const parts: { kind: 'table'; table: ReportTable }[] = []
      const withheld = new Set<string>()
      for (const isTestData of includeTestData ? [false, true] : [false])
        for (const definition of tables) {
          const title = `${definition.title ?? report.name}${isTestData ? ' (test data)' : ''}`
          const opened = await openStandardTable(definition, scopeOf(snapshot, values, isTestData), title)
          parts.push({ kind: 'table', table: opened.table })
          for (const name of opened.withheld) withheld.add(name)
        }
      return { parts, withheld: [...withheld] }
    },
  }
}

const NOT_BUILT_YET = 'not built yet'

/** Declares a standard report that has columns but no rows, because Lanyard does not store its data yet. */
export const definePlaceholderReport = (declaration: Declaration): StandardReport => ({
  ...defineReport({ ...declaration, tables: declaration.tables.map((table) => ({ ...table, read: () => ({ rows: [] }) })) }),
  note: NOT_BUILT_YET,
})

/** The parameters of standard reports about people. */
export const PERSON_REPORT_PARAMETERS: readonly StandardReportParameter[] = [
  { name: 'from', type: 'day', label: 'From', required: false },
  { name: 'until', type: 'day', label: 'Until', required: false },
  { name: 'flowSlug', type: 'code', label: 'Flow', required: false },
  { name: 'tags', type: 'codes', label: 'Tags', required: false },
]

export const PERIOD_PARAMETERS: readonly StandardReportParameter[] = PERSON_REPORT_PARAMETERS.slice(0, 2)

/** Defines a check that the sum of a report column equals a metric. */
export const defineSumEqualsMetricCheck = (column: string, metric: string): ReportTableCheck => ({
  name: `Σ ${column} = ${metric}`,
  metrics: [metric],
  of: (row) => toSummableNumber(row[column]),
})

/** Defines a check that the number of report rows equals a metric. */
export const defineRowCountCheck = (metric: string): ReportTableCheck => ({ name: `rows = ${metric}`, metrics: [metric], of: () => 1 })

/** Defines a check that the sum of a report column over some of the rows equals a metric. */
export const defineSumOfMatchingRowsCheck = (
  column: string,
  matches: (row: ReportRow) => boolean,
  metric: string,
  label: string,
): ReportTableCheck => ({
  name: `${label} = ${metric}`,
  metrics: [metric],
  of: (row) => (matches(row) ? toSummableNumber(row[column]) : 0),
})
