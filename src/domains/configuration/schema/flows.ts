import { z } from 'zod'
import { FLOW_ENDING_WIDGET_TYPES, Widget, type WidgetType } from './widgets.ts'
import * as w from './builders.ts'

export const FLOW_KINDS = ['attendee', 'guest', 'exhibitor', 'speaker', 'staff', 'group'] as const

const Guests = z.strictObject({
  enabled: w.booleanWithDefault(),
  max: w.int(1, 20).default(5),
  types: w.keyedListSchema(
    'code',
    z.strictObject({ code: w.code(), name: w.translatableText(120), productCode: w.itemReference('products', 'guest') }),
    { max: 20 },
  ),
  fields: w.listWithDefault(z.strictObject({ binding: w.dataFieldReference(), required: w.booleanWithDefault() }), 50),
  countsTowardCapacity: w.booleanWithDefault(true),
})

const MAX_WIDGETS_PER_PAGE = 100

export const FlowPageSchema = z.strictObject({
  code: w.code(),
  title: w.nullable(w.translatableText(160)),
  description: w.nullable(w.html()),
  nextLabel: w.nullable(w.translatableText(40)),
  ...w.visibilityProperties,
  showWhen: w.addHelpText(w.nullable(w.condition()), 'Shown only when the answers match'),
  widgets: w.keyedListSchema('id', Widget, { max: MAX_WIDGETS_PER_PAGE }),
})

const endsFlow = (page: unknown): boolean => {
  const { widgets } = (page ?? {}) as { widgets?: readonly { type?: WidgetType }[] }
  return (
    Array.isArray(widgets) &&
    widgets.some((widget: { type?: WidgetType } | null) => FLOW_ENDING_WIDGET_TYPES.includes(widget?.type as WidgetType))
  )
}

export const FlowSchema = z
  .strictObject({
    slug: w.code(),
    name: w.translatableText(120),
    kind: z.enum(FLOW_KINDS).default('attendee'),
    ...w.visibilityProperties,
    opensAt: w.nullable(w.instant()),
    closesAt: w.nullable(w.instant()),
    editUntil: w.nullable(w.instant()),
    inviteOnly: w.booleanWithDefault(),
    addsTags: w.itemReferences('tags', 50),
    capacity: w.nullable(w.int(1, 1_000_000)),
    waitlist: w.booleanWithDefault(),
    guests: w.nullable(Guests),
    directory: w.addHelpText(w.nullable(w.itemReference('directory')), 'Searched by email as soon as the address is known'),
    confirmationEmail: w.nullable(w.itemReference('emails')),
    retired: w.booleanWithDefault(),
    pages: w.annotateSchema(w.nonEmptyKeyedListSchema('code', FlowPageSchema, { max: 40 }), { closes: endsFlow }),
  })
  .superRefine((flow, ctx) => {
    w.requireDateOrder('opensAt', 'closesAt')(flow, ctx)
    const seen = new Map<string, number>()
    flow.pages.forEach((page, p) => {
      page.widgets.forEach(({ id }, at) => {
        const first = seen.get(id)
        if (first !== undefined && first !== p) {
          ctx.addIssue({
            code: 'custom',
            path: ['pages', p, 'widgets', at, 'id'],
            message: `${JSON.stringify(id)} is already the id of another widget in this flow`,
          })
        }
        seen.set(id, p)
      })
    })
  })
