export interface Rounds {
  rounds: number
  seconds: number
  /** Seconds for which each target runs before the first round, so that the JIT compiler has compiled its code. */
  warmUp: number
}

/**
 * Runs all targets for short windows in turn, every other round in reverse order, so that other load on the machine affects all of them
 * equally. `warmUp` is null if all of them have already run.
 */
export async function interleave<N extends string, V>(
  windows: Record<N, (seconds: number) => Promise<V>>,
  { rounds, seconds, warmUp }: Omit<Rounds, 'warmUp'> & { warmUp: number | null },
): Promise<Record<N, V[]>> {
  const names = Object.keys(windows) as N[]
  const values = Object.fromEntries(names.map((name) => [name, [] as V[]])) as Record<N, V[]>
  if (warmUp !== null) for (const name of names) await windows[name](warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) values[name].push(await windows[name](seconds))
  }
  return values
}

export interface MeasuredComparison {
  ours: number
  limit: number
  ratio: number
  /** Lower and upper quartile of the ratios of single rounds, which show how much other load the machine had. */
  low: number
  high: number
  windows: { ours: readonly number[]; limit: readonly number[] }
}

/**
 * Compares the nearly best measurement of both sides (the 10th percentile), because other load on the machine only makes measurements
 * worse. The very best one may be an outlier.
 */
export function compareMeasurements(ours: readonly number[], limit: readonly number[], better: 'lower' | 'higher'): MeasuredComparison {
  const good = (values: readonly number[]) => quantile(values, better === 'lower' ? 0.1 : 0.9)
  const ratios = ours.map((value, i) => value / limit[i]!)
  return {
    ours: good(ours),
    limit: good(limit),
    ratio: good(ours) / good(limit),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    windows: { ours, limit },
  }
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at % 1)
}
