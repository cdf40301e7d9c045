import type { BuildOptions } from './options.ts'
import type { ProfileBehaviour, LevelCounts, ProductShare, ProfileTrait } from './building/describe-profiles.ts'
import type { MeasuredFeature } from './building/stage.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'audience_builds.options': BuildOptions
    'audience_builds.features': MeasuredFeature[]
    'audience_profiles.mode': Record<string, string>
    'audience_profiles.levels': LevelCounts
    'audience_profiles.traits': ProfileTrait[]
    'audience_profiles.behaviour': ProfileBehaviour
    'audience_profiles.products': ProductShare[]
  }
}
