/** An exact fraction. Scores are summed as fractions, so that rounding of single scores does not change the total. */
export interface Fraction {
  n: bigint
  d: bigint
}

export const ZERO_FRACTION: Fraction = { n: 0n, d: 1n }
export const MAX_SCORE_FRACTION: Fraction = { n: 5n, d: 1n }

export const createFraction = (n: bigint | number, d: bigint | number = 1n): Fraction => ({ n: BigInt(n), d: BigInt(d) })

const BILLION = 1_000_000_000

/** Converts a measured number, such as a distance, to a fraction with nine decimal digits. */
export const toFraction = (value: number): Fraction => createFraction(Math.round(value * BILLION), BILLION)

export const addFractions = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d })
export const multiplyFractions = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })
export const compareFractions = (a: Fraction, b: Fraction): number => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Limits a score to the range from 0 to 5. */
export const clampScore = (score: Fraction): Fraction =>
  compareFractions(score, ZERO_FRACTION) < 0 ? ZERO_FRACTION : compareFractions(score, MAX_SCORE_FRACTION) > 0 ? MAX_SCORE_FRACTION : score

/** Rounds a fraction to a number of decimal digits, halves away from zero. */
export function roundFraction({ n, d }: Fraction, digits: number): number {
  const scaled = n * 10n ** BigInt(digits)
  const rounded = (2n * (scaled < 0n ? -scaled : scaled) + d) / (2n * d)
  return Number(scaled < 0n ? -rounded : rounded) / 10 ** digits
}
