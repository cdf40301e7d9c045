import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import {
  admissionProduct,
  admissionWidget,
  termsWidget,
  cancellationEmail,
  checkoutWidgets,
  confirmationEmail,
  confirmationPage,
  contactPage,
  type Flow,
  type TemplateValues,
  termsPolicy,
  type Widget,
} from './parts.ts'
import { buildTradeShow } from './trade-show.ts'

export const TEMPLATES = ['blank', 'conference', 'tradeShow', 'meeting', 'virtual'] as const
export type Template = (typeof TEMPLATES)[number]

type Parts = Omit<ConfigDocument, 'details'>

/** Builds a flow with the pages contact, choices and confirmation: the shortest flow with all required questions. */
const attendeeFlow = (choices: readonly Widget[], more: readonly Widget[] = []): Flow => ({
  slug: 'attendee',
  name: 'Registration',
  confirmationEmail: 'confirmation',
  pages: [
    contactPage(...more),
    { code: 'choices', title: 'Your choices', widgets: [...choices] },
    confirmationPage('<p>You are registered. A confirmation is on its way to you by email.</p>'),
  ],
})

const commonParts = { policies: [termsPolicy], emails: [confirmationEmail, cancellationEmail] }
const jobTitle: Widget = { id: 'job-title', type: 'field', binding: '@participant.jobTitle' }

/** Builders of template configurations that can be published unchanged; `blank` has no flow yet. */
const TEMPLATE_BUILDERS: Record<Template, (values: TemplateValues) => Parts> = {
  blank: () => ({}),
  conference: (values) => ({
    ...commonParts,
    products: [admissionProduct(values)],
    flows: [attendeeFlow([admissionWidget, termsWidget, ...checkoutWidgets], [jobTitle])],
    badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'] },
  }),
  tradeShow: (values) => buildTradeShow(values, attendeeFlow([admissionWidget, termsWidget, ...checkoutWidgets], [jobTitle]), commonParts),
  meeting: (values) => ({
    ...commonParts,
    products: [admissionProduct(values, { name: 'Attendance' })],
    flows: [
      attendeeFlow([
        admissionWidget,
        { id: 'dietary', type: 'field', binding: '@participant.dietary', help: 'So that the catering has something for you.' },
        termsWidget,
      ]),
    ],
  }),
  virtual: (values) => ({
    ...commonParts,
    emails: [
      {
        ...confirmationEmail,
        blocks: confirmationEmail.blocks!.map((block) =>
          block.type === 'eventDetails' ? { ...block, show: ['name', 'dates', 'website'] } : block,
        ),
      },
      cancellationEmail,
    ],
    products: [admissionProduct(values, { name: 'Online access', supply: 'virtual', grants: ['stream'] })],
    flows: [attendeeFlow([admissionWidget, termsWidget])],
  }),
}

export const buildTemplate = (template: Template, values: TemplateValues): Parts => TEMPLATE_BUILDERS[template](values)
