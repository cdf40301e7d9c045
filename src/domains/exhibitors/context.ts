import type { Context, EventSummaryRow } from '../../kernel/context.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'

/** The fields of an event context that operations on exhibitors need. Calls of organizers, participants, devices and jobs all have them. */
export interface ExhibitorContext extends Context {
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** The part of the event context that database queries need. */
export type ExhibitorQueryContext = Pick<ExhibitorContext, 'tenantId' | 'db'> & { event: Pick<EventSummaryRow, 'id'> }

/**
 * Returns the configuration that applies to a participant. Test participants use the draft; real ones use the published version, or the
 * draft before the first publication.
 */
export async function readLiveOrTestConfiguration(ctx: ExhibitorContext, isTest: boolean): Promise<Configuration> {
  const draft = await readDraftConfiguration(ctx)
  return isTest ? draft : ((await readLiveConfiguration(ctx, draft)) ?? draft)
}
