import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

const TOOLS = ['recommend_participants', 'recommend_products'] as const

/** Time limit of a recommendation at an event with 120,000 participants, in milliseconds. */
const LIMIT = 200

/** Measures recommendations among many participants, compared with their time limit. */
export async function measureRecommendations(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('recommendations', { TEST_DATABASE_URL: server })
  const { people, keptIn } = await child.ask<{ people: number; keptIn: number }>('found')
  const results: BenchResult[] = []
  for (const tool of TOOLS) {
    const { ours } = await interleave({ ours: (seconds: number) => child.ask<number>('time', { tool, seconds }) }, rounds)
    const limits = ours.map(() => LIMIT)
    const note = `${people} participants, profiles written in ${keptIn} s`
    results.push({ name: tool, unit: 'ms', ...compareMeasurements(ours, limits, 'lower'), target: { atMost: 1 }, note })
  }
  await child.ask('end')
  child.stop()
  return results
}
