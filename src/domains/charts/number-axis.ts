import type { YScale } from './chart.ts'
import type { ChartMeasure } from './measures.ts'
import type { Tick } from './periods.ts'

export interface NumberAxis {
  type: YScale
  domain: readonly [number, number]
  ticks: readonly Tick[]
  /** Returns the position of a value on the axis, from 0 to 1. */
  share: (value: number) => number
}

/** Returns a tick step of 1, 2 or 5 times a power of ten. */
function niceStep(span: number, count: number, wholeNumbers: boolean): number {
  const raw = span / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9))! * power
  return wholeNumbers ? Math.max(1, step) : step
}

/**
 * Makes an axis for these values, which ends at a tick. With `fromZero` it includes 0. `count` is the desired number of ticks, and
 * `headroom` the share of the axis that labels need beyond the outermost values.
 */
export function computeNumberAxis(
  values: readonly number[],
  measure: Pick<ChartMeasure, 'formatTick' | 'wholeNumbers'>,
  { type = 'linear', fromZero, count, headroom = 0 }: { type?: YScale; fromZero: boolean; count: number; headroom?: number },
): NumberAxis {
  if (type === 'log') return makeLogAxis(values, measure)
  const all = fromZero || values.length === 0 ? [0, ...values] : values
  let [low, high] = findMinAndMax(all)
  if (low === high) [low, high] = low === 0 ? [0, 1] : fromZero ? [Math.min(0, low), Math.max(0, high)] : [low - 1, high + 1]
  const pad = ((high - low) * headroom) / (1 - headroom)
  const [from, until] = [low < 0 || !fromZero ? low - pad : low, high > 0 || !fromZero ? high + pad : high]
  const step = niceStep(until - from, count, measure.wholeNumbers)
  const [first, last] = [Math.floor(from / step + 1e-9), Math.ceil(until / step - 1e-9)]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step))
  const domain = [ticks[0]!, ticks.at(-1)!] as const
  return {
    type,
    domain,
    ticks: ticks.map((value) => ({ value, label: measure.formatTick(value) })),
    share: (value) => (value - domain[0]) / (domain[1] - domain[0]),
  }
}

function makeLogAxis(values: readonly number[], { formatTick }: Pick<ChartMeasure, 'formatTick'>): NumberAxis {
  const [low, high] = values.length === 0 ? [1, 10] : findMinAndMax(values)
  const from = Math.floor(Math.log10(low) + 1e-9)
  const until = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9))
  const ticks = Array.from({ length: until - from + 1 }, (_, index) => 10 ** (from + index)).map((value) => Number(value.toPrecision(12)))
  return {
    type: 'log',
    domain: [ticks[0]!, ticks.at(-1)!],
    ticks: ticks.map((value) => ({ value, label: formatTick(value) })),
    share: (value) => (Math.log10(value) - from) / (until - from),
  }
}

/** Returns the smallest and the largest of one or more values. Math.min fails with too many arguments. */
export const findMinAndMax = (values: readonly number[]): [number, number] =>
  values.reduce<[number, number]>(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [values[0]!, values[0]!])

/** Removes the rounding error of binary fractions, such as that of 0.1 + 0.2. */
const tidy = (value: number) => Number(value.toPrecision(12))
