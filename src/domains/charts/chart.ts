import type { Money } from '../../kernel/money.ts'
import type { ChartPeriod } from './periods.ts'

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

export const CHART_THEMES = ['light', 'dark'] as const
export type ChartTheme = (typeof CHART_THEMES)[number]
export const Y_SCALES = ['linear', 'log'] as const
export type YScale = (typeof Y_SCALES)[number]

export const DEFAULT_CHART_WIDTH = 1200
export const DEFAULT_CHART_HEIGHT = 675

/** A column of the chart's rows, in the same shape as a column of a query result. */
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
  /**
   * The name of the column for the x axis. Missing column names are chosen in column order: the first key, the first value, the second key.
   */
  x?: string | undefined
  y?: string | undefined
  series?: string | undefined
  title?: string | undefined
  theme?: ChartTheme | undefined
  width?: number | undefined
  height?: number | undefined
  locale?: string | undefined
  yScale?: YScale | undefined
  /** Whether values of the y axis can be added up, as counts and sums can. If so, periods without a row count as 0. */
  additive: boolean
  /** The period (such as a month) that one value of the x axis stands for. Derived from the values if missing. */
  period?: ChartPeriod | undefined
  /** For a chart of the kind `figure`, which shows one large number: the value that this number is compared with, and its label. */
  comparison?: { label: string; value: ChartValue } | undefined
}

/** The rows that a chart shows, after small groups were merged or values counted by range. Pages show them as a table beside the chart. */
export interface ChartTable {
  columns: readonly ChartColumn[]
  rows: readonly ChartRow[]
}

export interface Chart {
  kind: ChartKind
  title: string
  svg: string
  /**
   * Renders the PNG image, which takes longer than the drawing and which only some formats need. An image above `maxBytes` gets fewer colours,
   * and then a smaller size.
   */
  renderPng: (maxBytes?: number) => Promise<Buffer>
  altText: string
  /** The number of result rows that are drawn. */
  shown: number
  /** The number of result rows that were merged into the category or series Other. */
  merged: number
  table: ChartTable
  /** The sum of each series over all rows; an empty list if its values cannot be added up, such as averages. */
  sums: readonly { series: string | null; sum: ChartValue }[]
  /** The Vega-Lite specification without its data. */
  vegaLite: Record<string, unknown>
}
