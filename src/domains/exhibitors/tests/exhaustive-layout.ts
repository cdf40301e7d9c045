interface Rectangle {
  x: number
  y: number
  width: number
  depth: number
}

/** A hall on a grid of unit cells. */
interface CellHall {
  columns: number
  rows: number
  /** Rectangle that is cut out of the upper right corner. */
  notch: Rectangle | null
  hole: Rectangle | null
  walls: readonly Rectangle[]
  pillars: readonly Rectangle[]
  reserved: readonly Rectangle[]
  kept: Rectangle | null
  width: number
  depth: number
  aisle: number
  crossAisle: number
  perimeterAisle: number
  perimeter: 'aisle' | 'booths'
  pillarsAllowed: boolean
  maxRun: number
}

/** Numbers of a layout: all booths, and booths at the ends of rows. */
type Counts = readonly [booths: number, corners: number]

const better = (a: Counts, b: Counts): Counts => (b[0] > a[0] || (b[0] === a[0] && b[1] > a[1]) ? b : a)

/**
 * Tries every layout that section 4.1 of the specification allows: all sets of runs in every band, all sequences of bands. Cells are
 * examined one by one. Shares no code with the product.
 */
export function findBestLayout(hall: CellHall): Counts {
  const { rows, depth, aisle } = hall
  const { walkable, buildable } = readCells(hall)
  const bandBest = new Map<string, Counts>()
  const bestOfBand = (kind: string, y: number): Counts => {
    const key = `${kind} ${y}`
    if (!bandBest.has(key)) bandBest.set(key, tryAllRuns(hall, walkable, buildable, kind, y))
    return bandBest.get(key)!
  }
  const tryBands = (from: number): Counts => {
    let best: Counts = [0, 0]
    for (let y = from; y < rows; y++) {
      for (const kind of ['up', 'down', 'double']) {
        const top = y + (kind === 'double' ? 2 * depth : depth)
        if (top > rows) continue
        const [booths, corners] = bestOfBand(kind, y)
        if (booths === 0) continue
        const rest = tryBands(top + aisle)
        best = better(best, [booths + rest[0], corners + rest[1]])
      }
    }
    return best
  }
  return tryBands(0)
}

type CellTest = (x: number, y: number) => boolean

function tryAllRuns(hall: CellHall, walkable: CellTest, buildable: CellTest, kind: string, y: number): Counts {
  const { columns, width, depth, aisle, crossAisle, maxRun } = hall
  const all = (test: CellTest, x0: number, y0: number, w: number, d: number) => {
    for (let x = x0; x < x0 + w; x++) for (let v = y0; v < y0 + d; v++) if (!test(x, v)) return false
    return true
  }
  const upper = kind === 'double' ? y + depth : y
  const facesDown = (x: number) => kind !== 'up' && all(buildable, x, y, width, depth) && all(walkable, x, y - aisle, width, aisle)
  const facesUp = (x: number) => kind !== 'down' && all(buildable, x, upper, width, depth) && all(walkable, x, upper + depth, width, aisle)
  const inColumn = Array.from({ length: columns }, (_, x) => Number(facesDown(x)) + Number(facesUp(x)))
  if (inColumn.every((count) => count === 0)) return [0, 0]
  const low = kind === 'up' ? y : y - aisle
  const high = kind === 'down' ? y + depth : upper + depth + aisle
  const hasEndAisle = Array.from({ length: columns + 1 }, (_, x) => all(walkable, x, low, crossAisle, high - low))
  const tryRuns = (from: number): Counts => {
    let best: Counts = [0, 0]
    for (let x = from; x < columns; x++) {
      if (!hasEndAisle[x - crossAisle] || !inColumn[x]) continue
      let booths = 0
      for (let run = 1; run <= maxRun; run++) {
        const last = x + (run - 1) * width
        if (last + width > columns) break
        booths += inColumn[last]!
        if (!inColumn[last] || !hasEndAisle[last + width]) continue
        const corners = inColumn[x]! + (run > 1 ? inColumn[last]! : 0)
        const rest = tryRuns(last + width + crossAisle)
        best = better(best, [booths + rest[0], corners + rest[1]])
      }
    }
    return best
  }
  return tryRuns(0)
}

function readCells(hall: CellHall): { walkable: CellTest; buildable: CellTest } {
  const { columns, rows, notch, hole, walls, pillars, reserved, kept, aisle, perimeter, perimeterAisle, pillarsAllowed } = hall
  const covers = ({ x, y, width, depth }: Rectangle, cx: number, cy: number) => cx >= x && cx < x + width && cy >= y && cy < y + depth
  const cut = notch ? { x: columns - notch.width, y: rows - notch.depth, width: notch.width, depth: notch.depth } : null
  const inside = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < columns && y < rows && !(cut && covers(cut, x, y)) && !(hole && covers(hole, x, y))
  /** The distance between a cell and a rectangle, side to side. */
  const distance = ({ x, y, width, depth }: Rectangle, cx: number, cy: number) =>
    Math.hypot(Math.max(x - cx - 1, 0, cx - x - width), Math.max(y - cy - 1, 0, cy - y - depth))
  const outside: Rectangle[] = [
    { x: -1, y: -1, width: 1, depth: rows + 2 },
    { x: columns, y: -1, width: 1, depth: rows + 2 },
    { x: -1, y: -1, width: columns + 2, depth: 1 },
    { x: -1, y: rows, width: columns + 2, depth: 1 },
    ...(cut ? [cut] : []),
    ...(hole ? [hole] : []),
  ]
  const walkable: CellTest = (x, y) =>
    inside(x, y) && ![...walls, ...pillars].some((one) => covers(one, x, y)) && !(kept && covers(kept, x, y))
  const buildable: CellTest = (x, y) =>
    inside(x, y) &&
    ![...walls, ...(pillarsAllowed ? [] : pillars), ...reserved].some((one) => covers(one, x, y)) &&
    !(kept && (covers(kept, x, y) || distance(kept, x, y) < aisle)) &&
    !(perimeter === 'aisle' && outside.some((one) => distance(one, x, y) < perimeterAisle))
  return { walkable, buildable }
}
