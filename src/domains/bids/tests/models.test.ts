import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SupplierQuestionnaireItem, RubricCriterion } from '../../rfps/tables.ts'
import type { MealNeed, RoomsNeededOnNight } from '../../briefs/answers.ts'
import {
  add,
  divide,
  type Fraction,
  fraction,
  isLess,
  minus,
  parseFraction,
  roundHalfUp,
  sum,
  times,
  wholeFraction,
} from '../../../../test/support/fractions.ts'
import { soakRounds } from '../../../../test/support/soak.ts'
import { computeTotalCost } from '../cost.ts'
import { type OfferScoringInput, scoreOffers } from '../score.ts'
import type { RfpResponseContent } from '../tables.ts'

const RUNS = { numRuns: soakRounds(1000) }
const NIGHTS = ['2027-06-10', '2027-06-11', '2027-06-12', '2027-06-13']
const MEALS = ['breakfast', 'lunch', 'dinner']
const amount = (max = 5_000_000) => fc.integer({ min: 0, max })
const percent = fc.integer({ min: 0, max: 4000 }).map((hundredths) => hundredths / 100)

const offeredRooms = fc.record({
  night: fc.constantFrom(...NIGHTS),
  roomType: fc.constantFrom('king', 'Twin', 'Junior Suite', 'suite'),
  rooms: fc.integer({ min: 0, max: 120 }),
  rates: fc.record({ single: amount(90_000), double: amount(90_000) }, { requiredKeys: ['single'] }),
})

const content: fc.Arbitrary<RfpResponseContent> = fc.record({
  currency: fc.constant('EUR'),
  rooms: fc.array(offeredRooms, { maxLength: 8 }) as fc.Arbitrary<RfpResponseContent['rooms']>,
  taxPercent: percent,
  feePerNight: amount(5000),
  rental: amount(),
  otherFees: fc.array(fc.record({ name: fc.constant('fee'), amount: amount(), mandatory: fc.boolean() }), { maxLength: 4 }),
  fbMinimum: amount(),
  menu: fc.uniqueArray(fc.record({ meal: fc.constantFrom(...MEALS), price: amount(20_000) }), { selector: ({ meal }) => meal }),
  servicePercent: percent,
  fbTaxPercent: percent,
  avEstimate: amount(),
  concessions: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('compRooms' as const), per: fc.integer({ min: 1, max: 80 }) }),
      fc.record({ kind: fc.constant('rebate' as const), value: amount(3000) }),
      fc.record({ kind: fc.constantFrom('wifi' as const, 'credit' as const), value: amount(900_000) }),
    ),
    { maxLength: 4 },
  ),
  cancellation: fc.constant([]),
  deposits: fc.constant([]),
  answers: fc.constant({}),
  space: fc.constant([]),
  files: fc.constant([]),
})

const need: fc.Arbitrary<RoomsNeededOnNight> = fc.record({
  night: fc.constantFrom(...NIGHTS),
  single: fc.integer({ min: 0, max: 100 }),
  double: fc.integer({ min: 0, max: 40 }),
  suite: fc.integer({ min: 0, max: 5 }),
  staff: fc.integer({ min: 0, max: 10 }),
})
const meal: fc.Arbitrary<MealNeed> = fc.record({
  day: fc.constantFrom(...NIGHTS),
  kind: fc.constantFrom('Breakfast', 'lunch', 'DINNER', 'tea'),
  people: fc.integer({ min: 0, max: 500 }),
})

