import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Time limits of operations on the largest possible event configuration, in milliseconds. */
const LIMITS = { diff: 200, find: 200, set: 300, explore: 300, review: 2000, publish: 2000 } as const
type Work = keyof typeof LIMITS
const NAMES: Record<Work, string> = {
  diff: 'diff of two versions',
  find: 'config_find',
  set: 'config_set',
  explore: 'config_explore',
  review: 'review_flow of all flows',
  publish: 'publish_event',
}

/**
 * Measures operations on the largest event configuration, compared with their time limits, and for information with the time to parse and
 * validate the configuration once.
 */
export async function measureConfiguration(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('configuration', { TEST_DATABASE_URL: server })
  const { bytes, changes } = await child.ask<{ bytes: number; changes: number }>('size')
  const window = (work: Work | 'parse') => (seconds: number) => child.ask<number>('time', { work, seconds })
  const values = await interleave(
    {
      parse: window('parse'),
      diff: window('diff'),
      find: window('find'),
      set: window('set'),
      explore: window('explore'),
      review: window('review'),
      publish: window('publish'),
    },
    rounds,
  )
  await child.ask('end')
  child.stop()
  const note = `on ${(bytes / 2 ** 20).toFixed(2)} MiB with ${changes} differences`
  return (Object.keys(LIMITS) as Work[]).flatMap((work): BenchResult[] => {
    const limit = values[work].map(() => LIMITS[work])
    return [
      {
        name: `${NAMES[work]}, largest configuration`,
        unit: 'ms',
        ...compareMeasurements(values[work], limit, 'lower'),
        target: { atMost: 1 },
        ...(work === 'diff' ? { note } : {}),
      },
      {
        name: `${NAMES[work]} compared with parsing and validating`,
        unit: 'ms',
        ...compareMeasurements(values[work], values.parse, 'lower'),
        target: null,
      },
    ]
  })
}
