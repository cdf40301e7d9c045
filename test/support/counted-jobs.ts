import { afterAll, afterEach, beforeAll } from 'vitest'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { ORGANIZER_PATH } from './rpc.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import { freeBaseUrl, serve } from './server.ts'

type Arguments = Record<string, unknown>

/** The organizer's assistant during one job. Every call counts, including refused ones. */
interface CountedAssistant {
  /** The structured result. A tool with the argument eventCode is called for the event of the file, unless another event is given. */
  call: (tool: string, args?: Arguments) => Promise<any>
  /** The text of the refusal. Fails the test if the call succeeded. */
  refused: (tool: string, args?: Arguments) => Promise<string>
}

interface CountedJobs {
  scenario: SalesScenario
  /** Starts the job of the current test, which fails if it needs more calls. The table at the end shows the calls of every job. */
  startJob: (limit: number) => CountedAssistant
  /** Runs a queued background job, as the worker does. */
  runQueued: (job: unknown, jobId: string) => Promise<void>
}

/**
 * A served event and an organizer's assistant: the official MCP client over HTTP. The assistant may only call tools that the endpoint lists.
 */
export function useCountedJobs(
  sections: object,
  options: Omit<NonNullable<Parameters<typeof openSalesScenario>[1]>, 'baseUrl'> & {
    prepare?: (scenario: SalesScenario) => Promise<unknown>
  } = {},
): CountedJobs {
  const { prepare, ...where } = options
  const scenario = {} as SalesScenario
  const table: { job: string; calls: number; limit: number; tools: string }[] = []
  let client: Awaited<ReturnType<(typeof OFFICIAL_CLIENTS)[number]['connect']>>
  /** The listed tools, and whether each has the argument eventCode. */
  let listed: ReadonlyMap<string, boolean>
  let current: { limit: number; tools: string[] }

  beforeAll(async () => {
    Object.assign(scenario, await openSalesScenario(sections, { ...where, baseUrl: await freeBaseUrl() }))
    await prepare?.(scenario)
    await scenario.world.renewTokens()
    const served = await serve(scenario.world)
    client = await OFFICIAL_CLIENTS[0]!.connect(served.url(ORGANIZER_PATH), scenario.olga.token)
    listed = new Map((await client.listTools()).tools.map(({ name, inputSchema }) => [name, 'eventCode' in (inputSchema.properties ?? {})]))
  })
  afterEach(({ task }) => {
    const { limit, tools } = current
    table.push({ job: task.name, calls: tools.length, limit, tools: tools.join(', ') })
    if (tools.length > limit) throw new Error(`${task.name}: ${tools.length} calls instead of at most ${limit}`)
  })
  afterAll(async () => {
    console.table(table)
    await client.close()
    await scenario.world.end()
  })

  return {
    scenario,
    startJob(limit) {
      const tools: string[] = []
      current = { limit, tools }
      const answer = async (name: string, args: Arguments = {}) => {
        if (!listed.has(name)) throw new Error(`${name} is not listed`)
        tools.push(name)
        const at = listed.get(name) ? { eventCode: scenario.event.eventCode } : {}
        const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...at, ...args } })
        return { isError, text: (content as { text?: string }[])[0]?.text ?? '', structuredContent }
      }
      return {
        async call(name, args) {
          const { isError, text, structuredContent } = await answer(name, args)
          if (isError) throw new Error(`${name} was refused: ${text}`)
          return structuredContent
        },
        async refused(name, args) {
          const { isError, text } = await answer(name, args)
          if (!isError) throw new Error(`${name} went through: ${text}`)
          return text
        },
      }
    },
    async runQueued(job, jobId) {
      await createJobRunner(scenario.world.services)(job as Job, { tenantId: scenario.event.tenantId, jobId })
    },
  }
}
