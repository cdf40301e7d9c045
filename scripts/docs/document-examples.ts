import type { z } from 'zod'
import type { ConfigDocument, ConfigSection } from '../../src/domains/configuration/schema/event-config.ts'
import type { EmailBlock } from '../../src/domains/configuration/schema/emails.ts'
import type { Widget, WidgetType } from '../../src/domains/configuration/schema/widgets.ts'

/**
 * Together these are one event, so an example may refer to an item of another. A test validates all of them against the schema and each
 * other.
 */
export const EXAMPLE_SECTIONS = {
  details: {
    name: 'Spring Meeting 2027',
    summary: 'Two days by the river for people who build things.',
    startsOn: '2027-05-11',
    endsOn: '2027-05-12',
    venue: { name: 'Kalkscheune', city: 'Berlin', country: 'DE' },
    capacity: 400,
    contactEmail: 'hello@acme.example',
  },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'exhibitor', name: 'Exhibitor' },
  ],
  customFields: [
    {
      code: 'diet',
      name: 'What do you eat?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'vegan', name: 'Vegan' },
      ],
    },
    { code: 'shows', name: 'What will you show?', responseType: 'longText', personal: false },
  ],
  products: [
    {
      code: 'pass',
      name: 'Pass',
      category: 'admission',
      taxCode: 'vat',
      capacity: 200,
      waitlist: true,
      prices: [
        { amount: '390.00', until: '2027-03-31' },
        { amount: '490.00', from: '2027-04-01' },
        { amount: '290.00', tags: ['member'] },
      ],
    },
    { code: 'dinner', name: 'Dinner', category: 'meal', taxCode: 'vat', requires: ['pass'], prices: [{ amount: '89.00' }] },
    { code: 'gift', name: 'For young researchers', category: 'donation' },
    { code: 'partner', name: 'Partner', category: 'guest', prices: [{ amount: '120.00' }] },
    { code: 'booth-9', name: 'Booth of 9 m²', category: 'booth', prices: [{ amount: '2400.00' }] },
  ],
  taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
  discounts: [{ code: 'early', name: 'Early bird', kind: 'percent', value: '15', products: ['pass'], maxUses: 100 }],
  policies: [{ code: 'terms', title: 'Terms of participation', body: '<p>By registering I accept the house rules.</p>' }],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      opensAt: '2027-01-15T08:00:00.000Z',
      confirmationEmail: 'confirmation',
      pages: [
        {
          code: 'contact',
          title: 'Your details',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
          ],
        },
        {
          code: 'choices',
          title: 'Your choices',
          widgets: [
            { id: 'passes', type: 'products', category: 'admission', selection: 'single', min: 1 },
            { id: 'pay', type: 'payment', methods: ['card', 'bank'] },
          ],
        },
        { code: 'done', widgets: [{ id: 'thanks', type: 'confirmation', body: '<p>See you in Berlin.</p>' }] },
      ],
    },
  ],
  emails: [
    {
      code: 'confirmation',
      name: 'Confirmation',
      trigger: 'registration.completed',
      subject: 'You are registered for {{event.name}}',
      blocks: [
        { id: 'hello', type: 'heading', text: 'Thank you, {{participant.firstName}}' },
        { id: 'order', type: 'orderSummary' },
      ],
      attachments: ['calendar'],
    },
    { code: 'feedback', name: 'Feedback', trigger: 'survey.invited', subject: 'How was {{event.name}}?' },
    { code: 'reminder', name: 'Reminder', trigger: 'none', subject: '{{event.name}} is near' },
  ],
  exhibitorConfig: {
    leadVisibleFields: ['firstName', 'lastName', 'email', 'company'],
    meetingHours: [{ day: '2027-05-11', from: '10:00', until: '16:00' }],
    boothSizes: [{ code: 'small', name: 'Small, 3 x 3 m', width: 3, depth: 3, product: 'booth-9' }],
    applicationFields: ['shows'],
  },
  onsite: { gates: [{ code: 'main', name: 'Main entrance', products: ['pass'] }], unpaid: 'refuse' },
  badge: { size: 'a6', fields: ['@participant.firstName', '@participant.lastName', '@participant.company'], qr: { content: 'badgeId' } },
  housing: { enabled: true, closesAt: '2027-05-01T22:00:00.000Z', maxNights: 5, guarantee: 'card' },
  sessions: {
    tracks: [{ code: 'build', name: 'Building', color: '#1f4e79' }],
    formats: [{ code: 'talk', name: 'Talk', minutes: 40 }],
    rooms: [{ code: 'hall', name: 'Great hall', capacity: 300 }],
    submissionFields: ['shows'],
  },
  surveys: [
    {
      code: 'after',
      name: 'Afterwards',
      email: 'feedback',
      questions: [{ code: 'again', name: 'Would you come again?', type: 'nps', required: true }],
    },
  ],
  theme: { colors: { brand: '#0b5d4e' }, fontHeading: 'system-ui', radius: 4 },
  translations: { de: { '/products/dinner/name': { text: 'Abendessen' } } },
  automation: { reminders: [{ code: 'near', kind: 'preEvent', email: 'reminder', offsetDays: -7, at: '09:00' }] },
} satisfies { [S in ConfigSection]: ConfigDocument[S] }

type WidgetExample<T extends WidgetType> = Extract<z.input<typeof Widget>, { type: T }>

