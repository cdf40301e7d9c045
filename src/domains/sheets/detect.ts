import { computeJaroWinkler } from '../../kernel/jaro-winkler.ts'
import { assignFieldsToColumns } from './assignment.ts'
import type { ColumnProfile } from './profile.ts'
import { matchesValueType, type ValueType } from './values.ts'
import {
  normalizeColumnHeading,
  computeJaccardSimilarity,
  canReachJaroWinklerSimilarity,
  removeSpaces,
  splitIntoWordSet,
} from './normalize.ts'

/** A field to which a column of the sheet can be mapped. */
export interface MappableField {
  name: string
  /** The known column headings of the field, in any language. */
  called: readonly string[]
  type: ValueType
  /** The codes and names of the field's choices. */
  choices?: readonly string[]
}

/** Builds a field that is recognized by column headings: its own name, or one of `headings` (separated by commas). */
export const buildMappableField = (name: string, headings: string, type: ValueType = 'text'): MappableField => ({
  name,
  called: [name, ...headings.split(',')],
  type,
})

export interface DetectedColumn {
  column: string
  /** The field that the column maps to; null if the column matches no field. */
  field: string | null
  score: number
  confidence: 'sure' | 'check' | null
}

const HEADING_WEIGHT = 0.6
const VALUES_WEIGHT = 0.4
const MIN_SCORE = 0.45
const SURE_SCORE = 0.75
const NEUTRAL_SCORE = 0.5
const MIN_SIMILARITY = 0.9
/** Scores for how well columns match fields are multiplied by this and rounded to integers, so that equal scores are exactly equal. */
const SCORE_UNITS = 1_000_000

/** Assigns each field to at most one column, so that the columns match their fields as well as possible in total. */
export function detectColumns(columns: readonly ColumnProfile[], fields: readonly MappableField[]): DetectedColumn[] {
  const wanted = fields.map(prepareField)
  const scores = columns.map((column) => {
    const named = toHeading(normalizeColumnHeading(column.name))
    return wanted.map((field) => scoreOf(column, named, field))
  })
  const weights = scores.map((row) => row.map((score) => (score < MIN_SCORE ? 0 : Math.round(score * SCORE_UNITS))))
  return assignFieldsToColumns(weights).map((field, index) => {
    const column = columns[index]!.name
    if (field === null) return { column, field: null, score: 0, confidence: null }
    const score = Math.round(scores[index]![field]! * 1000) / 1000
    return { column, field: wanted[field]!.name, score, confidence: score >= SURE_SCORE ? 'sure' : 'check' }
  })
}

interface PreparedField {
  name: string
  type: ValueType
  called: readonly Heading[]
  squashed: ReadonlySet<string>
  choices: ReadonlySet<string>
}

/** The forms of a column heading that comparisons need, computed once because each heading is compared with every field name. */
interface Heading {
  folded: string
  squashed: string
  words: ReadonlySet<string>
}

const toHeading = (folded: string): Heading => ({ folded, squashed: removeSpaces(folded), words: splitIntoWordSet(folded) })

function prepareField({ name, called, type, choices = [] }: MappableField): PreparedField {
  const headings = [...new Set(called.map(normalizeColumnHeading))].filter(Boolean).map(toHeading)
  return {
    name,
    type,
    called: headings,
    squashed: new Set(headings.map((one) => one.squashed)),
    choices: new Set(choices.map(normalizeColumnHeading)),
  }
}

const scoreOf = (column: ColumnProfile, named: Heading, field: PreparedField) =>
  HEADING_WEIGHT * headingScore(named, field) + VALUES_WEIGHT * valuesScore(column, field)

function headingScore(named: Heading, { called, squashed: known }: PreparedField): number {
  if (named.folded === '') return 0
  if (known.has(named.squashed)) return 1
  let best = 0
  for (const { folded, words } of called) {
    const like = canReachJaroWinklerSimilarity(named.folded, folded, MIN_SIMILARITY) ? computeJaroWinkler(named.folded, folded) : 0
    best = Math.max(best, computeJaccardSimilarity(named.words, words), like >= MIN_SIMILARITY ? 0.9 * like : 0)
  }
  return best
}

/**
 * Returns the share of a column's values that fit the field's type. The score is neutral for plain text, which accepts any value, and for
 * empty columns.
 */
function valuesScore({ values }: ColumnProfile, { type, choices }: PreparedField): number {
  if (type === 'text' || values.length === 0) return NEUTRAL_SCORE
  return values.filter((value) => matchesValueType(type, value, choices)).length / values.length
}

/** Proposes a type for an unknown column: choices if it has few distinct values, otherwise text. */
export function proposeFieldForUnknownColumn({
  distinct,
  filled,
}: ColumnProfile): { responseType: 'choice'; choices: string[] } | { responseType: 'text' } {
  const few = distinct !== null && distinct.size > 0 && distinct.size <= 20 && distinct.size <= 0.2 * filled
  return few ? { responseType: 'choice', choices: [...distinct.keys()] } : { responseType: 'text' }
}
