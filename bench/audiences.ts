import { availableParallelism } from 'node:os'
import { compareMeasurements, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time limit of one calculation for 1,000,000 participants, in milliseconds. It applies on 8 cores; on fewer cores it is only reported. */
const LIMIT = 60_000
const CORES = 8
const MAX_BUILDS = 3

/** Measures the calculation of audience profiles, from the rows of an event to the stored profiles, compared with its time limit. */
export async function measureAudiences(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('audiences', { TEST_DATABASE_URL: server })
  const ours: number[] = []
  for (let round = 0; round < Math.min(rounds.rounds, MAX_BUILDS); round++) ours.push(await child.ask<number>('build'))
  const { people, patterns, k } = await child.ask<{ people: number; patterns: number; k: number }>('describe')
  await child.ask('end')
  child.stop()
  const limits = ours.map(() => LIMIT)
  const note = `${people} participants, ${patterns} patterns, ${k} profiles`
  const target = availableParallelism() >= CORES ? { atMost: 1 } : null
  return [{ name: 'rebuild_audience_profiles', unit: 'ms', ...compareMeasurements(ours, limits, 'lower'), target, note }]
}
