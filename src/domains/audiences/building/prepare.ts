import type { EventContext } from '../../../kernel/context.ts'
import { readFeatureEventFacts, type FeatureEventFacts } from '../features/compiled-event.ts'
import { type ProfileFeature, listFeatures } from '../features/feature-list.ts'
import type { RuleConditions } from '../features/read-vectors.ts'
import { JOB_TITLES_VERSION } from '../features/job-titles.ts'
import { SUB_REGIONS_VERSION } from '../features/sub-regions.ts'
import { type BuildOptions, readWeights } from '../options.ts'
import { compileRules } from '../rules.ts'

/** A version that changes with the clustering algorithm and with the data files that assign levels. */
export const CLUSTERING_VERSION = `k-modes-1/titles-${JOB_TITLES_VERSION}/regions-${SUB_REGIONS_VERSION}`

/** The options of a build of audience profiles, resolved against the configuration of the event. */
export interface PreparedBuild {
  event: FeatureEventFacts
  features: ProfileFeature[]
  weights: number[]
  rules: RuleConditions
}

/** Resolves the options of a build. Throws for unknown and sensitive fields, unknown features and filters that cannot be compiled. */
export async function prepareBuild(ctx: EventContext, options: BuildOptions): Promise<PreparedBuild> {
  const event = await readFeatureEventFacts(ctx, options.useFields)
  const features = listFeatures(event)
  return { event, features, weights: readWeights(features, options.weights), rules: await compileRules(ctx, options.rules) }
}
