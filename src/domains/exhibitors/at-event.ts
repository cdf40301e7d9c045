import type { Context, EventHead } from '../../kernel/context.ts'
import { type Configuration, readDraft, readLive } from '../configuration/read.ts'

/** Whoever acts for or with exhibitors at an event: an organizer, a person at their own registration, a job. */
export interface AtEvent extends Context {
  client: { id: string; code: string; name: string }
  event: EventHead
}

/** What most statements need to know. */
export type Where = Pick<AtEvent, 'tenantId' | 'db'> & { event: Pick<EventHead, 'id'> }

/** Test data is made and met by the draft, all else by the version that is live. */
export async function configurationOf(ctx: AtEvent, isTest: boolean): Promise<Configuration> {
  const draft = await readDraft(ctx)
  return isTest ? draft : ((await readLive(ctx, draft)) ?? draft)
}
