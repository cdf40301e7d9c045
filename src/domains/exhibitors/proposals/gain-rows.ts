import type { AssignmentSearchState } from './assignment-state.ts'

/**
 * Table that holds, for each applicant, by how much the total score grows if it gets the booths of each other applicant. The search for
 * exchanges fills a row when it first reads it. Numbers in single precision halve the memory; the search compares them with a tolerance,
 * and checks an exchange exactly before it is made.
 */
export interface BoothSwapGainTable {
  board: AssignmentSearchState
  /** Returns the change in the total score if an applicant gets this candidate (set of booths), or no booths. */
  gainOf: (applicant: number, candidate: number) => number
  rows: Float32Array
  isFilled: Uint8Array
  /** The largest gain in each row of the table. NaN if it is unknown and the row has to be searched. */
  most: Float32Array
}

export const createBoothSwapGainTable = (board: AssignmentSearchState, gainOf: BoothSwapGainTable['gainOf']): BoothSwapGainTable => {
  const count = board.applicants.length
  return {
    board,
    gainOf,
    rows: new Float32Array(count * count),
    isFilled: new Uint8Array(count),
    most: new Float32Array(count).fill(NaN),
  }
}

/**
 * Reads by how much the total score grows if an applicant gets the booths of each other applicant, by the index of the other applicant. The
 * applicant's own entry is NaN.
 */
export function readApplicantBoothSwapGains({ board, gainOf, rows, isFilled, most }: BoothSwapGainTable, applicant: number): Float32Array {
  const { placedAt } = board
  const row = rows.subarray(applicant * placedAt.length, (applicant + 1) * placedAt.length)
  if (isFilled[applicant] === 1) return row
  for (let other = 0; other < row.length; other++) row[other] = other === applicant ? NaN : gainOf(applicant, placedAt[other]!)
  isFilled[applicant] = 1
  most[applicant] = NaN
  return row
}

/** Returns the largest increase in the total score that an applicant can cause by getting the booths of another applicant. */
export function readLargestBoothSwapGain(gains: BoothSwapGainTable, applicant: number): number {
  const row = readApplicantBoothSwapGains(gains, applicant)
  const known = gains.most[applicant]!
  if (!Number.isNaN(known)) return known
  let most = -Infinity
  for (let other = 0; other < row.length; other++) if (row[other]! > most) most = row[other]!
  return (gains.most[applicant] = most)
}

/** Updates the table of gains after some applicants have got other booths. */
export function updateBoothSwapGainTable({ board, gainOf, rows, isFilled, most }: BoothSwapGainTable, moved: readonly number[]): void {
  const { placedAt } = board
  for (const applicant of moved) isFilled[applicant] = 0
  for (let applicant = 0; applicant < placedAt.length; applicant++) {
    if (isFilled[applicant] === 0) continue
    for (const other of moved) {
      const index = applicant * placedAt.length + other
      const before = rows[index]!
      rows[index] = gainOf(applicant, placedAt[other]!)
      // If the largest gain of the row became smaller, another gain may now be the largest, so the row has to be searched again.
      if (rows[index]! >= most[applicant]!) most[applicant] = rows[index]!
      else if (before === most[applicant]) most[applicant] = NaN
    }
  }
}

/** Fills `column` with the gain that every other applicant would have with the booths of this applicant, and returns the largest. */
export function fillBoothExchangeGains({ board, gainOf }: BoothSwapGainTable, applicant: number, column: Float64Array): number {
  const at = board.placedAt[applicant]!
  let most = -Infinity
  for (let other = 0; other < column.length; other++) {
    const gain = other === applicant ? NaN : gainOf(other, at)
    column[other] = gain
    if (gain > most) most = gain
  }
  return most
}
