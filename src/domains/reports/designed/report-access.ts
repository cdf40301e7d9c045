import { AppError } from '../../../kernel/errors.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import type { QueryEntity } from '../../figures/dictionary/types.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import { parseAggregate, parseGroupByKey } from '../../figures/query/names.ts'
import { StatementPlan } from '../../figures/query/plan.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import { toChartQuery } from '../plots/read-plot.ts'
import { isPersonalColumn } from '../runs/open-report.ts'
import { STANDARD_REPORTS } from '../standard/index.ts'
import { listMetricEntities } from './additive.ts'
import type { DesignedReportRow } from './tables.ts'
import { getStoredQuery } from './widget-query.ts'
import { isQueryOrStandardWidget, type ReportWidget } from './widgets.ts'

/** Whether the caller may read a designed report, and whether it shows personal data. Both follow from its widgets without running them. */
export interface ReportAccess {
  /** Whether a widget shows personal or sensitive fields. */
  isPersonal: boolean
  /** Whether the caller has the permissions for the data of at least one widget. True for a report whose widgets show no data. */
  isReadable: boolean
}

export function determineReportAccess(snapshot: QuerySnapshot, { widgets }: Pick<DesignedReportRow, 'widgets'>): ReportAccess {
  const { permissions } = snapshot.reader
  const shown = widgets.filter(isQueryOrStandardWidget).map((widget) => describeWidget(snapshot, widget))
  return {
    isPersonal: shown.some(({ isPersonal }) => isPersonal),
    isReadable: shown.length === 0 || shown.some(({ areas }) => areas.every((permission) => permissions.has(permission))),
  }
}

interface WidgetAccess {
  /** The permissions to read the entities of the widget. */
  areas: readonly Permission[]
  isPersonal: boolean
}

function describeWidget(snapshot: QuerySnapshot, widget: ReportWidget): WidgetAccess {
  if (widget.type === 'standard') {
    const report = STANDARD_REPORTS.get(widget.standard)
    return { areas: report?.needs ?? [], isPersonal: report?.columns.some(isPersonalColumn) ?? false }
  }
  const query = widget.type === 'chart' ? toChartQuery(widget.query) : getStoredQuery(widget as never)
  const roots = query.entity === undefined ? listMetricEntities(query.metrics ?? []) : [query.entity]
  const needs = roots.flatMap((root) => {
    const entity = snapshot.dictionary.get(root)
    return entity ? listNeeds(snapshot, entity, query) : []
  })
  return {
    areas: needs.flatMap(({ permission, use }) => (use === 'entity' ? [permission] : [])),
    isPersonal: needs.some(({ permission, use }) => use !== 'entity' && permission === ACCESS_CLASS_PERMISSIONS.personal.result),
  }
}

/** Lists the permissions that the columns of a query need. Fields that the event no longer has are ignored. */
function listNeeds({ dictionary, scope }: QuerySnapshot, entity: QueryEntity, { fields = [], groupBy = [], aggregates = [] }: DataQuery) {
  const plan = new StatementPlan(dictionary, scope, entity)
  const paths = [
    ...fields,
    ...groupBy.map((written) => parseGroupByKey(written, 'groupBy').path),
    ...aggregates.flatMap((written) => parseAggregate(written, 'aggregates').path ?? []),
  ]
  for (const path of paths) {
    try {
      plan.field(path, 'fields', 'column')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  return plan.needs
}
