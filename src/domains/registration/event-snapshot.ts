import type { Context, EventSummaryRow } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'

/** The context of a call about registrations, made by an organizer, a participant, their assistant, or a job. */
export interface RegistrationContext extends Context {
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** The configuration and settings of the event that a registration depends on, all read in one database snapshot. */
export interface EventSnapshot {
  config: EventConfig
  versionId: string | null
  /** The time of the database clock, or the time that a test run simulates. */
  at: Date
  timezone: string
  currency: string
  startsOn: string
  establishedIn: string | null
  paymentTermsDays: number
  /** Whether the registration is test data, which takes no capacity and no real order or invoice numbers. */
  isTest: boolean
  /** Slugs of flows that exist only in the draft. */
  unpublishedFlows?: readonly string[]
}

interface SnapshotOptions {
  /** Test runs and test registrations use the draft configuration and create test data, even if the event is not in test mode. */
  test?: { useDraft: boolean; at?: Date }
}

/** Loads the configuration for a registration. An event in test mode uses its draft, any other event its published version. */
export async function loadEventSnapshot(ctx: RegistrationContext, { test }: SnapshotOptions = {}): Promise<EventSnapshot> {
  const draft = await readDraftConfiguration(ctx)
  const { facts } = draft
  if (facts.status === 'archived') {
    throw preconditionFailed(`${ctx.event.code} is archived. It accepts no registrations or changes.`)
  }
  const usesDraft = test ? test.useDraft : facts.testMode
  const used = usesDraft ? draft : await readLiveConfiguration(ctx, draft)
  if (!used) {
    throw preconditionFailed(`${ctx.event.code} is not published yet`, { fix: { tool: 'publish_event', arguments: {}, here: true } })
  }
  return {
    ...toSnapshot(used),
    at: test?.at ?? facts.now,
    isTest: test !== undefined || facts.testMode,
    unpublishedFlows: usesDraft ? [] : listMissingFlows(draft.config, used.config),
  }
}

const toSnapshot = ({ config, versionId, facts }: Configuration) => ({
  config,
  versionId,
  timezone: facts.timezone,
  currency: facts.currency,
  startsOn: facts.startsOn,
  establishedIn: facts.establishedIn,
  paymentTermsDays: facts.paymentTermsDays,
})

function listMissingFlows(draft: EventConfig, live: EventConfig): string[] {
  const published = new Set(live.flows.map(({ slug }) => slug))
  return draft.flows.map(({ slug }) => slug).filter((slug) => !published.has(slug))
}

export function getFlow({ config, unpublishedFlows = [] }: Pick<EventSnapshot, 'config' | 'unpublishedFlows'>, slug: string): Flow {
  const flow = config.flows.find((one) => one.slug === slug)
  if (!flow && unpublishedFlows.includes(slug)) {
    throw preconditionFailed(`The flow ${slug} is in the draft and not published yet. Publish the draft first.`, {
      fix: { tool: 'publish_event', arguments: {}, here: true },
    })
  }
  if (!flow)
    throw createUnknownNameError(
      'flowSlug',
      slug,
      config.flows.map((one) => one.slug),
      'flow',
    )
  return flow
}
