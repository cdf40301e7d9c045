import type { SupplierQuestionnaireItem, RubricCriterion } from '../rfps/tables.ts'
import {
  addFractions,
  clampScore,
  compareFractions,
  MAX_SCORE_FRACTION,
  type Fraction,
  createFraction,
  multiplyFractions,
  roundFraction,
  toFraction,
  ZERO_FRACTION,
} from './fractions.ts'
import type { RfpResponseContent } from './tables.ts'

/** The facts of a response that scoring formulas use. Amounts are minor units of one currency. */
export interface OfferScoringInput {
  id: string
  net: number
  concessions: number
  /** The number of requested room nights, and how many of them are offered. */
  roomsAsked: number
  roomsOffered: number
  /** The requested and the offered area in square metres; the offered area is null if unknown. */
  areaAsked: number
  areaOffered: number | null
  /** The distance in kilometres from the centre of the nearest city of the brief; null if unknown. */
  km: number | null
  radiusKm: number
  answers: RfpResponseContent['answers']
}

export interface ManualScore {
  responseId: string
  criterion: string
  evaluator: string
  /** A score from 0 to 5 in steps of one half. */
  score: number
}

export interface CriterionScore {
  criterion: string
  /** The average score from 0 to 5. Null if no evaluator has scored yet; the total score then counts 0 for the criterion. */
  average: number | null
  /** The difference between the highest and the lowest score of the evaluators. */
  spread: number
  evaluators: number
}

export interface ScoredOffer {
  responseId: string
  /** The total score from 0 to 100. */
  total: number
  rank: number
  knockedOut: boolean
  /** The requirements that the response fails, as `question:<code>` or `criterion:<code>`. */
  failed: string[]
  byCriterion: CriterionScore[]
}

interface ScoredRubric {
  criteria: readonly RubricCriterion[]
  questions: readonly SupplierQuestionnaireItem[]
}

/** Scores responses with a rubric. Responses that fail a requirement are ranked last. On a tie the lower id is ranked first. */
export function scoreOffers(
  { criteria, questions }: ScoredRubric,
  offers: readonly OfferScoringInput[],
  manual: readonly ManualScore[],
): ScoredOffer[] {
  const evaluators = Map.groupBy(manual, ({ responseId, criterion }) => `${responseId}/${criterion}`)
  const scored = offers.map((offer) => {
    const parts = criteria.map((criterion) => {
      const given = (evaluators.get(`${offer.id}/${criterion.code}`) ?? []).map(({ score }) => score)
      const average = criterion.scorer === 'manual' ? averageOf(given) : applyFormula(criterion.formula!, offer, offers, questions)
      return { criterion, given, average }
    })
    const total = parts.reduce(
      (sum, { criterion, average }) => addFractions(sum, multiplyFractions(weightOf(criterion), average ?? ZERO_FRACTION)),
      ZERO_FRACTION,
    )
    const failed = [
      ...listDisqualifyingQuestions(questions, offer.answers).map((code) => `question:${code}`),
      ...parts.filter(({ criterion, average }) => failsMustHave(criterion, average)).map(({ criterion }) => `criterion:${criterion.code}`),
    ]
    return { offer, total: roundFraction(total, 2), failed, parts }
  })
  return scored
    .toSorted((a, b) => Math.sign(a.failed.length) - Math.sign(b.failed.length) || b.total - a.total || (a.offer.id < b.offer.id ? -1 : 1))
    .map(({ offer, total, failed, parts }, index) => ({
      responseId: offer.id,
      total,
      rank: index + 1,
      knockedOut: failed.length > 0,
      failed,
      byCriterion: parts.map(({ criterion, given, average }) => ({
        criterion: criterion.code,
        average: average === null ? null : roundFraction(average, 4),
        spread: given.length === 0 ? 0 : Math.max(...given) - Math.min(...given),
        evaluators: given.length,
      })),
    }))
}

/** Returns the factor by which a criterion's score counts: a fifth of its weight, because scores go up to 5. */
const weightOf = ({ weight }: RubricCriterion): Fraction => createFraction(Math.round(weight * 100), 500)

const averageOf = (scores: readonly number[]): Fraction | null =>
  scores.length === 0
    ? null
    : createFraction(
        scores.reduce((sum, score) => sum + score * 2, 0),
        scores.length * 2,
      )

/** Lists the codes of questions whose answer differs from the required answer. */
export const listDisqualifyingQuestions = (
  questions: readonly SupplierQuestionnaireItem[],
  answers: RfpResponseContent['answers'],
): string[] => questions.filter(({ code, mustBe }) => mustBe !== undefined && !isSameAnswer(answers[code], mustBe)).map(({ code }) => code)

type Answer = string | number | boolean

const isSameAnswer = (given: Answer | undefined, wanted: Answer): boolean =>
  given !== undefined && String(given).trim().toLowerCase() === String(wanted).trim().toLowerCase()

/**
 * Whether a criterion's average score violates its minimum. A missing average does not, because evaluators may still score the criterion.
 */
function failsMustHave({ mustHave }: RubricCriterion, average: Fraction | null): boolean {
  if (!mustHave || average === null) return false
  const compared = compareFractions(average, toFraction(mustHave.value))
  return mustHave.op === '>=' ? compared < 0 : mustHave.op === '>' ? compared <= 0 : compared !== 0
}

function applyFormula(
  formula: string,
  offer: OfferScoringInput,
  all: readonly OfferScoringInput[],
  questions: readonly SupplierQuestionnaireItem[],
): Fraction | null {
  if (formula.startsWith('answer:')) return scoreAnswer(formula.slice('answer:'.length), offer, questions)
  switch (formula) {
    case 'lowestCost': {
      const lowest = Math.min(...all.map(({ net }) => net))
      return offer.net <= 0 ? MAX_SCORE_FRACTION : clampScore(createFraction(5n * BigInt(lowest), offer.net))
    }
    case 'concessions': {
      const highest = Math.max(...all.map(({ concessions }) => concessions))
      return highest <= 0 ? ZERO_FRACTION : clampScore(createFraction(5n * BigInt(offer.concessions), highest))
    }
    case 'roomsFit':
      return offer.roomsAsked === 0 ? MAX_SCORE_FRACTION : clampScore(createFraction(5 * offer.roomsOffered, offer.roomsAsked))
    case 'spaceFit':
      if (offer.areaAsked === 0) return MAX_SCORE_FRACTION
      return offer.areaOffered === null ? null : clampScore(toFraction((5 * offer.areaOffered) / offer.areaAsked))
    case 'distance':
      if (offer.km === null) return null
      return offer.radiusKm === 0
        ? offer.km === 0
          ? MAX_SCORE_FRACTION
          : ZERO_FRACTION
        : clampScore(toFraction(5 * (1 - offer.km / offer.radiusKm)))
    default:
      throw new Error(`unknown formula ${formula}`)
  }
}

/** Scores an answer: 5 if it is the preferred answer, a yes, or any answer if none is preferred; otherwise 0. */
function scoreAnswer(code: string, { answers }: OfferScoringInput, questions: readonly SupplierQuestionnaireItem[]): Fraction {
  const [given, mustBe] = [answers[code], questions.find((one) => one.code === code)?.mustBe]
  const isGood = mustBe !== undefined ? isSameAnswer(given, mustBe) : given !== undefined && given !== false && String(given).trim() !== ''
  return isGood ? MAX_SCORE_FRACTION : ZERO_FRACTION
}
