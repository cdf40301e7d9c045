import type { ChartTable, ChartValue } from './chart.ts'
import type { Scene } from './scene.ts'

/** What a kind of chart makes of its rows, before it is rendered. */
export interface DrawnChart {
  scene: Scene
  title: string
  altText: string
  shown: number
  merged: number
  table: ChartTable
  sums: readonly { series: string | null; sum: ChartValue }[]
}
