import { afterAll, beforeAll } from 'vitest'
import { JOB_DEFINITIONS } from '../../src/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { listUnequalFigures } from './equal-figures.ts'
import { connectOrganizer, type OrganizerAssistant } from './organizer-assistant.ts'
import { resetRateLimits } from './rpc.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from './server.ts'
import type { EventHandle, OrganizerHandle } from './world.ts'

interface JourneyEmail {
  to: string
  subject: string
  text: string
}

/** A served event, its organizer's assistant, and the emails that people received. */
export interface Journey {
  scenario: SalesScenario
  served: Served
  assistant: OrganizerAssistant
  /** Another organizer's assistant, or one for another event. */
  connect: (organizer: OrganizerHandle, event?: Pick<EventHandle, 'eventCode'>) => Promise<OrganizerAssistant>
  /** The emails of one kind, oldest first. */
  listEmails: (code: string) => Promise<JourneyEmail[]>
  /** Returns the path of the first link in an email whose address contains `part`. */
  readLink: (email: JourneyEmail, part: string) => string
  rows: (query: string, values?: unknown[]) => Promise<any[]>
  /** Runs a queued background job, as the worker does. */
  runJob: (name: string, jobId: string) => Promise<void>
  moveTo: (instant: string) => Promise<void>
  /** The checks of audit_event that found a violation, with samples, and figures that two tools show differently. */
  listViolations: (at?: Pick<EventHandle, 'eventCode'>) => Promise<{ id: string; samples: string[] }[]>
}

/** Serves one event for all tests of a file, which follow each other like the steps of a journey. */
export function useJourney(sections: object, where: NonNullable<Parameters<typeof openSalesScenario>[1]> = {}): Journey {
  const journey = {} as Journey
  const open: OrganizerAssistant[] = []
  beforeAll(async () => {
    const scenario = await openSalesScenario(sections, { ...where, baseUrl: await chooseFreeBaseUrl() })
    const { world, event } = scenario
    await world.renewTokens()
    const served = await serve(world)
    const rows = async (query: string, values: unknown[] = []) => (await world.database.pool.query<any>(query, values)).rows
    const connect: Journey['connect'] = async (organizer, { eventCode } = event) => {
      // Rate limits are reset before each call, because the clock of the test stands still and their time window never ends.
      const assistant = await connectOrganizer(served, organizer, { eventCode, onCall: () => resetRateLimits(world) })
      open.push(assistant)
      return assistant
    }
    const assistant = await connect(scenario.olga)
    Object.assign(journey, {
      scenario,
      served,
      assistant,
      connect,
      listEmails: (code) =>
        rows(`select to_address as to, subject, text_body as text from messages where email_code = $1 order by id`, [code]),
      readLink: ({ text }, part) => {
        const { pathname, search } = new URL(new RegExp(`https?:\\S+/${part}/\\S+`).exec(text)![0])
        return pathname + search
      },
      rows,
      async runJob(name, jobId) {
        const job = JOB_DEFINITIONS.find((one) => one.name === name)!
        await createJobRunner(world.services)(job, { tenantId: event.tenantId, jobId })
      },
      async moveTo(instant) {
        await world.clock.stopAt(instant)
        await world.renewTokens()
      },
      async listViolations({ eventCode } = event) {
        const { integrity } = await assistant.call('audit_event', { eventCode, check: true, limit: 1 })
        const unequal = await listUnequalFigures((tool, args) => assistant.call(tool, { eventCode, ...args }))
        return [
          ...integrity.filter(({ ok }: { ok: boolean }) => !ok),
          ...(unequal.length > 0 ? [{ id: 'equal figures', samples: unequal }] : []),
        ]
      },
    } satisfies Journey)
  })
  afterAll(async () => {
    await Promise.all(open.map((assistant) => assistant.close()))
    await journey.scenario.world.end()
  })
  return journey
}
