import { z } from 'zod'
import { answerPatternSchema, PRODUCT_CATEGORIES } from './catalog.ts'
import * as w from './builders.ts'

const common = {
  id: w.widgetId(),
  showWhen: w.addHelpText(w.nullable(w.condition()), 'Shown only when the answers match'),
  ...w.visibilityProperties,
  width: z.enum(['full', 'half', 'third']).default('full'),
}

const widget = <N extends string, S extends z.ZodRawShape>(type: N, shape: S) =>
  z.strictObject({
    id: common.id,
    type: z.literal(type),
    ...shape,
    showWhen: common.showWhen,
    visibleForTags: common.visibleForTags,
    width: common.width,
  })

const content = [
  widget('heading', { text: w.translatableText(200), level: w.int(1, 4).default(2) }),
  widget('text', { body: w.html() }),
  widget('notice', { body: w.html(), tone: z.enum(['info', 'success', 'warning']).default('info') }),
  widget('image', {
    fileId: w.fileId(),
    alt: w.nullable(w.translatableText(300)),
    decorative: w.booleanWithDefault(),
    link: w.nullable(w.webUrl()),
    caption: w.nullable(w.translatableText(300)),
  }).superRefine(({ alt, decorative }, ctx) => {
    if (alt === null && !decorative) ctx.addIssue({ code: 'custom', path: ['alt'], message: 'is required unless the image is decorative' })
  }),
  widget('video', {
    url: w.addHelpText(w.nonEmptyString(2000), 'YouTube, Vimeo, or the id of an mp4 file'),
    title: w.translatableText(200),
    captionsFileId: w.nullable(w.fileId('text/vtt')),
  }),
  widget('divider', {}),
  widget('spacer', { size: z.enum(['s', 'm', 'l']).default('m') }),
  widget('accordion', {
    items: w.nonEmptyKeyedListSchema('id', z.strictObject({ id: w.widgetId(), title: w.translatableText(200), body: w.html() }), {
      max: 30,
    }),
  }),
  widget('map', { source: z.enum(['venue', 'hotels']).default('venue') }),
  widget('countdown', { until: w.instant(), label: w.translatableText(120) }),
] as const

export const NAME_PARTS = ['prefix', 'firstName', 'lastName', 'suffix', 'preferredName', 'pronouns'] as const
export const ADDRESS_PARTS = ['address1', 'address2', 'city', 'region', 'postalCode', 'country'] as const

const questions = [
  widget('field', {
    binding: w.dataFieldReference(),
    label: w.nullable(w.translatableText(300)),
    help: w.nullable(w.translatableText(1000)),
    placeholder: w.nullable(w.translatableText(120)),
    required: w.booleanWithDefault(),
    readOnly: w.booleanWithDefault(),
    default: w.nullable(
      w.annotateSchema(z.union([w.untrimmedText(5000), z.number(), z.boolean(), z.array(w.untrimmedText(200)).max(500)]), { answer: true }),
    ),
    control: z.enum(['auto', 'input', 'textarea', 'select', 'radio', 'checkboxes', 'buttons', 'date', 'upload']).default('auto'),
    confirm: w.addHelpText(w.booleanWithDefault(), 'Participants must enter it twice'),
    min: w.answerRangeLimit(),
    max: w.answerRangeLimit(),
    pattern: w.nullable(answerPatternSchema()),
    choices: w.addHelpText(w.nullable(z.array(w.itemReference('choices')).max(500)), "A subset of the field's choices, in this order"),
  }),
  widget('name', {
    parts: z.array(z.enum(NAME_PARTS)).min(1).max(NAME_PARTS.length).default(['firstName', 'lastName']),
  }).superRefine(({ parts }, ctx) => {
    for (const part of ['firstName', 'lastName'] as const) {
      if (!parts.includes(part)) ctx.addIssue({ code: 'custom', path: ['parts'], message: `must include ${part}` })
    }
  }),
  widget('address', {
    requiredParts: z.array(z.enum(ADDRESS_PARTS)).max(ADDRESS_PARTS.length).default(['country']),
    countries: w.nullable(z.array(w.country()).max(250)),
  }),
  widget('headshot', {
    required: w.booleanWithDefault(),
    aspect: z.enum(['1:1', '4:5']).default('1:1'),
    maxBytes: w.int(1, 52_428_800).default(5_242_880),
  }),
] as const

const lookups = [
  widget('membershipLookup', {
    connection: w.itemReference('directory'),
    inputs: z
      .array(z.enum(['email', 'memberNumber', 'lastName', 'postalCode']))
      .min(1)
      .max(3),
    required: w.booleanWithDefault(),
    onNotFound: z.enum(['continue', 'block']).default('continue'),
    memberTags: w.itemReferences('tags', 50),
    allowRetry: w.int(1, 10).default(5),
  }),
  widget('inviteCode', { required: w.booleanWithDefault(true), label: w.nullable(w.translatableText(120)) }),
] as const

