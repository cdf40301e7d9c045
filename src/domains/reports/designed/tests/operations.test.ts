import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../kernel/errors.ts'
import { applyWidgetOperations, type WidgetOperationInput, placeWidgets } from '../operations.ts'
import type { ReportWidget } from '../widgets.ts'

const figure = (more: object = {}) => ({ type: 'figure', metrics: ['registrations.complete'], ...more })
const table = (more: object = {}) => ({ type: 'table', query: { entity: 'participant', fields: ['status'] }, ...more })

const places = (widgets: readonly ReportWidget[]) => widgets.map(({ id, x, y, w, h }) => [id, x, y, w, h].join(' '))
const refusal = (run: () => unknown): AppError => {
  try {
    run()
  } catch (error) {
    return error as AppError
  }
  throw new Error('accepted')
}
const paths = (run: () => unknown) => refusal(run).details.fields?.map(({ path }) => path)

describe('placeWidgets', () => {
  it('numbers new widgets and places each in the first free row', () => {
    expect(places(placeWidgets([figure(), table(), figure({ x: 3, y: 0 })]))).toEqual(['w1 0 0 3 2', 'w3 3 0 3 2', 'w2 0 2 12 6'])
  })

  it('reports every invalid widget property with its path', () => {
    expect(paths(() => placeWidgets([figure({ colour: 'red' }), table({ w: 13 }), { type: 'map' }]))).toEqual([
      'widgets/0/colour',
      'widgets/1/w',
      'widgets/2/type',
    ])
  })

  it.each([
    ['overlapping widgets', [figure({ x: 0, y: 0 }), figure({ x: 2, y: 1 })], 'widget w2 overlaps widget w1'],
    ['a widget beyond the last column', [figure({ x: 10, w: 3 })], 'the grid has 12 columns'],
    ['a repeated id', [figure({ id: 'a' }), figure({ id: 'a' })], 'a is used twice'],
    [
      'a figure with groups',
      [{ type: 'figure', query: { entity: 'participant', groupBy: ['status'], aggregates: ['count'] } }],
      'one value',
    ],
    ['a table without a query', [{ type: 'table' }], 'pass either query or metrics'],
    ['41 widgets', Array.from({ length: 41 }, () => ({ type: 'divider' })), 'at most 40 widgets; these are 41'],
    ['21 queries', Array.from({ length: 21 }, () => figure()), 'at most 20 widgets with queries; these are 21'],
    [
      'a pivot that does not use all its group keys',
      [
        {
          type: 'pivot',
          query: { entity: 'participant', groupBy: ['status', 'flowSlug', 'language'], aggregates: ['count'] },
          rows: ['status'],
          columns: ['flowSlug'],
          values: ['count'],
        },
      ],
      'name each of the 3 group keys once',
    ],
  ])('rejects a report with %s', (_, widgets, message) => {
    expect(refusal(() => placeWidgets(widgets)).message).toContain(message)
  })

  it('accepts a report of 40 widgets with 20 queries', () => {
    const widgets = Array.from({ length: 40 }, (_, at) => (at % 2 ? { type: 'divider' } : figure()))
    expect(placeWidgets(widgets)).toHaveLength(40)
  })
})

describe('applyWidgetOperations', () => {
  const before = placeWidgets([figure({ title: 'Complete' }), table()])
  const apply = (...operations: WidgetOperationInput[]) => applyWidgetOperations(before, operations)

  it('adds a report widget without a position in the first free row', () => {
    expect(places(apply({ op: 'add', widget: figure() }).widgets)).toEqual(['w1 0 0 3 2', 'w2 0 2 12 6', 'w3 0 8 3 2'])
  })

  it('adds a report widget below another one and moves the following widgets down', () => {
    expect(places(apply({ op: 'add', widget: figure(), after: 'w1' }).widgets)).toEqual(['w1 0 0 3 2', 'w3 0 2 3 2', 'w2 0 4 12 6'])
  })

  it('changes only the given properties of a widget, and clears those that are null', () => {
    const { widgets, touched } = apply({ op: 'update', widgetId: 'w1', widget: { title: null, compareWith: 'previousPeriod' }, x: 4 })
    expect(widgets[0]).toEqual({
      id: 'w1',
      x: 4,
      y: 0,
      w: 3,
      h: 2,
      type: 'figure',
      metrics: ['registrations.complete'],
      compareWith: 'previousPeriod',
    })
    expect(touched).toEqual(['w1'])
  })

  it('changes single keys of the query of a report widget', () => {
    const { widgets } = apply({ op: 'update', widgetId: 'w2', widget: { query: { orderBy: ['status'] } } })
    expect(widgets[1]).toMatchObject({ query: { entity: 'participant', fields: ['status'], orderBy: ['status'] } })
  })

  it('swaps the positions of two widgets', () => {
    expect(places(apply({ op: 'move', widgetId: 'w1', y: 6 }, { op: 'move', widgetId: 'w2', y: 0 }).widgets)).toEqual([
      'w2 0 0 12 6',
      'w1 0 6 3 2',
    ])
  })

  it('removes a widget from a report', () => {
    expect(places(apply({ op: 'remove', widgetId: 'w1' }).widgets)).toEqual(['w2 0 2 12 6'])
  })

  it.each([
    ['an unknown widget', { op: 'remove', widgetId: 'w9' }, 'operations/0/widgetId'],
    ['an add without a widget', { op: 'add' }, 'operations/0/widget'],
    ['a move without a position', { op: 'move', widgetId: 'w1' }, 'operations/0'],
    ['an overlap of widgets', { op: 'move', widgetId: 'w1', y: 2 }, 'operations/0'],
    ['an invalid property', { op: 'update', widgetId: 'w1', widget: { metrics: [], query: 3 } }, 'operations/0/widget/query'],
    ['an unknown widget in the property after', { op: 'add', widget: figure(), after: 'w7' }, 'operations/0/after'],
    ['an id that exists', { op: 'add', widget: figure({ id: 'w1' }) }, 'operations/0/widget/id'],
  ] as const)('rejects %s in an operation on widgets, with its path', (_, operation, path) => {
    expect(paths(() => apply(operation as WidgetOperationInput))).toContain(path)
  })
})
