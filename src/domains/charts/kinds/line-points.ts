import type { GroupedChartCell, GroupedChartData } from '../grid.ts'
import type { ChartMeasure } from '../measures.ts'
import type { PreparedChart } from '../prepare.ts'

export interface LinePoint {
  series: number
  category: number
  x: number
  /** The lower edge of a stacked area; null for lines, and for areas that begin at the value 0. */
  from: number | null
  until: number
  value: number
  /** Number of the unbroken part of the line to which the point belongs. */
  run: number
  label: string
}

/**
 * Places the points of all lines. Periods without a row are 0 if the values can be added up, because nothing happened. Otherwise, and on a
 * log scale, the line is interrupted there.
 */
export function placePoints(
  { additive, yScale }: PreparedChart,
  measure: ChartMeasure,
  { grid, positions, isStacked }: { grid: GroupedChartData; positions: readonly number[]; isStacked: boolean },
): LinePoint[] {
  const known = new Map(grid.cells.map((cell) => [`${cell.series} ${cell.category}`, cell]))
  const tops = positions.map(() => 0)
  return grid.series.flatMap((name, series) => {
    let run = 0
    let isBroken = false
    return positions.flatMap((x, category): LinePoint[] => {
      const cell: GroupedChartCell | undefined = known.get(`${series} ${category}`)
      const value = cell?.value ?? (additive && yScale !== 'log' ? 0 : null)
      if (value === null) {
        isBroken = true
        return []
      }
      if (isBroken) run++
      isBroken = false
      const from = isStacked ? tops[category]! : null
      const until = isStacked ? measure.sum([from!, value]) : value
      tops[category] = until
      const label = name === null ? grid.categories[category]! : `${grid.categories[category]}, ${name}`
      return [{ series, category, x, from, until, value, run, label }]
    })
  })
}
