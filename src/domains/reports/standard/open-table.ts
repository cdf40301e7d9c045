import type { RawBuilder } from 'kysely'
import { toMinorUnits, toMoney } from '../../../kernel/money.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import { readInBatches } from '../../figures/query/read-in-batches.ts'
import { runDataQuery } from '../../figures/query/run-query.ts'
import { toReportValue } from '../../figures/query/values.ts'
import type { ReportColumn, ReportRow, ReportTable, ReportValue } from '../../figures/report-table.ts'
import type { ReportScope, ReportTableDefinition, ColumnSums, ReportTableSource, ReportTableCheck } from './types.ts'

const mayRead = ({ reader }: QuerySnapshot, { class: of }: ReportColumn): boolean => {
  const needed = ACCESS_CLASS_PERMISSIONS[of].result
  return needed === null || reader.permissions.has(needed)
}

export const toSummableNumber = (value: ReportValue | undefined): number => {
  if (typeof value === 'number') return value
  return typeof value === 'object' && value !== null && 'amount' in value ? toMinorUnits(value.amount, value.currency) : 0
}

/** Opens one table of a standard report. Columns that the caller may not see are left out and listed in `withheld`. */
export async function openStandardTable(
  definition: ReportTableDefinition,
  scope: ReportScope,
  title: string,
): Promise<{ table: ReportTable; withheld: string[] }> {
  const source = await definition.read(scope)
  const all = source.columns ?? definition.columns
  const columns = all.filter((column) => mayRead(scope.snapshot, column))
  const checks = scope.isTestData ? [] : await prepareChecks(definition.checks ?? [], scope)
  const figures = (await definition.figures?.(scope)) ?? {}
  const sums: Record<string, number> = Object.fromEntries((definition.totals ?? []).map((name) => [name, 0]))
  const state = { checks: [] as { name: string; ok: boolean }[] }
  const finish = async () => {
    for (const { name, holds } of checks) state.checks.push({ name, ok: await holds(sums) })
  }
  return {
    withheld: all.filter((column) => !columns.includes(column)).map(({ name }) => name),
    table: {
      title,
      columns,
      rows: readRows(
        source,
        scope,
        { all, columns },
        (row) => {
          for (const { add } of checks) add(row)
          for (const name of Object.keys(sums)) sums[name]! += toSummableNumber(row[name])
        },
        finish,
      ),
      totals: () => ({ ...toTotals(columns, sums, scope.event.currency), ...figures }),
      checks: () => state.checks,
    },
  }
}

async function* readRows(
  { statement, rows = [], hasShownColumns }: ReportTableSource,
  { snapshot, event }: ReportScope,
  { all, columns }: { all: readonly ReportColumn[]; columns: readonly ReportColumn[] },
  count: (row: ReportRow) => void,
  finish: () => Promise<void>,
): AsyncIterable<ReportRow> {
  // Copying an empty row is faster than adding one property after another.
  const empty: ReportRow = Object.fromEntries(columns.map(({ name }) => [name, null]))
  const show = (row: ReportRow): ReportRow => {
    const shown = { ...empty }
    for (const { name } of columns) shown[name] = row[name] ?? null
    return shown
  }
  const toRow = (row: Record<string, unknown>): ReportRow =>
    Object.fromEntries(all.map(({ name, type }) => [name, toReportValue(row[name], type, event.currency)]))
  if (statement)
    for await (const found of readInBatches(snapshot, statement as RawBuilder<Record<string, unknown>>)) {
      const row = toRow(found)
      count(row)
      yield show(row)
    }
  else
    for await (const row of rows) {
      count(row)
      yield hasShownColumns ? row : show(row)
    }
  await finish()
}

const toTotals = (columns: readonly ReportColumn[], sums: ColumnSums, currency: string): ReportRow =>
  Object.fromEntries(
    columns.flatMap(({ name, type }) => {
      const sum = sums[name]
      return sum === undefined ? [] : [[name, type === 'money' ? toMoney(sum, currency) : Math.round(sum * 10_000) / 10_000]]
    }),
  )

interface PreparedCheck {
  name: string
  add: (row: ReportRow) => void
  holds: (sums: ColumnSums) => boolean | Promise<boolean>
}

/** Prepares the checks of a table. The metrics that its sums must equal are read first, in the same database snapshot as its rows. */
async function prepareChecks(checks: readonly ReportTableCheck[], scope: ReportScope): Promise<PreparedCheck[]> {
  const isWhole = Object.keys(scope.values).length === 0
  const wanted = checks.filter((check) => isWhole || 'holds' in check)
  const figures = await readMetrics(scope.snapshot, [...new Set(wanted.flatMap((check) => ('metrics' in check ? check.metrics : [])))])
  return wanted.map((check) => {
    if ('holds' in check) return { name: check.name, add: () => {}, holds: (sums) => check.holds(sums, scope) }
    let sum = 0
    return {
      name: check.name,
      add: (row) => {
        sum += check.of(row)
      },
      // Sums are compared with a tolerance, because booth areas are decimal fractions with rounding errors.
      holds: () => Math.abs(sum - check.metrics.reduce((total, metric) => total + figures.get(metric)!, 0)) < 1e-6,
    }
  })
}

/** Reads the values of metrics over the whole event, money in minor units. */
async function readMetrics(snapshot: QuerySnapshot, codes: readonly string[]): Promise<Map<string, number>> {
  if (codes.length === 0) return new Map()
  const { rows } = await runDataQuery(snapshot, { metrics: codes })
  return new Map(codes.map((code) => [code, toSummableNumber(rows[0]?.[code])]))
}
