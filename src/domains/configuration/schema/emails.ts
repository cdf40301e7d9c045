import { z } from 'zod'
import { PRODUCT_CATEGORIES } from './catalog.ts'
import * as w from './builders.ts'

const group = <const P extends string, const N extends readonly string[]>(prefix: P, names: N) =>
  names.map((name) => `${prefix}.${name}`) as { [K in keyof N]: `${P}.${N[K] & string}` }

export const EMAIL_TRIGGERS = [
  ...group('registration', ['completed', 'updated', 'cancelled', 'incomplete', 'substituted']),
  ...group('payment', ['received', 'due', 'failed', 'refunded']),
  ...group('waitlist', ['joined', 'offered', 'promoted', 'expired']),
  ...group('group', ['invited', 'memberAdded']),
  'guest.added',
  'company.invited',
  ...group('booth', ['assigned', 'application']),
  'speaker.invited',
  ...group('submission', ['received', 'decided']),
  'session.cancelled',
  ...group('housing', ['confirmed', 'changed', 'cancelled', 'waitlisted', 'offered', 'filled', 'guaranteeDue']),
  ...group('block', ['received', 'allocated', 'amended', 'released', 'nameDeadline']),
  ...group('appointment', ['booked', 'changed', 'cancelled']),
  'upsell.accepted',
  'survey.invited',
  'staff.invited',
  'signin.code',
  'none',
] as const

const blockOf = <N extends string, S extends z.ZodRawShape, E extends z.ZodRawShape>(type: N, shape: S, extra: E) =>
  z.strictObject({ id: w.widgetId(), type: z.literal(type), ...shape, showWhen: w.nullable(w.condition()), ...extra })

const product = w.itemReference('products')

const oneOfTwo = (first: string, second: string) => (value: Record<string, unknown>, ctx: z.RefinementCtx) => {
  if ((value[first] === null) === (value[second] === null))
    ctx.addIssue({ code: 'custom', path: [first], message: `give either ${first} or ${second}` })
}

/** All block types except columns, which cannot be nested. */
function simpleBlocks<E extends z.ZodRawShape>(extra: E) {
  const block = <N extends string, S extends z.ZodRawShape>(type: N, shape: S) => blockOf(type, shape, extra)
  return [
    block('heading', {
      text: w.translatableText(300),
      level: w.int(1, 3).default(2),
      align: z.enum(['left', 'center', 'right']).default('left'),
    }),
    block('text', { html: w.nullable(w.html()), markdown: w.nullable(w.translatableText(20_000)) }).superRefine(
      oneOfTwo('html', 'markdown'),
    ),
    block('image', {
      fileId: w.fileId(),
      alt: w.addHelpText(w.possiblyEmptyText(300), 'Empty for a decorative image'),
      href: w.nullable(w.webUrl()),
      width: w.int(50, 600).default(600),
    }),
    block('button', {
      label: w.translatableText(60),
      href: w.nullable(w.webUrl()),
      link: w.addHelpText(w.nullable(w.nonEmptyString(60)), 'Name of a links.* field'),
      style: z.enum(['primary', 'secondary']).default('primary'),
    }).superRefine(oneOfTwo('href', 'link')),
    block('divider', { height: w.int(4, 80).default(16) }),
    block('spacer', { height: w.int(4, 80).default(16) }),
    block('productList', {
      productCodes: w.listWithoutDuplicates(product, 20),
      category: w.nullable(z.enum(PRODUCT_CATEGORIES)),
      showPrice: w.booleanWithDefault(true),
      max: w.int(1, 20).default(6),
    }),
    block('sessionList', {
      mode: z.enum(['mine', 'track', 'ids']).default('mine'),
      trackCode: w.nullable(w.itemReference('tracks')),
      sessionIds: w.listWithDefault(w.possiblyEmptyText(63), 50),
      max: w.int(1, 50).default(10),
    }),
    block('eventDetails', {
      show: z
        .array(z.enum(['name', 'dates', 'venue', 'map', 'website', 'calendar']))
        .max(6)
        .default(['name', 'dates', 'venue']),
    }),
    block('qrBadge', { size: w.int(120, 300).default(200), caption: w.nullable(w.translatableText(200)) }),
    block('orderSummary', { showPaid: w.booleanWithDefault(true) }),
    block('offer', { productCodes: w.listWithoutDuplicates(product, 5), label: w.nullable(w.translatableText(60)) }),
    block('adSlot', { placement: z.enum(['email.top', 'email.bottom']).default('email.bottom') }),
    block('code', {}),
    block('html', { html: w.html() }),
    block('footer', {
      text: w.nullable(w.translatableText(1000)),
      social: w.listWithDefault(z.strictObject({ kind: w.nonEmptyString(30), url: w.webUrl() }), 10),
    }),
  ] as const
}

const inColumns = z.discriminatedUnion('type', [...simpleBlocks({ column: w.int(0, 2).default(0) })])

const columns = blockOf('columns', { count: w.int(2, 3).default(2), blocks: w.keyedListSchema('id', inColumns, { max: 30 }) }, {})

export const EmailBlock = z.discriminatedUnion('type', [...simpleBlocks({}), columns])

export type EmailBlock = z.output<typeof EmailBlock>

export const EmailTemplateSchema = z.strictObject({
  code: w.code(),
  name: w.nonEmptyString(120),
  trigger: z.enum(EMAIL_TRIGGERS),
  subject: w.translatableText(200),
  preheader: w.nullable(w.translatableText(200)),
  fromName: w.nullable(w.nonEmptyString(80)),
  replyTo: w.nullable(w.email()),
  blocks: w.keyedListSchema('id', EmailBlock, { max: 60 }),
  attachments: z
    .array(z.enum(['invoice', 'calendar', 'badge']))
    .max(3)
    .default([]),
  enabled: w.booleanWithDefault(true),
})