/** A reference implementation of the total cost from the specification, with exact fractions and without functions of the product. */
function costModel(offer: RfpResponseContent, nights: readonly RoomsNeededOnNight[], meals: readonly MealNeed[]) {
  const rateOf = (rows: RfpResponseContent['rooms'], people: 'single' | 'double') => {
    const rooms = rows.reduce((all, row) => all + row.rooms, 0)
    return divide(sum(rows.map((row) => wholeFraction(row.rooms * (row.rates[people] ?? row.rates.single)))), wholeFraction(rooms))
  }
  const priceOfNight = (wanted: RoomsNeededOnNight): number => {
    const withRooms = offer.rooms.filter((row) => row.rooms > 0)
    const here = withRooms.filter((row) => row.night === wanted.night)
    const used = here.length > 0 ? here : withRooms
    if (used.length === 0) return 0
    const [suites, plain] = [used.filter((row) => /suite/i.test(row.roomType)), used.filter((row) => !/suite/i.test(row.roomType))]
    const usual = plain.length > 0 ? plain : used
    return roundHalfUp(
      sum([
        times(wholeFraction((wanted.single ?? 0) + (wanted.staff ?? 0)), rateOf(usual, 'single')),
        times(wholeFraction(wanted.double ?? 0), rateOf(usual, 'double')),
        times(wholeFraction(wanted.suite ?? 0), rateOf(suites.length > 0 ? suites : used, 'single')),
      ]),
    )
  }
  const hundredth = (value: number) => divide(parseFraction(String(value)), wholeFraction(100))
  const roomNights = nights.reduce((all, one) => all + one.single! + one.double! + one.suite! + one.staff!, 0)
  const prices = nights.map(priceOfNight)
  const revenue = prices.reduce((all, price) => all + price, 0)
  const taxes = prices.reduce((all, price) => all + roundHalfUp(times(wholeFraction(price), hundredth(offer.taxPercent))), 0)
  const eaten = meals.reduce(
    (all, { kind, people }) => all + people * (offer.menu.find((row) => row.meal === kind.toLowerCase())?.price ?? 0),
    0,
  )
  const one = wholeFraction(1)
  const food = roundHalfUp(
    times(
      times(wholeFraction(Math.max(eaten, offer.fbMinimum)), add(one, hundredth(offer.servicePercent))),
      add(one, hundredth(offer.fbTaxPercent)),
    ),
  )
  const fees = offer.otherFees.filter((fee) => fee.mandatory).reduce((all, fee) => all + fee.amount, 0)
  const gross = revenue + taxes + offer.feePerNight * roomNights + food + offer.rental + offer.avEstimate + fees
  const concessions = offer.concessions.reduce((all, { kind, per, value = 0 }) => {
    if (kind === 'rebate') return all + value * roomNights
    if (kind !== 'compRooms') return all + value
    return all + (roomNights === 0 ? 0 : roundHalfUp(fraction(BigInt(Math.floor(roomNights / per!) * revenue), BigInt(roomNights))))
  }, 0)
  return { gross, concessions, net: gross - concessions, roomNights }
}

describe('computeTotalCost', () => {
  it('calculates the same total cost as an independent model for random responses', () => {
    const needs = fc.uniqueArray(need, { selector: ({ night }) => night, maxLength: 4 })
    fc.assert(
      fc.property(content, needs, fc.array(meal, { maxLength: 5 }), (offer, nights, meals) => {
        const { gross, concessions, net, roomNights } = computeTotalCost(offer, { nights, meals, attendees: 100 })
        expect({ gross, concessions, net, roomNights }).toEqual(costModel(offer, nights, meals))
      }),
      RUNS,
    )
  })
})

const QUESTIONS: SupplierQuestionnaireItem[] = [
  { code: 'wifi', text: 'Wi-Fi?', type: 'boolean', required: false },
  { code: 'pool', text: 'Pool?', type: 'choice', required: false, mustBe: 'Indoor' },
]

const facts: fc.Arbitrary<Omit<OfferScoringInput, 'id'>> = fc.record({
  net: fc.integer({ min: 1, max: 20_000_000 }),
  concessions: fc.integer({ min: 0, max: 900_000 }),
  roomsAsked: fc.integer({ min: 0, max: 300 }),
  roomsOffered: fc.integer({ min: 0, max: 300 }),
  areaAsked: fc.integer({ min: 0, max: 2000 }),
  areaOffered: fc.option(fc.integer({ min: 0, max: 3000 })),
  km: fc.option(fc.integer({ min: 0, max: 2000 }).map((tenths) => tenths / 16)),
  radiusKm: fc.integer({ min: 1, max: 64 }),
  answers: fc.record({ wifi: fc.boolean(), pool: fc.constantFrom('Indoor', 'indoor ', 'Outdoor') }, { requiredKeys: [] }),
})

const FORMULAS = ['lowestCost', 'distance', 'roomsFit', 'spaceFit', 'concessions', 'answer:wifi', 'answer:pool'] as const
const mustHave = fc.option(
  fc.record({
    op: fc.constantFrom('>=' as const, '>' as const, '=' as const),
    value: fc.integer({ min: 0, max: 10 }).map((halves) => halves / 2),
  }),
  { freq: 4, nil: undefined },
)

/** Generates two to eight criteria whose weights sum to 100. */
const criteria: fc.Arbitrary<RubricCriterion[]> = fc
  .array(fc.record({ formula: fc.option(fc.constantFrom(...FORMULAS)), share: fc.integer({ min: 1, max: 50 }), mustHave }), {
    minLength: 2,
    maxLength: 8,
  })
  .map((parts) => {
    const all = parts.reduce((total, { share }) => total + share, 0)
    const weights = parts.map(({ share }) => Math.floor((10_000 * share) / all))
    weights[0]! += 10_000 - weights.reduce((total, weight) => total + weight, 0)
    return parts.map(({ formula, mustHave: demand }, index) => ({
      code: `c${index}`,
      name: `C${index}`,
      weight: weights[index]! / 100,
      ...(formula === null ? { scorer: 'manual' as const } : { scorer: 'formula' as const, formula }),
      ...(demand ? { mustHave: demand } : {}),
    }))
  })

const ZERO = wholeFraction(0)
const smaller = (a: Fraction, b: Fraction) => (isLess(a, b) ? a : b)