const commerce = [
  widget('products', {
    products: w.itemReferences('products', 500),
    category: w.nullable(z.enum(PRODUCT_CATEGORIES)),
    selection: z.enum(['single', 'multiple']).default('multiple'),
    min: w.int(0, 100).default(0),
    max: w.nullable(w.int(1, 1000)),
    layout: z.enum(['list', 'cards', 'table']).default('list'),
    showRemaining: w.booleanWithDefault(),
    showSoldOut: w.booleanWithDefault(true),
    showPrices: w.booleanWithDefault(true),
    includeGuests: w.booleanWithDefault(),
  }).superRefine(({ products, category, min, max }, ctx) => {
    if (products.length > 0 === (category !== null)) {
      ctx.addIssue({ code: 'custom', path: ['products'], message: 'needs either products or a category' })
    }
    if (max !== null && min > max) ctx.addIssue({ code: 'custom', path: ['max'], message: 'must not be less than min' })
  }),
  widget('donation', {
    product: w.itemReference('products', 'donation'),
    suggested: w.listWithDefault(w.currencyAmount(), 6),
    allowOther: w.booleanWithDefault(true),
    minAmount: w.nullable(w.currencyAmount()),
  }),
  widget('sessions', {
    tracks: w.itemReferences('tracks', 100),
    formats: w.itemReferences('formats', 100),
    days: w.listWithDefault(w.day(), 31),
    maxSelected: w.nullable(w.int(1, 200)),
    preventOverlap: w.booleanWithDefault(true),
    required: w.booleanWithDefault(),
  }),
  widget('guests', { min: w.int(0, 20).default(0), label: w.nullable(w.translatableText(120)) }),
  widget('housing', {
    required: w.booleanWithDefault(),
    hotels: w.nullable(z.array(w.possiblyEmptyText(63)).max(200)),
    allowShare: w.booleanWithDefault(true),
    allowWaitlist: w.booleanWithDefault(true),
    maxRooms: w.int(1, 20).default(1),
    showMap: w.booleanWithDefault(true),
  }),
  widget('group', { mode: z.enum(['join', 'create', 'both']).default('join'), codeRequired: w.booleanWithDefault(true) }),
  widget('companyProfile', { fields: w.itemReferences('customFields', 100) }),
  widget('boothRequest', { sizes: w.itemReferences('boothSizes', 50), maxPreferences: w.int(1, 10).default(3) }),
  widget('submission', {
    fields: w.itemReferences('customFields', 100),
    formats: w.itemReferences('formats', 100),
    maxCoSpeakers: w.int(0, 20).default(4),
  }),
] as const

export const LEAD_FIELDS = [
  'firstName',
  'lastName',
  'email',
  'jobTitle',
  'company',
  'bio',
  'headshot',
  'website',
  'workPhone',
  'mobilePhone',
] as const

export const leadFieldSchema = () =>
  w.annotateSchema(
    z
      .string()
      .trim()
      .refine((s) => (LEAD_FIELDS as readonly string[]).includes(s) || /^cf:[a-z0-9][a-z0-9-]{0,62}$/.test(s), {
        error: `one of ${LEAD_FIELDS.join(', ')} or cf:<custom field>`,
      }),
    { leadField: true },
  )

const legal = [
  widget('policy', {
    policy: w.itemReference('policies'),
    mode: z.enum(['checkbox', 'initials', 'signature']).default('checkbox'),
    expanded: w.booleanWithDefault(),
  }),
  widget('sharing', {
    fields: w.listWithoutDuplicates(leadFieldSchema(), 50),
    default: z.enum(['share', 'restrict', 'organizer']).default('organizer'),
    askVisible: w.addHelpText(w.booleanWithDefault(true), 'Asks whether other participants may see the fields'),
  }),
] as const

const checkout = [
  widget('discountCode', { label: w.nullable(w.translatableText(80)) }),
  widget('orderSummary', { showTaxes: w.booleanWithDefault(true), editable: w.booleanWithDefault(true) }),
  widget('payment', {
    methods: z
      .array(z.enum(['card', 'bank', 'cheque', 'onsite']))
      .min(1, 'needs at least one payment method')
      .max(4),
    allowPartial: w.booleanWithDefault(),
    minPartialPercent: w.nullable(w.int(1, 99)),
    terms: w.nullable(w.translatableText(1000)),
    invoiceDueDays: w.int(0, 120).default(30),
  }),
  widget('answersReview', { pages: w.addHelpText(w.nullable(z.array(w.itemReference('pages')).max(40)), 'All pages when omitted') }),
] as const

const terminal = [
  widget('confirmation', {
    body: w.html(),
    showQr: w.booleanWithDefault(true),
    showCalendar: w.booleanWithDefault(true),
    showReceipt: w.booleanWithDefault(true),
  }),
  widget('redirect', { url: w.webUrl(), delaySeconds: w.int(0, 30).default(5) }),
] as const

export const Widget = z.discriminatedUnion('type', [...content, ...questions, ...lookups, ...commerce, ...legal, ...checkout, ...terminal])
export type Widget = z.output<typeof Widget>
export type WidgetType = Widget['type']
export type WidgetOfType<T extends WidgetType> = Extract<Widget, { type: T }>

export const FLOW_ENDING_WIDGET_TYPES: readonly WidgetType[] = ['confirmation', 'redirect']
