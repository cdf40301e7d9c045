import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { hashSourceText } from '../../src/domains/configuration/texts.ts'

const translation = (source: string, text: string) => ({ text, sourceHash: hashSourceText(source), state: 'machine' as const })

/** The configuration of a small congress as it is stored, with an example of every kind of reference between configured items. */
export const CONGRESS: ConfigDocument = {
  details: { name: 'Congress 2027', startsOn: '2027-05-11', endsOn: '2027-05-13', contactEmail: 'team@example.org' },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'vip', name: 'VIP' },
  ],
  customFields: [
    {
      code: 'diet',
      name: 'Dietary needs',
      responseType: 'choice',
      choices: [
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
      ],
    },
    { code: 'badge-name', name: 'Name on the badge', responseType: 'text' },
  ],
  products: [
    { code: 'adm', name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }] },
    {
      code: 'gala',
      name: 'Gala dinner',
      description: '<p>Three courses at the <strong>Café Royal</strong> &amp; dancing until late</p>',
      category: 'meal',
      prices: [{ amount: '90.00', until: '2027-03-01' }, { amount: '120.00' }, { amount: '75.00', tags: ['member'] }],
      capacity: 300,
    },
  ],
  policies: [{ code: 'terms', title: 'Terms', body: '<p>No refunds after the gala.</p>' }],
  flows: [
    {
      slug: 'attendee',
      name: 'Attendees',
      addsTags: ['member'],
      confirmationEmail: 'confirmed',
      pages: [
        {
          code: 'about-you',
          title: 'About you',
          widgets: [
            { id: 'w1', type: 'name' },
            { id: 'w2', type: 'field', binding: '@custom.diet', required: true },
            {
              id: 'w3',
              type: 'notice',
              body: '<p>Tell the waiter as well.</p>',
              showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'vegan' }] },
            },
          ],
        },
        {
          code: 'extras',
          title: 'Extras',
          widgets: [
            { id: 'w4', type: 'products', products: ['gala'] },
            { id: 'w5', type: 'policy', policy: 'terms' },
          ],
        },
      ],
    },
  ],
  emails: [
    {
      code: 'confirmed',
      name: 'Confirmation',
      trigger: 'registration.completed',
      subject: 'See you in May',
      blocks: [{ id: 'b1', type: 'text', html: '<p>We noted {{custom.diet}} for the dinner.</p>' }],
    },
  ],
  badge: { fields: ['@participant.lastName', '@custom.diet'] },
  translations: {
    de: { '/products/gala/name': translation('Gala dinner', 'Galaabend'), '/tags/member/name': translation('Member', 'Mitglied') },
  },
}
