import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { unknownNameFieldError } from '../../kernel/nearest.ts'
import type { Feature } from './features/feature-list.ts'

/** A group that the organizer defines: everyone who matches the filter and no rule before it. */
export interface ProfileRule {
  name: string
  /** A condition on participants as the caller wrote it. */
  filter: Readonly<Record<string, unknown>>
}

/** The choices of a rebuild. The nightly rebuild uses those of the latest one. */
export interface BuildOptions {
  rules: readonly ProfileRule[]
  /** Codes of choice fields. */
  useFields: readonly string[]
  /** By the name of the feature; 1 if missing. */
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

/** The weight of each feature. Throws if a weight names no feature. */
export function readWeights(features: readonly Feature[], weights: BuildOptions['weights']): number[] {
  const names = features.map(({ name }) => name)
  const errors: FieldError[] = Object.keys(weights)
    .filter((name) => !names.includes(name))
    .map((name) => unknownNameFieldError(`weights.${name}`, name, names, 'feature'))
  if (errors.length > 0) throw invalidArguments(errors)
  return names.map((name) => weights[name] ?? 1)
}
