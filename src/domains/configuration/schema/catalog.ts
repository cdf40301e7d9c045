import { z } from 'zod'
import { compilePattern } from '../../../kernel/patterns.ts'
import * as w from './builders.ts'

export const QUESTION_RESPONSE_TYPES = [
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
export type QuestionResponseType = (typeof QUESTION_RESPONSE_TYPES)[number]

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

export const Tag = z.strictObject({ code: w.code(), name: w.translatableText(80) })

export const answerPatternSchema = () =>
  w.nonEmptyString(200).refine((source) => compilePattern(source) !== null, 'is not a valid RE2 pattern')

export const CustomFieldChoice = z.strictObject({ code: w.code(), name: w.translatableText(200), retired: w.booleanWithDefault() })

export const CustomFieldSchema = z
  .strictObject({
    code: w.code(),
    name: w.addHelpText(w.translatableText(300), 'The question as participants read it'),
    help: w.nullable(w.translatableText(1000)),
    responseType: z.enum(QUESTION_RESPONSE_TYPES),
    choices: w.keyedListSchema('code', CustomFieldChoice, { max: 500 }),
    min: w.addHelpText(w.answerRangeLimit(), 'Minimum length, number or day'),
    max: w.addHelpText(w.answerRangeLimit(), 'Maximum length, number or day'),
    minChoices: w.nullable(w.int(0, 500)),
    maxChoices: w.nullable(w.int(1, 500)),
    pattern: w.addHelpText(w.nullable(answerPatternSchema()), 'RE2; the whole answer must match'),
    integer: w.booleanWithDefault(),
    accept: w.addHelpText(
      w.listWithDefault(
        z
          .string()
          .trim()
          .regex(/^[a-z]+\/([a-z0-9.+-]+|\*)$/, 'a media type such as application/pdf'),
        30,
      ),
      'Accepted media types of uploaded files',
    ),
    maxBytes: w.int(1, 52_428_800).default(10_485_760),
    personal: w.addHelpText(w.booleanWithDefault(true), 'Readable only with personal.read'),
    sensitive: w.addHelpText(w.booleanWithDefault(), 'Never a lead field; exported only with personal.export'),
    retired: w.booleanWithDefault(),
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
    amount: w.currencyAmount(),
    from: w.nullable(w.dayOrInstant()),
    until: w.nullable(w.dayOrInstant()),
    tags: w.addHelpText(w.itemReferences('tags', 50), 'For participants who have any of these tags; empty means everyone'),
  })
  .superRefine(w.requireDateOrder('from', 'until', { orEqual: true }))

export const ProductSchema = z
  .strictObject({
    code: w.code(),
    name: w.translatableText(200),
    description: w.nullable(w.html()),
    category: z.enum(PRODUCT_CATEGORIES),
    prices: w.addHelpText(
      w.listWithDefault(Price, 30),
      'Of the rows in force for the same tags the latest from counts; a row for a tag the participant has goes before rows without tags; then the lowest amount',
    ),
    capacity: w.addHelpText(w.nullable(w.int(0, 10_000_000)), 'How many can be sold; null means unlimited'),
    perPerson: w.int(1, 100).default(1),
    taxCode: w.nullable(w.itemReference('taxes')),
    ...w.visibilityProperties,
    requires: w.itemReferences('products', 100),
    excludes: w.itemReferences('products', 100),
    grants: w.addHelpText(w.listWithoutDuplicates(w.code(), 20), 'sdk, device, app, stream or a code of your own'),
    addsTags: w.itemReferences('tags', 50),
    waitlist: w.booleanWithDefault(),
    refundUntil: w.nullable(w.instant()),
    refundTiers: w.addHelpText(
      w.listWithDefault(z.strictObject({ until: w.instant(), percent: w.int(0, 100) }), 20),
      'Replaces refundUntil when given',
    ),
    supply: w.nullable(z.enum(['inPerson', 'virtual', 'goods', 'service'])),
    startsAt: w.nullable(w.instant()),
    endsAt: w.nullable(w.instant()),
    imageFileId: w.nullable(w.fileId()),
    order: w.int(-1_000_000, 1_000_000).default(0),
    retired: w.addHelpText(w.booleanWithDefault(), 'No longer offered; existing orders keep it'),
  })
  .superRefine((product, ctx) => {
    w.requireBothFieldsOrNeither('startsAt', 'endsAt')(product, ctx)
    w.requireDateOrder('startsAt', 'endsAt')(product, ctx)
    const issue = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message })
    if (product.waitlist && product.capacity === null) issue(['waitlist'], 'needs a capacity')
    product.grants.forEach((grant, index) => {
      if ((grant === 'sdk' || grant === 'device') && product.category !== 'leadRetrieval') {
        issue(['grants', index], `${grant} is only for products of category leadRetrieval`)
      }
    })
  })

const rate = () => w.decimalInRange('0', '100', 4)

export const TaxSchema = z
  .strictObject({
    code: w.code(),
    name: w.translatableText(80),
    rate: w.addHelpText(rate(), 'Percent'),
    inclusive: w.addHelpText(w.booleanWithDefault(), 'Prices already include this tax'),
    appliesIn: w.addHelpText(
      w.listWithoutDuplicates(
        z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, 'a country or region such as DE or US-CA'),
        300,
      ),
      'Empty means everywhere',
    ),
    productCategories: w.listWithDefault(z.enum(PRODUCT_CATEGORIES), 20),
    components: w.keyedListSchema('code', z.strictObject({ code: w.code(), name: w.translatableText(80), rate: rate() }), { max: 10 }),
    reverseCharge: w.booleanWithDefault(),
    validFrom: w.nullable(w.day()),
    validUntil: w.nullable(w.day()),
  })
  .superRefine((tax, ctx) => {
    w.requireDateOrder('validFrom', 'validUntil', { orEqual: true })(tax, ctx)
    const scaled = (text: string) => Math.round(Number(text) * 10_000)
    const sum = tax.components.reduce((total, component) => total + scaled(component.rate), 0)
    if (tax.components.length > 0 && sum !== scaled(tax.rate)) {
      ctx.addIssue({ code: 'custom', path: ['components'], message: `add up to ${sum / 10_000}, but the rate is ${tax.rate}` })
    }
  })

export const Discount = z
  .strictObject({
    code: w.code(),
    name: w.translatableText(80),
    kind: z.enum(['percent', 'amount']),
    value: w.addHelpText(w.percentOrAmount(), 'Percent, or an amount in the event currency'),
    products: w.addHelpText(w.itemReferences('products'), 'Empty means all products except donations'),
    maxUses: w.nullable(w.int(1, 10_000_000)),
    from: w.nullable(w.dayOrInstant()),
    until: w.nullable(w.dayOrInstant()),
    tags: w.itemReferences('tags', 50),
    retired: w.booleanWithDefault(),
  })
  .superRefine((discount, ctx) => {
    w.requireDateOrder('from', 'until', { orEqual: true })(discount, ctx)
    const value = Number(discount.value)
    if (value <= 0) ctx.addIssue({ code: 'custom', path: ['value'], message: 'must be more than 0' })
    if (discount.kind === 'percent' && value > 100)
      ctx.addIssue({ code: 'custom', path: ['value'], message: 'must be at most 100 percent' })
  })

export const PolicySchema = z.strictObject({
  code: w.code(),
  title: w.translatableText(200),
  body: w.addHelpText(w.html(100_000), 'The text participants accept; when it changes, they are asked to accept it again'),
  required: w.booleanWithDefault(true),
  retired: w.booleanWithDefault(),
})
