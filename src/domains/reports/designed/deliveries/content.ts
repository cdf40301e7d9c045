import { hashCanonicalJson } from '../../../../kernel/canonical.ts'
import { DRAWING_KEYS } from '../query-input.ts'
import type { ReportRow } from '../tables.ts'
import { hasQuery, type Widget } from '../widgets.ts'

/** Keys of a query that decide in which order and how many rows are shown, and how they are drawn, but not which data is. */
const PRESENTATION: readonly string[] = [...DRAWING_KEYS, 'orderBy', 'limit', 'fill']

/** What a widget shows: its fields, filter and parameters. Place, title, kind of chart and labels are left out. */
function contentOf(widget: Widget): unknown {
  const { query, metrics, standard, parameters, columns, rows, values, compareWith } = widget as Widget &
    Record<string, unknown> & { query?: object; columns?: readonly unknown[] }
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

/** A hash of what a report shows. If it changes, a delivery must be confirmed again. */
export function hashContent({ widgets, filter, parameters }: Pick<ReportRow, 'widgets' | 'filter' | 'parameters'>): string {
  const shown = widgets.filter(hasQuery).map((widget) => hashCanonicalJson(contentOf(widget)).toString('base64url'))
  const declared = parameters.map(({ name, type, required, default: initial }) => ({ name, type, required, initial }))
  return hashCanonicalJson({ shown: shown.toSorted(), filter, declared }).toString('base64url')
}
