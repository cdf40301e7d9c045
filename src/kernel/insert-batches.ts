/** PostgreSQL's maximum number of parameters per statement. */
const MAX_PARAMETERS = 65_535

/**
 * Splits rows into parts, each of which fits into one INSERT statement. A row needs a parameter per column, and `more` if a column is an
 * expression with several parameters. Every multi-row insert whose size depends on the input uses this function.
 */
export function splitIntoInsertBatches<Row extends object>(rows: readonly Row[], more = 0): Row[][] {
  const parts: Row[][] = []
  let [part, parameters]: [Row[], number] = [[], 0]
  for (const row of rows) {
    const needed = Object.keys(row).length + more
    if (parameters + needed > MAX_PARAMETERS) {
      parts.push(part)
      ;[part, parameters] = [[], 0]
    }
    part.push(row)
    parameters += needed
  }
  return part.length > 0 ? [...parts, part] : parts
}
