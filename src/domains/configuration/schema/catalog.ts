import { z } from 'zod'
import { patternOf } from '../../../kernel/patterns.ts'
import * as w from './words.ts'

export const RESPONSE_TYPES = [
  'text',
  'longText',
  'number',
  'boolean',
  'date',
  'choice',
  'multiChoice',
  'email',
  'phone',
  'url',
  'country',
  'file',
] as const
export type ResponseType = (typeof RESPONSE_TYPES)[number]

export const PRODUCT_CATEGORIES = [
  'admission',
  'session',
  'meal',
  'tour',
  'merchandise',
  'donation',
  'guest',
  'leadRetrieval',
  'booth',
  'advertising',
  'other',
] as const

export const Tag = z.strictObject({ code: w.code(), name: w.text(80) })

export const pattern = () => w.line(200).refine((source) => patternOf(source) !== null, 'is no pattern that RE2 can read')

export const Choice = z.strictObject({ code: w.code(), name: w.text(200), retired: w.flag() })

export const CustomField = z
  .strictObject({
    code: w.code(),
    name: w.about(w.text(300), 'The question as people read it'),
    help: w.maybe(w.text(1000)),
    responseType: z.enum(RESPONSE_TYPES),
    choices: w.keyed('code', Choice, { max: 500 }),
    min: w.about(w.bound(), 'Least length, number or day'),
    max: w.about(w.bound(), 'Greatest length, number or day'),
    minChoices: w.maybe(w.int(0, 500)),
    maxChoices: w.maybe(w.int(1, 500)),
    pattern: w.about(w.maybe(pattern()), 'RE2; the whole answer must match'),
    integer: w.flag(),
    accept: w.about(
      w.list(
        z
          .string()
          .trim()
          .regex(/^[a-z]+\/([a-z0-9.+-]+|\*)$/, 'a media type such as application/pdf'),
        30,
      ),
      'Media types of files',
    ),
    maxBytes: w.int(1, 52_428_800).default(10_485_760),
    personal: w.about(w.flag(true), 'Read only with personal.read'),
    sensitive: w.about(w.flag(), 'Never among lead fields; exported only with personal.export'),
    retired: w.flag(),
  })
  .superRefine((field, ctx) => {
    const issue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
    const chooses = field.responseType === 'choice' || field.responseType === 'multiChoice'
    const live = field.choices.filter((choice) => !choice.retired).length
    if (chooses && live === 0) issue('choices', 'needs at least one choice that is not retired')
    if (!chooses && field.choices.length > 0) issue('choices', `is not for ${field.responseType}`)
    if (field.minChoices !== null && field.minChoices > (field.maxChoices ?? live)) issue('minChoices', 'is more than maxChoices')
    if (chooses && field.maxChoices !== null && field.maxChoices > live) issue('maxChoices', `is more than the ${live} choices`)
    const dated = field.responseType === 'date'
    for (const key of ['min', 'max'] as const) {
      if (field[key] !== null && (typeof field[key] === 'string') !== dated) issue(key, dated ? 'must be a day' : 'must be a number')
    }
    if (field.min !== null && field.max !== null && field.min > field.max) issue('max', 'must not be less than min')
  })

export const Price = z
  .strictObject({
    amount: w.amount(),
    from: w.maybe(w.dayOrInstant()),
    until: w.maybe(w.dayOrInstant()),
    tags: w.about(w.refs('tags', 50), 'For people who hold any of them; empty is for everybody'),
  })
  .superRefine(w.ordered('from', 'until', { orEqual: true }))

