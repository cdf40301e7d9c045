import type { Tool } from '../../src/kernel/tool.ts'
import { tellingAt } from '../support/told.ts'
import { listenAt } from '../support/webhooks.ts'
import { problemsOfChange, problemsOfDryRun, problemsOfKey, problemsOfRead, problemsOfRepeat, takesKey, trying } from './effects.ts'
import { type Call, callsAt } from './examples.ts'
import { problemsOfResult } from './output.ts'
import type { Stage } from './stage.ts'

/** What is to be said of one example after it was made once: to make one takes longer than all that is looked at in it. */
export interface Performed {
  call: Call
  effects: string[]
  result: string[]
  /** Records that programs read otherwise afterwards and were told nothing of. */
  silences: string[]
  /** Of calling it once more, where that is said to change nothing. */
  repeat: string[]
  /** Of the dry run before it, where there is one. */
  dryRun: string[]
  /** Of the same key once more, where it takes one. */
  key: string[]
}

/** Every example of every tool, while somebody listens to all that happens there. */
export async function performAll(stage: Stage, tools: readonly Tool[]): Promise<Performed[]> {
  const { world, home } = stage
  // Of test data nobody is told anything.
  await world.database.pool.query('update events set test_mode = false where id = $1', [home.eventId])
  await listenAt(world, home, { url: 'https://crm.example/hook' })
  const telling = tellingAt(world, home)
  const performed: Performed[] = []
  for await (const call of callsAt(stage, tools)) {
    const reads = call.tool.effect === 'read'
    const { of: tried, silent } = reads ? { of: await trying(call), silent: [] } : await telling.watched(() => trying(call))
    const { dry, real } = tried
    performed.push({
      call,
      effects: await (reads ? problemsOfRead : problemsOfChange)(call, real),
      result: [real, ...(dry ? [dry] : [])].flatMap(({ answer }) => problemsOfResult(call.tool, answer)),
      silences: silent.map((silence) => `told nobody of ${silence}`),
      repeat: !reads && call.tool.wire.annotations.idempotentHint ? await problemsOfRepeat(call, real) : [],
      dryRun: await problemsOfDryRun(call, tried),
      key: takesKey(call.tool) ? await problemsOfKey(call, tried) : [],
    })
  }
  return performed
}

/** Each once, under the tool's name. */
export const problemsIn = <P extends { call: Call }>(performed: readonly P[], of: (one: P) => readonly string[]): string[] => [
  ...new Set(performed.flatMap((one) => of(one).map((problem) => `${one.call.tool.name} ${problem}`))),
]
