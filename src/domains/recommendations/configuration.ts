import { type Configuration, readDraft, readActiveConfig } from '../configuration/read.ts'
import type { EventScope } from '../registration/event-snapshot.ts'

/** Reads the published configuration, or the draft configuration before the first publication. */
export const readRecommendationConfiguration = async (ctx: EventScope): Promise<Configuration> =>
  (await readActiveConfig(ctx)) ?? readDraft(ctx)
