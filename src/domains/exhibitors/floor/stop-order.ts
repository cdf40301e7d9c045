/** Maximum number of stops of a route whose optimal sequence is calculated; for more stops a heuristic is used. */
const MAX_EXACT_STOPS = 9

/**
 * Orders the stops of a route that does not return to its start. `between[i][j]` is the distance from stop i to stop j; stop 0 is the
 * start. Ties keep the given order.
 */
export const sortRouteStops = (between: readonly (readonly number[])[]): number[] =>
  between.length - 1 <= MAX_EXACT_STOPS ? heldKarpOrder(between) : improveByTwoOpt(between, nearestNeighbour(between))

/** Returns the optimal sequence of stops by the Held–Karp algorithm: the shortest path through each set of stops, per last stop. */
function heldKarpOrder(between: readonly (readonly number[])[]): number[] {
  const stops = between.length - 1
  if (stops === 0) return []
  const sets = 1 << stops
  const cost = Array.from({ length: sets }, () => new Float64Array(stops).fill(Infinity))
  const from = Array.from({ length: sets }, () => new Int8Array(stops).fill(-1))
  for (let last = 0; last < stops; last++) cost[1 << last]![last] = between[0]![last + 1]!
  for (let set = 1; set < sets; set++) {
    for (let last = 0; last < stops; last++) {
      if (!(set & (1 << last)) || cost[set]![last] === Infinity) continue
      for (let next = 0; next < stops; next++) {
        if (set & (1 << next)) continue
        const grown = set | (1 << next)
        const length = cost[set]![last]! + between[last + 1]![next + 1]!
        if (length < cost[grown]![next]! - 1e-9) {
          cost[grown]![next] = length
          from[grown]![next] = last
        }
      }
    }
  }
  let set = sets - 1
  let last = cost[set]!.reduce((best, length, i) => (length < cost[set]![best]! - 1e-9 ? i : best), 0)
  const order: number[] = []
  while (last !== -1) {
    order.push(last + 1)
    const previous = from[set]![last]!
    set &= ~(1 << last)
    last = previous
  }
  return order.toReversed()
}

function nearestNeighbour(between: readonly (readonly number[])[]): number[] {
  const left = new Set(between.slice(1).map((_, i) => i + 1))
  const order: number[] = []
  let here = 0
  while (left.size > 0) {
    const next: number = [...left].reduce((best, stop) => (between[here]![stop]! < between[here]![best]! - 1e-9 ? stop : best))
    left.delete(next)
    order.push(next)
    here = next
  }
  return order
}

/** Improves a sequence of stops by the 2-opt heuristic: reverses parts of the route while that makes it shorter. */
function improveByTwoOpt(between: readonly (readonly number[])[], order: number[]): number[] {
  const at = (i: number) => (i < 0 ? 0 : order[i]!)
  const length = (i: number, j: number) => (j < order.length ? between[at(i)]![at(j)]! : 0)
  for (let shorter = true; shorter;) {
    shorter = false
    for (let i = 0; i < order.length - 1; i++) {
      for (let j = i + 1; j < order.length; j++) {
        const now = length(i - 1, i) + length(j, j + 1)
        const turned = between[at(i - 1)]![at(j)]! + (j + 1 < order.length ? between[at(i)]![at(j + 1)]! : 0)
        if (turned < now - 1e-9) {
          order.splice(i, j - i + 1, ...order.slice(i, j + 1).toReversed())
          shorter = true
        }
      }
    }
  }
  return order
}
