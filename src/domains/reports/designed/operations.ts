import { z } from 'zod'
import { count, object, oneOf, text } from '../../../kernel/args.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { findFirstFreeRow, GRID_COLUMNS, moveWidgetsDown, MAX_GRID_ROWS } from './grid.ts'
import { checkWidgets, DEFAULT_WIDGET_SIZES, isWidgetType, parseReportWidget, type ReportWidget } from './widgets.ts'

export const WIDGET_OPERATIONS = ['add', 'update', 'remove', 'move'] as const

export const WidgetOperation = object({
  op: oneOf(WIDGET_OPERATIONS),
  widgetId: text(40).optional(),
  widget: z.looseObject({}).optional(),
  x: count(0, GRID_COLUMNS - 1).optional(),
  y: count(0, MAX_GRID_ROWS).optional(),
  w: count(1, GRID_COLUMNS).optional(),
  h: count(1, 60).optional(),
  after: text(40).optional(),
})
export type WidgetOperationInput = z.output<typeof WidgetOperation>

type Draft = Record<string, unknown> & { id: string; x: number; y: number; w: number; h: number }

interface Applied {
  widgets: ReportWidget[]
  /** The ids of the widgets that the operations added or changed. */
  touched: string[]
}

/** Applies operations on widgets in order, all or none. Overlaps are checked at the end, so that two widgets can swap positions. */
export function applyWidgetOperations(widgets: readonly ReportWidget[], operations: readonly WidgetOperationInput[]): Applied {
  let drafts = widgets as readonly ReportWidget[] as unknown as Draft[]
  const changedBy = new Map<string, number>()
  for (const [at, operation] of operations.entries()) {
    const errors = findOperationErrors(operation, at, drafts)
    if (errors.length > 0) throw invalidArguments(errors)
    const next = applyOperation(drafts, operation, at)
    drafts = next.drafts
    changedBy.set(next.id, at)
    const changed = drafts.find(({ id }) => id === next.id)
    if (changed) assertReadable(changed, at)
  }
  const read = drafts.map((draft) => parseReportWidget(draft, '', [])!)
  const findPath = ({ id }: ReportWidget) => (changedBy.has(id) ? `operations/${changedBy.get(id)}` : null)
  const remaining = new Set(read.map(({ id }) => id))
  return { widgets: checkWidgets(read, findPath), touched: [...changedBy.keys()].filter((id) => remaining.has(id)) }
}

/**
 * Builds the widgets of a new report, or the widgets that replace all others: given ids are kept, other widgets get numbered ids, and
 * missing positions are filled in order.
 */
export function placeWidgets(given: readonly Readonly<Record<string, unknown>>[]): ReportWidget[] {
  const errors: FieldError[] = []
  let drafts: Draft[] = []
  const taken = given.flatMap((one) => (typeof one['id'] === 'string' ? [one['id']] : []))
  const read = given.map((one, at) => {
    const id = typeof one['id'] === 'string' ? one['id'] : newWidgetId(taken)
    if (one['id'] === undefined) taken.push(id)
    const draft = toDraft({ ...one, id }, {}, drafts)
    drafts = [...drafts, draft]
    return parseReportWidget(draft, `widgets/${at}`, errors)
  })
  if (errors.length > 0) throw invalidArguments(errors)
  return checkWidgets(read as ReportWidget[], (widget) => `widgets/${read.indexOf(widget)}`)
}

function assertReadable(draft: Draft, at: number): void {
  const errors: FieldError[] = []
  parseReportWidget(draft, `operations/${at}/widget`, errors)
  if (errors.length > 0) throw invalidArguments(errors.map(({ path, message }) => ({ path, message: `widget ${draft.id}: ${message}` })))
}

const NEEDED: Record<WidgetOperationInput['op'], readonly ('widgetId' | 'widget')[]> = {
  add: ['widget'],
  update: ['widgetId'],
  remove: ['widgetId'],
  move: ['widgetId'],
}

