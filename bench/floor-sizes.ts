import { compareMeasurements, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time limits of the floor plan tools in section 7 of the specification, in milliseconds. */
const LIMITS = {
  booths: { name: 'list_booths of 6,000 booths', limit: 250 },
  applications: { name: 'list_booth_applications of 4,000, with points', limit: 250 },
  placement: { name: 'analyze_placement of 1,500 booths', limit: 5000 },
  map: { name: 'get_booth_map of 1,500 booths, with a route', limit: 800 },
  summary: { name: 'get_onsite_summary', limit: 800 },
  drawing: { name: 'scan of a DXF drawing with 200,000 entities', limit: 30_000 },
} as const
type Work = keyof typeof LIMITS
/** Maximum number of measurements of a call. Few are enough, because a call takes seconds. */
const MAX_ROUNDS = 5

/** Measures the tools for floor plans and booths at the largest event, compared with their time limits. */
export async function measureFloorSizes(fleet: Fleet, server: string, { rounds }: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('floor-sizes', { TEST_DATABASE_URL: server })
  const note = await child.ask<string>('loaded')
  const results: BenchResult[] = []
  for (const [work, { name, limit }] of Object.entries(LIMITS) as [Work, (typeof LIMITS)[Work]][]) {
    await child.ask('time', { work })
    const times: number[] = []
    for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) times.push(await child.ask<number>('time', { work }))
    const limits = times.map(() => limit)
    results.push({ name, unit: 'ms', ...compareMeasurements(times, limits, 'lower'), target: { atMost: 1 }, note })
  }
  await child.ask('end')
  child.stop()
  return results
}
