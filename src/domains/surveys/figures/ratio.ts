/** Divides and rounds to a number of decimals, halves away from zero. Null if the denominator is 0. */
export function roundRatio(numerator: number, denominator: number, decimals: number): number | null {
  if (denominator === 0) return null
  const scale = 10 ** decimals
  const [n, d] = [BigInt(Math.abs(numerator)) * BigInt(scale), BigInt(denominator)]
  const rounded = Number((2n * n + d) / (2n * d)) / scale
  return numerator < 0 && rounded !== 0 ? -rounded : rounded
}

export const toSurveyPercent = (part: number, whole: number): number | null => roundRatio(100 * part, whole, 1)

/** Rounds a positive number, halves up. The tiny term corrects binary fractions such as 1.005, which are stored slightly below the half. */
export const roundToDecimals = (value: number, decimals: number): number =>
  Math.round((value + Number.EPSILON * value) * 10 ** decimals) / 10 ** decimals
