import { jaroWinkler } from '../../kernel/jaro-winkler.ts'
import { assign } from './assignment.ts'
import type { ColumnProfile } from './profile.ts'
import { fits, type ValueType } from './values.ts'
import { foldedWords, jaccard, mayBeLike, squashed, wordsOf } from './words.ts'

/** Something that a column may hold. */
export interface TargetField {
  name: string
  /** What it is called, in any language. */
  called: readonly string[]
  type: ValueType
  /** What may be chosen, by code and by name. */
  choices?: readonly string[]
}

export interface DetectedColumn {
  column: string
  /** Null for a column that is none of the fields. */
  field: string | null
  score: number
  confidence: 'sure' | 'check' | null
}

const HEADING_PART = 0.6
const VALUES_PART = 0.4
const LEAST = 0.45
const SURE = 0.75
const PLAIN_TEXT = 0.5
const LEAST_LIKENESS = 0.9
/** Scores are compared to a millionth, so that equal ones are equal. */
const UNITS = 1_000_000

/** Which column is which field: each field once, so that all together fit best. */
export function detectColumns(columns: readonly ColumnProfile[], fields: readonly TargetField[]): DetectedColumn[] {
  const wanted = fields.map(preparedField)
  const scores = columns.map((column) => {
    const named = heading(foldedWords(column.name))
    return wanted.map((field) => scoreOf(column, named, field))
  })
  const weights = scores.map((row) => row.map((score) => (score < LEAST ? 0 : Math.round(score * UNITS))))
  return assign(weights).map((field, index) => {
    const column = columns[index]!.name
    if (field === null) return { column, field: null, score: 0, confidence: null }
    const score = Math.round(scores[index]![field]! * 1000) / 1000
    return { column, field: wanted[field]!.name, score, confidence: score >= SURE ? 'sure' : 'check' }
  })
}

interface PreparedField {
  name: string
  type: ValueType
  called: readonly Heading[]
  squashed: ReadonlySet<string>
  choices: ReadonlySet<string>
}

/** Each is compared with every other: what is made of one is made once. */
interface Heading {
  folded: string
  squashed: string
  words: ReadonlySet<string>
}

const heading = (folded: string): Heading => ({ folded, squashed: squashed(folded), words: wordsOf(folded) })

function preparedField({ name, called, type, choices = [] }: TargetField): PreparedField {
  const headings = [...new Set(called.map(foldedWords))].filter(Boolean).map(heading)
  return {
    name,
    type,
    called: headings,
    squashed: new Set(headings.map((one) => one.squashed)),
    choices: new Set(choices.map(foldedWords)),
  }
}

const scoreOf = (column: ColumnProfile, named: Heading, field: PreparedField) =>
  HEADING_PART * headingScore(named, field) + VALUES_PART * valuesScore(column, field)

function headingScore(named: Heading, { called, squashed: known }: PreparedField): number {
  if (named.folded === '') return 0
  if (known.has(named.squashed)) return 1
  let best = 0
  for (const { folded, words } of called) {
    const like = mayBeLike(named.folded, folded, LEAST_LIKENESS) ? jaroWinkler(named.folded, folded) : 0
    best = Math.max(best, jaccard(named.words, words), like >= LEAST_LIKENESS ? 0.9 * like : 0)
  }
  return best
}

/** Plain text is anything, and an empty column tells nothing: both speak neither for nor against. */
function valuesScore({ values }: ColumnProfile, { type, choices }: PreparedField): number {
  if (type === 'text' || values.length === 0) return PLAIN_TEXT
  return values.filter((value) => fits(type, value, choices)).length / values.length
}

/** A column that is no known field: few different values among many are choices, everything else is text. */
export function proposedField({
  distinct,
  filled,
}: ColumnProfile): { responseType: 'choice'; choices: string[] } | { responseType: 'text' } {
  const few = distinct !== null && distinct.size > 0 && distinct.size <= 20 && distinct.size <= 0.2 * filled
  return few ? { responseType: 'choice', choices: [...distinct.keys()] } : { responseType: 'text' }
}
