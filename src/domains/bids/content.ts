import { z } from 'zod'
import { count, currency, day, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { CONCESSION_KINDS } from './tables.ts'

const minor = () => z.int('an amount in minor units').min(0, 'at least 0').max(1_000_000_000_000)
const percent = () => z.number().min(0, 'at least 0').max(100, 'at most 100')

const Attrition = object({
  method: oneOf(['none', 'cumulative', 'nightly']),
  commitPercent: percent().optional(),
  profitPercent: percent().optional(),
  creditResold: flag().optional(),
})

/** An offer as it is stored. Amounts are minor units of its currency. */
export const ResponseContentShape = object({
  currency: currency(),
  rooms: list(
    object({
      night: day(),
      roomType: text(80),
      rooms: count(0, 100_000),
      rates: object({ single: minor(), double: minor().optional(), triple: minor().optional(), quad: minor().optional() }),
    }),
    2000,
  ),
  taxPercent: percent(),
  feePerNight: minor(),
  rental: minor(),
  otherFees: list(object({ name: text(200), amount: minor(), mandatory: flag() }), 50),
  fbMinimum: minor(),
  menu: list(object({ meal: text(80), price: minor() }), 100),
  servicePercent: percent(),
  fbTaxPercent: percent(),
  avEstimate: minor(),
  concessions: list(
    object({
      kind: oneOf(CONCESSION_KINDS),
      per: count(1, 100_000).optional(),
      value: minor().optional(),
      text: text(4000).optional(),
    }),
    50,
  ),
  commissionPercent: percent().optional(),
  attrition: Attrition.optional(),
  cutoffDays: count(0, 1000).optional(),
  cancellation: list(object({ daysBefore: count(0, 5000), percent: percent() }), 20),
  deposits: list(
    object({
      onSigning: flag().optional(),
      daysBefore: count(0, 5000).optional(),
      percent: percent().optional(),
      amount: minor().optional(),
    }),
    20,
  ),
  answers: z.record(z.string().max(80), z.union([z.string().max(4000), z.number(), z.boolean()])),
  space: list(object({ function: text(200), room: text(200), areaSqm: z.number().min(0).optional() }), 100),
  validUntil: day().optional(),
  note: text(4000).optional(),
  files: list(text(24), 20),
})
