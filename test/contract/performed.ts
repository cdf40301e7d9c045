import type { Tool } from '../../src/kernel/tool.ts'
import { tellingAt } from '../support/told.ts'
import { listenAt } from '../support/webhooks.ts'
import { doing, foretelling, problemsOfChange, problemsOfDryRun, problemsOfRead } from './effects.ts'
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
    })
  }
  return performed
}

/** Every example of every tool with a dry run, first as one and then for real. */
export async function rehearseAll(stage: Stage, tools: readonly Tool[]): Promise<Omit<Performed, 'silences'>[]> {
  const rehearsed: Omit<Performed, 'silences'>[] = []
  for await (const call of callsAt(
    stage,
    tools.filter(({ previews }) => previews),
  )) {
    const seen = await foretelling(call)
    rehearsed.push({ call, effects: await problemsOfDryRun(call, seen), result: problemsOfResult(call.tool, seen.answer) })
  }
  return rehearsed
}

/** Each once, under the tool's name. */
export const problemsIn = <P extends { call: Call }>(performed: readonly P[], of: (one: P) => readonly string[]): string[] => [
  ...new Set(performed.flatMap((one) => of(one).map((problem) => `${one.call.tool.name} ${problem}`))),
]
