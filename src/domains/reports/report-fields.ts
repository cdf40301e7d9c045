import { createHash } from 'node:crypto'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { paginateList } from '../../kernel/page.ts'
import type { Permission } from '../../kernel/permissions.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../figures/dictionary/classes.ts'
import type { FieldType } from '../figures/dictionary/types.ts'
import { getReadableEntity } from '../figures/describe/describe-data.ts'
import { listReadableMetrics } from '../figures/describe/describe-metrics.ts'
import { listReportFields, type ReportField } from '../figures/describe/report-fields.ts'
import { listBaseMetrics } from '../figures/query/metric-statements.ts'
import { parseGroupByKey } from '../figures/query/names.ts'
import { runInSnapshot, type QuerySnapshot } from '../figures/query/snapshot.ts'
import type { COLUMN_FORMATS, ReportColumn } from '../figures/report-table.ts'
import { listWidgetTypes, type ReportWidgetType } from './designed/widgets.ts'
import { getVisibleDesignedReport } from './designed/reports.ts'
import type { DesignedReportRow } from './designed/tables.ts'
import { toChartQuery } from './plots/read-plot.ts'
import { STANDARD_REPORTS } from './standard/index.ts'
import type { StandardReport } from './standard/types.ts'

type Format = (typeof COLUMN_FORMATS)[number]

interface Request {
  report?: string | undefined
  entity?: string | undefined
  widgetType?: ReportWidgetType | undefined
  limit: number
  cursor?: string | undefined
}

interface Described {
  fields: ReportField[]
  parameters: Record<string, unknown>[]
  standardColumns?: string[]
  metrics: string[]
}

/** Lists what a designed report may contain: the fields of an entity or the columns of another report, and the types of widgets. */
export async function getReportFields(ctx: EventContext, request: Request) {
  const { report, entity, widgetType } = request
  if (report !== undefined && entity !== undefined)
    throw invalidArguments(['report', 'entity'].map((path) => ({ path, message: 'pass either report or entity' })))
  const standard = STANDARD_REPORTS.get(report?.toLowerCase() ?? '')
  const designed = report === undefined || standard ? null : await getVisibleDesignedReport(ctx, report)
  const found = await runInSnapshot(ctx, 'get_report_fields', async (snapshot): Promise<Described> => {
    if (standard) return describeStandard(snapshot, standard)
    return designed ? describeDesigned(snapshot, designed) : describeEntityFields(snapshot, entity)
  })
  const { items, ...page } = paginateList(ctx, request, {
    rows: found.fields,
    shape: (field) => ({ ...field, format: formatsOf(field.type) }),
    pin: createHash('sha256')
      .update(JSON.stringify([report, entity, found.fields.length]))
      .digest('base64url')
      .slice(0, 16),
    moved: 'is of another list; leave it out to start from page one',
  })
  return {
    ...found,
    fields: items,
    widgetTypes: listWidgetTypes().filter(({ type }) => widgetType === undefined || type === widgetType),
    ...page,
  }
}

/** Describes the fields and metrics of an entity; if no entity is named, only the metrics of all entities. */
function describeEntityFields(snapshot: QuerySnapshot, name: string | undefined) {
  const entity = name === undefined ? null : getReadableEntity(snapshot, name)
  const metrics = listReadableMetrics(snapshot).filter(
    (metric) => entity === null || listBaseMetrics(metric).some((base) => base.entity === entity.name),
  )
  return { fields: entity ? listReportFields(snapshot, entity) : [], parameters: [], metrics: metrics.map(({ code }) => code) }
}

function describeStandard(snapshot: QuerySnapshot, { columns, parameters, needs }: StandardReport) {
  const needed = needs.find((permission) => !snapshot.reader.permissions.has(permission)) ?? null
  return {
    fields: columns.map((column) => toReportField(snapshot, column, needed)),
    parameters: parameters.map((parameter) => ({ ...parameter })),
    standardColumns: columns.map(({ name }) => name),
    metrics: [],
  }
}

/** Describes the fields and metrics that the widgets of a designed report show or group by. */
function describeDesigned(snapshot: QuerySnapshot, { widgets, parameters }: DesignedReportRow) {
  const queries = widgets.flatMap((widget) =>
    'query' in widget && widget.query ? [widget.type === 'chart' ? toChartQuery(widget.query) : widget.query] : [],
  )
  const fields = queries.flatMap(({ entity, fields: listed = [], groupBy = [] }) => {
    const root = entity === undefined ? undefined : snapshot.dictionary.get(entity)
    const paths = new Set([...listed, ...groupBy.map((key) => parseGroupByKey(key, 'groupBy').path)])
    return root ? listReportFields(snapshot, root).filter(({ path }) => paths.has(path)) : []
  })
  const ofWidgets = widgets.flatMap((widget) => ('metrics' in widget ? (widget.metrics ?? []) : []))
  return {
    fields: [...new Map(fields.map((field) => [field.path, field])).values()],
    parameters: parameters.map((parameter) => ({ ...parameter })),
    metrics: [...new Set([...ofWidgets, ...queries.flatMap(({ metrics = [] }) => metrics)])],
  }
}

function toReportField({ reader }: QuerySnapshot, { name, label, type, class: of }: ReportColumn, needed: Permission | null): ReportField {
  const missing =
    [needed, ACCESS_CLASS_PERMISSIONS[of].result].find((permission) => permission !== null && !reader.permissions.has(permission)) ?? null
  return {
    name,
    label,
    path: name,
    type,
    class: of,
    allowed: missing === null,
    ...(missing === null ? {} : { needs: missing }),
    aggregates: [],
  }
}

/** Lists the column formats that fit the type of a field. */
function formatsOf(type: FieldType): Format[] {
  if (type === 'day' || type === 'instant') return ['plain', 'short', 'long']
  if (type === 'percent') return ['plain', 'percent']
  if (type === 'integer' || type === 'decimal' || type === 'money') return ['plain', 'grouped', 'percent']
  return ['plain']
}
