import { z } from 'zod'
import {
  toOneLine,
  count,
  day,
  instant,
  keepNullInResult,
  list,
  money,
  object,
  oneOf,
  text,
  truncationResult,
} from '../../../kernel/args.ts'
import { REGISTRATION_SOURCES } from '../tables.ts'

const states = {
  total: count(),
  incomplete: count(),
  complete: count(),
  waitlisted: count(),
  cancelled: count(),
}

const productMoney = { net: money(), tax: money(), total: money() }

export const ProductSalesSummary = object({
  code: text(),
  capacity: count().nullable(),
  overage: count(),
  held: count(),
  sold: count(),
  available: z.int().nullable(),
  waitlisted: count(),
  ...productMoney,
})

/** The names of the amounts in `money`, each a sum over the event. */
export const MONEY_TOTAL_NAMES = [
  'list',
  'discount',
  'net',
  'tax',
  'total',
  'fees',
  'deposits',
  'invoiced',
  'credited',
  'paid',
  'refunded',
  'reversed',
  'writtenOff',
  'balance',
  'owed',
  'creditHeld',
] as const
export type MoneyTotalName = (typeof MONEY_TOTAL_NAMES)[number]

const moneyFigures = Object.fromEntries(MONEY_TOTAL_NAMES.map((name) => [name, money()])) as Record<
  MoneyTotalName,
  ReturnType<typeof money>
>

export const RegistrationSummary = {
  participants: toOneLine(
    object({ ...states, substituted: count() }),
    'total, incomplete, complete, waitlisted, cancelled, of which substituted',
  ),
  attendees: count(),
  guests: count(),
  byFlow: toOneLine(
    list(object({ flowSlug: keepNullInResult(text().nullable()), ...states })),
    'flowSlug (null: none) and the five counts',
  ),
  bySource: toOneLine(list(object({ source: oneOf(REGISTRATION_SOURCES), ...states })), 'source and the five counts'),
  byTag: toOneLine(list(object({ tag: text(), ...states })), 'tag and the five counts; people with several count in each'),
  overlapping: z.literal(true),
  byCountry: toOneLine(
    list(
      object({
        country: keepNullInResult(text().nullable()),
        name: text().optional(),
        suppressed: z.literal(true).optional(),
        ...states,
        ordered: money().optional(),
        balance: money().optional(),
      }),
    ),
    'country (null: not given), name, the five counts, ordered, balance',
  ).optional(),
  byDay: toOneLine(
    list(object({ day: day(), completed: count(), cancelled: count(), net: z.int(), cumulative: z.int() })),
    'day, completed, cancelled, net, cumulative; days without any are left out',
  ),
  products: toOneLine(list(ProductSalesSummary), 'code, capacity, overage, held, sold, available, waitlisted, net, tax, total'),
  /** The totals of the products that are left out of `products` to keep the result short. */
  otherProducts: toOneLine(object({ count: count(), ...productMoney }), 'those left out together: count, net, tax, total').optional(),
  waitlist: toOneLine(object({ waiting: count(), offered: count() }), 'waiting, offered'),
  money: toOneLine(object(moneyFigures), 'net, tax, total, fees, invoiced, credited, paid, refunded, balance, owed, creditHeld ...'),
  pace: toOneLine(
    object({
      daysBefore: z.int(),
      thisEvent: z.int(),
      other: z.int(),
      otherFinal: count(),
      projected: count().nullable(),
    }),
    'daysBefore, thisEvent, other, otherFinal, projected',
  ).optional(),
  asOf: instant(),
  ...truncationResult,
}
