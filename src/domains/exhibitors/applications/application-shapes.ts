import { z } from 'zod'
import { brief, count, id, instant, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { BOOTH_TYPES } from '../floor/booth-figures.ts'
import { APPLICATION_STATES } from '../states.ts'

/** Most numbers of booths that an application ranks. */
const MAX_CHOICES = 10

export const applicationNumber = () => text(20)
export const boothNumber = () => text(12)

/** The wishes of an application, as callers send them. Lists replace the earlier ones. */
export const Wanted = () =>
  brief(
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
    }),
    'sizes[] (codes, best first), minArea, maxArea, type, zoneCodes[], zonesOnly, boothNumbers[] (ranked), near[] and awayFrom[] (companyIds), sameAsLastYear, acceptOther',
  )
export type WantedChange = z.output<ReturnType<typeof Wanted>>

const Price = () => brief(object({ net: money(), tax: money(), total: money() }), 'net, tax, total')

export const Application = object({
  number: text(),
  company: brief(object({ companyId: text(), name: untrustedText() }), 'companyId, name'),
  status: oneOf(APPLICATION_STATES.all),
  wanted: brief(z.record(z.string(), z.unknown()), 'sizes[], boothNumbers[], acceptOther and the other wishes'),
  points: z.number(),
  pointsRank: count(1).optional(),
  submittedAt: instant().optional(),
  offer: brief(
    object({ boothNumbers: list(text()), amount: money(), price: Price(), until: instant(), sentAt: instant().optional() }),
    'boothNumbers[], amount, price, until, sentAt',
  ).optional(),
  assigned: list(text()),
  additional: z.boolean().optional(),
  revision: count(1),
})

export const PointsBreakdown = brief(list(object({ rule: text(), value: z.number(), points: z.number() })), 'rule, value, points')

export const OrderResult = brief(
  object({
    number: text(),
    lines: list(object({ description: untrustedText(), quantity: z.number(), total: money() })),
    net: money(),
    tax: money(),
    total: money(),
  }),
  'number, lines[], net, tax, total',
)
