import { runInSnapshot } from '../../src/domains/figures/query/snapshot.ts'
import type { ReportRow } from '../../src/domains/figures/report-table.ts'
import { STANDARD_REPORTS } from '../../src/domains/reports/standard/index.ts'
import type { StandardReportParameterValues } from '../../src/domains/reports/standard/types.ts'
import { permissionsOf, type Role } from '../../src/kernel/permissions.ts'
import { openEventLedger } from './event-ledger.ts'
import type { EventHandle, World } from './world.ts'

interface RunTable {
  title: string
  columns: string[]
  rows: ReportRow[]
  totals: ReportRow
  checks: readonly { name: string; ok: boolean }[]
}

export interface ReportRequest {
  values?: StandardReportParameterValues
  role?: Role
  includeTestData?: boolean
  timezone?: string
}

/** Runs a standard report as an organizer with this role and returns its tables. */
export async function runStandardReport(
  world: World,
  at: EventHandle,
  code: string,
  { values = {}, role = 'admin', includeTestData = false, timezone = 'Europe/Paris' }: ReportRequest = {},
): Promise<{ tables: RunTable[]; withheld: string[] }> {
  const report = STANDARD_REPORTS.get(code)
  if (!report) throw new Error(`There is no report ${code}`)
  return openEventLedger(world, at, { timezone }).within((ctx) =>
    runInSnapshot(
      { ...ctx, client: { ...ctx.client, roles: [role] }, permissions: permissionsOf([role]) },
      'run_report',
      async (snapshot) => {
        const { parts, withheld } = await report.open(snapshot, values, { includeTestData })
        const tables: RunTable[] = []
        for (const { table } of parts) {
          const rows: ReportRow[] = []
          for await (const row of table.rows) rows.push(row)
          tables.push({
            title: table.title,
            columns: table.columns.map(({ name }) => name),
            rows,
            totals: table.totals(),
            checks: table.checks(),
          })
        }
        return { tables, withheld }
      },
    ),
  )
}

/** Converts the amounts of a report row to texts and keeps other values. */
export const plainRow = (row: ReportRow) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'amount' in value ? value.amount : value,
    ]),
  )
