import { z } from 'zod'
import { code, count, id, list, name, object, oneOf, text } from '../../../kernel/args.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { COLUMN_FORMATS } from '../../figures/report-table.ts'
import { findOverlappingWidgets, GRID_COLUMNS, sortWidgetsInReadingOrder, MAX_GRID_ROWS } from './grid.ts'
import { ChartWidgetQuery, WidgetQuery } from './query-input.ts'

/** Declares the widgets of a designed report: flat objects on a grid of 12 columns. */

export const WIDGET_TYPES = ['table', 'pivot', 'chart', 'figure', 'text', 'standard', 'image', 'divider', 'pageBreak'] as const
export type ReportWidgetType = (typeof WIDGET_TYPES)[number]

export const MAX_WIDGETS = 40
export const MAX_WIDGETS_WITH_QUERY = 20

const names = (max: number) => list(text(200), max)

const place = {
  id: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'an id such as w1: a letter, then letters, digits, - and _'),
  title: name(160).optional(),
  x: count(0, GRID_COLUMNS - 1),
  y: count(0, MAX_GRID_ROWS),
  w: count(1, GRID_COLUMNS),
  h: count(1, 60),
}

const Column = object({
  name: text(200),
  label: name(120).optional(),
  format: oneOf(COLUMN_FORMATS).optional(),
  width: count(1, 100).optional(),
  align: oneOf(['left', 'right', 'center']).optional(),
})

