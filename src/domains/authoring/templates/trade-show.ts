import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import {
  admissionProduct,
  termsWidget,
  confirmationPage,
  contactPage,
  type CustomField,
  type Flow,
  type TemplateValues,
  type Product,
} from './parts.ts'

const booth = ({ free }: TemplateValues): Product => ({ code: 'booth', name: 'Booth', category: 'booth', prices: [{ amount: free }] })

const SIZES = [
  { code: 'small', name: 'Small, 3 x 3 m', width: 3, depth: 3, product: 'booth' },
  { code: 'medium', name: 'Medium, 6 x 3 m', width: 6, depth: 3, product: 'booth' },
  { code: 'large', name: 'Large, 6 x 6 m', width: 6, depth: 6, product: 'booth' },
]

const productsShownField: CustomField = {
  code: 'products-shown',
  name: 'What will you show?',
  responseType: 'longText',
  personal: false,
}

/** Companies apply for a booth in this flow. The booth is billed when it is assigned. */
const exhibitorFlow: Flow = {
  slug: 'exhibitor',
  name: 'Exhibitor application',
  kind: 'exhibitor',
  confirmationEmail: 'confirmation',
  pages: [
    contactPage({ id: 'profile', type: 'companyProfile', fields: [productsShownField.code] }),
    {
      code: 'booth',
      title: 'Your booth',
      widgets: [{ id: 'booth', type: 'boothRequest', sizes: SIZES.map(({ code }) => code) }, termsWidget],
    },
    confirmationPage('<p>Thank you for your application. We will write to you about your booth.</p>'),
  ],
}

export const buildTradeShow = (
  values: TemplateValues,
  attendees: Flow,
  always: Pick<ConfigDocument, 'policies' | 'emails'>,
): Omit<ConfigDocument, 'details'> => ({
  ...always,
  customFields: [productsShownField],
  products: [admissionProduct(values, { name: 'Visitor ticket' }), booth(values)],
  flows: [attendees, exhibitorFlow],
  exhibitorConfig: { boothSizes: SIZES, applicationFields: [productsShownField.code] },
  badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'] },
})
