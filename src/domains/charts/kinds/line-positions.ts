import type { ChartColumn } from '../chart.ts'
import type { ChartFrame, PlotArea } from '../frame.ts'
import type { GroupedChartData } from '../grid.ts'
import { isNumericChartColumn, createUnsuitableDataError } from '../measures.ts'
import {
  chooseTimeTicks,
  formatTimeAxisMoment,
  findCommonPeriod,
  listPeriodStarts,
  MAX_TIME_AXIS_PERIODS,
  type TimeAxisMoment,
  parseTimeAxisMoment,
  getPeriodPrecision,
  chooseFittingTicks,
  type Tick,
} from '../periods.ts'
import type { PreparedChart } from '../prepare.ts'
import { measureText } from '../../fonts/text-width.ts'

export type TickFitCheck = (ticks: readonly Tick[]) => boolean

/** The values of a line chart's group key in their order, each with its position on the x axis. */
export interface XAxisPositions {
  /** The values of the chart by category in the order of the x axis. Periods without a row have a category too. */
  grid: GroupedChartData
  positions: readonly number[]
  ticksFor: (fits: TickFitCheck) => readonly Tick[]
}

const ORDERED_TYPES = new Set(['day', 'instant', 'enum'])

export function placeGroupKeysOnAxis(chart: PreparedChart, key: ChartColumn, grid: GroupedChartData): XAxisPositions {
  const moments = grid.keys.map((value) => (typeof value === 'string' ? parseTimeAxisMoment(value) : null))
  const known = moments.filter((moment) => moment !== null)
  const hasOnlyDates = known.length > 0 && grid.keys.every((value, index) => value === null || moments[index] !== null)
  // A chart without rows gets an empty time axis, because the type of its key is unknown.
  if (grid.keys.length === 0 || (hasOnlyDates && !isNumericChartColumn(key))) return placeMoments(chart, grid, moments)
  if (!isNumericChartColumn(key) && !ORDERED_TYPES.has(key.type))
    throw createUnsuitableDataError(`${chart.kind} needs a date or an ordered key; ${key.name} is neither. Use bar`)
  return placeInOrder(grid, isNumericChartColumn(key))
}

/** Places dates on a time axis. Rows without a date are left out. */
function placeMoments(chart: PreparedChart, grid: GroupedChartData, moments: readonly (TimeAxisMoment | null)[]): XAxisPositions {
  const { locale } = chart
  const known = moments.filter((moment) => moment !== null)
  const period = chart.period ?? findCommonPeriod(known)
  const all = period === null ? known.toSorted((a, b) => a.at - b.at) : listPeriodStarts(known, period)
  if (all === null)
    throw createUnsuitableDataError(
      `${chart.kind} has more than ${MAX_TIME_AXIS_PERIODS.toLocaleString('en')} periods of one ${period}: group by a larger bucket, such as ${period === 'hour' ? 'day' : 'month'}, or filter by a shorter time`,
    )
  const indexOf = new Map(all.map(({ at }, index) => [at, index]))
  const cells = grid.cells.flatMap((cell) => {
    const moment = moments[cell.category]
    return moment ? [{ ...cell, category: indexOf.get(moment.at)! }] : []
  })
  return {
    grid: {
      ...grid,
      categories: all.map((moment) => formatTimeAxisMoment(locale, moment, getPeriodPrecision(period), true)),
      keys: all.map((moment) => grid.keys[moments.findIndex((one) => one?.at === moment.at)] ?? null),
      cells,
    },
    positions: all.map(({ at }) => at),
    ticksFor: (fits) => chooseTimeTicks(all, { period, locale, fits }),
  }
}

/** Places the values of a group key in order: numbers ascending, unless the rows are descending; others in the order of the rows. */
function placeInOrder(grid: GroupedChartData, isNumber: boolean): XAxisPositions {
  const order = grid.keys.map((_, index) => index)
  const numbers = grid.keys.filter((key) => typeof key === 'number')
  const goesDown = numbers.every((number, index) => index === 0 || number < numbers[index - 1]!)
  if (isNumber && !goesDown) order.sort((a, b) => toNumber(grid.keys[a]) - toNumber(grid.keys[b]))
  const rank = order.map((_, index) => order.indexOf(index))
  const categories = order.map((index) => grid.categories[index]!)
  return {
    grid: {
      ...grid,
      categories,
      keys: order.map((index) => grid.keys[index]!),
      cells: grid.cells.map((cell) => ({ ...cell, category: rank[cell.category]! })),
    },
    positions: order.map((_, index) => index),
    ticksFor: (fits) =>
      chooseFittingTicks(categories, (taken) => taken.map((label) => ({ value: categories.indexOf(label), label })), fits),
  }
}

const toNumber = (key: unknown) => (typeof key === 'number' ? key : Infinity)

const TICK_GAP = 1.2

/** Returns a function that checks whether tick labels fit next to each other and into the chart. */
export function createTickFitCheck({
  plot,
  frame,
  domain: [from, until],
}: {
  plot: PlotArea
  frame: ChartFrame
  domain: readonly [number, number]
}): TickFitCheck {
  return (ticks) => {
    let end = -Infinity
    return ticks.every(({ value, label }) => {
      const half = measureText(label, frame.textSize) / 2
      const x = plot.x + ((value - from) / (until - from)) * plot.width
      if (x - half < end || x + half > frame.width - 2 || x - half < 2) return false
      end = x + half + frame.textSize * TICK_GAP
      return true
    })
  }
}
