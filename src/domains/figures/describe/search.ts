import { normalizeTextForComparison } from '../../../kernel/conditions.ts'
import type { QueryEntity, QueryEntityField } from '../dictionary/types.ts'
import type { Metric } from '../metrics/types.ts'

/** Removes case and accents from text, for searching. */
const fold = (text: string): string => normalizeTextForComparison(text.normalize('NFKD').replace(/\p{M}/gu, ''))

/** Returns a name with its words separated, so that "completedAt" is also found as "completed at". */
const spell = (name: string): string => `${name} ${name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('.', ' ')}`

/** Returns a function that tests whether the given texts contain all words of a search. */
export function createTextMatcher(search: string): (texts: readonly (string | undefined)[]) => boolean {
  const words = fold(search).split(/\s+/).filter(Boolean)
  return (texts) => {
    const text = fold(texts.filter((one) => one !== undefined).join(' '))
    return words.every((word) => text.includes(word))
  }
}

export const listSearchableFieldTexts = (entity: QueryEntity, name: string, { label, help, synonyms = [] }: QueryEntityField) => [
  spell(name),
  label,
  help,
  ...synonyms,
  spell(entity.name),
]

export const listSearchableMetricTexts = ({ code, label, formula, synonyms = [] }: Metric) => [spell(code), label, formula, ...synonyms]

export const listSearchableEntityTexts = ({ name, label, rowIs }: QueryEntity) => [spell(name), label, rowIs]