/** A reference implementation of the score of one criterion, from the specification. */
function criterionModel(
  criterion: RubricCriterion,
  own: OfferScoringInput,
  all: readonly OfferScoringInput[],
  given: readonly number[],
): Fraction | null {
  const five = (a: number, b: number) => smaller(wholeFraction(5), divide(wholeFraction(5 * a), wholeFraction(b)))
  if (criterion.scorer === 'manual')
    return given.length === 0
      ? null
      : divide(wholeFraction(given.reduce((total, score) => total + score * 2, 0)), wholeFraction(given.length * 2))
  switch (criterion.formula) {
    case 'lowestCost':
      return five(
        all.reduce((lowest, { net }) => (net < lowest ? net : lowest), Infinity),
        own.net,
      )
    case 'concessions': {
      const highest = all.reduce((found, { concessions }) => (concessions > found ? concessions : found), 0)
      return highest === 0 ? ZERO : five(own.concessions, highest)
    }
    case 'roomsFit':
      return own.roomsAsked === 0 ? wholeFraction(5) : five(own.roomsOffered, own.roomsAsked)
    case 'spaceFit':
      return own.areaAsked === 0 ? wholeFraction(5) : own.areaOffered === null ? null : five(own.areaOffered, own.areaAsked)
    case 'distance': {
      if (own.km === null) return null
      const left = minus(wholeFraction(1), fraction(BigInt(own.km * 16), BigInt(own.radiusKm * 16)))
      return isLess(left, ZERO) ? ZERO : times(wholeFraction(5), left)
    }
    case 'answer:wifi':
      return wholeFraction(own.answers['wifi'] === true ? 5 : 0)
    default:
      return wholeFraction(
        String(own.answers['pool'] ?? '')
          .trim()
          .toLowerCase() === 'indoor'
          ? 5
          : 0,
      )
  }
}

describe('scoreOffers', () => {
  it('calculates the same scores as an independent model for random rubrics and responses', () => {
    const scores = fc.array(fc.tuple(fc.nat(3), fc.nat(7), fc.integer({ min: 0, max: 10 })), { maxLength: 40 })
    fc.assert(
      fc.property(criteria, fc.array(facts, { minLength: 1, maxLength: 4 }), scores, (rubric, given, drawn) => {
        const offers = given.map((one, index) => ({ ...one, id: `offer-${index}` }))
        const manual = drawn
          .map(([offer, criterion, halves], index) => ({
            responseId: `offer-${offer}`,
            criterion: `c${criterion}`,
            evaluator: `e${index}`,
            score: halves / 2,
          }))
          .filter(({ criterion }) => rubric.some((one) => one.code === criterion && one.scorer === 'manual'))
        const found = scoreOffers({ criteria: rubric, questions: QUESTIONS }, offers, manual)
        const expected = offers.map((own) => {
          const parts = rubric.map((criterion) => {
            const ownScores = manual
              .filter((one) => one.responseId === own.id && one.criterion === criterion.code)
              .map(({ score }) => score)
            return { criterion, average: criterionModel(criterion, own, offers, ownScores) }
          })
          const total = sum(
            parts.map(({ criterion, average }) =>
              times(divide(parseFraction(String(criterion.weight)), wholeFraction(5)), average ?? ZERO),
            ),
          )
          const fails = ({ criterion: { mustHave: demand }, average }: (typeof parts)[number]) => {
            if (!demand || average === null) return false
            const wanted = parseFraction(String(demand.value))
            const [below, above] = [isLess(average, wanted), isLess(wanted, average)]
            return demand.op === '>=' ? below : demand.op === '>' ? !above : below || above
          }
          const pool =
            String(own.answers['pool'] ?? '')
              .trim()
              .toLowerCase() === 'indoor'
          return { id: own.id, total, out: !pool || parts.some(fails) }
        })
        for (const { id, total, out } of expected) {
          const one = found.find(({ responseId }) => responseId === id)!
          expect(one.knockedOut).toBe(out)
          // Areas and distances are rounded to nine digits, so a total may differ in its last digit.
          expect(Math.abs(one.total * 100 - roundHalfUp(times(total, wholeFraction(100))))).toBeLessThan(
            rubric.some(({ formula }) => formula === 'spaceFit' || formula === 'distance') ? 1.001 : 0.001,
          )
        }
        expect(found.map(({ rank }) => rank)).toEqual(offers.map((_offer, index) => index + 1))
        for (const [index, one] of found.entries()) {
          const next = found[index + 1]
          if (!next) continue
          if (one.knockedOut !== next.knockedOut) expect(next.knockedOut).toBe(true)
          else if (one.total === next.total) expect(one.responseId < next.responseId).toBe(true)
          else expect(one.total).toBeGreaterThan(next.total)
        }
      }),
      RUNS,
    )
  })
})
