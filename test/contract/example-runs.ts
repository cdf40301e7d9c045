import type { Tool } from '../../src/kernel/tool.ts'
import { watchWebhooksAt } from '../support/webhook-watch.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import {
  findChangeProblems,
  findDryRunProblems,
  findIdempotencyKeyProblems,
  findReadProblems,
  findRepeatProblems,
  takesIdempotencyKey,
  attemptCall,
} from './effects.ts'
import { type ExampleCall, exampleCallsAt } from './examples.ts'
import { findResultProblems } from './output.ts'
import type { Stage } from './stage.ts'

/**
 * The problems found in one example. The call is made once and shared by all checks, because making it takes far longer than checking it.
 */
export interface ExampleRun {
  call: ExampleCall
  effects: string[]
  result: string[]
  /** Records whose REST representation changed without a webhook message. */
  unannounced: string[]
  /** Problems found when a call to a tool marked idempotent was repeated. */
  repeat: string[]
  /** Problems found in the dry run that preceded the call. */
  dryRun: string[]
  /** Problems found when the call was repeated with the same idempotency key. */
  key: string[]
}

const ANALYZE_EVERY = 20

/** Makes every example call of every tool while a webhook endpoint receives all messages. */
export async function runAllExamples(stage: Stage, tools: readonly Tool[]): Promise<ExampleRun[]> {
  const { world, home } = stage
  // Test data is never announced by webhook.
  await world.database.pool.query('update events set test_mode = false where id = $1', [home.eventId])
  await createWebhookSubscription(world, home, { url: 'https://crm.example/hook' })
  const webhookWatch = watchWebhooksAt(world, home)
  const performed: ExampleRun[] = []
  for await (const call of exampleCallsAt(stage, tools)) {
    // Without statistics the planner expects empty tables, and lists with several joins take seconds.
    if (performed.length % ANALYZE_EVERY === ANALYZE_EVERY - 1) await world.database.pool.query('analyze')
    const reads = call.tool.readsOnly(call.args)
    const { of: tried, unannounced: silent } = reads
      ? { of: await attemptCall(call), unannounced: [] }
      : await webhookWatch.watchChange(() => attemptCall(call))
    const { dry, real } = tried
    performed.push({
      call,
      effects: await (reads ? findReadProblems : findChangeProblems)(call, real),
      result: [real, ...(dry ? [dry] : [])].flatMap(({ answer }) => findResultProblems(call.tool, answer)),
      unannounced: silent.map((silence) => `did not announce ${silence}`),
      repeat: !reads && call.tool.wire.annotations.idempotentHint ? await findRepeatProblems(call, real) : [],
      dryRun: await findDryRunProblems(call, tried),
      key: !reads && takesIdempotencyKey(call.tool) ? await findIdempotencyKeyProblems(call, tried) : [],
    })
  }
  return performed
}

/** Prefixes each problem with the tool's name, without duplicates. */
export const prefixProblems = <P extends { call: ExampleCall }>(performed: readonly P[], of: (one: P) => readonly string[]): string[] => [
  ...new Set(performed.flatMap((one) => of(one).map((problem) => `${one.call.tool.name} ${problem}`))),
]
