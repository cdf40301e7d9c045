import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time and memory limits of generate_max_fit in section 7 of the specification. */
const LIMIT_MS = 10_000
const LIMIT_MB = 512
/** Maximum number of measurements. Few are enough, because a layout takes several seconds. */
const MAX_ROUNDS = 4

/**
 * Measures the densest booth layout of a hall of 60,000 m² on a grid of 0.25 m at two angles, compared with a plain loop over the same grid
 * cells.
 */
export async function measureMaxFit(fleet: Fleet, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('max-fit')
  const windows = { ours: () => child.ask<number>('fit'), plain: () => child.ask<number>('pass') }
  const { ours, plain } = await interleave(windows, { ...rounds, rounds: Math.min(rounds.rounds, MAX_ROUNDS) })
  const note = `${await child.ask<number>('booths')} booths on ${await child.ask<number>('cells')} cells`
  const memory = [await child.ask<number>('peakMegabytes')]
  child.stop()
  return [
    { name: 'max-fit, plain pass', unit: 'ms', ...compareMeasurements(ours, plain, 'lower'), target: { atMost: 15 }, note },
    {
      name: 'max-fit, time limit',
      unit: 'ms',
      ...compareMeasurements(
        ours,
        ours.map(() => LIMIT_MS),
        'lower',
      ),
      target: { atMost: 1 },
    },
    { name: 'max-fit, peak memory', unit: 'MB', ...compareMeasurements(memory, [LIMIT_MB], 'lower'), target: { atMost: 1 } },
  ]
}