function findOperationErrors(operation: WidgetOperationInput, at: number, drafts: readonly Draft[]): FieldError[] {
  const path = `operations/${at}`
  const ids = drafts.map(({ id }) => id)
  const errors: FieldError[] = []
  for (const key of NEEDED[operation.op])
    if (operation[key] === undefined) errors.push({ path: `${path}/${key}`, message: `${operation.op} needs ${key}` })
  for (const key of ['widgetId', 'after'] as const) {
    const named = operation[key]
    if (named !== undefined && operation.op !== 'add' && !ids.includes(named))
      errors.push(createUnknownNameFieldError(`${path}/${key}`, named, ids, 'widget'))
  }
  if (operation.op === 'add' && operation.after !== undefined && !ids.includes(operation.after))
    errors.push(createUnknownNameFieldError(`${path}/after`, operation.after, ids, 'widget'))
  if (operation.op === 'move' && (['x', 'y', 'w', 'h', 'after'] as const).every((key) => operation[key] === undefined))
    errors.push({ path, message: 'move needs x, y, w, h or after' })
  if (operation.after !== undefined && operation.after === operation.widgetId)
    errors.push({ path: `${path}/after`, message: 'a widget cannot stand after itself' })
  return errors
}

function applyOperation(drafts: readonly Draft[], operation: WidgetOperationInput, at: number): { drafts: Draft[]; id: string } {
  const { op, widgetId, widget = {}, after } = operation
  if (op === 'add') {
    const given = widgetId ?? widget['id']
    const id = typeof given === 'string' ? given : newWidgetId(drafts.map((one) => one.id))
    if (drafts.some((one) => one.id === id))
      throw invalidArguments([{ path: `operations/${at}/widget/id`, message: `widget ${id} exists already; use update` }])
    const draft = toDraft({ ...widget, id }, operation, drafts)
    return { id, drafts: after === undefined ? [...drafts, draft] : placeAfter(drafts, draft, after) }
  }
  const id = widgetId!
  const others = drafts.filter((one) => one.id !== id)
  if (op === 'remove') return { id, drafts: others }
  const before = drafts.find((one) => one.id === id)!
  const changed = { ...mergeProperties(before, op === 'update' ? widget : {}), ...pickPlace(operation), id } as Draft
  if (after !== undefined) return { id, drafts: placeAfter(others, changed, after) }
  return { id, drafts: drafts.map((one) => (one.id === id ? changed : one)) }
}

const pickPlace = (given: Partial<WidgetOperationInput>): Record<string, number> =>
  Object.fromEntries((['x', 'y', 'w', 'h'] as const).flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])))

/** Creates a new widget with the given position, otherwise with the default size of its type in the first free row. */
function toDraft(
  widget: Readonly<Record<string, unknown>> & { id: string },
  given: Partial<WidgetOperationInput>,
  drafts: readonly Draft[],
): Draft {
  const size = isWidgetType(widget['type']) ? DEFAULT_WIDGET_SIZES[widget['type']] : { w: GRID_COLUMNS, h: 1 }
  const placed = { x: 0, ...size, ...widget, ...pickPlace(given) } as Draft
  return placed.y === undefined ? { ...placed, y: findFirstFreeRow(drafts.filter(isPlaced), placed.h) } : placed
}

/** Whether position and size of a widget are whole numbers. The caller reports widgets for which they are not. */
const isPlaced = ({ x, y, w, h }: Draft) => [x, y, w, h].every(Number.isInteger)

/** Places a widget below another one, and moves the widgets at and below the new position down to make room. */
function placeAfter(drafts: readonly Draft[], draft: Draft, after: string): Draft[] {
  const above = drafts.find(({ id }) => id === after)!
  let row = above.y + above.h
  for (const one of drafts.toSorted((a, b) => a.y - b.y))
    if (one.y < row && one.y + one.h > row && one.x < draft.x + draft.w && draft.x < one.x + one.w) row = one.y + one.h
  return [...moveWidgetsDown(drafts, row, draft.h), { ...draft, y: row }]
}

/**
 * Merges properties into a stored widget: given properties replace the stored ones, and null removes a property. The keys of a query are
 * merged one by one.
 */
function mergeProperties(before: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...before }
  for (const [key, value] of Object.entries(given)) {
    if (value === null) delete merged[key]
    else if (isPlainObject(value) && isPlainObject(before[key]) && (key === 'query' || key === 'parameters'))
      merged[key] = mergeProperties(before[key], value)
    else merged[key] = value
  }
  return merged
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function newWidgetId(taken: readonly string[]): string {
  const numbers = taken.map((id) => Number(/^w([1-9]\d{0,5})$/.exec(id)?.[1] ?? 0))
  return `w${Math.max(0, ...numbers) + 1}`
}
