/** An event whose form contains every kind of question, for browser tests. */
export const FESTIVAL = {
  details: {
    name: 'Cities and Water 2026',
    contactEmail: 'office@citywater.example',
    venue: { name: 'Donauhof', address: 'Uferweg 3', city: 'Vienna', country: 'AT' },
  },
  taxes: [{ code: 'vat', name: 'VAT', rate: '20', inclusive: true }],
  customFields: [
    {
      code: 'diet',
      name: 'What do you eat?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'veg', name: 'Vegetarian' },
        { code: 'other', name: 'Something else' },
      ],
    },
    { code: 'diet-note', name: 'Tell the kitchen', responseType: 'longText' },
    {
      code: 'topics',
      name: 'What interests you?',
      responseType: 'multiChoice',
      choices: [
        { code: 'floods', name: 'Floods' },
        { code: 'trees', name: 'Street trees' },
        { code: 'law', name: 'Law' },
      ],
    },
    { code: 'first', name: 'Is it your first time here?', responseType: 'boolean' },
    { code: 'arrival', name: 'Day of arrival', responseType: 'date' },
    { code: 'years', name: 'Years in the trade', responseType: 'number', integer: true },
    { code: 'visa', name: 'Passport for the visa letter', responseType: 'file', accept: ['application/pdf', 'image/png'] },
  ],
  products: [
    {
      code: 'full',
      name: 'Full congress',
      description: '<p>All three days, lunches and the welcome evening</p>',
      category: 'admission',
      taxCode: 'vat',
      prices: [{ amount: '640.00' }],
    },
    {
      code: 'day',
      name: 'One day',
      description: '<p>Wednesday, Thursday or Friday</p>',
      category: 'admission',
      taxCode: 'vat',
      capacity: 18,
      prices: [{ amount: '290.00' }],
    },
    {
      code: 'student',
      name: 'Student',
      category: 'admission',
      taxCode: 'vat',
      capacity: 0,
      waitlist: true,
      prices: [{ amount: '180.00' }],
    },
    { code: 'gala', name: 'Gala dinner', category: 'meal', taxCode: 'vat', perPerson: 4, capacity: 46, prices: [{ amount: '85.00' }] },
    { code: 'tour', name: 'Boat tour', category: 'tour', capacity: 0, prices: [{ amount: '30.00' }] },
    { code: 'fund', name: 'Gift to the student fund', category: 'donation' },
    { code: 'partner', name: 'Partner', category: 'guest', prices: [{ amount: '120.00' }] },
  ],
  discounts: [{ code: 'member', name: 'Members', kind: 'percent', value: '10', products: ['full'] }],
  policies: [
    { code: 'terms', title: 'Conditions of participation', body: '<p>The whole text, as it applies on the day you register.</p>' },
    { code: 'photos', title: 'Photographs', body: '<p>There are photographers.</p>', required: false },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Congress registration',
      guests: {
        enabled: true,
        max: 2,
        types: [{ code: 'partner', name: 'Partner', productCode: 'partner' }],
        fields: [{ binding: '@participant.dietary', required: false }],
      },
      pages: [
        {
          code: 'you',
          title: 'About you',
          description: '<p>It takes about four minutes. What you enter is kept at each step.</p>',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'company', type: 'field', binding: '@participant.company', width: 'half' },
            { id: 'job', type: 'field', binding: '@participant.jobTitle', width: 'half' },
            { id: 'more', type: 'heading', text: 'So that we can prepare' },
            { id: 'diet', type: 'field', binding: '@custom.diet', required: true },
            {
              id: 'diet-note',
              type: 'field',
              binding: '@custom.diet-note',
              showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'other' }] },
            },
            { id: 'topics', type: 'field', binding: '@custom.topics' },
            { id: 'first', type: 'field', binding: '@custom.first', required: true },
            { id: 'arrival', type: 'field', binding: '@custom.arrival', width: 'half' },
            { id: 'years', type: 'field', binding: '@custom.years', width: 'half' },
            { id: 'where', type: 'heading', text: 'Your address' },
            { id: 'address', type: 'address' },
            { id: 'visa', type: 'field', binding: '@custom.visa' },
          ],
        },
        {
          code: 'tickets',
          title: 'Tickets and extras',
          widgets: [
            { id: 'ticket-head', type: 'heading', text: 'Your ticket' },
            { id: 'ticket', type: 'products', category: 'admission', selection: 'single', min: 1, showRemaining: true },
            { id: 'extras-head', type: 'heading', text: 'Extras' },
            { id: 'extras', type: 'products', products: ['gala', 'tour'], showRemaining: true },
            { id: 'fund', type: 'donation', product: 'fund', suggested: ['10.00', '25.00'] },
            { id: 'guests', type: 'guests' },
            { id: 'code', type: 'discountCode' },
          ],
        },
        {
          code: 'consent',
          title: 'Agreements',
          widgets: [
            { id: 'terms', type: 'policy', policy: 'terms', mode: 'signature' },
            { id: 'photos', type: 'policy', policy: 'photos' },
            { id: 'sharing', type: 'sharing', fields: ['email', 'mobilePhone'] },
            { id: 'pay', type: 'payment', methods: ['bank', 'onsite'] },
          ],
        },
        {
          code: 'end',
          title: 'Done',
          widgets: [{ id: 'end', type: 'confirmation', body: '<p>Bring boots: we walk along the river.</p>' }],
        },
      ],
    },
  ],
}

/** The festival's form, restricted to an invitation list. */
export const INVITE_ONLY_FLOW = { ...FESTIVAL.flows[0]!, slug: 'board', name: 'Board', inviteOnly: true }
