import { describe, expect, it } from 'vitest'
import { replaceParametersInFilter, validateReportParameters, resolveParameterValues } from '../parameters.ts'
import { toPreviousPeriodQuery } from '../previous-period.ts'

const PARAMETERS = validateReportParameters([
  { name: 'from', type: 'day', required: true },
  { name: 'until', type: 'day', required: false, default: '2026-12-31' },
  { name: 'tags', type: 'codes', required: false },
])

describe('resolveParameterValues', () => {
  it('uses the defaults of report parameters and leaves out parameters without a value', () => {
    expect(resolveParameterValues(PARAMETERS, { from: '2026-01-01' })).toEqual({ from: '2026-01-01', until: '2026-12-31' })
  })

  it.each([
    ['a missing value', {}, 'parameters/from'],
    ['a value of another type', { from: 'today' }, 'parameters/from'],
    ['an unknown parameter', { from: '2026-01-01', form: '2026' }, 'parameters/form'],
  ])('rejects %s in a report run, with its path', (_, given, path) => {
    expect(() => resolveParameterValues(PARAMETERS, given)).toThrowError(
      expect.objectContaining({ details: { fields: [expect.objectContaining({ path })] } }),
    )
  })

  it('rejects a report parameter with a default of another type or a repeated name', () => {
    expect(() => validateReportParameters([{ name: 'n', type: 'number', required: false, default: 'many' }])).toThrowError(
      'parameters/0/default',
    )
    expect(() =>
      validateReportParameters([
        { name: 'n', type: 'text', required: false },
        { name: 'n', type: 'text', required: false },
      ]),
    ).toThrowError('declared twice')
  })
})

describe('replaceParametersInFilter', () => {
  const between = { field: 'completedAt', op: 'between', value: [{ param: 'from' }, { param: 'until' }] }
  const tree = {
    all: [between, { field: 'tags', op: 'in', value: { param: 'tags' } }, { field: 'status', op: 'equals', value: 'complete' }],
  }

  it('inserts report parameter values into a filter and leaves out conditions without a value', () => {
    expect(replaceParametersInFilter(tree, { from: '2026-01-01', until: '2026-02-01' })).toEqual({
      all: [
        { field: 'completedAt', op: 'between', value: ['2026-01-01', '2026-02-01'] },
        { field: 'status', op: 'equals', value: 'complete' },
      ],
    })
  })

  it('turns a range filter with one missing end into a comparison', () => {
    expect(replaceParametersInFilter(between, { from: '2026-01-01' })).toEqual({ field: 'completedAt', op: 'gte', value: '2026-01-01' })
    expect(replaceParametersInFilter(between, { until: '2026-02-01' })).toEqual({ field: 'completedAt', op: 'lte', value: '2026-02-01' })
    expect(replaceParametersInFilter(between, {})).toBeNull()
  })

  it('never turns a parameter value into a filter condition', () => {
    const value = { all: [] } as never
    expect(replaceParametersInFilter({ field: 'name', op: 'equals', value: { param: 'x' } }, { x: value })).toEqual({
      field: 'name',
      op: 'equals',
      value,
    })
  })
})

describe('toPreviousPeriodQuery', () => {
  const days = { today: '2026-10-14', start: '2026-12-01', end: '2026-12-03' }
  const status = { field: 'status', op: 'equals', value: 'complete' }
  const shifted = (leaf: { field: string; op: string; value: unknown }) => {
    const { filter } = toPreviousPeriodQuery({ metrics: ['x'], filter: { all: [status, leaf] } }, days)
    return (filter as unknown as { all: { value?: unknown }[] }).all.at(-1)!.value
  }

  it.each([
    ['between', ['2026-10-01', '2026-10-07'], ['2026-09-24', '2026-09-30']],
    ['onDay', '2026-10-14', ['2026-10-13', '2026-10-13']],
    ['gte', { today: -6 }, [{ today: -13 }, '2026-10-07']],
    ['between', [{ start: -30 }, { start: -1 }], [{ start: -60 }, { start: -31 }]],
  ])('moves the report filter %s %j to the previous period of the same length', (op, value, expected) => {
    expect(shifted({ field: 'completedAt', op, value })).toEqual(expected)
  })

  it('uses two conditions on one date field as start and end when it moves a filter to the previous period', () => {
    const all = [
      { field: 'at', op: 'gte', value: '2026-03-01' },
      { field: 'at', op: 'lte', value: '2026-03-31' },
    ]
    expect(toPreviousPeriodQuery({ metrics: ['x'], filter: { all } }, days).filter).toEqual({
      all: [{ field: 'at', op: 'between', value: ['2026-01-29', '2026-02-28'] }],
    })
  })

  it('rejects a comparison with the previous period if the filter has no first day', () => {
    expect(() => toPreviousPeriodQuery({ metrics: ['x'], filter: status }, days)).toThrowError('compareWith')
  })
})
