import { chooseSuppressedGroups, computeMinDistinctPeople, MIN_PEOPLE_PER_RESULT_GROUP } from '../../figures/query/suppress.ts'
import type { Question } from '../survey-config.ts'
import type { SegmentCounts, SurveyCounts } from './counts.ts'
import type { DistributionRow, QuestionStatistics } from './question-figures.ts'
import { toSurveyPercent } from './ratio.ts'

/** Chooses the segments whose statistics are hidden: small segments, and others from which a small one could be derived. */
export const chooseHiddenSegments = (segments: readonly SegmentCounts[]): ReadonlySet<SegmentCounts> =>
  new Set(
    chooseSuppressedGroups(segments.map((segment) => ({ segment, persons: segment.n, key: segment.key ?? '' }))).map(
      ({ segment }) => segment,
    ),
  )

const isTooFew = (n: number) => n > 0 && n < MIN_PEOPLE_PER_RESULT_GROUP

/**
 * Whether to hide statistics of an anonymous survey: too few responses match the filters, or so few do not match that their answers could
 * be derived.
 */
export const hasTooFewResponses = ({ all, matched }: Pick<SurveyCounts, 'all' | 'matched'>): boolean =>
  isTooFew(matched) || isTooFew(all - matched)

/** Hides what was answered: keeps only how often the question was shown, answered and skipped. */
export const hideAnswerStatistics = ({ code, name, type, shown, answered, skipped }: QuestionStatistics): QuestionStatistics => ({
  code,
  name,
  type,
  shown,
  answered,
  skipped,
})

/**
 * Reduces the statistics of a question about personal data for a reader without personal.read. Choices with few answers are merged; of
 * numeric questions, only the counts of shown, answered and skipped remain.
 */
export function hidePersonalStatistics(question: Question, figures: QuestionStatistics): QuestionStatistics & { withheld?: true } {
  if (question.type === 'text') return figures
  if (question.type !== 'choice' && question.type !== 'multiChoice') return { ...hideAnswerStatistics(figures), withheld: true }
  return { ...figures, distribution: mergeRareChoices(figures.distribution ?? [], figures.answered, question.type) }
}

function mergeRareChoices(rows: readonly DistributionRow[], answered: number, type: Question['type']): DistributionRow[] {
  const chosen = rows.filter(({ count }) => count > 0)
  const groups = chosen.map((row) => ({ row, persons: row.count, key: String(row.value) }))
  // One response may contain several choices, so rare choices may all come from the same few people.
  const suppressed = type === 'multiChoice' ? chooseSuppressedGroups(groups, computeMinDistinctPeople) : chooseSuppressedGroups(groups)
  const merged = new Set(suppressed.map(({ row }) => row))
  if (merged.size === 0) return [...rows]
  const count = [...merged].reduce((sum, row) => sum + row.count, 0)
  return [
    ...rows.filter((row) => !merged.has(row)),
    { value: 'suppressed', label: 'suppressed', count, percent: toSurveyPercent(count, answered) },
  ]
}
