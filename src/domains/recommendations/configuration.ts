import { type Configuration, readDraftConfiguration, readConfigForRegistration } from '../configuration/read.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

/** Reads the published configuration, or the draft configuration before the first publication. */
export const readRecommendationConfiguration = async (ctx: RegistrationContext): Promise<Configuration> =>
  (await readConfigForRegistration(ctx)) ?? readDraftConfiguration(ctx)
