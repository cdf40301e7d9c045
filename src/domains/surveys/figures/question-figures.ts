import type { Question } from '../survey-config.ts'
import { roundRatio, roundToDecimals, toSurveyPercent } from './ratio.ts'

/** The number of answers by value: a scale point, or the code of a choice. */
export type AnswerCountsByValue = ReadonlyMap<string, number>

/** The numbers of answers to one question, before statistics are calculated from them. */
export interface QuestionCounts {
  shown: number
  answered: number
  values: AnswerCountsByValue
  /** The median number of characters of the text answers. */
  medianLength: number | null
}

export interface DistributionRow {
  value: string | number
  label: string
  count: number
  percent: number | null
  percentOfRespondents?: number | null
}

export interface QuestionStatistics {
  code: string
  name: string
  type: Question['type']
  shown: number
  answered: number
  skipped: number
  nps?: number | null
  margin?: number | null
  mean?: number | null
  sd?: number | null
  median?: number | null
  topTwo?: number | null
  medianLength?: number | null
  overlapping?: true
  distribution?: DistributionRow[]
}

export function computeQuestionStatistics(question: Question, counts: QuestionCounts): QuestionStatistics {
  const { shown, answered } = counts
  return {
    code: question.code,
    name: question.name,
    type: question.type,
    shown,
    answered,
    skipped: shown - answered,
    ...figuresByType(question, counts),
  }
}

function figuresByType(question: Question, { answered, values, medianLength }: QuestionCounts) {
  switch (question.type) {
    case 'nps':
      return { ...computeNetPromoterScore(values), distribution: toScale(values, 0, 10) }
    case 'rating':
      return { ...toRating(values, question.scaleMax), distribution: toScale(values, 1, question.scaleMax) }
    case 'choice':
      return { distribution: toChoices(question, values, answered) }
    case 'multiChoice':
      return {
        overlapping: true as const,
        distribution: toChoices(question, values, answered).map((row) => ({ ...row, percentOfRespondents: row.percent })),
      }
    case 'text':
      return { medianLength }
  }
}

const sumCounts = (values: AnswerCountsByValue): number => [...values.values()].reduce((sum, count) => sum + count, 0)

const countWhere = (values: AnswerCountsByValue, wanted: (value: number) => boolean): number =>
  [...values].reduce((sum, [value, count]) => sum + (wanted(Number(value)) ? count : 0), 0)

/** Computes the net promoter score: the share of 9 and 10 minus the share of 0 to 6, with its 95 % margin of error. */
export function computeNetPromoterScore(values: AnswerCountsByValue): { nps: number | null; margin: number | null } {
  const n = sumCounts(values)
  if (n === 0) return { nps: null, margin: null }
  const promoters = countWhere(values, (value) => value >= 9)
  const detractors = countWhere(values, (value) => value <= 6)
  const [p, d] = [promoters / n, detractors / n]
  // Rounding errors can make the variance of equal answers slightly negative.
  const variance = Math.max(0, p + d - (p - d) ** 2)
  return { nps: roundRatio(100 * (promoters - detractors), n, 1), margin: roundToDecimals(196 * Math.sqrt(variance / n), 1) }
}

/** Computes mean, standard deviation of the sample (n − 1), median, and the share of the two highest scale points. */
function toRating(values: AnswerCountsByValue, scaleMax: number) {
  const n = sumCounts(values)
  if (n === 0) return { mean: null, sd: null, median: null, topTwo: null }
  const points = [...values].map(([value, count]) => [Number(value), count] as const).toSorted(([a], [b]) => a - b)
  const sum = points.reduce((total, [value, count]) => total + value * count, 0)
  const squares = points.reduce((total, [value, count]) => total + value * value * count, 0)
  // n Σx² − (Σx)² is an integer, so equal answers have a deviation of exactly 0.
  const sd = n < 2 ? null : roundToDecimals(Math.sqrt((n * squares - sum * sum) / (n * (n - 1))), 2)
  return {
    mean: roundRatio(sum, n, 2),
    sd,
    median: (valueAt(points, Math.floor((n - 1) / 2)) + valueAt(points, Math.floor(n / 2))) / 2,
    topTwo: toSurveyPercent(
      countWhere(values, (value) => value >= scaleMax - 1),
      n,
    ),
  }
}

/** Returns the value at a position of the answers when they are sorted by value. */
function valueAt(points: readonly (readonly [value: number, count: number])[], position: number): number {
  let before = 0
  for (const [value, count] of points) {
    before += count
    if (position < before) return value
  }
  throw new RangeError(`no answer at position ${position}`)
}

/** Lists every scale point, including those without answers, and values of an earlier, longer scale. */
function toScale(values: AnswerCountsByValue, min: number, max: number): DistributionRow[] {
  const highest = Math.max(max, ...[...values.keys()].map(Number))
  const answered = sumCounts(values)
  return Array.from({ length: highest - min + 1 }, (_, index) => {
    const [value, count] = [min + index, values.get(String(min + index)) ?? 0]
    return { value, label: String(value), count, percent: toSurveyPercent(count, answered) }
  })
}

/** Lists every choice of the question, and removed choices that were answered. */
function toChoices({ choices }: Question, values: AnswerCountsByValue, answered: number): DistributionRow[] {
  const current = choices.map(({ code }) => code)
  const retired = [...values.keys()].filter((code) => !current.includes(code)).toSorted()
  return [...current, ...retired].map((code) => {
    const count = values.get(code) ?? 0
    return {
      value: code,
      label: choices.find((choice) => choice.code === code)?.name ?? code,
      count,
      percent: toSurveyPercent(count, answered),
    }
  })
}
