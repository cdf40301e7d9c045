import type { ResponseComparison } from '../compare.ts'
import type { ComparisonRow } from '../comparison-rows.ts'
import type { PricedOffer } from '../offers.ts'
import { formatMinorUnitAmount } from '../picture.ts'

export interface SummaryBullet {
  text: string
  /** Ids of the responses that this bullet of the summary is about. */
  refs: string[]
}

export interface ComparisonSummary {
  summary: string
  bullets: SummaryBullet[]
  recommendation?: { responseId: string; why: string }
}

const MAX_COST_DIFFERENCES = 2

export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length

/** Writes a summary from fixed sentences: cheapest, best score, largest differences by section, risks and gaps. */
export function writeRuleBasedSummary(comparison: ResponseComparison, maxWords: number): ComparisonSummary {
  const sentences = [...describeCheapest(comparison), ...describeBestScore(comparison)]
  const bullets = [...listDifferences(comparison), ...listRiskBullets(comparison)]
  const recommendation = chooseRecommendedResponse(comparison)
  return truncateSummaryToWords({ summary: sentences.join(' '), bullets, ...(recommendation ? { recommendation } : {}) }, maxWords)
}

/** Removes bullets from the end until the text has at most `maxWords` words. */
export function truncateSummaryToWords(summary: ComparisonSummary, maxWords: number): ComparisonSummary {
  let left = maxWords - countWords(summary.summary)
  const bullets = summary.bullets.filter(({ text }) => (left -= countWords(text)) >= 0)
  return { ...summary, bullets }
}

const amountOf = (minor: number, { currency }: ResponseComparison) => `${formatMinorUnitAmount(minor, currency)} ${currency}`

function describeCheapest(comparison: ResponseComparison): string[] {
  const [first, second] = comparison.offers
  const name = first!.supplier.name
  if (!second) return [`${name} is the only response to ${comparison.rfp.number}, at ${amountOf(first!.net, comparison)} net.`]
  if (first!.net === second.net) return [`${name} and ${second.supplier.name} cost the same: ${amountOf(first!.net, comparison)} net.`]
  return [
    `Of ${comparison.offers.length} responses to ${comparison.rfp.number}, ${name} is the cheapest at ${amountOf(first!.net, comparison)} net.`,
    `It is cheaper than ${second.supplier.name} (${amountOf(second.net, comparison)}) by ${amountOf(second.net - first!.net, comparison)}.`,
  ]
}

function describeBestScore({ scores, offers }: ResponseComparison): string[] {
  const best = scores?.find(({ knockedOut }) => !knockedOut)
  if (!scores) return ['No rubric is attached, so there are no scores.']
  const offer = offers.find(({ id }) => id === best?.responseId)
  return best && offer
    ? [`${offer.supplier.name} has the best score: ${best.total.toFixed(2)} of 100.`]
    : ['Every response fails a requirement.']
}

interface Difference {
  row: ComparisonRow
  low: { offer: PricedOffer; value: string }
  high: { offer: PricedOffer; value: string }
  size: number
}

/** Rows of the comparison that are derived from other rows, so the summary does not mention their differences. */
const DERIVED_ROWS = ['gross', 'net', 'aboveLowest', 'perRoomNight', 'perPerson', 'score']

function measureDifference({ offers }: ResponseComparison, row: ComparisonRow): Difference[] {
  if (row.unit === 'text' || row.unit === 'day' || DERIVED_ROWS.includes(row.code)) return []
  const known = row.values
    .flatMap((value, index) => (value === null ? [] : [{ offer: offers[index]!, value }]))
    .toSorted((a, b) => Number(a.value) - Number(b.value) || (a.offer.id < b.offer.id ? -1 : 1))
  const [low, high] = [known[0], known.at(-1)]
  return low && high && low.value !== high.value ? [{ row, low, high, size: Number(high.value) - Number(low.value) }] : []
}

/** Lists the largest differences between the compared responses, for each section of the comparison. */
function listDifferences(comparison: ResponseComparison): SummaryBullet[] {
  const differences = comparison.rows.flatMap((row) => measureDifference(comparison, row))
  const bySection = Map.groupBy(differences, ({ row }) => row.section)
  return [...bySection].flatMap(([section, of]) =>
    of
      .toSorted((a, b) => b.size - a.size)
      .slice(0, section === 'cost' ? MAX_COST_DIFFERENCES : 1)
      .map(({ row, low, high }) => ({
        text: `${row.item}: ${showValue(row, low.value, comparison)} at ${low.offer.supplier.name}, ${showValue(row, high.value, comparison)} at ${high.offer.supplier.name}.`,
        refs: [low.offer.id, high.offer.id],
      })),
  )
}

function showValue({ unit }: ComparisonRow, value: string, { currency }: ResponseComparison): string {
  if (unit === 'money') return `${value.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')} ${currency}`
  return unit === 'percent' ? `${value}%` : unit === 'days' ? `${value} days` : value
}

const listRiskBullets = ({ offers, risks }: ResponseComparison): SummaryBullet[] =>
  risks.map(({ responseId, message }) => ({
    text: `${offers.find(({ id }) => id === responseId)!.supplier.name}: ${message}.`,
    refs: [responseId],
  }))

/**
 * Recommends the response with the best score, or without a rubric the lowest net cost, among responses that meet all requirements and
 * offer all rooms.
 */
export function chooseRecommendedResponse(comparison: ResponseComparison): ComparisonSummary['recommendation'] | null {
  const { offers, scores, risks } = comparison
  const excluded = new Set(
    risks
      .filter(({ code }) => ['shortRooms', 'mustBeFailed', 'mustHaveFailed', 'expired'].includes(code))
      .map(({ responseId }) => responseId),
  )
  const best = scores?.find(({ responseId, knockedOut }) => !knockedOut && !excluded.has(responseId))
  const offer = scores ? offers.find(({ id }) => id === best?.responseId) : offers.find(({ id }) => !excluded.has(id))
  if (!offer) return null
  const why = best
    ? `${offer.supplier.name} has the best score, ${best.total.toFixed(2)} of 100, at ${amountOf(offer.net, comparison)} net.`
    : `${offer.supplier.name} has the lowest net, ${amountOf(offer.net, comparison)}, and meets the requirements.`
  return { responseId: offer.id, why }
}
