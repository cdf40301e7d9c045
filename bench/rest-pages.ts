import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/**
 * Measures a page of 200 records at `/v1`, compared with a bare server that runs the same SQL statements, with a request for the unchanged
 * page (304), and with an event of another size.
 */
export async function measureRestPages(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('rest-pages', { TEST_DATABASE_URL: server })
  const found = await child.ask<Record<'people' | 'small' | 'loadedIn' | 'kilobytes', number>>('found')
  const window = (work: string) => (seconds: number) => child.ask<number>('time', { work, seconds })
  const { page, bare, unchanged, small } = await interleave(
    { page: window('page'), bare: window('bare'), unchanged: window('unchanged'), small: window('small') },
    rounds,
  )
  await child.ask('end')
  child.stop()
  const perSecond = (times: readonly number[]) => times.map((ms) => 1000 / ms)
  return [
    {
      name: 'page of 200 compared with a bare server',
      unit: '/s',
      ...compareMeasurements(perSecond(page), perSecond(bare), 'higher'),
      target: { atLeast: 0.7 },
      note: `${found.kilobytes} KB among ${found.people} participants, loaded in ${found.loadedIn} s`,
    },
    {
      name: 'unchanged page compared with the page',
      unit: '/s',
      ...compareMeasurements(perSecond(unchanged), perSecond(page), 'higher'),
      target: { atLeast: 3 },
    },
    {
      name: `page of a large event compared with one of ${found.small}`,
      unit: 'ms',
      ...compareMeasurements(page, small, 'lower'),
      target: { atMost: 1.5 },
    },
  ]
}
