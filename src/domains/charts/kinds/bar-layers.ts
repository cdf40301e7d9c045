import { getSeriesColor } from '../grid.ts'
import type { PreparedChart } from '../prepare.ts'
import { buildVegaNumberAxis } from '../scene.ts'
import { BAR_WIDTH_SHARE, type BarChartLayout } from './bar-layout.ts'

type Json = Record<string, unknown>

type BarParts = BarChartLayout & { hasSeries: boolean }

/** Builds the chart layers of bars: the bars with their axes, and the line at 0. */
export function makeBarLayers(chart: PreparedChart, parts: BarParts): { layers: Json[]; datasets: Record<string, Json[]> } {
  const { palette, say } = chart
  const { grid, bars, axis, measure, isHorizontal, hasSeries } = parts
  const along = isHorizontal ? 'x' : 'y'
  const values = {
    type: 'quantitative',
    scale: { domain: axis.domain, nice: false, zero: false },
    axis: buildVegaNumberAxis(axis.ticks),
  }
  return {
    layers: [
      makeBarLayer(chart, parts, values),
      {
        data: { values: [{ zero: 0 }] },
        mark: { type: 'rule', aria: false, color: palette.axis, strokeWidth: 1 },
        encoding: { [along]: { ...values, field: 'zero' } },
      },
    ],
    datasets: {
      rows: bars.map(({ category, series, from, until, value, label }) => ({
        category,
        series,
        from,
        until,
        color: category === grid.otherCategory && !hasSeries ? palette.others : getSeriesColor(chart, grid, series),
        label: say('chart.item', { label, value: measure.format(value) }),
      })),
    },
  }
}

function makeBarLayer({ palette, kind }: PreparedChart, { grid, isHorizontal, hasSeries }: BarParts, values: Json): Json {
  const [across, along] = isHorizontal ? (['y', 'x'] as const) : (['x', 'y'] as const)
  const isStacked = kind === 'stackedBar'
  const listIndexes = (labels: readonly unknown[]) => labels.map((_, index) => index)
  const offset = { field: 'series', type: 'ordinal', sort: null, scale: { domain: listIndexes(grid.series) } }
  return {
    data: { name: 'rows' },
    mark: {
      type: 'bar',
      orient: isHorizontal ? 'horizontal' : 'vertical',
      // Bars that touch are separated by an outline in the background color.
      ...(hasSeries ? { stroke: palette.background, strokeWidth: 1 } : {}),
      ...(isStacked ? {} : { cornerRadiusEnd: 2 }),
    },
    encoding: {
      [across]: {
        field: 'category',
        type: 'ordinal',
        sort: null,
        scale: { paddingInner: 1 - BAR_WIDTH_SHARE, paddingOuter: (1 - BAR_WIDTH_SHARE) / 2, domain: listIndexes(grid.categories) },
        axis: null,
      },
      [along]: { ...values, field: 'from', stack: null },
      [`${along}2`]: { field: 'until' },
      ...(hasSeries && !isStacked ? { [`${across}Offset`]: offset } : {}),
      color: { field: 'color', type: 'nominal', scale: null },
      description: { field: 'label', type: 'nominal' },
    },
  }
}
