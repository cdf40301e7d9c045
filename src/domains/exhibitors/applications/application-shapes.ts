import { z } from 'zod'
import { toOneLine, count, flag, id, ifRevision, instant, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { BOOTH_TYPES } from '../floor/booth-figures.ts'
import { APPLICATION_STATES } from '../states.ts'

/** Maximum number of booths that a booth application can list by preference. */
const MAX_CHOICES = 10

export const applicationNumberSchema = () => text(20)
const boothNumber = () => text(12)

/** Fields of a booth application that the action `update` can clear. */
const CLEARABLE_WISHES = ['minArea', 'maxArea', 'type'] as const

/** The booths that an application asks for, such as sizes and numbers. Each list in the request replaces the stored list. */
const Wanted = () =>
  toOneLine(
    object({
      sizes: list(text(63), 100).optional(),
      minArea: z.number().positive().max(1_000_000).optional(),
      maxArea: z.number().positive().max(1_000_000).optional(),
      type: oneOf(BOOTH_TYPES).optional(),
      zoneCodes: list(text(63), 50).optional(),
      zonesOnly: z.boolean().optional(),
      boothNumbers: list(boothNumber(), MAX_CHOICES).optional(),
      near: list(id('company'), 20).optional(),
      awayFrom: list(id('company'), 50).optional(),
      sameAsLastYear: z.boolean().optional(),
      acceptOther: z.boolean().optional(),
      clear: list(oneOf(CLEARABLE_WISHES), CLEARABLE_WISHES.length).optional(),
    }),
    'sizes[], boothNumbers[] (ranked), minArea, type, zoneCodes[], near[], awayFrom[], etc.',
  )
export type BoothPreferencesChange = z.output<ReturnType<typeof Wanted>>

const Price = () => toOneLine(object({ net: money(), tax: money(), total: money() }), 'net, tax, total')

export const BoothApplicationShape = object({
  number: text(),
  company: toOneLine(object({ companyId: text(), name: untrustedText() }), 'companyId, name'),
  status: oneOf(APPLICATION_STATES.all),
  wanted: toOneLine(z.record(z.string(), z.unknown()), 'sizes[], boothNumbers[], acceptOther and the other wishes'),
  points: z.number(),
  pointsRank: count(1).optional(),
  submittedAt: instant().optional(),
  offer: toOneLine(
    object({ boothNumbers: list(text()), amount: money(), price: Price(), until: instant(), sentAt: instant().optional() }),
    'boothNumbers[], amount, price, until, sentAt',
  ).optional(),
  assigned: list(text()),
  additional: z.boolean().optional(),
  revision: count(1),
})

export const PointsBreakdown = toOneLine(list(object({ rule: text(), value: z.number(), points: z.number() })), 'rule, value, points')

const OrderResult = toOneLine(
  object({
    number: text(),
    lines: list(object({ description: untrustedText(), quantity: z.number(), total: money() })),
    net: money(),
    tax: money(),
    total: money(),
  }),
  'number, lines[], net, tax, total',
)

export const APPLICATION_ARGUMENTS = {
  number: applicationNumberSchema(),
  companyId: id('company'),
  wanted: Wanted(),
  answers: toOneLine(z.record(z.string().max(63), z.unknown()), 'by question'),
  submit: flag(),
  additional: flag(),
  note: text(2000),
  ifRevision: ifRevision().unwrap(),
  boothNumbers: list(boothNumber(), 20),
  until: instant(),
  notify: flag(),
  force: flag(),
  proposalId: id('assignmentProposal'),
  mode: oneOf(['assign', 'offer']),
  reason: text(500),
  applicationNumbers: list(applicationNumberSchema(), 4000),
  all: flag(),
  message: text(2000),
}

export const APPLICATION_RESULT_FIELDS = {
  applications: toOneLine(list(BoothApplicationShape), 'as in list_booth_applications'),
  changed: list(text()).optional(),
  applied: count().optional(),
  order: OrderResult.optional(),
  queued: count().optional(),
  skipped: toOneLine(list(object({ reason: text(), count: count() })), 'reason, count').optional(),
  staffAboveAllotment: toOneLine(list(object({ staffId: text(), name: untrustedText() })), 'staffId, name').optional(),
}
