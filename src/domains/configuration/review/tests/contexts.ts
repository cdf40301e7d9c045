import type { EventConfigFacts } from '../../read.ts'
import { applyOperationsSynchronously } from '../../../../../test/support/synchronous-configuration.ts'
import type { ConfigOperation } from '../../operations.ts'
import { type ConfigDocument, EventConfig } from '../../schema/event-config.ts'
import { toStoredDocument } from '../../stored.ts'
import { hashSourceText, listTranslatableTexts } from '../../texts.ts'
import type { ReviewContext } from '../context.ts'

/** The current time of the tests: a winter day before a spring event in Berlin. */
export const NOW = new Date('2027-01-10T12:00:00Z')
const FILE = 'a'.repeat(24)

const FACTS: EventConfigFacts = {
  name: 'Annual Meeting',
  startsOn: '2027-05-11',
  endsOn: '2027-05-13',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  locale: 'en',
  locales: ['en'],
  testMode: false,
  status: 'draft',
  publishedVersion: null,
  liveId: null,
  liveSha256: null,
  establishedIn: null,
  paymentTermsDays: 30,
  draftRevision: 2,
  basedOnVersion: null,
  restoredFrom: null,
  updatedAt: NOW,
  updatedBy: null,
  now: NOW,
}

type Json = any

/** Builds a valid flow with many features. Every call returns a new document that tests can break. */
export const cleanDocument = (): Json => ({
  details: { name: 'Annual Meeting', startsOn: '2027-05-11', endsOn: '2027-05-13', contactEmail: 'team@example.org', capacity: 500 },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'press', name: 'Press' },
  ],
  customFields: [
    { code: 'diet', name: 'Diet', responseType: 'choice', choices: ['none', 'vegan', 'other'].map((code) => ({ code, name: code })) },
    { code: 'note', name: 'What should the kitchen know?', responseType: 'text' },
    { code: 'age', name: 'Age', responseType: 'number', min: 18, max: 99 },
    { code: 'health', name: 'Health', responseType: 'longText', sensitive: true, help: 'So that first aid knows.' },
  ],
  products: [
    {
      code: 'adm',
      name: 'Admission',
      category: 'admission',
      capacity: 400,
      prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }],
    },
    { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '80.00' }], requires: ['adm'] },
  ],
  policies: [{ code: 'terms', title: 'Terms', body: 'Be kind.' }],
  emails: [
    {
      code: 'confirm',
      name: 'Confirmation',
      trigger: 'registration.completed',
      subject: 'See you, {{participant.firstName}}',
      blocks: [{ id: 'b1', type: 'text', markdown: 'Your diet: {{custom.diet}}, from {{participant.company|you}}.' }],
    },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Attendees',
      capacity: 450,
      opensAt: '2027-01-01T00:00:00.000Z',
      closesAt: '2027-05-10T00:00:00.000Z',
      confirmationEmail: 'confirm',
      pages: [
        {
          code: 'you',
          title: 'About you',
          widgets: [
            { id: 'lookup', type: 'membershipLookup', connection: 'ams', inputs: ['email'], memberTags: ['member'] },
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'diet', type: 'field', binding: '@custom.diet', required: true },
            {
              id: 'note',
              type: 'field',
              binding: '@custom.note',
              required: true,
              showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'other' }] },
            },
          ],
        },
        {
          code: 'member',
          title: 'For members',
          visibleForTags: { type: 'any', required: ['member'] },
          widgets: [
            { id: 'health', type: 'field', binding: '@custom.health' },
            { id: 'banner', type: 'image', fileId: FILE, alt: 'Members at dinner' },
          ],
        },
        { code: 'tickets', title: 'Tickets', widgets: [{ id: 'tickets', type: 'products', products: ['adm', 'dinner'] }] },
        {
          code: 'pay',
          title: 'Payment',
          widgets: [
            { id: 'terms', type: 'policy', policy: 'terms' },
            { id: 'payment', type: 'payment', methods: ['card'] },
          ],
        },
        { code: 'done', title: 'Done', widgets: [{ id: 'thanks', type: 'confirmation', body: 'Thank you.' }] },
      ],
    },
  ],
})

type ContextOverrides = Partial<Omit<ReviewContext, 'document' | 'config' | 'facts'>> & { facts?: Partial<EventConfigFacts> }

export function buildReviewContext(document: Json, { facts, ...more }: ContextOverrides = {}): ReviewContext {
  const stored = toStoredDocument(document)
  return {
    document: stored,
    config: EventConfig.parse(stored),
    facts: { ...FACTS, ...facts },
    externalRecords: {
      connections: new Map([['ams', { status: 'ready', onFailure: 'block' }]]),
      files: new Map([[FILE, { mime: 'image/png' }]]),
    },
    directoryOutputs: new Map(),
    soldOut: new Set(),
    inviteLists: new Set(),
    ...more,
  }
}

export const pageIn = (document: Json, code: string): Json => document.flows[0].pages.find((page: Json) => page.code === code)
export const widgetIn = (document: Json, id: string): Json =>
  document.flows[0].pages.flatMap((page: Json) => page.widgets).find((widget: Json) => widget.id === id)

/** Translates every text of the document by copying it. */
export function translateDocument(document: Json): Json {
  const texts = listTranslatableTexts(toStoredDocument(document) as ConfigDocument)
  const entries = texts.map(({ path, text }) => [path, { text: `de ${text}`, sourceHash: hashSourceText(text), state: 'reviewed' }])
  return { ...document, translations: { de: Object.fromEntries(entries) } }
}

/** Applies edits, which must leave the document structurally valid. */
export function applyEdits(context: ReviewContext, operations: readonly ConfigOperation[]): ReviewContext {
  const document = toStoredDocument(applyOperationsSynchronously(context.document, operations).document)
  return { ...context, document, config: EventConfig.parse(document) }
}
