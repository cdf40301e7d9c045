import { z } from 'zod'
import { CustomFieldSchema, Discount, PolicySchema, ProductSchema, Tag, TaxSchema } from './catalog.ts'
import { EventDetails } from './details.ts'
import { EmailTemplateSchema } from './emails.ts'
import { FlowSchema } from './flows.ts'
import {
  AutomationSection,
  BadgeSection,
  ExhibitorConfig,
  HousingSection,
  OnsiteSection,
  SessionsSection,
  SurveySchema,
  Theme,
  Translations,
} from './sections.ts'
import * as w from './builders.ts'

const MAX_WIDGETS = 2000

/**
 * Schema of the whole configuration of one event. Types, JSON Schema, pointers, diffs, translatable texts and data fields are derived
 * from it.
 */
export const EventConfig = z
  .strictObject({
    details: w.addHelpText(EventDetails, 'What the event is, when and where'),
    tags: w.addHelpText(w.keyedListSchema('code', Tag, { max: 300 }), 'Given to participants; decide what they see and pay'),
    customFields: w.addHelpText(
      w.keyedListSchema('code', CustomFieldSchema, { max: 500 }),
      'Your own questions, shown by field widgets as @custom.<code>',
    ),
    products: w.addHelpText(w.keyedListSchema('code', ProductSchema, { max: 2000 }), 'Everything that can be chosen or sold'),
    taxes: w.keyedListSchema('code', TaxSchema, { max: 100 }),
    discounts: w.addHelpText(w.keyedListSchema('code', Discount, { max: 1000 }), 'Discount codes; one per order'),
    policies: w.addHelpText(w.keyedListSchema('code', PolicySchema, { max: 100 }), 'Texts that participants accept'),
    flows: w.addHelpText(
      w.keyedListSchema('slug', FlowSchema, { max: 50 }),
      'Ways to register: pages of widgets, in the order they are offered',
    ),
    emails: w.addHelpText(w.keyedListSchema('code', EmailTemplateSchema, { max: 200 }), 'Emails and what triggers them'),
    exhibitorConfig: w.addHelpText(ExhibitorConfig, 'Booths, leads and appointments'),
    onsite: w.addHelpText(OnsiteSection, 'Entrances and scanning'),
    badge: BadgeSection,
    housing: w.addHelpText(HousingSection, 'Hotel rooms'),
    sessions: w.addHelpText(SessionsSection, 'Programme and call for papers'),
    surveys: w.keyedListSchema('code', SurveySchema, { max: 50 }),
    theme: w.addHelpText(Theme, 'Colours, fonts and images of the pages'),
    translations: w.addHelpText(
      Translations,
      'Texts in other languages: {"de": {"/products/gala/name": "Galaabend"}}; config_explore of /translations/de with include issues lists the missing ones',
    ),
    automation: w.addHelpText(AutomationSection, 'Emails that are sent automatically'),
  })
  .superRefine((config, ctx) => {
    const widgets = config.flows.reduce((n, flow) => n + flow.pages.reduce((m, page) => m + page.widgets.length, 0), 0)
    if (widgets > MAX_WIDGETS)
      ctx.addIssue({ code: 'custom', path: ['flows'], message: `${widgets} widgets; at most ${MAX_WIDGETS} in one event` })
  })

/** The configuration with every default filled in, as the code uses it. */
export type EventConfig = z.output<typeof EventConfig>
/** The configuration as stored: canonical, without defaults. */
export type ConfigDocument = z.input<typeof EventConfig>
export type ConfigSection = keyof EventConfig
export const CONFIG_SECTIONS = Object.keys(EventConfig.shape) as ConfigSection[]

export const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024

export type Flow = EventConfig['flows'][number]
export type FlowPage = Flow['pages'][number]
export type Product = EventConfig['products'][number]
export type CustomField = EventConfig['customFields'][number]
