import { z } from 'zod'
import {
  describeSchemaInOneLine,
  boundedInteger,
  day,
  instant,
  markMeaningfulNull,
  list,
  money,
  object,
  oneOf,
  text,
  truncationResultFields,
} from '../../../kernel/args.ts'
import { REGISTRATION_SOURCES } from '../tables.ts'

const states = {
  total: boundedInteger(),
  incomplete: boundedInteger(),
  complete: boundedInteger(),
  waitlisted: boundedInteger(),
  cancelled: boundedInteger(),
}

const productMoney = { net: money(), tax: money(), total: money() }

export const ProductSalesSummary = object({
  code: text(),
  capacity: boundedInteger().nullable(),
  overage: boundedInteger(),
  held: boundedInteger(),
  sold: boundedInteger(),
  available: z.int().nullable(),
  waitlisted: boundedInteger(),
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
  participants: describeSchemaInOneLine(
    object({ ...states, substituted: boundedInteger() }),
    'total, incomplete, complete, waitlisted, cancelled, of which substituted',
  ),
  attendees: boundedInteger(),
  guests: boundedInteger(),
  byFlow: describeSchemaInOneLine(
    list(object({ flowSlug: markMeaningfulNull(text().nullable()), ...states })),
    'flowSlug (null: none) and the five counts',
  ),
  bySource: describeSchemaInOneLine(list(object({ source: oneOf(REGISTRATION_SOURCES), ...states })), 'source and the five counts'),
  byTag: describeSchemaInOneLine(list(object({ tag: text(), ...states })), 'tag and the five counts; people with several count in each'),
  overlapping: z.literal(true),
  byCountry: describeSchemaInOneLine(
    list(
      object({
        country: markMeaningfulNull(text().nullable()),
        name: text().optional(),
        suppressed: z.literal(true).optional(),
        ...states,
        ordered: money().optional(),
        balance: money().optional(),
      }),
    ),
    'country (null: not given), name, the five counts, ordered, balance',
  ).optional(),
  byDay: describeSchemaInOneLine(
    list(object({ day: day(), completed: boundedInteger(), cancelled: boundedInteger(), net: z.int(), cumulative: z.int() })),
    'day, completed, cancelled, net, cumulative; days without any are left out',
  ),
  products: describeSchemaInOneLine(
    list(ProductSalesSummary),
    'code, capacity, overage, held, sold, available, waitlisted, net, tax, total',
  ),
  /** The totals of the products that are left out of `products` to keep the result short. */
  otherProducts: describeSchemaInOneLine(
    object({ count: boundedInteger(), ...productMoney }),
    'those left out together: count, net, tax, total',
  ).optional(),
  waitlist: describeSchemaInOneLine(object({ waiting: boundedInteger(), offered: boundedInteger() }), 'waiting, offered'),
  money: describeSchemaInOneLine(
    object(moneyFigures),
    'net, tax, total, fees, invoiced, credited, paid, refunded, balance, owed, creditHeld ...',
  ),
  pace: describeSchemaInOneLine(
    object({
      daysBefore: z.int(),
      thisEvent: z.int(),
      other: z.int(),
      otherFinal: boundedInteger(),
      projected: boundedInteger().nullable(),
    }),
    'daysBefore, thisEvent, other, otherFinal, projected',
  ).optional(),
  asOf: instant(),
  ...truncationResultFields,
}
