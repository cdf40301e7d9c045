import type { ProfileBuildOptions } from './options.ts'
import type { ProfileBehaviour, FeatureLevelCounts, ProfileProductShare, ProfileTrait } from './building/describe-profiles.ts'
import type { FeatureStatistics } from './building/stage.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'audience_builds.options': ProfileBuildOptions
    'audience_builds.features': FeatureStatistics[]
    'audience_profiles.mode': Record<string, string>
    'audience_profiles.levels': FeatureLevelCounts
    'audience_profiles.traits': ProfileTrait[]
    'audience_profiles.behaviour': ProfileBehaviour
    'audience_profiles.products': ProfileProductShare[]
  }
}
