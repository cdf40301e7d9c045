import { availableParallelism } from 'node:os'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'
import { isSmokeRun } from './size.ts'

const [FEW, MANY] = [4000, 40_000]
const BOOKERS = isSmokeRun ? 20 : 500
/** The hotel bookings per second that the specification requires on four idle cores. */
const STAYS_PER_SECOND = 300
/** The limit of the specification for get_hotel_list, in milliseconds. */
const LIST_LIMIT_MS = 150

type Side = 'ours' | 'bare'

/**
 * Measures hotel rooms at an event of the largest size: holding rooms, a crowd at one hotel, the list of hotels, and growth with the number
 * of reservations.
 */
export async function measureRooms(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('rooms', { TEST_DATABASE_URL: server })
  const holds = (side: Side) => (seconds: number) => child.ask<number>('holds', { side, seconds })
  const crowd = (side: Side) => () => child.ask<number>('crowd', { side, bookers: BOOKERS })
  const list = (side: Side) => (seconds: number) => child.ask<number>('listTime', { side, seconds })
  await child.ask('open', FEW)
  const few = await interleave({ ours: holds('ours'), bare: holds('bare') }, rounds)
  await child.ask('end')
  await child.ask('open', MANY)
  const many = await interleave({ ours: holds('ours'), bare: holds('bare') }, rounds)
  const crowds = await interleave({ ours: crowd('ours'), bare: crowd('bare') }, { ...rounds, rounds: Math.min(rounds.rounds, 5) })
  const lists = await interleave({ ours: list('ours'), bare: list('bare') }, rounds)
  await child.ask('end')
  child.stop()
  const perHold = (rates: readonly number[]) => rates.map((rate) => 1000 / rate)
  const limit = compareMeasurements(crowds.ours, crowds.bare, 'higher').limit
  return [
    { name: 'holds of four nights', unit: '/s', ...compareMeasurements(many.ours, many.bare, 'higher'), target: { atLeast: 0.5 } },
    {
      name: `stays of ${BOOKERS} bookers on one hotel, compared with ${STAYS_PER_SECOND} a second on four cores`,
      unit: '/s',
      ...compareMeasurements(
        crowds.ours,
        crowds.ours.map(() => STAYS_PER_SECOND),
        'higher',
      ),
      target: { atLeast: 1 },
      note: `the bare transaction makes ${limit.toFixed(0)} a second; ${availableParallelism()} cores`,
    },
    {
      name: 'get_hotel_list of 80 hotels, 10 types and 14 nights',
      unit: 'ms',
      ...compareMeasurements(lists.ours, lists.bare, 'lower'),
      target: { atMost: 2 },
    },
    {
      name: 'get_hotel_list, time limit',
      unit: 'ms',
      ...compareMeasurements(
        lists.ours,
        lists.ours.map(() => LIST_LIMIT_MS),
        'lower',
      ),
      target: { atMost: 1 },
    },
    {
      name: `a hold with ${MANY} reservations compared with one with ${FEW}`,
      unit: 'ms',
      ...compareMeasurements(perHold(many.ours), perHold(few.ours), 'lower'),
      target: { atMost: 1.3 },
    },
  ]
}