/** A picture and a video of the file library. */
const FILE = '66f1c0ffee00112233445566'

export const EXAMPLE_WIDGETS: { [T in WidgetType]: WidgetExample<T> } = {
  heading: { id: 'about-you', type: 'heading', text: 'About you' },
  text: { id: 'intro', type: 'text', body: '<p>It takes two minutes.</p>' },
  notice: { id: 'full-soon', type: 'notice', tone: 'warning', body: '<p>Few places are left.</p>' },
  image: { id: 'hall', type: 'image', fileId: FILE, alt: 'The great hall' },
  video: { id: 'last-year', type: 'video', url: 'https://vimeo.com/76979871', title: 'Last year' },
  divider: { id: 'line', type: 'divider' },
  spacer: { id: 'space', type: 'spacer', size: 'l' },
  accordion: {
    id: 'faq',
    type: 'accordion',
    items: [{ id: 'refund', title: 'Can I get my money back?', body: '<p>Until 1 April.</p>' }],
  },
  map: { id: 'way', type: 'map', source: 'venue' },
  countdown: { id: 'early-ends', type: 'countdown', until: '2027-03-31T22:00:00Z', label: 'Early prices end in' },
  field: {
    id: 'diet',
    type: 'field',
    binding: '@custom.diet',
    required: true,
    showWhen: { all: [{ binding: '@product.dinner', op: 'gt', value: 0 }] },
  },
  name: { id: 'name', type: 'name', parts: ['prefix', 'firstName', 'lastName'] },
  address: { id: 'address', type: 'address', requiredParts: ['city', 'country'] },
  headshot: { id: 'photo', type: 'headshot', aspect: '1:1' },
  membershipLookup: {
    id: 'member',
    type: 'membershipLookup',
    connection: 'members',
    inputs: ['memberNumber', 'lastName'],
    memberTags: ['member'],
  },
  inviteCode: { id: 'invite', type: 'inviteCode', label: 'Your invitation code' },
  products: { id: 'passes', type: 'products', category: 'admission', selection: 'single', min: 1 },
  donation: { id: 'give', type: 'donation', product: 'gift', suggested: ['10.00', '25.00', '50.00'] },
  sessions: { id: 'talks', type: 'sessions', tracks: ['build'], maxSelected: 5 },
  guests: { id: 'guests', type: 'guests', label: 'Who comes with you?' },
  housing: { id: 'room', type: 'housing', maxRooms: 1 },
  group: { id: 'group', type: 'group', mode: 'both' },
  companyProfile: { id: 'company', type: 'companyProfile', fields: ['shows'] },
  boothRequest: { id: 'booth', type: 'boothRequest', sizes: ['small'], maxPreferences: 2 },
  submission: { id: 'talk', type: 'submission', fields: ['shows'], formats: ['talk'] },
  policy: { id: 'terms', type: 'policy', policy: 'terms', mode: 'checkbox' },
  sharing: { id: 'sharing', type: 'sharing', fields: ['email', 'company'], default: 'organizer' },
  discountCode: { id: 'code', type: 'discountCode', label: 'Do you have a code?' },
  orderSummary: { id: 'summary', type: 'orderSummary' },
  payment: { id: 'pay', type: 'payment', methods: ['card', 'bank'], invoiceDueDays: 14 },
  answersReview: { id: 'review', type: 'answersReview' },
  confirmation: { id: 'thanks', type: 'confirmation', body: '<p>See you in Berlin.</p>' },
  redirect: { id: 'on', type: 'redirect', url: 'https://acme.example/welcome', delaySeconds: 3 },
}

type Block = z.input<typeof EmailBlock>

export const EXAMPLE_BLOCKS: { [T in Block['type']]: Extract<Block, { type: T }> } = {
  heading: { id: 'hello', type: 'heading', text: 'Thank you, {{participant.firstName}}' },
  text: { id: 'text', type: 'text', markdown: 'Your number is **{{participant.confirmationNumber}}**.' },
  image: { id: 'picture', type: 'image', fileId: FILE, alt: 'The great hall' },
  button: { id: 'change', type: 'button', label: 'See my registration', link: 'myRegistration' },
  divider: { id: 'line', type: 'divider' },
  spacer: { id: 'space', type: 'spacer', height: 24 },
  productList: { id: 'offers', type: 'productList', category: 'meal', max: 3 },
  sessionList: { id: 'mine', type: 'sessionList', mode: 'mine' },
  eventDetails: { id: 'event', type: 'eventDetails', show: ['name', 'dates', 'venue'] },
  qrBadge: { id: 'badge', type: 'qrBadge', caption: 'Show this at the door' },
  orderSummary: { id: 'order', type: 'orderSummary' },
  offer: { id: 'dinner', type: 'offer', productCodes: ['dinner'], label: 'Join us for dinner' },
  adSlot: { id: 'sponsor', type: 'adSlot', placement: 'email.bottom' },
  code: { id: 'code', type: 'code' },
  html: { id: 'own', type: 'html', html: '<p>Anything of your own.</p>' },
  footer: { id: 'footer', type: 'footer', social: [{ kind: 'website', url: 'https://acme.example' }] },
  columns: {
    id: 'two',
    type: 'columns',
    count: 2,
    blocks: [
      { id: 'left', type: 'text', html: '<p>Left</p>', column: 0 },
      { id: 'right', type: 'text', html: '<p>Right</p>', column: 1 },
    ],
  },
}
