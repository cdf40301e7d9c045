import { compareMeasurements, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time limits of one proposal for 1,500 booth applications and 2,000 booths, in milliseconds. */
const LIMITS = { points: 5000, balanced: 60_000 } as const

interface Timing {
  ms: number
  placed: number
  applicants: number
}

/** Measures proposals that assign booths to companies, compared with time limits and with the same problem at half the size. */
export async function measureAssignment(fleet: Fleet, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('assignment')
  const results: BenchResult[] = []
  for (const method of ['points', 'balanced'] as const) {
    const whole: Timing[] = []
    const half: Timing[] = []
    // A proposal takes seconds, so its duration varies little and few measurements are enough.
    for (let round = 0; round < Math.min(3, rounds.rounds); round++) {
      half.push(await child.ask<Timing>('time', { method, share: 0.5 }))
      whole.push(await child.ask<Timing>('time', { method, share: 1 }))
    }
    const times = whole.map(({ ms }) => ms)
    const note = `${whole[0]!.placed} of ${whole[0]!.applicants} applications placed`
    const limits = times.map(() => LIMITS[method])
    results.push({ name: `proposal by ${method}`, unit: 'ms', ...compareMeasurements(times, limits, 'lower'), target: { atMost: 1 }, note })
    const before = half.map(({ ms }) => ms)
    results.push({
      name: `proposal by ${method}, twice the size`,
      unit: 'ms',
      ...compareMeasurements(times, before, 'lower'),
      target: null,
    })
  }
  child.stop()
  return results
}
