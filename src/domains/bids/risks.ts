import { toMinorUnits } from '../../kernel/money.ts'
import { daysBetween } from '../../kernel/time.ts'
import type { PricedOffer } from './offers.ts'
import type { RfpSnapshot } from './responses.ts'
import { listDisqualifyingQuestions, type ScoredOffer } from './score.ts'

export const RISK_CODES = [
  'shortRooms',
  'unpricedMeals',
  'missingAnswers',
  'mustBeFailed',
  'mustHaveFailed',
  'expired',
  'expiresEarly',
  'earlyCutoff',
  'highCommitment',
  'overBudget',
] as const

export interface ResponseRisk {
  responseId: string
  code: (typeof RISK_CODES)[number]
  message: string
}

/** Lists the codes of required questions that the response does not answer. */
export const listUnansweredRequiredQuestions = ({ questions }: RfpSnapshot, { content }: Pick<PricedOffer, 'content'>): string[] =>
  questions
    .filter(({ code, required }) => required && (content.answers[code] === undefined || content.answers[code] === ''))
    .map(({ code }) => code)

/** Lists the risks of a response that an organizer should know before choosing it. Messages leave out the supplier's name. */
export function listRisks(rfp: RfpSnapshot, offer: PricedOffer, scored: ScoredOffer | undefined): ResponseRisk[] {
  const { content, cost } = offer
  const missing = listUnansweredRequiredQuestions(rfp, offer)
  const failed = listDisqualifyingQuestions(rfp.questions, content.answers)
  const criteria = (scored?.failed ?? []).filter((one) => one.startsWith('criterion:')).map((one) => one.slice('criterion:'.length))
  const findings: [ResponseRisk['code'], string][] = [
    ...cost.short.map(
      ({ night, asked, offered }) =>
        ['shortRooms', `${asked - offered} rooms short on ${night}: ${offered} of ${asked}. Priced as if all rooms were offered`] as [
          ResponseRisk['code'],
          string,
        ],
    ),
    ...(cost.unpriced.length > 0
      ? [['unpricedMeals', `No price for ${cost.unpriced.join(', ')}: only the minimum is counted`] as [ResponseRisk['code'], string]]
      : []),
    ...(missing.length > 0 ? [['missingAnswers', `No answer to ${missing.join(', ')}`] as [ResponseRisk['code'], string]] : []),
    ...(failed.length > 0
      ? [['mustBeFailed', `Knocked out: another answer than required to ${failed.join(', ')}`] as [ResponseRisk['code'], string]]
      : []),
    ...(criteria.length > 0
      ? [['mustHaveFailed', `Knocked out: the score of ${criteria.join(', ')} fails its requirement`] as [ResponseRisk['code'], string]]
      : []),
    ...listTermRisks(rfp, offer),
  ]
  return findings.map(([code, message]) => ({ responseId: offer.id, code, message }))
}

function listTermRisks(rfp: RfpSnapshot, { content, net, conversion }: PricedOffer): [ResponseRisk['code'], string][] {
  const { cutoffDaysWanted, attritionWanted, budget } = rfp.requirements
  const { validUntil, cutoffDays, attrition } = content
  const commit = attrition?.commitPercent
  const findings: ([ResponseRisk['code'], string] | false)[] = [
    validUntil !== undefined && validUntil < rfp.today && ['expired', `Expired on ${validUntil}`],
    validUntil !== undefined &&
      validUntil >= rfp.today &&
      validUntil < rfp.decision_on && [
        'expiresEarly',
        `Expires on ${validUntil}, ${describeDays(daysBetween(validUntil, rfp.decision_on))} before the decision`,
      ],
    cutoffDays !== undefined &&
      cutoffDaysWanted !== undefined &&
      cutoffDays > cutoffDaysWanted && ['earlyCutoff', `Cut-off ${cutoffDays} days before arrival; ${cutoffDaysWanted} days were asked`],
    commit !== undefined &&
      attritionWanted !== undefined &&
      commit > attritionWanted && ['highCommitment', `Commits to ${commit}% of the rooms; ${attritionWanted}% were asked`],
    budget !== undefined &&
      budget.currency === conversion.to &&
      net > toMinorUnits(budget.amount, budget.currency) && [
        'overBudget',
        `Net is above the budget of ${budget.amount} ${budget.currency}`,
      ],
  ]
  return findings.filter((one) => one !== false)
}

const describeDays = (days: number) => (days === 1 ? '1 day' : `${days} days`)
