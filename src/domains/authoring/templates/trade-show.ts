import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import {
  buildAdmissionProduct,
  termsWidget,
  buildConfirmationPage,
  buildContactPage,
  type TemplateCustomField,
  type TemplateFlow,
  type TemplateValues,
  type TemplateProduct,
} from './parts.ts'

const PRODUCTS_SHOWN = 'products-shown'

const booth = ({ free, texts }: TemplateValues): TemplateProduct => ({
  code: 'booth',
  name: texts.booth,
  category: 'booth',
  prices: [{ amount: free }],
})

const listSizes = ({ texts }: TemplateValues) => [
  { code: 'small', name: texts.boothSmall, width: 3, depth: 3, product: 'booth' },
  { code: 'medium', name: texts.boothMedium, width: 6, depth: 3, product: 'booth' },
  { code: 'large', name: texts.boothLarge, width: 6, depth: 6, product: 'booth' },
]

const productsShownField = ({ texts }: TemplateValues): TemplateCustomField => ({
  code: PRODUCTS_SHOWN,
  name: texts.exhibits,
  responseType: 'longText',
  personal: false,
})

/** Companies apply for a booth in this flow. The booth is billed when it is assigned. */
const exhibitorFlow = (values: TemplateValues): TemplateFlow => ({
  slug: 'exhibitor',
  name: values.texts.exhibitors,
  kind: 'exhibitor',
  confirmationEmail: 'confirmation',
  pages: [
    buildContactPage(values, { id: 'profile', type: 'companyProfile', fields: [PRODUCTS_SHOWN] }),
    {
      code: 'booth',
      title: values.texts.yourBooth,
      widgets: [{ id: 'booth', type: 'boothRequest', sizes: listSizes(values).map(({ code }) => code) }, termsWidget],
    },
    buildConfirmationPage(values, values.texts.applied),
  ],
})

export const buildTradeShowTemplate = (
  values: TemplateValues,
  attendees: TemplateFlow,
  always: Pick<ConfigDocument, 'policies' | 'emails'>,
): Omit<ConfigDocument, 'details'> => ({
  ...always,
  customFields: [productsShownField(values)],
  products: [buildAdmissionProduct(values, { name: values.texts.visitorTicket }), booth(values)],
  flows: [attendees, exhibitorFlow(values)],
  exhibitorConfig: { boothSizes: listSizes(values), applicationFields: [PRODUCTS_SHOWN] },
  badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'] },
})
