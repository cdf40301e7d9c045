/** The products, taxes and discount code of the specification's worked example, for an event in Paris. */
export const WORKED_EXAMPLE = {
  details: { contactEmail: 'olga@example.org', venue: { name: 'Palais', city: 'Paris', country: 'FR' } },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'speaker', name: 'Speaker' },
    { code: 'vip', name: 'VIP' },
    { code: 'acme', name: 'Acme' },
  ],
  taxes: [
    { code: 'vat-20', name: 'VAT', rate: '20' },
    { code: 'vat-10', name: 'VAT meals', rate: '10', inclusive: true },
  ],
  products: [
    {
      code: 'pass',
      name: 'Pass',
      category: 'admission',
      taxCode: 'vat-20',
      prices: [
        { amount: '600.00', until: '2026-03-31' },
        { amount: '750.00', from: '2026-04-01' },
        { amount: '450.00', tags: ['member'] },
        { amount: '520.00', from: '2026-04-01', tags: ['member'] },
        { amount: '0.00', tags: ['speaker'] },
      ],
    },
    { code: 'workshop', name: 'Workshop A', category: 'session', taxCode: 'vat-20', prices: [{ amount: '149.99' }] },
    { code: 'dinner', name: 'Dinner', category: 'meal', taxCode: 'vat-10', perPerson: 4, prices: [{ amount: '89.00' }] },
  ],
  discounts: [
    { code: 'save15', name: 'Spring', kind: 'percent', value: '15', products: ['pass', 'workshop'] },
    { code: 'less100', name: 'Less', kind: 'amount', value: '100.00' },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      pages: [
        {
          code: 'contact',
          title: 'You',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'company', type: 'field', binding: '@participant.company' },
          ],
        },
        {
          code: 'choices',
          title: 'Choices',
          widgets: [
            { id: 'sale', type: 'products', products: ['pass', 'workshop', 'dinner'] },
            { id: 'code', type: 'discountCode' },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}
