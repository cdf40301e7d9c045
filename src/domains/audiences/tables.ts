import type { BuildOptions } from './options.ts'
import type { Behaviour, LevelCounts, ProductShare, Trait } from './building/describe-profiles.ts'
import type { MeasuredFeature } from './building/stage.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'audience_builds.options': BuildOptions
    'audience_builds.features': MeasuredFeature[]
    'audience_profiles.mode': Record<string, string>
    'audience_profiles.levels': LevelCounts
    'audience_profiles.traits': Trait[]
    'audience_profiles.behaviour': Behaviour
    'audience_profiles.products': ProductShare[]
  }
}
