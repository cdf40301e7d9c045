import type { Selectable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import type { ReportPageSetup } from './arguments.ts'
import type { ReportParameter } from './parameters.ts'
import type { ReportWidget } from './widgets.ts'

export type DesignedReportRow = Selectable<Tables['reports']>
export type ReportDeliveryRow = Selectable<Tables['report_deliveries']>

declare module '../../../kernel/columns.ts' {
  interface ColumnTypes {
    'reports.parameters': ReportParameter[]
    'reports.filter': ConditionTree
    'reports.widgets': ReportWidget[]
    'reports.page': ReportPageSetup
  }
}
