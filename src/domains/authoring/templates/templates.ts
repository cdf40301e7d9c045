import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import {
  buildAdmissionProduct,
  admissionWidget,
  termsWidget,
  buildCancellationEmail,
  checkoutWidgets,
  buildConfirmationEmail,
  buildConfirmationPage,
  buildContactPage,
  type TemplateEmail,
  type TemplateFlow,
  type TemplateValues,
  buildTermsPolicy,
  type TemplateWidget,
} from './parts.ts'
import { getTemplateTexts } from './texts.ts'
import { buildTradeShowTemplate } from './trade-show.ts'

export const TEMPLATES = ['blank', 'conference', 'tradeShow', 'meeting', 'virtual'] as const
export type Template = (typeof TEMPLATES)[number]

type Parts = Omit<ConfigDocument, 'details'>

/** Builds a flow with the pages contact, choices and confirmation: the shortest flow with all required questions. */
const attendeeFlow = (values: TemplateValues, choices: readonly TemplateWidget[], more: readonly TemplateWidget[] = []): TemplateFlow => ({
  slug: 'attendee',
  name: values.texts.registration,
  confirmationEmail: 'confirmation',
  pages: [
    buildContactPage(values, ...more),
    { code: 'choices', title: values.texts.choices, widgets: [...choices] },
    buildConfirmationPage(values, values.texts.registered),
  ],
})

const commonParts = (values: TemplateValues) => ({
  policies: [buildTermsPolicy(values)],
  emails: [buildConfirmationEmail(values), buildCancellationEmail(values)],
})
/** Builds the confirmation email of an online event, which shows the website instead of the venue. */
function onlineConfirmationEmail(values: TemplateValues): TemplateEmail {
  const email = buildConfirmationEmail(values)
  const blocks = email.blocks!.map((block) =>
    block.type === 'eventDetails' ? { ...block, show: ['name' as const, 'dates' as const, 'website' as const] } : block,
  )
  return { ...email, blocks }
}

const jobTitle: TemplateWidget = { id: 'job-title', type: 'field', binding: '@participant.jobTitle' }

/** Builders of template configurations that can be published unchanged; `blank` has no flow yet. */
const TEMPLATE_BUILDERS: Record<Template, (values: TemplateValues) => Parts> = {
  blank: () => ({}),
  conference: (values) => ({
    ...commonParts(values),
    products: [buildAdmissionProduct(values)],
    flows: [attendeeFlow(values, [admissionWidget, termsWidget, ...checkoutWidgets], [jobTitle])],
    badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'] },
  }),
  tradeShow: (values) =>
    buildTradeShowTemplate(
      values,
      attendeeFlow(values, [admissionWidget, termsWidget, ...checkoutWidgets], [jobTitle]),
      commonParts(values),
    ),
  meeting: (values) => ({
    ...commonParts(values),
    products: [buildAdmissionProduct(values, { name: values.texts.attendance })],
    flows: [
      attendeeFlow(values, [
        admissionWidget,
        { id: 'dietary', type: 'field', binding: '@participant.dietary', help: values.texts.dietaryHelp },
        termsWidget,
      ]),
    ],
  }),
  virtual: (values) => ({
    ...commonParts(values),
    emails: [onlineConfirmationEmail(values), buildCancellationEmail(values)],
    products: [buildAdmissionProduct(values, { name: values.texts.onlineAccess, supply: 'virtual', grants: ['stream'] })],
    flows: [attendeeFlow(values, [admissionWidget, termsWidget])],
  }),
}

/** Builds the configuration of a template with texts in the event's main language. */
export const buildTemplate = (template: Template, { free, locale }: { free: string; locale: string }): Parts =>
  TEMPLATE_BUILDERS[template]({ free, texts: getTemplateTexts(locale) })
