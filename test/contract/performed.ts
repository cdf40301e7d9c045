import type { Tool } from '../../src/kernel/tool.ts'
import { tellingAt } from '../support/told.ts'
import { listenAt } from '../support/webhooks.ts'
import { doing, problemsOfChange, problemsOfDryRun, problemsOfKey, problemsOfRead, problemsOfRepeat, takesKey, trying } from './effects.ts'
import { type Call, callsAt } from './examples.ts'
import { problemsOfResult } from './output.ts'
import type { Stage } from './stage.ts'

/** What is to be said of one example after it was called once: to make one and call it takes longer than all that is looked at in it. */
export interface Performed {
  call: Call
  effects: string[]
  result: string[]
  /** Records that programs read otherwise afterwards and were told nothing of. */
  silences: string[]
  /** Of calling it once more, where that is said to change nothing. */
  repeat: string[]
}

export interface Rehearsed {
  call: Call
  dryRun: string[]
  /** Of the dry run. */
  result: string[]
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
    const { of: seen, silent } = reads ? { of: await doing(call), silent: [] } : await telling.watched(() => doing(call))
    performed.push({
      call,
      effects: await (reads ? problemsOfRead : problemsOfChange)(call, seen),
      result: problemsOfResult(call.tool, seen.answer),
      silences: silent.map((silence) => `told nobody of ${silence}`),
      repeat: !reads && call.tool.wire.annotations.idempotentHint ? await problemsOfRepeat(call, seen) : [],
    })
  }
  return performed
}

/** Every example of every tool that has a dry run or takes a key. */
export async function rehearseAll(stage: Stage, tools: readonly Tool[]): Promise<Rehearsed[]> {
  const rehearsed: Rehearsed[] = []
  const tried = tools.filter((tool) => tool.previews || takesKey(tool))
  for await (const call of callsAt(stage, tried)) {
    const seen = await trying(call)
    rehearsed.push({
      call,
      dryRun: await problemsOfDryRun(call, seen),
      result: seen.dry ? problemsOfResult(call.tool, seen.dry.answer) : [],
      key: takesKey(call.tool) ? await problemsOfKey(call, seen) : [],
    })
  }
  return rehearsed
}

/** Each once, under the tool's name. */
export const problemsIn = <P extends { call: Call }>(performed: readonly P[], of: (one: P) => readonly string[]): string[] => [
  ...new Set(performed.flatMap((one) => of(one).map((problem) => `${one.call.tool.name} ${problem}`))),
]
