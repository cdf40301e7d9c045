import { z } from 'zod'
import { CustomField, Discount, Policy, Product, Tag, Tax } from './catalog.ts'
import { Details } from './details.ts'
import { Email } from './emails.ts'
import { Flow } from './flows.ts'
import { Automation, Badge, ExhibitorConfig, Housing, Onsite, Sessions, Survey, Theme, Translations } from './parts.ts'
import * as w from './words.ts'

const MAX_WIDGETS = 2000

/** The whole configuration of one event. Types, JSON Schema, pointers, diffs, translatable texts and data fields all come from this. */
export const EventConfig = z
  .strictObject({
    details: w.about(Details, 'What the event is, when and where'),
    tags: w.about(w.keyed('code', Tag, { max: 300 }), 'Given to people; decide what they see and pay'),
    customFields: w.about(w.keyed('code', CustomField, { max: 500 }), 'Questions of your own, asked by field widgets as @custom.<code>'),
    products: w.about(w.keyed('code', Product, { max: 2000 }), 'Everything that can be chosen or sold'),
    taxes: w.keyed('code', Tax, { max: 100 }),
    discounts: w.about(w.keyed('code', Discount, { max: 1000 }), 'Codes; one per order'),
    policies: w.about(w.keyed('code', Policy, { max: 100 }), 'Texts that people agree to'),
    flows: w.about(w.keyed('slug', Flow, { max: 50 }), 'Ways to register: pages of widgets, in the order they are offered'),
    emails: w.about(w.keyed('code', Email, { max: 200 }), 'Mails and what sends them'),
    exhibitorConfig: w.about(ExhibitorConfig, 'Booths, leads and appointments'),
    onsite: w.about(Onsite, 'Doors and scanning'),
    badge: Badge,
    housing: w.about(Housing, 'Hotel rooms'),
    sessions: w.about(Sessions, 'Program and call for papers'),
    surveys: w.keyed('code', Survey, { max: 50 }),
    theme: w.about(Theme, 'Colours, fonts and pictures of the pages'),
    translations: w.about(Translations, 'Texts in other languages: {"de": {"/products/gala/name": "Galaabend"}}'),
    automation: w.about(Automation, 'Mails that go by themselves'),
  })
  .superRefine((config, ctx) => {
    const widgets = config.flows.reduce((n, flow) => n + flow.pages.reduce((m, page) => m + page.widgets.length, 0), 0)
    if (widgets > MAX_WIDGETS)
      ctx.addIssue({ code: 'custom', path: ['flows'], message: `${widgets} widgets; at most ${MAX_WIDGETS} in one event` })
  })

/** With every default filled in: what the code works with. */
export type EventConfig = z.output<typeof EventConfig>
/** As it is stored: canonical, without defaults. */
export type ConfigDocument = z.input<typeof EventConfig>
export type Section = keyof EventConfig
export const SECTIONS = Object.keys(EventConfig.shape) as Section[]

export const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024

export type Flow = EventConfig['flows'][number]
export type FlowPage = Flow['pages'][number]
export type Product = EventConfig['products'][number]
export type CustomField = EventConfig['customFields'][number]
