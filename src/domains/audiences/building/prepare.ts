import type { EventContext } from '../../../kernel/context.ts'
import { readEventDataForFeatures, type EventDataForProfiles } from '../features/compiled-event.ts'
import { type ProfileFeature, listFeatures } from '../features/feature-list.ts'
import type { ProfileRuleConditions } from '../features/read-vectors.ts'
import { JOB_TITLES_VERSION } from '../features/job-titles.ts'
import { SUB_REGIONS_VERSION } from '../features/sub-regions.ts'
import { type ProfileBuildOptions, resolveFeatureWeights } from '../options.ts'
import { compileProfileRules } from '../rules.ts'

/** A version that changes with the clustering algorithm, and with the lists that assign job titles and countries to levels. */
export const CLUSTERING_VERSION = `k-modes-2/titles-${JOB_TITLES_VERSION}/regions-${SUB_REGIONS_VERSION}`

/** The options of a build of audience profiles, resolved against the configuration of the event. */
export interface PreparedProfileBuild {
  event: EventDataForProfiles
  features: ProfileFeature[]
  weights: number[]
  rules: ProfileRuleConditions
}

/** Resolves the options of a build. Throws for unknown and sensitive fields, unknown features and filters that cannot be compiled. */
export async function prepareProfileBuild(ctx: EventContext, options: ProfileBuildOptions): Promise<PreparedProfileBuild> {
  const event = await readEventDataForFeatures(ctx, options.useFields)
  const features = listFeatures(event)
  return {
    event,
    features,
    weights: resolveFeatureWeights(features, options.weights),
    rules: await compileProfileRules(ctx, options.rules),
  }
}
