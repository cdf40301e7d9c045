import type { ChartTable, ChartValue } from './chart.ts'
import type { VegaSpecWithData } from './scene.ts'

/** A chart of any kind before it is rendered as an image. */
export interface DrawnChart {
  scene: VegaSpecWithData
  title: string
  altText: string
  shown: number
  merged: number
  table: ChartTable
  sums: readonly { series: string | null; sum: ChartValue }[]
}
