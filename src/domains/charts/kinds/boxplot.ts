import { placeRowLabels } from '../axis-labels.ts'
import { describeChart } from '../alt-text.ts'
import type { ChartColumn } from '../chart.ts'
import type { DrawnChart } from '../drawn.ts'
import { type ChartFrame, makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { isNumericChartColumn, type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { computeNumberAxis, findMinAndMax, type NumberAxis } from '../number-axis.ts'
import { chooseMeasureColumn, chooseTitle, formatGroupKey, getColumn, type PreparedChart } from '../prepare.ts'
import { makeScene, buildVegaNumberAxis, type PlacedText } from '../scene.ts'
import { type BoxStatistics, computeBoxStatistics } from '../statistics.ts'
import { measureText } from '../../fonts/text-width.ts'
import { MAX_BARS } from './bars.ts'

interface LabelledBox extends BoxStatistics {
  label: string
}

/** The boxes of a boxplot and their positions. */
interface BoxLayout {
  boxes: readonly LabelledBox[]
  field: ChartMeasure
  axis: NumberAxis
  plot: PlotArea
  textSize: number
  labelWidth: number
  /** The vertical distance between two boxes, and the height of a box. */
  step: number
  thickness: number
}

/** Draws a boxplot: the median, quartiles, whiskers and outliers of values, with one box for each group of values. */
export function drawBoxplot(chart: PreparedChart): DrawnChart {
  const field = chooseMeasureColumn(chart)
  const key =
    chart.x === undefined ? chart.columns.find((one) => one.type !== 'id' && !isNumericChartColumn(one)) : getColumn(chart, chart.x)
  const boxes = readBoxes(chart, field, key)
  const title = chooseTitle(chart, field.column.label, key?.label)
  const frame = makeFrame(chart, { title, subtitle: field.label })
  const layout = layOutBoxes(chart, frame, { boxes, field })
  return {
    scene: makeScene(chart, frame, layout.plot, {
      layers: makeBoxLayers(chart, layout),
      datasets: {
        rows: boxes.map((box, index) => ({
          index,
          low: box.low,
          lower: box.lower,
          median: box.median,
          upper: box.upper,
          high: box.high,
          label: describeBox(chart, field, box),
        })),
        outliers: boxes.flatMap(({ label, outliers }, index) =>
          outliers.map((value) => ({ index, value, label: chart.say('chart.outlier', { label, value: field.format(value) }) })),
        ),
      },
      labels: labelBoxes(chart, layout),
    }),
    title,
    altText: [
      describeChart(
        { ...chart, additive: false },
        { title, measure: field, values: boxes.map(({ label, median }) => ({ label, value: roundFor(field, median) })) },
      ),
      ...boxes.slice(0, MAX_DESCRIBED).map((box) => `${describeBox(chart, field, box)}.`),
    ].join(' '),
    shown: boxes.length,
    merged: 0,
    table: toTable(field, key, boxes),
    sums: [],
  }
}

function layOutBoxes(chart: PreparedChart, frame: ChartFrame, { boxes, field }: Pick<BoxLayout, 'boxes' | 'field'>): BoxLayout {
  const { textSize } = frame
  const ends = boxes.flatMap(({ low, high, outliers }) => [low, high, ...outliers])
  if (chart.yScale === 'log' && ends.length > 0 && findMinAndMax(ends)[0] <= 0)
    throw createUnsuitableDataError(`log needs values > 0; min is ${field.formatPlain(findMinAndMax(ends)[0])}`)
  const labelWidth = Math.min(chart.width * 0.32, Math.max(0, ...boxes.map(({ label }) => measureText(label, textSize))))
  const axis = computeNumberAxis(ends, field, {
    type: chart.yScale ?? 'linear',
    fromZero: ends.length === 0 || findMinAndMax(ends)[0] >= 0,
    count: Math.max(2, (chart.width - labelWidth) / 110),
  })
  const plot = computePlotArea(frame, {
    left: labelWidth + textSize * 0.8,
    right: Math.max(0, measureText(axis.ticks.at(-1)!.label, textSize) / 2 - frame.margin),
    bottom: textSize * 1.7,
  })
  const step = plot.height / Math.max(1, boxes.length)
  return { boxes, field, axis, plot, textSize, labelWidth, step, thickness: Math.min(step * 0.56, textSize * 4) }
}

/** Builds the layers of a boxplot: whiskers with their ends, boxes with their medians, and outliers as points. */
function makeBoxLayers({ palette }: PreparedChart, { boxes, axis, textSize, thickness }: BoxLayout) {
  const x = (name: string) => ({
    field: name,
    type: 'quantitative',
    scale: { type: axis.type, domain: axis.domain, nice: false, zero: false },
    axis: buildVegaNumberAxis(axis.ticks),
  })
  const y = {
    field: 'index',
    type: 'ordinal',
    scale: { domain: boxes.map((_, index) => index), paddingInner: 0, paddingOuter: 0 },
    axis: null,
  }
  const color = palette.series[0]
  const layer = (mark: object, encoding: object, data = 'rows') => ({ data: { name: data }, mark, encoding: { y, ...encoding } })
  const description = { description: { field: 'label', type: 'nominal' } }
  return [
    layer({ type: 'rule', aria: false, color, strokeWidth: 2 }, { x: x('low'), x2: { field: 'high' } }),
    ...['low', 'high'].map((end) => layer({ type: 'tick', aria: false, color, thickness: 2, size: thickness * 0.5 }, { x: x(end) })),
    layer(
      { type: 'bar', color, size: thickness, orient: 'horizontal' },
      { x: { ...x('lower'), stack: null }, x2: { field: 'upper' }, ...description },
    ),
    layer({ type: 'tick', aria: false, color: palette.background, thickness: 3, size: thickness }, { x: x('median') }),
    layer(
      { type: 'point', filled: false, color, size: textSize * textSize * 0.3, opacity: 0.75 },
      { x: x('value'), ...description },
      'outliers',
    ),
  ]
}

/** Places the names of boxes to the left of them, and the medians above them if there is space. */
function labelBoxes(
  { palette }: PreparedChart,
  { boxes, field, axis, plot, textSize, labelWidth, step, thickness }: BoxLayout,
): PlacedText[] {
  const names = placeRowLabels(
    boxes.map(({ label }) => label),
    { plot, textSize, color: palette.text, width: labelWidth },
  )
  if (step < thickness + textSize * 1.4) return names
  const medians = boxes.map((box, index): PlacedText => ({
    text: field.formatShort(roundFor(field, box.median)),
    x: plot.x + axis.share(box.median) * plot.width,
    y: plot.y + (index + 0.5) * step - thickness / 2 - textSize * 0.7,
    color: palette.text,
    align: 'center',
  }))
  return [...names, ...medians]
}

const MAX_DESCRIBED = 8

function readBoxes(chart: PreparedChart, field: ChartMeasure, key: ChartColumn | undefined): LabelledBox[] {
  const groups = new Map<string, number[]>()
  for (const row of chart.rows) {
    const value = field.read(row)
    if (value === null) continue
    const label = key ? formatGroupKey(chart, key, row) : chart.say('chart.allValues')
    const group = groups.get(label)
    if (group) group.push(value)
    else groups.set(label, [value])
  }
  if (groups.size > MAX_BARS)
    throw createUnsuitableDataError(
      `boxplot draws at most ${MAX_BARS} values of ${key!.name}, and there are ${groups.size}; filter the rows`,
    )
  return [...groups].map(([label, values]) => ({ label, ...computeBoxStatistics(values) }))
}

const STATISTICS = ['low', 'lower', 'median', 'upper', 'high'] as const

const describeBox = ({ say }: PreparedChart, field: ChartMeasure, box: LabelledBox) => {
  const [low, lower, median, upper, high] = STATISTICS.map((name) => field.format(roundFor(field, box[name]))) as [
    string,
    string,
    string,
    string,
    string,
  ]
  return say('chart.box', { label: box.label, low, lower, median, upper, high })
}

/** Rounds a computed quantile to as many decimals as the values have. */
const roundFor = ({ toValue, read, column }: ChartMeasure, value: number): number => read({ [column.name]: toValue(value) }) ?? value

const toTable = (field: ChartMeasure, key: ChartColumn | undefined, boxes: readonly LabelledBox[]) => ({
  columns: [
    ...(key ? [{ ...key, type: 'text' }] : []),
    ...STATISTICS.map((name) => ({ name, label: `${field.column.label}: ${name}`, type: field.column.type })),
    { name: 'count', label: 'Count', type: 'integer' },
  ],
  rows: boxes.map((box) => ({
    ...(key ? { [key.name]: box.label } : {}),
    ...Object.fromEntries(STATISTICS.map((name) => [name, field.toValue(box[name])])),
    count: box.count,
  })),
})
