import type { GeoPoint } from '../../kernel/hotel-providers.ts'
import { KM_PER_LATITUDE_DEGREE } from '../housing/distance.ts'

/** Number of map cells per degree, by which hotels are indexed. Equal to the value in the generated column `catalog_hotels.cell`. */
const CELLS_PER_DEGREE = 10
const CELLS_PER_ROW = 3600
const ROWS = 1800

const rowOf = (latitude: number) => Math.min(ROWS - 1, Math.max(0, Math.floor((latitude + 90) * CELLS_PER_DEGREE)))
const columnOf = (longitude: number) => Math.min(CELLS_PER_ROW - 1, Math.max(0, Math.floor((longitude + 180) * CELLS_PER_DEGREE)))

/** A range of map cell numbers, both ends included. */
export interface MapCellRange {
  first: number
  last: number
}

/**
 * Lists the cells that a circle touches, as one or two ranges per row of cells. The ranges cross the 180th meridian and include the poles.
 */
export function listMapCellRanges({ latitude, longitude }: GeoPoint, radiusKm: number): MapCellRange[] {
  const degrees = radiusKm / KM_PER_LATITUDE_DEGREE
  const [south, north] = [latitude - degrees, latitude + degrees]
  const columns = listColumnRanges(longitude, widthOf(latitude, degrees))
  const ranges: MapCellRange[] = []
  for (let row = rowOf(south); row <= rowOf(north); row++)
    for (const [first, last] of columns) ranges.push({ first: row * CELLS_PER_ROW + first, last: row * CELLS_PER_ROW + last })
  return ranges
}

/** Returns half the width of the search circle in degrees of longitude; 180 if the circle contains a pole. */
function widthOf(latitude: number, degrees: number): number {
  const farthest = Math.abs(latitude) + degrees
  if (farthest >= 90) return 180
  const radians = (value: number) => (value * Math.PI) / 180
  return (Math.asin(Math.sin(radians(degrees)) / Math.cos(radians(latitude))) * 180) / Math.PI
}

function listColumnRanges(longitude: number, width: number): [number, number][] {
  if (width >= 180) return [[0, CELLS_PER_ROW - 1]]
  const [west, east] = [longitude - width, longitude + width]
  if (west < -180)
    return [
      [0, columnOf(east)],
      [columnOf(west + 360), CELLS_PER_ROW - 1],
    ]
  if (east > 180)
    return [
      [columnOf(west), CELLS_PER_ROW - 1],
      [0, columnOf(east - 360)],
    ]
  return [[columnOf(west), columnOf(east)]]
}
