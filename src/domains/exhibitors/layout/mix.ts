import type { RequestedBoothSize } from './hall.ts'
import type { PlacedBooth } from './placed-booths.ts'

/** A booth of a requested size. It consists of one or more modules (smallest booths), in one row or in two rows back to back. */
export interface ModularBooth {
  number: number
  sizeCode: string | null
  modules: PlacedBooth[]
}

interface NumberedModule extends PlacedBooth {
  number: number
}

/**
 * Joins modules (smallest booths) into booths of the requested sizes, the largest first. Each new booth takes the outermost free columns at
 * the end of the row that has the lowest booth number. A booth across two rows stands at the very end of a double band, so that it is open
 * on three sides, or on four if it takes the whole row.
 */
export function joinModulesIntoBooths(
  modules: readonly NumberedModule[],
  mix: readonly RequestedBoothSize[],
  sizeCode: string | null,
): { booths: ModularBooth[]; unmet: { sizeCode: string; count: number }[] } {
  const left = new Set(modules)
  const ends = listRunEnds(modules)
  const joined: ModularBooth[] = []
  const unmet: { sizeCode: string; count: number }[] = []
  const largestFirst = mix.toSorted((a, b) => b.columns * b.deep - a.columns * a.deep || b.columns - a.columns)
  for (const size of largestFirst) {
    let missing = size.count
    for (; missing > 0; missing--) {
      const taken = findFirst(ends, (end) => takeColumns(end, left, size))
      if (!taken) break
      for (const one of taken) left.delete(one)
      joined.push({ number: Math.min(...taken.map(({ number }) => number)), sizeCode: size.sizeCode, modules: taken })
    }
    if (missing > 0) unmet.push({ sizeCode: size.sizeCode, count: missing })
  }
  const single = [...left].map((one): ModularBooth => ({ number: one.number, sizeCode, modules: [one] }))
  return { booths: [...joined, ...single].toSorted((a, b) => a.number - b.number), unmet }
}

function findFirst<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}

/** The modules (smallest booths) of a row, counted from one of its ends: for each position, one module or two back to back. */
type RunEnd = readonly (readonly NumberedModule[])[]

/**
 * Lists both ends of every run, which is a row of adjacent booth columns in one band. The ends are sorted by the lowest booth number in
 * their outermost column.
 */
function listRunEnds(modules: readonly NumberedModule[]): RunEnd[] {
  const runs = new Map<string, NumberedModule[]>()
  for (const one of modules) {
    const key = `${one.band} ${one.run}`
    runs.set(key, [...(runs.get(key) ?? []), one])
  }
  const lowest = (end: RunEnd) => Math.min(...end[0]!.map(({ number }) => number))
  return [...runs.values()]
    .flatMap((run) => {
      const columns = run.map(({ column }) => column)
      const [first, last] = [Math.min(...columns), Math.max(...columns)]
      const fromLeft = Array.from({ length: last - first + 1 }, (_, i) => run.filter(({ column }) => column === first + i))
      return [fromLeft, fromLeft.toReversed()]
    })
    .toSorted((a, b) => lowest(a) - lowest(b))
}

function takeColumns(end: RunEnd, left: ReadonlySet<NumberedModule>, { columns, deep }: RequestedBoothSize): NumberedModule[] | null {
  if (deep === 2) {
    const taken = end.slice(0, columns).flat()
    return taken.length === 2 * columns && taken.every((one) => left.has(one)) ? taken : null
  }
  const rows = (['down', 'up'] as const).flatMap((faces) => {
    const row = end.map((column) => column.find((one) => one.faces === faces && left.has(one)))
    const first = row.findIndex((one) => one !== undefined)
    const taken = first === -1 ? [] : row.slice(first, first + columns).filter((one) => one !== undefined)
    return taken.length === columns ? [taken] : []
  })
  return rows.toSorted((a, b) => a[0]!.number - b[0]!.number)[0] ?? null
}
