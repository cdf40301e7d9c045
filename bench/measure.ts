export interface Rounds {
  rounds: number
  seconds: number
  /** For each before the first round, to be compiled. */
  warmUp: number
}

/**
 * Runs all of them for a short while in turn, again and again, every other round backwards, so that whatever else the machine
 * does falls on all of them alike.
 */
export async function interleave<N extends string, V>(
  windows: Record<N, (seconds: number) => Promise<V>>,
  { rounds, seconds, warmUp }: Rounds,
): Promise<Record<N, V[]>> {
  const names = Object.keys(windows) as N[]
  const values = Object.fromEntries(names.map((name) => [name, [] as V[]])) as Record<N, V[]>
  for (const name of names) await windows[name](warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) values[name].push(await windows[name](seconds))
  }
  return values
}

export interface Comparison {
  ours: number
  limit: number
  ratio: number
  /** Quartiles of the ratios of single rounds: how quiet the machine was. */
  low: number
  high: number
  windows: { ours: readonly number[]; limit: readonly number[] }
}

/** Disturbance makes a window worse and never better, so nearly the best ones are compared; not the very best, which may be luck. */
export function compare(ours: readonly number[], limit: readonly number[], better: 'lower' | 'higher'): Comparison {
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

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at % 1)
}
