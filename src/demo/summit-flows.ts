import type { ConfigDocument } from '../domains/configuration/schema/event-config.ts'

/** The three registration flows of the demo's conference. */

const field = (id: string, binding: string, more: object = {}) => ({ id, type: 'field' as const, binding, ...more })
const offer = (id: string, products: string[], more: object = {}) => ({ id, type: 'products' as const, products, ...more })
const agree = (id: string, policy: string) => ({ id, type: 'policy' as const, policy })
const pay = { id: 'pay', type: 'payment' as const, methods: ['card' as const, 'bank' as const], terms: 'Invoices are due within 30 days.' }
const only = (binding: string, value: unknown) => ({ all: [{ binding, op: 'equals' as const, value }] })

const contact = [
  { id: 'name', type: 'name' as const },
  field('email', '@participant.email', { required: true, confirm: true }),
  field('company', '@participant.company', { required: true, width: 'half' }),
  field('job', '@participant.jobTitle', { width: 'half' }),
  field('country', '@participant.country', { required: true }),
]

const attendee = {
  slug: 'attendee',
  name: 'Attendee',
  closesAt: '2027-05-11T08:00:00.000Z',
  editUntil: '2027-05-04T22:00:00.000Z',
  capacity: 900,
  waitlist: true,
  confirmationEmail: 'confirmation',
  guests: {
    enabled: true,
    max: 2,
    types: [{ code: 'partner', name: 'Partner', productCode: 'guest-pass' }],
    fields: [
      { binding: '@participant.firstName', required: true },
      { binding: '@participant.lastName', required: true },
    ],
  },
  pages: [
    { code: 'contact', title: 'About you', widgets: contact },
    {
      code: 'needs',
      title: 'Your needs',
      widgets: [
        field('diet', '@custom.diet', { required: true, control: 'radio', help: 'So that lunch suits you.' }),
        field('diet-note', '@custom.diet-note', { required: true, showWhen: only('@custom.diet', 'other') }),
        field('first-time', '@custom.first-time', { control: 'checkboxes' }),
        field('access', '@participant.accessibility', { help: 'Ramps, seats, sign language: tell us what helps, and only if you wish.' }),
      ],
    },
    {
      code: 'welcome',
      title: 'New to the summit',
      showWhen: only('@custom.first-time', true),
      widgets: [
        {
          id: 'hello',
          type: 'notice' as const,
          body: '<p>Welcome! Newcomers meet on the first morning at the garden gate.</p>',
          tone: 'success' as const,
        },
        field('topics', '@custom.topics', { required: true }),
      ],
    },
    {
      code: 'tickets',
      title: 'Tickets',
      widgets: [
        offer('pass', ['conference-pass', 'online-pass'], { selection: 'single', min: 1, max: 1, layout: 'cards' }),
        offer('workshops', ['workshop-design', 'workshop-data'], { showRemaining: true }),
        offer('evening', ['gala-dinner', 'lisbon-tour'], { showRemaining: true }),
        { id: 'guests', type: 'guests' as const },
        { id: 'room', type: 'housing' as const },
        offer('shirt', ['t-shirt']),
        field('shirt-size', '@custom.shirt-size', {
          required: true,
          showWhen: { all: [{ binding: '@product.t-shirt', op: 'gt' as const, value: 0 }] },
        }),
        { id: 'trees', type: 'donation' as const, product: 'tree-fund', suggested: ['5.00', '10.00', '25.00'] },
      ],
    },
    { code: 'program', title: 'Your programme', widgets: [{ id: 'sessions', type: 'sessions' as const }] },
    {
      code: 'checkout',
      title: 'Agree and pay',
      widgets: [
        agree('conduct', 'conduct'),
        agree('terms', 'terms'),
        { id: 'code', type: 'discountCode' as const },
        { id: 'summary', type: 'orderSummary' as const },
        pay,
      ],
    },
    {
      code: 'done',
      title: 'Done',
      widgets: [{ id: 'thanks', type: 'confirmation' as const, body: '<p>See you in Lisbon. Your ticket is on its way by email.</p>' }],
    },
  ],
}

const speaker = {
  slug: 'speaker',
  name: 'Speaker',
  kind: 'speaker' as const,
  inviteOnly: true,
  addsTags: ['speaker'],
  confirmationEmail: 'confirmation',
  pages: [
    {
      code: 'contact',
      title: 'About you',
      widgets: [
        { id: 'invite', type: 'inviteCode' as const, label: 'Code from your invitation' },
        ...contact,
        field('bio', '@participant.bio', { required: true, help: 'Printed in the programme.' }),
      ],
    },
    {
      code: 'talk',
      title: 'Your talk',
      widgets: [{ id: 'talk', type: 'submission' as const, fields: ['level'], formats: ['talk', 'workshop'] }],
    },
    {
      code: 'stay',
      title: 'Your stay',
      widgets: [
        field('diet', '@custom.diet', { required: true, control: 'radio', help: 'So that lunch suits you.' }),
        field('diet-note', '@custom.diet-note', { required: true, showWhen: only('@custom.diet', 'other') }),
        agree('conduct', 'conduct'),
        agree('terms', 'terms'),
      ],
    },
    {
      code: 'done',
      title: 'Thank you',
      widgets: [{ id: 'thanks', type: 'confirmation' as const, body: '<p>We are glad to have you on stage.</p>', showReceipt: false }],
    },
  ],
}

const exhibitor = {
  slug: 'exhibitor',
  name: 'Exhibitor',
  kind: 'exhibitor' as const,
  addsTags: ['exhibitor'],
  confirmationEmail: 'confirmation',
  closesAt: '2027-04-10T22:00:00.000Z',
  pages: [
    { code: 'contact', title: 'Who to talk to', widgets: contact },
    { code: 'company', title: 'Your company', widgets: [{ id: 'profile', type: 'companyProfile' as const, fields: ['company-about'] }] },
    {
      code: 'booth',
      title: 'Your booth',
      widgets: [
        { id: 'wishes', type: 'boothRequest' as const, sizes: ['six', 'nine'] },
        offer('booths', ['booth-6', 'booth-9'], { selection: 'single', min: 1, max: 1 }),
        offer('leads', ['lead-app']),
      ],
    },
    {
      code: 'checkout',
      title: 'Agree and pay',
      widgets: [agree('conduct', 'conduct'), agree('terms', 'terms'), { id: 'summary', type: 'orderSummary' as const }, pay],
    },
    {
      code: 'done',
      title: 'Done',
      widgets: [
        {
          id: 'thanks',
          type: 'confirmation' as const,
          body: '<p>Your application is in. We will send you the floor plan.</p>',
          showQr: false,
        },
      ],
    },
  ],
}

export const SUMMIT_REGISTRATION_FLOWS: NonNullable<ConfigDocument['flows']> = [attendee, speaker, exhibitor]
