import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import type { ProfileFeature } from './features/feature-list.ts'

/** A rule by which an organizer defines an audience profile: it contains all participants who match its filter and no earlier rule. */
export interface ProfileRule {
  name: string
  /** The filter on participants, as the caller wrote it. */
  filter: Readonly<Record<string, unknown>>
}

/** The options of a build of audience profiles. The nightly rebuild uses those of the latest build. */
export interface ProfileBuildOptions {
  rules: readonly ProfileRule[]
  /** Codes of the choice fields to use as clustering features. */
  useFields: readonly string[]
  /** Weights by feature name; a missing weight is 1. */
  weights: Readonly<Record<string, number>>
  k: number | null
  minSize: number | null
}

export type ProfileBuildRequest = { [Key in keyof ProfileBuildOptions]?: ProfileBuildOptions[Key] | undefined }

export const toProfileBuildOptions = ({
  rules = [],
  useFields = [],
  weights = {},
  k = null,
  minSize = null,
}: ProfileBuildRequest): ProfileBuildOptions => ({
  rules,
  useFields,
  weights,
  k,
  minSize,
})

/** Returns the weight of each feature. Throws if a weight belongs to an unknown feature. */
export function resolveFeatureWeights(features: readonly ProfileFeature[], weights: ProfileBuildOptions['weights']): number[] {
  const names = features.map(({ name }) => name)
  const errors: FieldError[] = Object.keys(weights)
    .filter((name) => !names.includes(name))
    .map((name) => createUnknownNameFieldError(`weights.${name}`, name, names, 'feature'))
  if (errors.length > 0) throw invalidArguments(errors)
  return names.map((name) => weights[name] ?? 1)
}
