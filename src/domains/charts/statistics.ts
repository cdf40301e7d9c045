/** Returns a quantile of sorted values, interpolated like `percentile_cont` in PostgreSQL. */
export function computeQuantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const low = Math.floor(at)
  return sorted[low]! + (sorted[Math.min(low + 1, sorted.length - 1)]! - sorted[low]!) * (at - low)
}

export const MAX_BINS = 50

export interface HistogramBin {
  from: number
  until: number
  count: number
}

/**
 * Splits values into at most 50 histogram bins. The width follows Freedman and Diaconis, 2 · IQR / ∛n, rounded up to 1, 2 or 5 times a
 * power of ten. The last bin includes its upper edge.
 */
export function computeHistogramBins(values: readonly number[], wholeNumbers: boolean): HistogramBin[] {
  if (values.length === 0) return []
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[0]!, sorted.at(-1)!]
  const range = high - low
  const iqr = computeQuantile(sorted, 0.75) - computeQuantile(sorted, 0.25)
  const ideal = iqr > 0 ? (2 * iqr) / Math.cbrt(sorted.length) : range / Math.ceil(Math.log2(sorted.length) + 1)
  const width = roundUp(Math.max(ideal || 1, (range * 1.02) / MAX_BINS, wholeNumbers ? 1 : 0))
  const first = Math.floor(low / width + 1e-9)
  let count = Math.max(1, Math.ceil(high / width - 1e-9) - first)
  // If all values are whole numbers and bins have width 1, each number gets a bin of its own, also the largest one.
  if (wholeNumbers && width === 1) count = Math.round(high) - first + 1
  const bins = Array.from({ length: count }, (_, index) => ({
    from: tidy((first + index) * width),
    until: tidy((first + index + 1) * width),
    count: 0,
  }))
  for (const value of values) bins[Math.max(0, Math.min(count - 1, Math.floor(value / width + 1e-9) - first))]!.count++
  return bins
}

function roundUp(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width) + 1e-9)
  return tidy([1, 2, 5, 10].find((factor) => factor * power >= width * (1 - 1e-9))! * power)
}

/** Removes the rounding error of binary fractions. */
const tidy = (value: number) => Number(value.toPrecision(12))

export interface BoxStatistics {
  count: number
  lower: number
  median: number
  upper: number
  /** The smallest and largest values within 1.5 times the interquartile range from the box: the ends of the whiskers. */
  low: number
  high: number
  outliers: readonly number[]
}

export function computeBoxStatistics(values: readonly number[]): BoxStatistics {
  const sorted = values.toSorted((a, b) => a - b)
  const [lower, median, upper] = [computeQuantile(sorted, 0.25), computeQuantile(sorted, 0.5), computeQuantile(sorted, 0.75)]
  const reach = 1.5 * (upper - lower)
  const isInside = (value: number) => value >= lower - reach && value <= upper + reach
  const inside = sorted.filter(isInside)
  return {
    count: sorted.length,
    lower,
    median,
    upper,
    low: Math.min(inside[0]!, lower),
    high: Math.max(inside.at(-1)!, upper),
    outliers: sorted.filter((value) => !isInside(value)),
  }
}
