import { colorOf } from '../grid.ts'
import type { Prepared } from '../prepare.ts'
import { numberAxis } from '../scene.ts'
import { BAND_SHARE, type BarsInPlot } from './bar-layout.ts'

type Json = Record<string, unknown>

/** The layers of bars: the bars with their axes, and the line at 0. */
export function makeBarLayers(
  chart: Prepared,
  { grid, bars, axis, measure, isHorizontal, hasSeries }: BarsInPlot & { hasSeries: boolean },
): { layers: Json[]; datasets: Record<string, Json[]> } {
  const { palette, say, kind } = chart
  const [across, along] = isHorizontal ? (['y', 'x'] as const) : (['x', 'y'] as const)
  const isStacked = kind === 'stackedBar'
  const values = {
    type: 'quantitative',
    scale: { domain: axis.domain, nice: false, zero: false },
    axis: numberAxis(axis.ticks),
  }
  const categories = {
    field: 'category',
    type: 'ordinal',
    sort: null,
    scale: { paddingInner: 1 - BAND_SHARE, paddingOuter: (1 - BAND_SHARE) / 2, domain: grid.categories.map((_, index) => index) },
    axis: null,
  }
  return {
    layers: [
      {
        data: { name: 'rows' },
        mark: {
          type: 'bar',
          orient: isHorizontal ? 'horizontal' : 'vertical',
          // The outline in the colour of the background is the gap between bars that touch.
          ...(hasSeries ? { stroke: palette.background, strokeWidth: 1 } : {}),
          ...(isStacked ? {} : { cornerRadiusEnd: 2 }),
        },
        encoding: {
          [across]: categories,
          [along]: { ...values, field: 'from', stack: null },
          [`${along}2`]: { field: 'until' },
          ...(hasSeries && !isStacked
            ? {
                [`${across}Offset`]: {
                  field: 'series',
                  type: 'ordinal',
                  sort: null,
                  scale: { domain: grid.series.map((_, index) => index) },
                },
              }
            : {}),
          color: { field: 'color', type: 'nominal', scale: null },
          description: { field: 'label', type: 'nominal' },
        },
      },
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
        color: category === grid.otherCategory && !hasSeries ? palette.others : colorOf(chart, grid, series),
        label: say('chart.item', { label, value: measure.format(value) }),
      })),
    },
  }
}
