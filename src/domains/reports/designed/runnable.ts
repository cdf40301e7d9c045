import type { EventContext } from '../../../kernel/context.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { OpenedReport, ReportOpenOptions, RunnableReport } from '../runnable.ts'
import { type OpenedWidget, runReportWidgets, type WidgetRenderOptions } from './open-report.ts'
import type { ParameterValues } from './parameters.ts'
import { trackUsedPermissions } from './recorded-permissions.ts'
import { findVisibleDesignedReport } from './reports.ts'
import type { DesignedReportRow } from './tables.ts'

export interface OpenedDesignedReport extends OpenedReport {
  widgets: readonly OpenedWidget[]
  /** The permissions that were used to read the shown widgets, which recipients of the report must have. */
  needs: readonly Permission[]
}

/** Finds a designed report that the caller may see and run. */
export async function findDesignedReport(ctx: EventContext, code: string): Promise<RunnableReport | null> {
  const row = await findVisibleDesignedReport(ctx, code)
  return row && row.status === 'active' ? toRunnableReport(row) : null
}

/**
 * Converts a designed report into a runnable one. It requires no permissions by itself, because readers run it with their own permissions.
 */
export const toRunnableReport = (row: DesignedReportRow): RunnableReport => ({
  code: row.code,
  name: row.name,
  description: row.description ?? '',
  kind: 'designed',
  category: row.category,
  parameters: row.parameters,
  needs: [],
  page: row.page,
  theme: row.theme,
  ...(row.locale === null ? {} : { locale: row.locale }),
  open: (snapshot, values, options) => openDesignedReport(snapshot, row, values, options),
})

/** Opens all widgets of a report in one database snapshot. Without a file store, pictures are replaced by their alternative texts. */
export async function openDesignedReport(
  snapshot: QuerySnapshot,
  { widgets, filter }: Pick<DesignedReportRow, 'widgets' | 'filter'>,
  values: ParameterValues,
  { includeTestData, ...shown }: ReportOpenOptions & Pick<WidgetRenderOptions, 'scale'>,
): Promise<OpenedDesignedReport> {
  const { snapshot: recorded, used } = trackUsedPermissions(snapshot)
  const opened = await runReportWidgets({ snapshot: recorded, values, filter, includeTestData }, widgets, shown)
  return {
    parts: opened.flatMap(({ part, more = [] }) => (part ? [part, ...more.map((table) => ({ kind: 'table' as const, table }))] : [])),
    withheld: [...new Set(opened.flatMap(({ withheld }) => withheld))],
    widgets: opened,
    needs: used(),
  }
}
