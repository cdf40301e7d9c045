import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Measures sending 150 queued sign-in codes, compared with sending the same emails through a bare pool of SMTP connections. */
export async function measureOutbox(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const sink = await fleet.start('smtp-sink')
  const url = await sink.ask<string>('url')
  const child = await fleet.start('outbox', { TEST_DATABASE_URL: server })
  const window = (side: 'ours' | 'bare') => async (seconds: number) => {
    const rate = await child.ask<number>('rate', { side, seconds, url })
    if ((await sink.ask<number>('taken')) % 150 !== 0) throw new Error('An email was lost or sent twice')
    return rate
  }
  const values = await interleave({ ours: window('ours'), bare: window('bare') }, rounds)
  await child.ask('end')
  child.stop()
  sink.stop()
  const note = 'five connections each; ours also claims, marks and erases every email in the database'
  return [
    {
      name: 'emails from the outbox',
      unit: '/s',
      ...compareMeasurements(values.ours, values.bare, 'higher'),
      target: { atLeast: 0.5 },
      note,
    },
  ]
}
