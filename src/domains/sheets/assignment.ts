/**
 * Assigns fields to columns with the Hungarian algorithm with shortest augmenting paths, O(n² m). `weights[i][j]` is the score of field j
 * for column i; 0 or less is forbidden. Returns the field of each column, or null. Weights are integers, so that ties are exact; ties
 * resolve by column, then by field.
 */
export function assignFieldsToColumns(weights: readonly (readonly number[])[]): (number | null)[] {
  const rows = weights.length
  const fields = weights[0]?.length ?? 0
  if (rows === 0 || fields === 0) return weights.map(() => null)
  // One dummy field per column is added after the real fields, so that a column can remain without a real field.
  const slots = fields + rows
  const cost = (row: number, place: number) => -Math.max(0, place < fields ? weights[row]![place]! : 0)
  const [rowPrice, placePrice] = [new Float64Array(rows + 1), new Float64Array(slots + 1)]
  const holder = new Int32Array(slots + 1).fill(-1)
  for (let row = 0; row < rows; row++) augment({ cost, rowPrice, placePrice, holder, places: slots }, row)
  const given: (number | null)[] = weights.map(() => null)
  for (let place = 0; place < fields; place++) {
    const row = holder[place]!
    if (row >= 0 && weights[row]![place]! > 0) given[row] = place
  }
  return given
}

interface State {
  cost: (row: number, place: number) => number
  rowPrice: Float64Array
  placePrice: Float64Array
  /** The column that is assigned to each field; -1 for none. */
  holder: Int32Array
  places: number
}

function augment({ cost, rowPrice, placePrice, holder, places }: State, newRow: number): void {
  const start = places
  holder[start] = newRow
  const [reached, best, cameFrom] = [
    new Uint8Array(places + 1),
    new Float64Array(places).fill(Infinity),
    new Int32Array(places).fill(start),
  ]
  let at = start
  do {
    reached[at] = 1
    const row = holder[at]!
    let [step, next] = [Infinity, -1]
    for (let place = 0; place < places; place++) {
      if (reached[place]) continue
      const reduced = cost(row, place) - rowPrice[row]! - placePrice[place]!
      if (reduced < best[place]!) [best[place], cameFrom[place]] = [reduced, at]
      if (best[place]! < step) [step, next] = [best[place]!, place]
    }
    for (let place = 0; place <= places; place++) {
      if (reached[place]) {
        rowPrice[holder[place]!]! += step
        placePrice[place]! -= step
      } else if (place < places) best[place]! -= step
    }
    at = next
  } while (holder[at] !== -1)
  while (at !== start) {
    holder[at] = holder[cameFrom[at]!]!
    at = cameFrom[at]!
  }
}
