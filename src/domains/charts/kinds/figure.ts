import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { makeFrame, computePlotArea } from '../frame.ts'
import { isNumericChartColumn, type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { chooseMeasureColumn, chooseTitle, getColumn, type PreparedChart } from '../prepare.ts'
import { makeScene } from '../scene.ts'
import { createPercentFormatter } from '../shares.ts'
import { measureText, wrapText } from '../../fonts/text-width.ts'

/** Draws one value in large digits, and its difference to a comparison value. */
export function drawKeyFigure(chart: PreparedChart): DrawnChart {
  const { palette, say, rows } = chart
  if (rows.length > 1) throw createUnsuitableDataError(`figure shows 1 value, and there are ${rows.length} rows`)
  const measure = chooseMeasureColumn(chart)
  const value = rows[0] ? measure.read(rows[0]) : null
  const title = chooseTitle(chart, measure.column.label)
  const frame = makeFrame(chart, { title, subtitle: title === measure.label ? '' : measure.label })
  const { textSize } = frame
  const plot = computePlotArea(frame, {})
  const text = value === null ? say('chart.noData') : measure.format(value)
  const note = value === null ? null : compare(chart, measure, value)
  const lines = note === null ? [] : wrapText(note, { width: plot.width, size: textSize * 1.2, lines: 2 })
  const room = plot.height - lines.length * textSize * 1.8
  const size = Math.min(room * 0.6, chart.height * 0.32, (100 * plot.width) / measureText(text, 100, 'semiBold'))
  const center = { x: plot.x + plot.width / 2, align: 'center' as const }
  const y = plot.y + room / 2
  return {
    scene: makeScene(chart, frame, plot, {
      layers: [
        {
          data: { name: 'rows' },
          mark: {
            type: 'text',
            fontSize: size,
            fontWeight: 600,
            align: 'center',
            baseline: 'middle',
            color: palette.series[0],
            x: plot.width / 2,
            y: room / 2,
          },
          encoding: { text: { field: 'text' }, description: { field: 'label', type: 'nominal' } },
        },
      ],
      datasets: { rows: [{ text, label: say('chart.item', { label: measure.column.label, value: text }) }] },
      labels: lines.map((line, index) => ({
        ...center,
        text: line,
        y: y + size * 0.6 + textSize * (1.2 + index * 1.7),
        color: palette.text,
        size: textSize * 1.2,
      })),
    }),
    title,
    altText: [
      describeChart({ ...chart, additive: false }, { title, measure, values: value === null ? [] : [{ label: text, value }] }),
      ...(note === null ? [] : [`${note}.`]),
    ].join(' '),
    shown: value === null ? 0 : 1,
    merged: 0,
    table: { columns: chart.columns, rows },
    sums: [],
  }
}

/** Formats the difference, such as "+182 (+16.5 %) compared with last week"; null if there is no comparison value. */
function compare(chart: PreparedChart, measure: ChartMeasure, value: number): string | null {
  const { say, locale } = chart
  const other = readComparison(chart, measure)
  if (!other) return null
  const change = measure.sum([value, -other.value])
  const sign = change > 0 ? '+' : ''
  const difference = `${sign}${measure.format(change)}`
  if (other.value === 0) return say('chart.comparedOnly', { difference, label: other.label })
  return say('chart.compared', {
    difference,
    percent: `${sign}${createPercentFormatter(locale)((change / Math.abs(other.value)) * 100)}`,
    label: other.label,
  })
}

/** Returns the comparison value of the request; without one, the value of the column `series`, by default of the second numeric column. */
function readComparison(chart: PreparedChart, measure: ChartMeasure): { label: string; value: number } | null {
  const { comparison, series, rows } = chart
  if (comparison) {
    const value = measure.read({ [measure.column.name]: comparison.value })
    return value === null ? null : { label: comparison.label, value }
  }
  const column =
    series === undefined
      ? chart.columns.find((one) => isNumericChartColumn(one) && one.name !== measure.column.name)
      : getColumn(chart, series)
  const value = column && rows[0] ? measure.read({ [measure.column.name]: rows[0][column.name] ?? null }) : null
  return column && value !== null ? { label: column.label, value } : null
}
