import type { ConfigDocument } from '../../configuration/schema/event-config.ts'

/** Building blocks of the templates. Organizers are expected to adapt the texts. */

type ItemOf<K extends 'products' | 'policies' | 'flows' | 'emails' | 'customFields'> = NonNullable<ConfigDocument[K]>[number]
export type Flow = ItemOf<'flows'>
export type Page = Flow['pages'][number]
export type Widget = NonNullable<Page['widgets']>[number]
export type Product = ItemOf<'products'>
export type Policy = ItemOf<'policies'>
export type Email = ItemOf<'emails'>
export type CustomField = ItemOf<'customFields'>

/** The values that a template is filled in with. */
export interface TemplateValues {
  /** An amount of zero in the event's currency. */
  free: string
}

export const contactPage = (...more: Widget[]): Page => ({
  code: 'contact',
  title: 'Your details',
  widgets: [
    { id: 'name', type: 'name' },
    { id: 'email', type: 'field', binding: '@participant.email', required: true },
    { id: 'company', type: 'field', binding: '@participant.company' },
    ...more,
  ],
})

/** Every template includes checkout widgets, so that adding a price is enough to start selling. */
export const checkoutWidgets: readonly Widget[] = [
  { id: 'summary', type: 'orderSummary' },
  { id: 'payment', type: 'payment', methods: ['bank'] },
]

export const termsWidget: Widget = { id: 'terms', type: 'policy', policy: 'terms' }

export const confirmationPage = (body: string): Page => ({
  code: 'confirmation',
  title: 'Thank you',
  widgets: [{ id: 'done', type: 'confirmation', body }],
})

export const termsPolicy: Policy = {
  code: 'terms',
  title: 'Terms of participation',
  body: '<p>By registering I accept that the organizer keeps my details to run this event and contacts me about it.</p>',
}

export const confirmationEmail: Email = {
  code: 'confirmation',
  name: 'Confirmation',
  trigger: 'registration.completed',
  subject: 'You are registered for {{event.name}}',
  blocks: [
    { id: 'hello', type: 'heading', text: 'Thank you, {{participant.firstName}}' },
    {
      id: 'text',
      type: 'text',
      html: '<p>You are registered for {{event.name}}. Your confirmation number is <strong>{{participant.confirmationNumber}}</strong>.</p>',
    },
    { id: 'event', type: 'eventDetails' },
    { id: 'order', type: 'orderSummary' },
    { id: 'change', type: 'button', label: 'See or change my registration', link: 'myRegistration' },
    { id: 'footer', type: 'footer' },
  ],
  attachments: ['calendar'],
}

export const cancellationEmail: Email = {
  code: 'cancellation',
  name: 'Cancellation',
  trigger: 'registration.cancelled',
  subject: 'Your registration for {{event.name}} is cancelled',
  blocks: [
    {
      id: 'text',
      type: 'text',
      html: '<p>Hello {{participant.firstName}}, your registration for {{event.name}} is cancelled. If this is a mistake, write to {{event.contactEmail}}.</p>',
    },
    { id: 'footer', type: 'footer' },
  ],
}

export const admissionProduct = ({ free }: TemplateValues, more: Partial<Product> = {}): Product => ({
  code: 'admission',
  name: 'Admission',
  category: 'admission',
  prices: [{ amount: free }],
  ...more,
})

/** Exactly one admission product must be chosen. */
export const admissionWidget: Widget = { id: 'admission', type: 'products', category: 'admission', selection: 'single', min: 1 }
