import type { CustomField, EventConfig } from './schema/event-config.ts'
import type { QuestionResponseType } from './schema/catalog.ts'

/**
 * A question about a participant, or a property of a participant. Flows, imports, exports, emails, badges and directories refer to it by
 * the same name.
 */
export interface DataField {
  binding: string
  flatKey: string
  entityPath: string
  label: string
  type: QuestionResponseType
  source: 'standard' | 'custom'
  customFieldCode?: string
  choices?: { code: string; name: string }[]
  validation: { min?: number | string; max?: number | string; pattern?: string; maxLength?: number; accept?: string[] }
  personal: boolean
  sensitive: boolean
  retired: boolean
}

/** The participant properties that conditions, merge fields and widgets can use. `tags` and `slug` are available to conditions only. */
const PARTICIPANT: Record<string, { label: string; type?: QuestionResponseType; max?: number; personal?: true }> = {
  prefix: { label: 'Prefix', max: 40 },
  firstName: { label: 'First name', max: 100 },
  lastName: { label: 'Last name', max: 100 },
  suffix: { label: 'Suffix', max: 40 },
  preferredName: { label: 'Preferred name', max: 100 },
  pronouns: { label: 'Pronouns', max: 40 },
  email: { label: 'Email', type: 'email', max: 254 },
  jobTitle: { label: 'Job title', max: 160 },
  company: { label: 'Company', max: 200 },
  department: { label: 'Department', max: 160 },
  bio: { label: 'Biography', type: 'longText', max: 5000 },
  headshot: { label: 'Photo', type: 'file' },
  website: { label: 'Website', type: 'url', max: 2000 },
  linkedin: { label: 'LinkedIn', type: 'url', max: 2000 },
  workPhone: { label: 'Work phone', type: 'phone', personal: true },
  mobilePhone: { label: 'Mobile phone', type: 'phone', personal: true },
  address1: { label: 'Address', max: 200, personal: true },
  address2: { label: 'Address, second line', max: 200, personal: true },
  city: { label: 'City', max: 120, personal: true },
  region: { label: 'State or region', max: 120, personal: true },
  postalCode: { label: 'Postal code', max: 20, personal: true },
  country: { label: 'Country', type: 'country', personal: true },
  language: { label: 'Language', max: 35 },
  dietary: { label: 'Dietary needs', type: 'longText', max: 1000, personal: true },
  accessibility: { label: 'Accessibility needs', type: 'longText', max: 1000, personal: true },
  emergencyName: { label: 'Emergency contact', max: 160, personal: true },
  emergencyPhone: { label: 'Emergency phone', type: 'phone', personal: true },
}

const HOUSING: Record<string, { label: string; type?: QuestionResponseType; max?: number }> = {
  hotelId: { label: 'Hotel', max: 63 },
  roomTypeCode: { label: 'Room type', max: 63 },
  checkIn: { label: 'Check-in', type: 'date' },
  checkOut: { label: 'Check-out', type: 'date' },
  occupants: { label: 'Guests in the room', type: 'number' },
  shareWith: { label: 'Shares with (email or confirmation number)', max: 254 },
  bedType: { label: 'Beds', max: 63 },
  smoking: { label: 'Smoking room', type: 'boolean' },
  requests: { label: 'Requests for the hotel', max: 500 },
  loyaltyNumber: { label: 'Loyalty number', max: 60 },
  waitlist: { label: 'Join the waiting list if full', type: 'boolean' },
}

export const HOUSING_PROPERTY_NAMES = Object.keys(HOUSING)

/** Hotel room properties of a participant as data fields. Forms ask for them only if the event has rooms. */
export const HOUSING_FIELDS: readonly DataField[] = Object.entries(HOUSING).map(([name, { label, type = 'text', max }]) => ({
  binding: `@housing.${name}`,
  flatKey: `housing_${name}`,
  entityPath: `housing.${name}`,
  label,
  type,
  source: 'standard',
  validation: { ...(max === undefined ? {} : { maxLength: max }), ...(name === 'occupants' ? { min: 1, max: 8 } : {}) },
  personal: true,
  sensitive: false,
  retired: false,
}))

// Uses Object.hasOwn, because every object inherits names such as `constructor`, which are not housing properties.
const housingType = (name: string): QuestionResponseType | null => (Object.hasOwn(HOUSING, name) ? (HOUSING[name]!.type ?? 'text') : null)
const participantType = (name: string): QuestionResponseType | null =>
  Object.hasOwn(PARTICIPANT, name) ? (PARTICIPANT[name]!.type ?? 'text') : null

export const PARTICIPANT_PROPERTY_NAMES = Object.keys(PARTICIPANT)

const STANDARD_FIELDS: readonly DataField[] = Object.entries(PARTICIPANT).map(([name, { label, type = 'text', max, personal }]) => ({
  binding: `@participant.${name}`,
  flatKey: `participant_${name}`,
  entityPath: `participant.${name}`,
  label,
  type,
  source: 'standard',
  validation: max === undefined ? {} : { maxLength: max },
  personal: personal ?? false,
  sensitive: name === 'dietary' || name === 'accessibility',
  retired: false,
}))

