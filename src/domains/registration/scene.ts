import type { Context, EventHead } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { type Configuration, readDraft, readLive } from '../configuration/read.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { unknownName } from '../../kernel/nearest.ts'

/** Whoever registers somebody: an organizer, the person's assistant, the person, a job. */
export interface AtEvent extends Context {
  client: { id: string; code: string; name: string }
  event: EventHead
}

/** Everything that a registration is decided by, as it was at one moment. */
export interface Scene {
  config: EventConfig
  versionId: string | null
  /** By the database's clock, or the moment that a rehearsal plays. */
  at: Date
  timezone: string
  currency: string
  startsOn: string
  establishedIn: string | null
  paymentTermsDays: number
  /** Rows of test data take no place, no real number and no capacity. */
  isTest: boolean
}

interface SceneOptions {
  /** Rehearsals and test registrations use the draft, and make test data also when the event is not in test mode. */
  test?: { useDraft: boolean; at?: Date }
}

/** An event in test mode is registered for by its draft; any other by the version that is live. */
export async function openScene(ctx: AtEvent, { test }: SceneOptions = {}): Promise<Scene> {
  const draft = await readDraft(ctx)
  const { facts } = draft
  if (facts.status === 'archived') {
    throw preconditionFailed(`${ctx.event.code} is archived: nobody registers for it and nothing at it is changed any more`)
  }
  const usesDraft = test ? test.useDraft : facts.testMode
  const used = usesDraft ? draft : await readLive(ctx, draft)
  if (!used) {
    throw preconditionFailed(`${ctx.event.code} is not published yet`, { fix: { tool: 'publish_event', arguments: {}, here: true } })
  }
  return {
    ...sceneOf(used),
    at: test?.at ?? facts.now,
    isTest: test !== undefined || facts.testMode,
  }
}

const sceneOf = ({ config, versionId, facts }: Configuration) => ({
  config,
  versionId,
  timezone: facts.timezone,
  currency: facts.currency,
  startsOn: facts.startsOn,
  establishedIn: facts.establishedIn,
  paymentTermsDays: facts.paymentTermsDays,
})

export function getFlow({ config }: Pick<Scene, 'config'>, slug: string): Flow {
  const flow = config.flows.find((one) => one.slug === slug)
  if (!flow)
    throw unknownName(
      'flowSlug',
      slug,
      config.flows.map((one) => one.slug),
      'flow',
    )
  return flow
}
