/** Ranks from 1 for the lowest value; equal values share the mean of their ranks. */
export function computeMeanRanks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).toSorted((a, b) => values[a]! - values[b]!)
  const ranks = values.map(() => 0)
  for (let first = 0; first < order.length;) {
    let last = first
    while (last + 1 < order.length && values[order[last + 1]!] === values[order[first]!]) last++
    for (let i = first; i <= last; i++) ranks[order[i]!] = (first + last) / 2 + 1
    first = last + 1
  }
  return ranks
}

/** Percentile of each value among all, from 0 for the lowest to 1 for the highest. A single value gets 1. */
export const computePercentileRanks = (values: readonly number[]): number[] =>
  computeMeanRanks(values).map((rank) => (values.length === 1 ? 1 : (rank - 1) / (values.length - 1)))

/** Spearman's rank correlation, with mean ranks for ties; null if all values of one list are equal. */
export function computeSpearmanCorrelation(a: readonly number[], b: readonly number[]): number | null {
  const [x, y] = [computeMeanRanks(a), computeMeanRanks(b)]
  const mean = (a.length + 1) / 2
  const sum = (values: (i: number) => number) => a.reduce((total, _, i) => total + values(i), 0)
  const [varianceX, varianceY] = [sum((i) => (x[i]! - mean) ** 2), sum((i) => (y[i]! - mean) ** 2)]
  if (varianceX === 0 || varianceY === 0) return null
  return sum((i) => (x[i]! - mean) * (y[i]! - mean)) / Math.sqrt(varianceX * varianceY)
}
