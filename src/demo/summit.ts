import type { ConfigDocument } from '../domains/configuration/schema/event-config.ts'
import { SUMMIT_FLOWS } from './summit-flows.ts'

/** The demo's conference: three registration flows, twelve products, conditions, policies and two languages. */

const workshop = (code: string, name: string, startsAt: string, endsAt: string) => ({
  code,
  name,
  category: 'session' as const,
  prices: [{ amount: '149.00' }, { amount: '99.00', tags: ['member'] }],
  capacity: 40,
  waitlist: true,
  taxCode: 'vat',
  requires: ['conference-pass'],
  startsAt,
  endsAt,
})

const booth = (code: string, name: string, amount: string) => ({
  code,
  name,
  category: 'booth' as const,
  prices: [{ amount }],
  capacity: 30,
  taxCode: 'vat',
  addsTags: ['exhibitor'],
})

export const SUMMIT: ConfigDocument = {
  details: {
    name: 'Acme Summit 2027',
    summary: 'Three days on building things that last.',
    description: '<p>Talks, workshops and long conversations by the river, for people who build and for those who keep it running.</p>',
    startsOn: '2027-05-11',
    endsOn: '2027-05-13',
    venue: { name: 'Centro do Rio', address: 'Avenida do Rio 10', city: 'Lisbon', country: 'PT', latitude: 38.7056, longitude: -9.1459 },
    capacity: 1200,
    contactEmail: 'summit@demo.example',
    website: 'https://summit.demo.example',
    hashtags: ['acmesummit'],
  },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'speaker', name: 'Speaker' },
    { code: 'exhibitor', name: 'Exhibitor' },
    { code: 'press', name: 'Press' },
  ],
  customFields: [
    {
      code: 'diet',
      name: 'What do you eat?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'vegetarian', name: 'Vegetarian' },
        { code: 'vegan', name: 'Vegan' },
        { code: 'other', name: 'Something else' },
      ],
    },
    { code: 'diet-note', name: 'What should the kitchen know?', responseType: 'text', max: 200 },
    { code: 'first-time', name: 'Is this your first summit?', responseType: 'boolean', personal: false },
    {
      code: 'topics',
      name: 'What brings you here?',
      responseType: 'multiChoice',
      personal: false,
      maxChoices: 3,
      choices: [
        { code: 'design', name: 'Design' },
        { code: 'data', name: 'Data' },
        { code: 'operations', name: 'Operations' },
        { code: 'people', name: 'People' },
      ],
    },
    {
      code: 'shirt-size',
      name: 'Shirt size',
      responseType: 'choice',
      personal: false,
      choices: ['s', 'm', 'l', 'xl'].map((code) => ({ code, name: code.toUpperCase() })),
    },
    {
      code: 'level',
      name: 'Who is your talk for?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everybody' },
        { code: 'expert', name: 'Experts' },
      ],
    },
    { code: 'company-about', name: 'What does your company show?', responseType: 'longText', personal: false },
  ],
  products: [
    {
      code: 'conference-pass',
      name: 'Conference pass',
      description: '<p>All three days, lunch included.</p>',
      category: 'admission',
      prices: [
        { amount: '600.00', until: '2027-03-31' },
        { amount: '750.00', from: '2027-04-01' },
        { amount: '450.00', tags: ['member'] },
        { amount: '0.00', tags: ['speaker'] },
      ],
      capacity: 800,
      waitlist: true,
      taxCode: 'vat',
      excludes: ['online-pass'],
      refundTiers: [
        { until: '2027-04-11T22:00:00.000Z', percent: 100 },
        { until: '2027-05-04T22:00:00.000Z', percent: 50 },
      ],
    },
    {
      code: 'online-pass',
      name: 'Online pass',
      category: 'admission',
      supply: 'virtual',
      prices: [{ amount: '120.00' }, { amount: '60.00', tags: ['member'] }],
      // So few seats that the demo shows a waiting list.
      capacity: 5,
      waitlist: true,
      taxCode: 'vat',
      grants: ['stream'],
    },
    workshop('workshop-design', 'Workshop: forms people finish', '2027-05-11T13:00:00.000Z', '2027-05-11T16:00:00.000Z'),
    workshop('workshop-data', 'Workshop: numbers you can trust', '2027-05-12T13:00:00.000Z', '2027-05-12T16:00:00.000Z'),
    {
      code: 'gala-dinner',
      name: 'Dinner by the river',
      category: 'meal',
      prices: [{ amount: '89.00' }],
      capacity: 120,
      waitlist: true,
      perPerson: 2,
      taxCode: 'vat-meal',
      requires: ['conference-pass'],
      startsAt: '2027-05-12T18:30:00.000Z',
      endsAt: '2027-05-12T22:00:00.000Z',
    },
    {
      code: 'lisbon-tour',
      name: 'Walk through Alfama',
      category: 'tour',
      prices: [{ amount: '25.00' }],
      capacity: 25,
      waitlist: true,
      taxCode: 'vat',
      startsAt: '2027-05-13T15:00:00.000Z',
      endsAt: '2027-05-13T17:30:00.000Z',
    },
    { code: 'guest-pass', name: 'Partner pass', category: 'guest', prices: [{ amount: '180.00' }], taxCode: 'vat' },
    {
      code: 't-shirt',
      name: 'Summit shirt',
      category: 'merchandise',
      prices: [{ amount: '22.00' }],
      capacity: 300,
      perPerson: 3,
      taxCode: 'vat',
    },
    { code: 'tree-fund', name: 'Plant a tree', category: 'donation' },
    booth('booth-6', 'Booth of 6 m²', '2400.00'),
    booth('booth-9', 'Booth of 9 m²', '3300.00'),
    {
      code: 'lead-app',
      name: 'Lead scanning',
      category: 'leadRetrieval',
      prices: [{ amount: '350.00' }],
      perPerson: 5,
      taxCode: 'vat',
      grants: ['sdk'],
    },
  ],
  taxes: [
    { code: 'vat', name: 'VAT', rate: '23', appliesIn: ['PT'] },
    { code: 'vat-meal', name: 'VAT on meals', rate: '13', inclusive: true, appliesIn: ['PT'] },
  ],
  discounts: [
    { code: 'save15', name: 'Partners of the summit', kind: 'percent', value: '15', products: ['conference-pass'], maxUses: 50 },
    { code: 'press', name: 'Press', kind: 'percent', value: '100', products: ['conference-pass', 'online-pass'], tags: ['press'] },
  ],
  policies: [
    {
      code: 'conduct',
      title: 'Code of conduct',
      body: '<p>Be kind, be curious, let others finish. Anyone who harasses others has to leave without a refund.</p>',
    },
    {
      code: 'terms',
      title: 'Terms and privacy',
      body: '<p>We keep your answers to run the summit and delete them a year after it. Until 11 April you get a full refund.</p>',
    },
  ],
  flows: SUMMIT_FLOWS,
  emails: [
    {
      code: 'confirmation',
      name: 'Confirmation',
      trigger: 'registration.completed',
      subject: 'You are registered for {{event.name}}',
      blocks: [
        { id: 'hello', type: 'heading', text: 'Good to have you, {{participant.firstName}}' },
        { id: 'facts', type: 'eventDetails', show: ['name', 'dates', 'venue', 'calendar'] },
        { id: 'order', type: 'orderSummary' },
        { id: 'badge', type: 'qrBadge', caption: 'Show this at the door' },
        { id: 'change', type: 'button', label: 'See or change your registration', link: 'myRegistration' },
        { id: 'foot', type: 'footer' },
      ],
      attachments: ['invoice', 'calendar'],
    },
    {
      code: 'cancellation',
      name: 'Cancellation',
      trigger: 'registration.cancelled',
      subject: 'Your registration for {{event.name}} is cancelled',
      blocks: [
        { id: 'text', type: 'text', html: '<p>We are sorry to miss you. Your refund, if any, is on its way.</p>' },
        { id: 'foot', type: 'footer' },
      ],
    },
    {
      code: 'survey',
      name: 'Survey invitation',
      trigger: 'survey.invited',
      subject: 'How was {{event.name}}?',
      blocks: [
        { id: 'ask', type: 'button', label: 'Tell us in two minutes', link: 'survey' },
        { id: 'foot', type: 'footer' },
      ],
    },
  ],
  exhibitorConfig: {
    boothSizes: [
      { code: 'six', name: '3 × 2 m', width: 3, depth: 2, product: 'booth-6' },
      { code: 'nine', name: '3 × 3 m', width: 3, depth: 3, product: 'booth-9' },
    ],
    applicationFields: ['company-about'],
    meetingHours: [
      { day: '2027-05-12', from: '10:00', until: '17:00' },
      { day: '2027-05-13', from: '10:00', until: '15:00' },
    ],
    leadQualifiers: ['topics'],
    categories: ['design', 'data', 'operations', 'people'].map((code) => ({ code, name: code[0]!.toUpperCase() + code.slice(1) })),
    interestField: 'topics',
  },
  onsite: { gates: [{ code: 'main', name: 'Main entrance', products: ['conference-pass', 'guest-pass'] }] },
  housing: { enabled: true, closesAt: '2027-04-12T22:00:00.000Z', maxNights: 6 },
  badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'], qr: {} },
  sessions: {
    tracks: [
      { code: 'build', name: 'Build', color: '#1f4e79' },
      { code: 'run', name: 'Run', color: '#2f6b4f' },
    ],
    formats: [
      { code: 'talk', name: 'Talk', minutes: 40 },
      { code: 'workshop', name: 'Workshop', minutes: 180 },
    ],
    rooms: [
      { code: 'river', name: 'River hall', capacity: 600 },
      { code: 'garden', name: 'Garden room', capacity: 45 },
    ],
    submissionFields: ['level'],
  },
  surveys: [
    {
      code: 'after',
      name: 'After the summit',
      email: 'survey',
      questions: [
        { code: 'recommend', name: 'Would you recommend the summit?', type: 'nps' },
        { code: 'best', name: 'What was best?', type: 'text' },
      ],
    },
  ],
  theme: { colors: { brand: '#0b5d6b', accent: '#b5481e', background: '#ffffff', surface: '#f3f6f6', text: '#14212b' }, radius: 10 },
  automation: { reminders: [{ code: 'unfinished', kind: 'incomplete', email: 'confirmation', offsetDays: 3, at: '09:00' }] },
}
