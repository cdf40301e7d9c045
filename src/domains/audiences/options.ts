import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { unknownNameFieldError } from '../../kernel/nearest.ts'
import type { ProfileFeature } from './features/feature-list.ts'

/** A profile that the organizer defines: it contains everyone who matches the filter and no earlier rule. */
export interface ProfileRule {
  name: string
  /** The filter on participants, as the caller wrote it. */
  filter: Readonly<Record<string, unknown>>
}

/** The options of a build of audience profiles. The nightly rebuild uses those of the latest build. */
export interface BuildOptions {
  rules: readonly ProfileRule[]
  /** Codes of choice fields that are used as features. */
  useFields: readonly string[]
  /** Weights by feature name; a missing weight is 1. */
  weights: Readonly<Record<string, number>>
  k: number | null
  minSize: number | null
}

export type BuildRequest = { [Key in keyof BuildOptions]?: BuildOptions[Key] | undefined }

export const toBuildOptions = ({ rules = [], useFields = [], weights = {}, k = null, minSize = null }: BuildRequest): BuildOptions => ({
  rules,
  useFields,
  weights,
  k,
  minSize,
})

/** Returns the weight of each feature. Throws if a weight belongs to an unknown feature. */
export function readWeights(features: readonly ProfileFeature[], weights: BuildOptions['weights']): number[] {
  const names = features.map(({ name }) => name)
  const errors: FieldError[] = Object.keys(weights)
    .filter((name) => !names.includes(name))
    .map((name) => unknownNameFieldError(`weights.${name}`, name, names, 'feature'))
  if (errors.length > 0) throw invalidArguments(errors)
  return names.map((name) => weights[name] ?? 1)
}