export const Product = z
  .strictObject({
    code: w.code(),
    name: w.text(200),
    description: w.maybe(w.html()),
    category: z.enum(PRODUCT_CATEGORIES),
    prices: w.about(
      w.list(Price, 30),
      'Of the rows in force for the same tags the latest from counts; a row for a tag that somebody holds goes before those without tags; then the lowest amount',
    ),
    capacity: w.about(w.maybe(w.int(0, 10_000_000)), 'How many there are; null is without limit'),
    perPerson: w.int(1, 100).default(1),
    taxCode: w.maybe(w.ref('taxes')),
    ...w.visibility,
    requires: w.refs('products', 100),
    excludes: w.refs('products', 100),
    grants: w.about(w.set(w.code(), 20), 'sdk, device, app, stream or a code of your own'),
    addsTags: w.refs('tags', 50),
    waitlist: w.flag(),
    refundUntil: w.maybe(w.instant()),
    refundTiers: w.about(w.list(z.strictObject({ until: w.instant(), percent: w.int(0, 100) }), 20), 'Replaces refundUntil when given'),
    supply: w.maybe(z.enum(['inPerson', 'virtual', 'goods', 'service'])),
    startsAt: w.maybe(w.instant()),
    endsAt: w.maybe(w.instant()),
    imageFileId: w.maybe(w.fileId()),
    order: w.int(-1_000_000, 1_000_000).default(0),
    retired: w.about(w.flag(), 'Kept for what was sold, no longer offered'),
  })
  .superRefine((product, ctx) => {
    w.bothOrNone('startsAt', 'endsAt')(product, ctx)
    w.ordered('startsAt', 'endsAt')(product, ctx)
    const issue = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message })
    if (product.waitlist && product.capacity === null) issue(['waitlist'], 'needs a capacity')
    product.grants.forEach((grant, index) => {
      if ((grant === 'sdk' || grant === 'device') && product.category !== 'leadRetrieval') {
        issue(['grants', index], `${grant} is only for products of category leadRetrieval`)
      }
    })
  })

const rate = () => w.decimal('0', '100', 4)

export const Tax = z
  .strictObject({
    code: w.code(),
    name: w.text(80),
    rate: w.about(rate(), 'Percent'),
    inclusive: w.about(w.flag(), 'Prices contain it already'),
    appliesIn: w.about(
      w.set(
        z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, 'a place such as DE or US-CA'),
        300,
      ),
      'Empty is everywhere',
    ),
    productCategories: w.list(z.enum(PRODUCT_CATEGORIES), 20),
    components: w.keyed('code', z.strictObject({ code: w.code(), name: w.text(80), rate: rate() }), { max: 10 }),
    reverseCharge: w.flag(),
    validFrom: w.maybe(w.day()),
    validUntil: w.maybe(w.day()),
  })
  .superRefine((tax, ctx) => {
    w.ordered('validFrom', 'validUntil', { orEqual: true })(tax, ctx)
    const scaled = (text: string) => Math.round(Number(text) * 10_000)
    const sum = tax.components.reduce((total, component) => total + scaled(component.rate), 0)
    if (tax.components.length > 0 && sum !== scaled(tax.rate)) {
      ctx.addIssue({ code: 'custom', path: ['components'], message: `add up to ${sum / 10_000}, not to the rate ${tax.rate}` })
    }
  })

export const Discount = z
  .strictObject({
    code: w.code(),
    name: w.text(80),
    kind: z.enum(['percent', 'amount']),
    value: w.about(w.percentOrAmount(), 'Percent, or an amount in the event currency'),
    products: w.about(w.refs('products'), 'Empty is all but donations'),
    maxUses: w.maybe(w.int(1, 10_000_000)),
    from: w.maybe(w.dayOrInstant()),
    until: w.maybe(w.dayOrInstant()),
    tags: w.refs('tags', 50),
    retired: w.flag(),
  })
  .superRefine((discount, ctx) => {
    w.ordered('from', 'until', { orEqual: true })(discount, ctx)
    const value = Number(discount.value)
    if (value <= 0) ctx.addIssue({ code: 'custom', path: ['value'], message: 'must be more than 0' })
    if (discount.kind === 'percent' && value > 100)
      ctx.addIssue({ code: 'custom', path: ['value'], message: 'must be at most 100 percent' })
  })

export const Policy = z.strictObject({
  code: w.code(),
  title: w.text(200),
  body: w.about(w.html(100_000), 'What people agree to; a changed text is asked again'),
  required: w.flag(true),
  retired: w.flag(),
})
