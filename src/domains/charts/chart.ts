import type { Money } from '../../kernel/money.ts'
import type { Period } from './periods.ts'

export const CHART_KINDS = [
  'bar',
  'groupedBar',
  'stackedBar',
  'line',
  'area',
  'stackedArea',
  'donut',
  'histogram',
  'boxplot',
  'scatter',
  'heatmap',
  'funnel',
  'figure',
] as const
export type ChartKind = (typeof CHART_KINDS)[number]

/** What each kind of chart needs and does, as it is described to users. */
export const CHART_RULES: Readonly<Record<ChartKind, { needs: string; rules: string }>> = {
  bar: { needs: '1 key, 1 value', rules: 'Starts at 0. Over 30 bars: the 29 largest and Other. Horizontal for long labels' },
  groupedBar: { needs: '2 keys, 1 value', rules: 'As bar, with up to 6 series next to each other' },
  stackedBar: { needs: '2 keys, 1 additive value', rules: 'As bar, with up to 6 series on top of each other' },
  line: { needs: 'a date or ordered key, 1 value, 1–6 series', rules: 'Gaps are 0 for counts and sums; averages have a broken line' },
  area: { needs: 'a date or ordered key, 1 value, 1–6 series', rules: 'As line, filled down to 0' },
  stackedArea: { needs: 'a date or ordered key, 1 additive value ≥ 0, 1–6 series', rules: 'As area, with the series on top of each other' },
  donut: { needs: '1 key, 1 additive value ≥ 0', rules: 'At most 6 slices, the rest is Other. Percentages add up to 100.0' },
  histogram: { needs: '1 number or money field', rules: 'At most 50 bins by Freedman–Diaconis' },
  boxplot: {
    needs: '1 number or money field, optionally 1 key',
    rules: 'Quartiles; whiskers reach up to 1.5 times the interquartile range',
  },
  scatter: { needs: '2 number or money fields', rules: 'Over 5,000 points: counts per cell' },
  heatmap: { needs: '2 keys, 1 value', rules: 'Values are printed if there are at most 200 cells' },
  funnel: { needs: 'ordered steps, 1 value ≥ 0', rules: 'Percentage of the step before and of the first step' },
  figure: { needs: '1 value', rules: 'With the difference to a second value, if there is one' },
}

export const CHART_THEMES = ['light', 'dark'] as const
export type ChartTheme = (typeof CHART_THEMES)[number]
export const Y_SCALES = ['linear', 'log'] as const
export type YScale = (typeof Y_SCALES)[number]

export const DEFAULT_WIDTH = 1200
export const DEFAULT_HEIGHT = 675

/** A column of the rows; the same shape as a column of a query result. */
export interface ChartColumn {
  name: string
  label: string
  type: string
}

export type ChartValue = string | number | boolean | null | readonly string[] | Money
export type ChartRow = Readonly<Record<string, ChartValue>>

export interface ChartRequest {
  kind: ChartKind
  columns: readonly ChartColumn[]
  rows: readonly ChartRow[]
  /** Names of columns. Missing names are chosen by the order of the columns: the first key, the first value, the second key. */
  x?: string | undefined
  y?: string | undefined
  series?: string | undefined
  title?: string | undefined
  theme?: ChartTheme | undefined
  width?: number | undefined
  height?: number | undefined
  locale?: string | undefined
  yScale?: YScale | undefined
  /** The values of y may be added up, as counts and sums may, and missing periods are 0. */
  additive: boolean
  /** The period that each value of x stands for. Derived from the values if missing. */
  period?: Period | undefined
  /** The value that a figure is compared with, and its name. */
  comparison?: { label: string; value: ChartValue } | undefined
}

/** The rows that a picture shows, after merging small groups and computing bins. Pages show them as a table beside the picture. */
export interface ChartTable {
  columns: readonly ChartColumn[]
  rows: readonly ChartRow[]
}

export interface Chart {
  kind: ChartKind
  title: string
  svg: string
  png: Buffer
  altText: string
  /** The number of rows that are drawn. */
  shown: number
  /** The number of rows that were merged into Other. */
  merged: number
  table: ChartTable
  /** The sum of each series over all rows; empty if the values cannot be added up. */
  sums: readonly { series: string | null; sum: ChartValue }[]
  /** The Vega-Lite specification without its data. */
  vegaLite: Record<string, unknown>
}
