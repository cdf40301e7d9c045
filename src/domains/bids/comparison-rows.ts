import { divideAndRoundHalfAway, toMoney } from '../../kernel/money.ts'
import { COST_CATEGORIES, type CostCategory } from './cost.ts'
import type { PricedOffer } from './offers.ts'
import type { RfpSnapshot } from './responses.ts'
import type { ScoredOffer } from './score.ts'
import { countOfferedRooms } from './scores.ts'

export const COMPARISON_ROW_SECTIONS = ['cost', 'rooms', 'terms', 'answers', 'scores'] as const
export const COMPARISON_ROW_UNITS = ['money', 'count', 'percent', 'days', 'day', 'text', 'score'] as const

/** One row of a comparison, with one value for each compared response. Amounts are decimals in the comparison's currency. */
export interface ComparisonRow {
  section: (typeof COMPARISON_ROW_SECTIONS)[number]
  /** Identifies the row, such as `net` or `question:wifi`. */
  code: string
  item: string
  unit: (typeof COMPARISON_ROW_UNITS)[number]
  values: (string | null)[]
  /** The response with the best value; null if all values are equal, or if neither high nor low values count as better in this row. */
  best: string | null
}

type Better = 'lower' | 'higher' | null

interface RowHead extends Pick<ComparisonRow, 'section' | 'code' | 'item' | 'unit'> {
  better: Better
}

const PART_NAMES: Record<CostCategory, string> = {
  rooms: 'Rooms, tax and fees',
  space: 'Space',
  food: 'Food, service and tax',
  av: 'Audiovisual',
  fees: 'Other mandatory fees',
}

export function buildComparisonRows(
  rfp: RfpSnapshot,
  offers: readonly PricedOffer[],
  scores: readonly ScoredOffer[] | null,
): ComparisonRow[] {
  return [
    ...buildCostRows(offers),
    ...buildRoomRows(offers),
    ...buildTermRows(offers),
    ...buildAnswerRows(rfp, offers),
    ...buildScoreRows(rfp, offers, scores),
  ]
}

function buildRow(
  { better, ...head }: RowHead,
  offers: readonly PricedOffer[],
  numbers: readonly (number | null)[],
  show: (value: number, index: number) => string,
): ComparisonRow {
  return {
    ...head,
    values: numbers.map((value, index) => (value === null ? null : show(value, index))),
    best: findBest(offers, numbers, better),
  }
}

/** Finds the id of the response with the best value; of two equal values, the lower id. Null for fewer than two different values. */
function findBest(offers: readonly PricedOffer[], numbers: readonly (number | null)[], better: Better): string | null {
  const known = numbers.flatMap((value, index) => (value === null ? [] : [{ value, id: offers[index]!.id }]))
  if (better === null || new Set(known.map(({ value }) => value)).size < 2) return null
  const direction = better === 'lower' ? 1 : -1
  return known.toSorted((a, b) => direction * (a.value - b.value) || (a.id < b.id ? -1 : 1))[0]!.id
}

function buildCostRows(offers: readonly PricedOffer[]): ComparisonRow[] {
  const lowest = Math.min(...offers.map(({ net }) => net))
  const money = (code: string, item: string, numbers: readonly (number | null)[], better: Better = 'lower') =>
    buildRow(
      { section: 'cost', code, item, unit: 'money', better },
      offers,
      numbers,
      (minor, index) => toMoney(minor, offers[index]!.conversion.to).amount,
    )
  return [
    ...COST_CATEGORIES.filter((part) => part === 'rooms' || offers.some(({ parts }) => parts[part] !== 0)).map((part) =>
      money(
        part,
        PART_NAMES[part],
        offers.map(({ parts }) => parts[part]),
      ),
    ),
    money(
      'gross',
      'Gross',
      offers.map(({ gross }) => gross),
    ),
    money(
      'concessions',
      'Concessions',
      offers.map(({ concessions }) => concessions),
      'higher',
    ),
    money(
      'net',
      'Net',
      offers.map(({ net }) => net),
    ),
    money(
      'aboveLowest',
      'Net above the lowest',
      offers.map(({ net }) => net - lowest),
      null,
    ),
    money(
      'perRoomNight',
      'Net per room night',
      offers.map(({ perRoomNight }) => perRoomNight),
    ),
    money(
      'perPerson',
      'Net per person',
      offers.map(({ perPerson }) => perPerson),
    ),
  ]
}

