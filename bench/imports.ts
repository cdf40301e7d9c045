import { availableParallelism } from 'node:os'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'
import { scaleRows } from './size.ts'

/** The largest import that runs within one call. */
const PEOPLE = scaleRows(2000)

/** The rows per second that the specification requires. They are targets only on machines with enough cores. */
const SPECIFIED = { live: 500, dry: 2000 }
const CORES = 4

/** Measures imports of new files with people and payments, compared with multi-row inserts of the same rows. */
export async function measureImports(fleet: Fleet, server: string, { rounds }: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('imports', { TEST_DATABASE_URL: server })
  await child.ask('open')
  const window = (side: 'live' | 'dry' | 'bare') => () => child.ask<number>('rate', { side, people: PEOPLE })
  const values = await interleave({ live: window('live'), dry: window('dry'), bare: window('bare') }, { rounds, seconds: 0, warmUp: 0 })
  await child.ask('end')
  child.stop()
  const note = `${PEOPLE} people, each with an order, an invoice and a payment`
  return [
    {
      name: 'people imported',
      unit: '/s',
      ...compareMeasurements(values.live, values.bare, 'higher'),
      target: { atLeast: 0.4 },
      note,
    },
    {
      name: 'people counted by the dry run of an import',
      unit: '/s',
      ...compareMeasurements(values.dry, values.bare, 'higher'),
      target: { atLeast: 2 },
      note,
    },
    compareWithSpecification('people imported, and those of the specification', values.live, SPECIFIED.live),
    compareWithSpecification('people counted by a dry run, and those of the specification', values.dry, SPECIFIED.dry),
  ]
}

function compareWithSpecification(name: string, rates: readonly number[], specified: number): BenchResult {
  const target = PEOPLE >= 2000 && availableParallelism() >= CORES ? { atLeast: 1 } : null
  const limits = rates.map(() => specified)
  return { name, unit: '/s', ...compareMeasurements(rates, limits, 'higher'), target, note: `a target with ${CORES} cores` }
}
