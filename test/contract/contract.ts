import { afterAll, beforeAll, describe } from 'vitest'
import { toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { checkArguments } from './checks/arguments.ts'
import { checkEffects } from './checks/effects.ts'
import { checkExampleCoverage } from './checks/examples.ts'
import { checkIsolation } from './checks/isolation.ts'
import { checkOwnRecords } from './checks/own-records.ts'
import type { ContractCheck, ContractContext } from './checks/contract-check.ts'
import { checkOutput } from './checks/output.ts'
import { checkPaging } from './checks/paging.ts'
import { checkRoles } from './checks/roles.ts'
import { checkWebhookAnnouncements } from './checks/webhook-announcements.ts'
import { runAllExamples } from './example-runs.ts'
import { CHECKED_TOOLSETS, ORGANIZER_TOOLS } from './registry.ts'
import { createStage } from './stage.ts'

/** Contract checks that apply to the tools of both the organizer and the participant endpoint. */
export const COMMON_CHECKS: readonly ContractCheck[] = [checkExampleCoverage, checkEffects, checkOutput, checkPaging, checkArguments]

/** Contract checks for participant tools: a participant may see only their own records at one event. */
export const PARTICIPANT_CHECKS: readonly ContractCheck[] = [...COMMON_CHECKS, checkOwnRecords, checkWebhookAnnouncements]

/** Contract checks for organizer tools: organizers have roles, and access only to some clients and events. */
export const ORGANIZER_CHECKS: readonly ContractCheck[] = [...COMMON_CHECKS, checkRoles, checkIsolation, checkWebhookAnnouncements]

/** These checks never reach the database or do not depend on its engine, so they are skipped on PostgreSQL. */
const ENGINE_INDEPENDENT_CHECKS: readonly ContractCheck[] = [
  checkArguments,
  checkRoles,
  checkExampleCoverage,
  checkOutput,
  checkIsolation,
  checkOwnRecords,
]
const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

/** Runs the contract checks for one toolset in a world of its own, so that the time per tool does not grow with the number of tools. */
export function describeContract(list: string, checks: readonly ContractCheck[] = ORGANIZER_CHECKS): void {
  const tools = CHECKED_TOOLSETS.get(list)!
  describe.skipIf(tools.length === 0)(`${list} tools`, () => {
    let world: World
    let stages = 0
    beforeAll(async () => {
      world = await newWorld({ toolsets: [toolset('all', ORGANIZER_TOOLS)] })
    })
    afterAll(() => world.end())

    const newStage = async ({ tenant = 'demo', word = 'wallaby' } = {}) => {
      const stage = await createStage(world, { tenant, word })
      // PostgreSQL's autovacuum analyzes tables when they have about doubled. Tests are too fast for it, and without statistics the
      // longest statements are replanned on every call.
      if (onPostgres && Number.isInteger(Math.log2(++stages))) await world.database.pool.query('analyze')
      return stage
    }
    let performing: ReturnType<typeof runAllExamples> | undefined
    const context: ContractContext = {
      tools,
      world: () => world,
      newStage,
      performed: () => (performing ??= newStage().then((stage) => runAllExamples(stage, tools))),
    }
    for (const kind of checks) if (!onPostgres || !ENGINE_INDEPENDENT_CHECKS.includes(kind)) kind(context)
  })
}