function buildRoomRows(offers: readonly PricedOffer[]): ComparisonRow[] {
  if (offers.every(({ cost }) => cost.roomNights === 0)) return []
  const count = (code: string, item: string, numbers: readonly number[], better: Better) =>
    buildRow({ section: 'rooms', code, item, unit: 'count', better }, offers, numbers, String)
  const rate = ({ conversion, cost }: PricedOffer) =>
    conversion.convert(divideAndRoundHalfAway(BigInt(cost.roomRevenue), BigInt(cost.roomNights)))
  return [
    buildRow(
      { section: 'rooms', code: 'averageRate', item: 'Average rate before tax', unit: 'money', better: 'lower' },
      offers,
      offers.map(rate),
      (minor, index) => toMoney(minor, offers[index]!.conversion.to).amount,
    ),
    count(
      'roomsOffered',
      'Rooms offered, peak',
      offers.map((offer) => Math.max(0, ...offer.nights.map(({ night }) => countOfferedRooms(offer, night)))),
      null,
    ),
    count(
      'roomNightsShort',
      'Room nights short',
      offers.map(({ cost }) => cost.short.reduce((sum, { asked, offered }) => sum + asked - offered, 0)),
      'lower',
    ),
  ]
}

function buildTermRows(offers: readonly PricedOffer[]): ComparisonRow[] {
  const number = (code: string, item: string, unit: 'percent' | 'days', pick: (offer: PricedOffer) => number | undefined, better: Better) =>
    buildRow(
      { section: 'terms', code, item, unit, better },
      offers,
      offers.map((offer) => pick(offer) ?? null),
      String,
    )
  const rows = [
    number('commitPercent', 'Committed share', 'percent', ({ content }) => content.attrition?.commitPercent, 'lower'),
    number('cutoffDays', 'Cut-off before arrival', 'days', ({ content }) => content.cutoffDays, 'lower'),
    number('commissionPercent', 'Commission', 'percent', ({ content }) => content.commissionPercent, 'higher'),
    {
      section: 'terms' as const,
      code: 'validUntil',
      item: 'Valid until',
      unit: 'day' as const,
      values: offers.map(({ content }) => content.validUntil ?? null),
      best: null,
    },
  ]
  return rows.filter(({ values }) => values.some((value) => value !== null))
}

const showAnswer = (answer: string | number | boolean | undefined): string | null =>
  answer === undefined ? null : answer === true ? 'Yes' : answer === false ? 'No' : String(answer)

const buildAnswerRows = ({ questions }: RfpSnapshot, offers: readonly PricedOffer[]): ComparisonRow[] =>
  questions.map(({ code, text }) => ({
    section: 'answers',
    code: `question:${code}`,
    item: text,
    unit: 'text',
    values: offers.map(({ content }) => showAnswer(content.answers[code])),
    best: null,
  }))

function buildScoreRows({ rubric }: RfpSnapshot, offers: readonly PricedOffer[], scores: readonly ScoredOffer[] | null): ComparisonRow[] {
  if (!scores || !rubric) return []
  const scoreOf = (offer: PricedOffer) => scores.find(({ responseId }) => responseId === offer.id)
  const score = (code: string, item: string, numbers: readonly (number | null)[]) =>
    buildRow({ section: 'scores', code, item, unit: 'score', better: 'higher' }, offers, numbers, (value) => value.toFixed(2))
  return [
    ...rubric.criteria.map(({ code, name, weight }) =>
      score(
        `criterion:${code}`,
        `${name} (${weight})`,
        offers.map((offer) => scoreOf(offer)?.byCriterion.find(({ criterion }) => criterion === code)?.average ?? null),
      ),
    ),
    score(
      'score',
      'Score of 100',
      offers.map((offer) => scoreOf(offer)?.total ?? null),
    ),
  ]
}
