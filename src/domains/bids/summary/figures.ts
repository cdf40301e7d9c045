import type { ResponseComparison } from '../compare.ts'
import { formatMinorUnitAmount } from '../picture.ts'

/** The numbers that a summary of compared responses may contain, as decimals without thousands separators or trailing zeros. */
export interface ComparisonNumbers {
  numbers: ReadonlySet<string>
  days: ReadonlySet<string>
}

const DAY = /\d{4}-\d{2}-\d{2}/g
const NUMBER = /\d+(?:[.,]\d+)*/g
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const PLAIN = /^\d+(?:\.\d+)?$/

/** Normalizes a number such as 1,234.56 or 1234.56; returns null for any other notation. */
function normalizeNumber(written: string): string | null {
  const plain = GROUPED.test(written) ? written.replaceAll(',', '') : written
  if (!PLAIN.test(plain)) return null
  const [whole = '', decimals = ''] = plain.split('.')
  const shorter = decimals.replace(/0+$/, '')
  return `${whole.replace(/^0+(?=\d)/, '')}${shorter === '' ? '' : `.${shorter}`}`
}

const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
/** Number words, such as "dozen" or "half", which cannot be checked against the numbers of the compared responses. */
const VAGUE_NUMBER =
  /\b(?:hundred|thousand|million|billion|dozen|twice|thrice|half|third|quarter|double|triple|twenty|thirty|forty|fifty)s?\b/i

/** Collects the numbers of the compared responses. Texts of suppliers are left out: a number that a supplier typed proves nothing. */
export function listComparisonNumbers({ rfp, currency, offers, rows, risks, scores }: ResponseComparison): ComparisonNumbers {
  const texts = [
    rfp.number,
    String(offers.length),
    ...offers.flatMap(({ dates, round, gross, concessions, net }) => [
      dates.arrival,
      dates.departure,
      String(round),
      ...[gross, concessions, net].map((minor) => formatMinorUnitAmount(minor, currency)),
    ]),
    ...rows.filter(({ unit }) => unit !== 'text').flatMap(({ item, values }) => [item, ...values.map((value) => value ?? '')]),
    ...risks.filter(({ code }) => code !== 'missingAnswers' && code !== 'mustBeFailed').map(({ message }) => message),
    ...(scores ?? []).flatMap(({ total, rank, byCriterion }) => [
      total.toFixed(2),
      String(rank),
      ...byCriterion.map(({ average }) => (average === null ? '' : String(average))),
    ]),
    ...offers.map(({ conversion }) => `${conversion.rate} ${conversion.day}`),
  ]
  const days = new Set(texts.flatMap((text) => text.match(DAY) ?? []))
  const numbers = texts.flatMap((text) => text.replaceAll(DAY, ' ').match(NUMBER) ?? []).map(normalizeNumber)
  return { numbers: new Set(numbers.filter((number) => number !== null)), days }
}

/**
 * Finds the first number in a text that does not occur in the comparison; null if all numbers occur. Names of suppliers are removed first.
 */
export function findNumberNotInComparison(text: string, { numbers, days }: ComparisonNumbers): string | null {
  const unknownDay = (text.match(DAY) ?? []).find((day) => !days.has(day))
  if (unknownDay !== undefined) return unknownDay
  const rest = text.replaceAll(DAY, ' ')
  const vague = VAGUE_NUMBER.exec(rest)
  if (vague) return vague[0]
  const words = (rest.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word !== 'one' && NUMBER_WORDS.includes(word))
  const unknownWord = words.find((word) => !numbers.has(String(NUMBER_WORDS.indexOf(word))))
  if (unknownWord !== undefined) return unknownWord
  return (
    (rest.match(NUMBER) ?? []).find((written) => {
      const number = normalizeNumber(written)
      return number === null || !numbers.has(number)
    }) ?? null
  )
}
