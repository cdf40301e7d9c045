import type { ChartTable, ChartValue } from './chart.ts'
import type { Scene } from './scene.ts'

/** A chart of any kind before it is rendered as an image. */
export interface DrawnChart {
  scene: Scene
  title: string
  altText: string
  shown: number
  merged: number
  table: ChartTable
  sums: readonly { series: string | null; sum: ChartValue }[]
}
