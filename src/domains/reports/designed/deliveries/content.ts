import { hashCanonicalJson } from '../../../../kernel/canonical.ts'
import { toChartQuery } from '../../plots/read-plot.ts'
import { CHART_ARGUMENT_NAMES } from '../query-input.ts'
import type { DesignedReportRow } from '../tables.ts'
import { isQueryOrStandardWidget, type ReportWidget } from '../widgets.ts'

/** Query arguments that decide how rows are sorted, limited and displayed, but not which data is shown. */
const PRESENTATION: readonly string[] = [...CHART_ARGUMENT_NAMES, 'orderBy', 'limit', 'fill']

/** Returns the parts of a widget that decide which data it shows: fields, filter and parameters, but not position, title and labels. */
function contentOf(widget: ReportWidget): unknown {
  const { metrics, standard, parameters, columns, rows, values, compareWith } = widget as ReportWidget &
    Record<string, unknown> & { columns?: readonly unknown[] }
  // `toChartQuery` adds the numeric field of a histogram, which is stored with the chart settings but decides which data is shown.
  const query = widget.type === 'chart' ? toChartQuery(widget.query) : 'query' in widget ? widget.query : undefined
  return {
    query: query && Object.fromEntries(Object.entries(query).filter(([key]) => !PRESENTATION.includes(key))),
    metrics,
    standard,
    parameters,
    columns: columns?.map((one) => (typeof one === 'string' ? one : (one as { name: string }).name)),
    rows,
    values,
    compareWith,
  }
}

/** Hashes the content of a report. If the hash changes, a delivery must be confirmed again. */
export function hashReportContent({ widgets, filter, parameters }: Pick<DesignedReportRow, 'widgets' | 'filter' | 'parameters'>): string {
  const shown = widgets.filter(isQueryOrStandardWidget).map((widget) => hashCanonicalJson(contentOf(widget)).toString('base64url'))
  const declared = parameters.map(({ name, type, required, default: initial }) => ({ name, type, required, initial }))
  return hashCanonicalJson({ shown: shown.toSorted(), filter, declared }).toString('base64url')
}
