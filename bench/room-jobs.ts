import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** The time limits in section 8 of the specification for background jobs that change many rooms, in seconds. */
const WORK = [
  { question: 'move', name: '1,000 guests moved to another hotel', limit: 10 },
  { question: 'fill', name: '1,000 rooms given to a waiting list', limit: 10 },
  { question: 'allocate', name: 'rooms allocated to 200 requests', limit: 10 },
  { question: 'cutOff', name: 'cut-off of a hotel with 300 blocks', limit: 2 },
] as const
const SUMMARY_LIMIT_MS = 400
/** The maximum number of measurements. Few are made, because each first creates thousands of records. */
const MAX_ROUNDS = 3

/**
 * Measures background jobs that change many rooms at an event of the largest size, and the summary of all its hotels. Each is compared with
 * its time limit.
 */
export async function measureRoomJobs(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('room-jobs', { TEST_DATABASE_URL: server })
  await child.ask('open')
  const few = { rounds: Math.min(rounds.rounds, MAX_ROUNDS), seconds: rounds.seconds, warmUp: null }
  const results: BenchResult[] = []
  for (const { question, name, limit } of WORK) {
    const { ours } = await interleave({ ours: () => child.ask<number>(question) }, few)
    const limits = ours.map(() => limit * 1000)
    results.push({ name, unit: 'ms', ...compareMeasurements(ours, limits, 'lower'), target: { atMost: 1 } })
  }
  const { ours } = await interleave({ ours: (seconds: number) => child.ask<number>('summary', { seconds }) }, rounds)
  const limits = ours.map(() => SUMMARY_LIMIT_MS)
  results.push({
    name: 'get_housing_summary, time limit',
    unit: 'ms',
    ...compareMeasurements(ours, limits, 'lower'),
    target: { atMost: 1 },
  })
  await child.ask('end')
  child.stop()
  return results
}
