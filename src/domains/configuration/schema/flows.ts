import { z } from 'zod'
import { TERMINAL_WIDGET_TYPES, Widget, type WidgetType } from './widgets.ts'
import * as w from './builders.ts'

export const FLOW_KINDS = ['attendee', 'guest', 'exhibitor', 'speaker', 'staff', 'group'] as const

const Guests = z.strictObject({
  enabled: w.flag(),
  max: w.int(1, 20).default(5),
  types: w.keyed('code', z.strictObject({ code: w.code(), name: w.text(120), productCode: w.ref('products', 'guest') }), { max: 20 }),
  fields: w.list(z.strictObject({ binding: w.binding(), required: w.flag() }), 50),
  countsTowardCapacity: w.flag(true),
})

const MAX_WIDGETS_PER_PAGE = 100

export const FlowPageSchema = z.strictObject({
  code: w.code(),
  title: w.nullable(w.text(160)),
  description: w.nullable(w.html()),
  nextLabel: w.nullable(w.text(40)),
  ...w.visibility,
  showWhen: w.withHelp(w.nullable(w.condition()), 'Shown only when the answers match'),
  widgets: w.keyed('id', Widget, { max: MAX_WIDGETS_PER_PAGE }),
})

const endsFlow = (page: unknown): boolean => {
  const { widgets } = (page ?? {}) as { widgets?: readonly { type?: WidgetType }[] }
  return (
    Array.isArray(widgets) &&
    widgets.some((widget: { type?: WidgetType } | null) => TERMINAL_WIDGET_TYPES.includes(widget?.type as WidgetType))
  )
}

export const FlowSchema = z
  .strictObject({
    slug: w.code(),
    name: w.text(120),
    kind: z.enum(FLOW_KINDS).default('attendee'),
    ...w.visibility,
    opensAt: w.nullable(w.instant()),
    closesAt: w.nullable(w.instant()),
    editUntil: w.nullable(w.instant()),
    inviteOnly: w.flag(),
    addsTags: w.refs('tags', 50),
    capacity: w.nullable(w.int(1, 1_000_000)),
    waitlist: w.flag(),
    guests: w.nullable(Guests),
    directory: w.withHelp(w.nullable(w.ref('directory')), 'Searched by email as soon as the address is known'),
    confirmationEmail: w.nullable(w.ref('emails')),
    retired: w.flag(),
    pages: w.annotate(w.nonEmptyKeyed('code', FlowPageSchema, { max: 40 }), { closes: endsFlow }),
  })
  .superRefine((flow, ctx) => {
    w.requireOrder('opensAt', 'closesAt')(flow, ctx)
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
