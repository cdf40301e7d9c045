import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { type ChartFrame, makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { toChartTable, readGroupedChartData } from '../grid.ts'
import { type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { chooseKeyColumn, chooseMeasureColumn, chooseTitle, type PreparedChart } from '../prepare.ts'
import { makeScene, type PlacedText } from '../scene.ts'
import { createPercentFormatter } from '../shares.ts'
import { measureText, truncateText } from '../../fonts/text-width.ts'
import { chooseTextColor } from '../theme.ts'
import { requireNonNegativeValues } from './donut.ts'

const MAX_STEPS = 30
/** Maximum share of the chart's width that the percentages beside a funnel may take up. */
const MAX_NOTE_SHARE = 0.36

const joinTexts = (texts: readonly (string | null)[], separator: string) => texts.filter((text) => text !== null).join(separator)

interface Step {
  label: string
  value: number
  /** The percentage of the previous step; null for the first step, or if the previous step is 0. */
  ofPrevious: string | null
  ofFirst: string | null
}

/** Draws a funnel: for each step, how many of those who reached the first step also reached it. */
export function drawFunnel(chart: PreparedChart): DrawnChart {
  const { say, palette } = chart
  const key = chooseKeyColumn(chart)
  const measure = chooseMeasureColumn(chart, key)
  const grid = readGroupedChartData(chart, { key, measure })
  if (grid.cells.length > MAX_STEPS)
    throw createUnsuitableDataError(`funnel draws at most ${MAX_STEPS} steps, and there are ${grid.cells.length}`)
  requireNonNegativeValues(
    chart,
    measure,
    grid.cells.map(({ value }) => value),
  )
  const steps = readSteps(
    chart,
    grid.cells.map(({ category, value }) => ({ label: grid.categories[category]!, value })),
  )
  const title = chooseTitle(chart, measure.column.label, key.label)
  const frame = makeFrame(chart, { title, subtitle: measure.label })
  const layout = layOutSteps(chart, frame, steps)
  const { plot, largest, notes } = layout
  return {
    scene: makeScene(chart, frame, plot, {
      layers: [makeStepLayer(palette.series[0]!, steps)],
      datasets: {
        rows: steps.map(({ label, value }, index) => ({
          index,
          from: -value / largest / 2,
          until: value / largest / 2,
          label: [say('chart.item', { label, value: measure.format(value) }), notes[index]].filter(Boolean).join(', '),
        })),
      },
      labels: labelSteps(chart, measure, layout),
    }),
    title,
    altText: describeChart({ ...chart, additive: false }, { title, measure, values: steps }),
    shown: steps.length,
    merged: 0,
    table: toChartTable(chart, { key, measure }, grid),
    sums: [],
  }
}

interface FunnelLayout {
  steps: readonly Step[]
  /** The percentages of each step as full text, and in the shorter form that is printed if space is limited. */
  notes: readonly string[]
  shownNotes: readonly string[]
  nameWidth: number
  noteWidth: number
  plot: PlotArea
  textSize: number
  largest: number
}

/** Lays out the steps of a funnel: names on the left, bars in the middle, percentages on the right. */
function layOutSteps(chart: PreparedChart, frame: ChartFrame, steps: readonly Step[]): FunnelLayout {
  const { width } = chart
  const { textSize } = frame
  const notes = steps.map(noteOf(chart))
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => measureText(text, textSize)))
  const nameWidth = Math.min(width * 0.25, widest(steps.map(({ label }) => label)))
  // In a narrow chart only the percentages are printed; the accessible labels of the bars contain the full text.
  const shownNotes =
    widest(notes) <= width * MAX_NOTE_SHARE ? notes : steps.map(({ ofPrevious, ofFirst }) => joinTexts([ofPrevious, ofFirst], ' · '))
  const noteWidth = Math.min(width * MAX_NOTE_SHARE, widest(shownNotes))
  const plot = computePlotArea(frame, { left: nameWidth + textSize, right: noteWidth + textSize })
  const largest = Math.max(1e-9, ...steps.map(({ value }) => value))
  return { steps, notes, shownNotes, nameWidth, noteWidth, plot, textSize, largest }
}

const makeStepLayer = (color: string, steps: readonly Step[]) => ({
  data: { name: 'rows' },
  mark: { type: 'bar', color, orient: 'horizontal', cornerRadius: 2, height: { band: 1 } },
  encoding: {
    x: { field: 'from', type: 'quantitative', scale: { domain: [-0.5, 0.5], nice: false, zero: false }, axis: null, stack: null },
    x2: { field: 'until' },
    y: {
      field: 'index',
      type: 'ordinal',
      axis: null,
      scale: { domain: steps.map((_, index) => index), paddingInner: 0.16, paddingOuter: 0.08 },
    },
    description: { field: 'label', type: 'nominal' },
  },
})

function labelSteps(
  { palette }: PreparedChart,
  measure: ChartMeasure,
  { steps, shownNotes, nameWidth, noteWidth, plot, textSize, largest }: FunnelLayout,
): PlacedText[] {
  const step = plot.height / Math.max(1, steps.length)
  return steps.flatMap((one, index): PlacedText[] => {
    const y = plot.y + (index + 0.5) * step
    const text = measure.formatShort(one.value)
    const barWidth = (one.value / largest) * plot.width
    const fits = measureText(text, textSize, 'semiBold') + 8 <= barWidth && step * 0.8 >= textSize
    const middle = plot.x + plot.width / 2
    return [
      { text: truncateText(one.label, nameWidth, textSize), x: plot.x - textSize, y, color: palette.text, align: 'right' },
      { text: truncateText(shownNotes[index]!, noteWidth, textSize), x: plot.x + plot.width + textSize, y, color: palette.muted },
      {
        text,
        x: fits ? middle : middle + barWidth / 2 + 6,
        y,
        color: fits ? chooseTextColor(palette.series[0]!) : palette.text,
        align: fits ? 'center' : 'left',
        weight: 600,
      },
    ]
  })
}

const noteOf =
  ({ say }: PreparedChart) =>
  ({ ofPrevious, ofFirst }: Step): string =>
    [
      ...(ofPrevious === null ? [] : [say('chart.step', { percent: ofPrevious })]),
      ...(ofFirst === null ? [] : [say('chart.overall', { percent: ofFirst })]),
    ].join(', ')

function readSteps({ locale }: PreparedChart, values: readonly { label: string; value: number }[]): Step[] {
  const format = createPercentFormatter(locale)
  const share = (value: number, of: number) => (of === 0 ? null : format((value / of) * 100))
  return values.map(({ label, value }, index) => ({
    label,
    value,
    ofPrevious: index === 0 ? null : share(value, values[index - 1]!.value),
    ofFirst: index === 0 ? null : share(value, values[0]!.value),
  }))
}