const MAX_LENGTHS: Partial<Record<QuestionResponseType, number>> = { text: 300, longText: 5000, email: 254, url: 2000 }

function customDataField(field: CustomField): DataField {
  const { min, max, pattern, accept } = field
  const maxLength = MAX_LENGTHS[field.responseType]
  return {
    binding: `@custom.${field.code}`,
    flatKey: `custom_${field.code}`,
    entityPath: `customFieldResponses.${field.code}`,
    label: field.name,
    type: field.responseType,
    source: 'custom',
    customFieldCode: field.code,
    ...(field.choices.length > 0 ? { choices: field.choices.filter((c) => !c.retired).map(({ code, name }) => ({ code, name })) } : {}),
    validation: {
      ...(min === null ? {} : { min }),
      ...(max === null ? {} : { max }),
      ...(pattern === null ? {} : { pattern }),
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(accept.length > 0 ? { accept } : {}),
    },
    personal: field.personal,
    sensitive: field.sensitive,
    retired: field.retired,
  }
}

/** Lists the participant properties, then the event's custom fields in their configured order. */
export const listParticipantDataFields = (config: Pick<EventConfig, 'customFields'>): DataField[] => [
  ...STANDARD_FIELDS,
  ...config.customFields.map(customDataField),
]

const TOKENS: Record<string, readonly string[]> = {
  participant: [...PARTICIPANT_PROPERTY_NAMES, 'fullName', 'confirmationNumber', 'badgeId', 'status'],
  event: [
    'name',
    'code',
    'startsOn',
    'endsOn',
    'dates',
    'summary',
    'venue',
    'address',
    'city',
    'country',
    'website',
    'contactEmail',
    'url',
  ],
  order: ['number', 'total', 'paid', 'balance', 'dueOn', 'invoiceNumber', 'receiptNumber', 'amount', 'currency'],
  links: [
    'myRegistration',
    'register',
    'invite',
    'pay',
    'survey',
    'offer',
    'exhibitorPortal',
    'blockRequest',
    'webView',
    'preferences',
    'unsubscribe',
  ],
  contact: ['firstName', 'lastName', 'fullName', 'email', 'company'],
  company: ['name', 'boothNumber', 'contactName'],
  speaker: ['firstName', 'lastName', 'fullName', 'sessionTitle'],
  group: ['name', 'code', 'inviter', 'joinCode'],
  invite: ['code', 'expiresAt', 'inviter', 'message'],
  housing: [...HOUSING_PROPERTY_NAMES, 'hotelName', 'ackNumber', 'hotelConfirmationNumber', 'deadline'],
  sender: ['name', 'email'],
  product: ['name', 'price', 'deadline'],
  session: ['title', 'startsAt', 'room', 'reason'],
  submission: ['number', 'title', 'decision', 'deadline'],
  application: ['number', 'amount', 'until'],
  block: [
    'name',
    'deadline',
    'unbooked',
    'number',
    'requester',
    'roomNights',
    'granted',
    'released',
    'firstNight',
    'lastNight',
    'hotels',
    'acceptBy',
    'decision',
    'reason',
  ],
  appointment: ['startsAt', 'booth', 'company', 'with', 'shared', 'message', 'reason'],
}

/** Lists the merge fields that emails may contain between double braces, without fallback: `participant.firstName`, `custom.diet`. */
export function listMergeFieldNames(config: Pick<EventConfig, 'customFields'>): Set<string> {
  const fixed = Object.entries(TOKENS).flatMap(([entity, names]) => names.map((name) => `${entity}.${name}`))
  return new Set([...fixed, ...config.customFields.map(({ code }) => `custom.${code}`)])
}

type Catalog = Pick<EventConfig, 'customFields' | 'products' | 'policies'>

/** Returns a function that looks up the answer type of a binding (such as `@custom.diet`), or null if the binding is not a data field. */
export function getAnswerTypeLookup(config: Catalog): BindingTypeLookup {
  const known = types.get(config) ?? buildTypeLookup(config)
  types.set(config, known)
  return known
}

type BindingTypeLookup = (binding: string) => QuestionResponseType | 'list' | null
const types = new WeakMap<Catalog, BindingTypeLookup>()

function buildTypeLookup(config: Catalog): BindingTypeLookup {
  const fields = new Map(config.customFields.map(({ code, responseType }) => [code, responseType]))
  const products = new Set(config.products.map(({ code }) => code))
  const policies = new Set(config.policies.map(({ code }) => code))
  return (binding) => {
    const [entity, name = '', rest] = binding.slice(1).split('.')
    if (entity === 'custom') return fields.get(name) ?? null
    if (entity === 'participant') return name === 'tags' ? 'list' : participantType(name)
    if (entity === 'product') return products.has(name) ? 'number' : null
    if (entity === 'policy') return policies.has(name) ? 'boolean' : null
    if (entity === 'housing') return housingType(name)
    if (entity === 'guest') return /^\d+$/.test(name) && rest !== undefined && participantType(rest) ? 'text' : null
    if (entity === 'session') return name !== '' ? 'boolean' : null
    return binding === '@discount.code' || binding === '@flow.slug' ? 'text' : null
  }
}

export const findAnswerType = (config: Catalog, binding: string) => getAnswerTypeLookup(config)(binding)
