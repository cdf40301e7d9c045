import { afterAll, afterEach, beforeAll } from 'vitest'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { connectOrganizer, type OrganizerAssistant } from './organizer-assistant.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from './server.ts'

/** The organizer's assistant in one test, whose calls are counted. Refused calls count too. */
type CountedAssistant = Pick<OrganizerAssistant, 'call' | 'refused'>

interface CountedJobs {
  scenario: SalesScenario
  /**
   * Starts the organizer's job of the current test, which fails if the job needs more than `limit` tool calls. A table that is printed
   * after all tests of the file shows the calls of each job.
   */
  startJob: (limit: number) => CountedAssistant
  /** Runs a queued background job, as the worker does. */
  runQueued: (job: unknown, jobId: string) => Promise<void>
}

/** Serves an event and connects an organizer's assistant whose tool calls are counted per test. */
export function useCountedJobs(
  sections: object,
  options: Omit<NonNullable<Parameters<typeof openSalesScenario>[1]>, 'baseUrl'> & {
    prepare?: (scenario: SalesScenario) => Promise<unknown>
  } = {},
): CountedJobs {
  const { prepare, ...where } = options
  const scenario = {} as SalesScenario
  const table: { job: string; calls: number; limit: number; tools: string }[] = []
  let assistant: OrganizerAssistant
  let current: { limit: number; tools: string[] }

  beforeAll(async () => {
    Object.assign(scenario, await openSalesScenario(sections, { ...where, baseUrl: await chooseFreeBaseUrl() }))
    await prepare?.(scenario)
    await scenario.world.renewTokens()
    const served = await serve(scenario.world)
    const { eventCode } = scenario.event
    assistant = await connectOrganizer(served, scenario.olga, { eventCode, onCall: (tool) => current.tools.push(tool) })
  })
  afterEach(({ task }) => {
    const { limit, tools } = current
    table.push({ job: task.name, calls: tools.length, limit, tools: tools.join(', ') })
    if (tools.length > limit) throw new Error(`${task.name}: ${tools.length} calls instead of at most ${limit}`)
  })
  afterAll(async () => {
    console.table(table)
    await assistant.close()
    await scenario.world.end()
  })

  return {
    scenario,
    startJob(limit) {
      current = { limit, tools: [] }
      return assistant
    },
    async runQueued(job, jobId) {
      await createJobRunner(scenario.world.services)(job as Job, { tenantId: scenario.event.tenantId, jobId })
    },
  }
}
