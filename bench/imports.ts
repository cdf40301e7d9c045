import { compare, interleave, type Rounds } from './measure.ts'
import type { Result } from './report.ts'
import type { Fleet } from './servers.ts'
import { scaled } from './size.ts'

/** The largest import that runs within one call. */
const PEOPLE = scaled(2000)

/** A new file of people with payments in each window: an import with one call, compared with multi-row inserts of the same rows. */
export async function measureImports(fleet: Fleet, server: string, { rounds }: Rounds): Promise<Result[]> {
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
      ...compare(values.live, values.bare, 'higher'),
      target: { atLeast: 0.4 },
      note,
    },
    {
      name: 'people counted by the dry run of an import',
      unit: '/s',
      ...compare(values.dry, values.bare, 'higher'),
      target: { atLeast: 2 },
      note,
    },
  ]
}