const SHAPES = {
  table: object({
    ...place,
    type: z.literal('table'),
    query: WidgetQuery.optional(),
    metrics: names(8).optional(),
    columns: list(Column, 40).optional(),
    totals: names(12).optional(),
    maxRows: count(1, 1_000_000).optional(),
  }),
  pivot: object({
    ...place,
    type: z.literal('pivot'),
    query: WidgetQuery,
    rows: names(2).min(1, 'at least one group key'),
    columns: names(2).min(1, 'at least one group key'),
    values: names(6).min(1, 'at least one value'),
  }),
  chart: object({ ...place, type: z.literal('chart'), query: ChartWidgetQuery }),
  figure: object({
    ...place,
    type: z.literal('figure'),
    query: WidgetQuery.optional(),
    metrics: names(1).optional(),
    compareWith: text(130).optional(),
  }),
  text: object({
    ...place,
    type: z.literal('text'),
    markdown: z.string().min(1, 'must not be empty').max(10_000, 'at most 10,000 characters'),
  }),
  standard: object({
    ...place,
    type: z.literal('standard'),
    standard: code(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
  image: object({ ...place, type: z.literal('image'), fileId: id(), alt: name(300) }),
  divider: object({ ...place, type: z.literal('divider') }),
  pageBreak: object({ ...place, type: z.literal('pageBreak') }),
} as const satisfies Record<ReportWidgetType, z.ZodObject>

type WidgetOf<T extends ReportWidgetType> = z.output<(typeof SHAPES)[T]>
export type ReportWidget = { [T in ReportWidgetType]: WidgetOf<T> }[ReportWidgetType]
export type TableWidget = WidgetOf<'table'>
export type PivotWidget = WidgetOf<'pivot'>
export type ChartWidget = WidgetOf<'chart'>
export type KeyFigureWidget = WidgetOf<'figure'>

/** Lists the properties that callers can set for each widget type, except position and size. */
export const listWidgetTypes = (): { type: ReportWidgetType; properties: string[] }[] =>
  WIDGET_TYPES.map((type) => ({ type, properties: Object.keys(SHAPES[type].shape).filter((key) => key !== 'type' && !(key in place)) }))

/** The default size of a widget, by type. */
export const DEFAULT_WIDGET_SIZES: Record<ReportWidgetType, { w: number; h: number }> = {
  table: { w: 12, h: 6 },
  pivot: { w: 12, h: 6 },
  chart: { w: 12, h: 6 },
  figure: { w: 3, h: 2 },
  text: { w: 12, h: 2 },
  standard: { w: 12, h: 8 },
  image: { w: 4, h: 4 },
  divider: { w: 12, h: 1 },
  pageBreak: { w: 12, h: 1 },
}

export const isWidgetType = (type: unknown): type is ReportWidgetType => (WIDGET_TYPES as readonly unknown[]).includes(type)

/** Whether the widget runs a query. Standard reports count as queries. */
export const isQueryOrStandardWidget = (widget: ReportWidget): boolean => isQueryWidget(widget) || widget.type === 'standard'

export type QueryWidget = TableWidget | PivotWidget | ChartWidget | KeyFigureWidget

export const isQueryWidget = (widget: ReportWidget): widget is QueryWidget =>
  widget.type === 'table' || widget.type === 'pivot' || widget.type === 'chart' || widget.type === 'figure'

/** Validates the properties of one widget. Errors are added with their path. */
export function parseReportWidget(given: Readonly<Record<string, unknown>>, path: string, errors: FieldError[]): ReportWidget | null {
  const { type } = given
  if (!isWidgetType(type)) {
    errors.push(createUnknownNameFieldError(`${path}/type`, String(type ?? ''), WIDGET_TYPES, 'widget type'))
    return null
  }
  const read = SHAPES[type].safeParse(given)
  if (!read.success) {
    errors.push(...read.error.issues.flatMap((issue) => toFieldErrors(issue, path, type)))
    return null
  }
  const widget = read.data as ReportWidget
  const failed = findWidgetErrors(widget).map(({ path: at, message }) => ({ path: `${path}/${at}`, message }))
  errors.push(...failed)
  return failed.length === 0 ? widget : null
}

function toFieldErrors(issue: z.core.$ZodIssue, path: string, type: ReportWidgetType): FieldError[] {
  const at = [path, ...issue.path.map(String)].join('/')
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }]
  const known = issue.path.length === 0 ? Object.keys(SHAPES[type].shape) : []
  return issue.keys.map((key) =>
    known.length > 0
      ? createUnknownNameFieldError(`${at}/${key}`, key, known, `property of a ${type} widget`)
      : { path: `${at}/${key}`, message: 'is not a known property' },
  )
}

/** Checks rules that concern several properties of one widget. */
function findWidgetErrors(widget: ReportWidget): FieldError[] {
  const errors: FieldError[] = []
  if (widget.x + widget.w > GRID_COLUMNS)
    errors.push({ path: 'w', message: `x + w is ${widget.x + widget.w}: the grid has ${GRID_COLUMNS} columns` })
  if ((widget.type === 'table' || widget.type === 'figure') && (widget.query === undefined) === (widget.metrics === undefined))
    errors.push({ path: 'query', message: 'pass either query or metrics' })
  if (widget.type === 'figure' && widget.query) errors.push(...findFigureErrors(widget.query))
  if (widget.type === 'pivot') errors.push(...findPivotErrors(widget))
  return errors
}

function findFigureErrors(query: z.output<typeof WidgetQuery>): FieldError[] {
  const values = (query.metrics ?? []).length + (query.aggregates ?? []).length
  const errors: FieldError[] = []
  if (values !== 1 && !(query.calculate?.length === 1))
    errors.push({ path: 'query', message: 'a figure shows one metric or one aggregate' })
  for (const key of ['fields', 'groupBy', 'fill', 'orderBy', 'limit', 'includeTestData'] as const)
    if (query[key]) errors.push({ path: `query/${key}`, message: 'a figure has one value; use a table' })
  return errors
}

/** Rejects conditions on groups in a pivot table, because its totals are computed by separate queries. */
function findPivotErrors({ query, rows, columns }: PivotWidget): FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['fields', 'having', 'limit', 'fill', 'includeTestData'] as const)
    if (query[key] !== undefined && query[key] !== false) errors.push({ path: `query/${key}`, message: 'is not possible in a pivot' })
  const keys = query.groupBy?.length ?? 0
  if (keys < 2 || keys > 3) errors.push({ path: 'query/groupBy', message: 'a pivot groups by 2 or 3 keys' })
  else if (rows.length + columns.length !== keys)
    errors.push({ path: 'rows', message: `rows and columns name each of the ${keys} group keys once` })
  return errors
}

/**
 * Validates widgets together: unique ids, no overlap, and the limits. Returns them in reading order. `findPath` names the argument that a
 * widget comes from; null for a stored widget.
 */
export function checkWidgets(widgets: readonly ReportWidget[], findPath: (widget: ReportWidget) => string | null): ReportWidget[] {
  const errors: FieldError[] = []
  if (widgets.length > MAX_WIDGETS) errors.push({ path: 'widgets', message: `at most ${MAX_WIDGETS} widgets; these are ${widgets.length}` })
  const queries = widgets.filter(isQueryOrStandardWidget).length
  if (queries > MAX_WIDGETS_WITH_QUERY)
    errors.push({ path: 'widgets', message: `at most ${MAX_WIDGETS_WITH_QUERY} widgets with queries; these are ${queries}` })
  const seen = new Set<string>()
  for (const widget of widgets) {
    if (seen.has(widget.id)) errors.push({ path: `${findPath(widget) ?? 'widgets'}/id`, message: `${widget.id} is used twice` })
    seen.add(widget.id)
  }
  const covered = findOverlappingWidgets(widgets)
  if (covered) {
    const [first, second] = covered
    errors.push({ path: findPath(second) ?? findPath(first) ?? 'widgets', message: `widget ${second.id} overlaps widget ${first.id}` })
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return sortWidgetsInReadingOrder(widgets)
}
