import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** Requesting and verifying a code with the two tools, compared with the same statements on a bare connection. */
export async function measureSignInCodes(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('sign-in-codes', { TEST_DATABASE_URL: server })
  const window = (side: 'ours' | 'bare') => (seconds: number) => child.ask<number>('time', { side, seconds })
  const values = await interleave({ ours: window('ours'), bare: window('bare') }, rounds)
  await child.ask('end')
  child.stop()
  const note = 'a code sent by email and a session opened with it'
  return [
    {
      name: 'sign-in code, requested and verified',
      unit: 'ms',
      ...compareMeasurements(values.ours, values.bare, 'lower'),
      target: { atMost: 3 },
      note,
    },
  ]
}
