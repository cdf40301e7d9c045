import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import type { TemplateTexts } from './texts.ts'

/** Building blocks of the event templates. Organizers are expected to adapt the texts. */

type ItemOf<K extends 'products' | 'policies' | 'flows' | 'emails' | 'customFields'> = NonNullable<ConfigDocument[K]>[number]
export type TemplateFlow = ItemOf<'flows'>
export type TemplatePage = TemplateFlow['pages'][number]
export type TemplateWidget = NonNullable<TemplatePage['widgets']>[number]
export type TemplateProduct = ItemOf<'products'>
export type TemplatePolicy = ItemOf<'policies'>
export type TemplateEmail = ItemOf<'emails'>
export type TemplateCustomField = ItemOf<'customFields'>

/** The values that are inserted into an event template. */
export interface TemplateValues {
  /** An amount of zero, formatted in the event's currency. */
  free: string
  /** The texts of the template in the event's main language. */
  texts: TemplateTexts
}

export const buildContactPage = ({ texts }: TemplateValues, ...more: TemplateWidget[]): TemplatePage => ({
  code: 'contact',
  title: texts.contact,
  widgets: [
    { id: 'name', type: 'name' },
    { id: 'email', type: 'field', binding: '@participant.email', required: true },
    { id: 'company', type: 'field', binding: '@participant.company' },
    ...more,
  ],
})

/** Every template includes checkout widgets, so that adding a price is enough to start selling. */
export const checkoutWidgets: readonly TemplateWidget[] = [
  { id: 'summary', type: 'orderSummary' },
  { id: 'payment', type: 'payment', methods: ['bank'] },
]

export const termsWidget: TemplateWidget = { id: 'terms', type: 'policy', policy: 'terms' }

export const buildConfirmationPage = ({ texts }: TemplateValues, text: string): TemplatePage => ({
  code: 'confirmation',
  title: texts.thanks,
  widgets: [{ id: 'done', type: 'confirmation', body: `<p>${text}</p>` }],
})

export const buildTermsPolicy = ({ texts }: TemplateValues): TemplatePolicy => ({
  code: 'terms',
  title: texts.terms,
  body: `<p>${texts.termsText}</p>`,
})

export const buildConfirmationEmail = ({ texts }: TemplateValues): TemplateEmail => ({
  code: 'confirmation',
  name: texts.confirmation,
  trigger: 'registration.completed',
  subject: texts.confirmationSubject,
  blocks: [
    { id: 'hello', type: 'heading', text: texts.confirmationHello },
    { id: 'text', type: 'text', html: `<p>${texts.confirmationText}</p>` },
    { id: 'event', type: 'eventDetails' },
    { id: 'order', type: 'orderSummary' },
    { id: 'change', type: 'button', label: texts.confirmationButton, link: 'myRegistration' },
    { id: 'footer', type: 'footer' },
  ],
  attachments: ['calendar'],
})

export const buildCancellationEmail = ({ texts }: TemplateValues): TemplateEmail => ({
  code: 'cancellation',
  name: texts.cancellation,
  trigger: 'registration.cancelled',
  subject: texts.cancellationSubject,
  blocks: [
    { id: 'text', type: 'text', html: `<p>${texts.cancellationText}</p>` },
    { id: 'footer', type: 'footer' },
  ],
})

export const buildAdmissionProduct = ({ free, texts }: TemplateValues, more: Partial<TemplateProduct> = {}): TemplateProduct => ({
  code: 'admission',
  name: texts.admission,
  category: 'admission',
  prices: [{ amount: free }],
  ...more,
})

/** A product widget in which exactly one admission product must be chosen. */
export const admissionWidget: TemplateWidget = { id: 'admission', type: 'products', category: 'admission', selection: 'single', min: 1 }
