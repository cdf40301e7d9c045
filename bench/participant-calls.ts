import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

const CALLS = {
  list: 'agent_list_flows',
  submit: 'agent_submit_registration, new participant',
  page: 'a page of the registration form, over HTTP',
} as const
type Work = keyof typeof CALLS

/**
 * Measures the tool calls that assistants make for every participant and the page that the participant then opens, compared with the same
 * SQL statements on a bare connection.
 */
export async function measureParticipantCalls(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('participant-calls', { TEST_DATABASE_URL: server })
  const statements = await child.ask<Record<Work, number>>('statements')
  const window = (work: Work, side: 'ours' | 'bare') => (seconds: number) => child.ask<number>('time', { work, side, seconds })
  const results: BenchResult[] = []
  for (const work of Object.keys(CALLS) as Work[]) {
    const values = await interleave({ ours: window(work, 'ours'), bare: window(work, 'bare') }, rounds)
    const note = `${statements[work]} statements`
    results.push({ name: CALLS[work], unit: 'ms', ...compareMeasurements(values.ours, values.bare, 'lower'), target: { atMost: 3 }, note })
  }
  await child.ask('end')
  child.stop()
  return results
}
