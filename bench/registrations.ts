import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'
import { scaleRows } from './size.ts'

const [FEW, MANY] = [scaleRows(10_000), scaleRows(1_000_000, 400)]

/**
 * Measures complete registrations for one product in high demand, compared with the fastest known transaction for the same rows, and with a
 * larger database.
 */
export async function measureRegistrations(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('registrations', { TEST_DATABASE_URL: server })
  const window = (side: 'ours' | 'bare') => (seconds: number) => child.ask<number>('rate', { side, seconds })
  const measured = async (people: number) => {
    await child.ask('open', people)
    const values = await interleave({ ours: window('ours'), bare: window('bare') }, rounds)
    const { statements, roundTrips } = await child.ask<{ statements: number; roundTrips: number }>('statements')
    await child.ask('end')
    return { values, note: `${statements} statements in ${roundTrips} round trips` }
  }
  const few = await measured(FEW)
  const many = await measured(MANY)
  child.stop()
  const perCall = (rates: readonly number[]) => rates.map((rate) => 1000 / rate)
  return [
    {
      name: 'registrations for one product',
      unit: '/s',
      ...compareMeasurements(few.values.ours, few.values.bare, 'higher'),
      target: { atLeast: 0.4 },
      note: few.note,
    },
    {
      name: 'registrations for one product, with a million participants',
      unit: '/s',
      ...compareMeasurements(many.values.ours, many.values.bare, 'higher'),
      target: { atLeast: 0.4 },
    },
    {
      name: `a registration with ${MANY} participants compared with one with ${FEW}`,
      unit: 'ms',
      ...compareMeasurements(perCall(many.values.ours), perCall(few.values.ours), 'lower'),
      target: { atMost: 1.5 },
    },
  ]
}
