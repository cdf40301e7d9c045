import { chooseTranslator } from '../../kernel/language/translator.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { LEAD_FIELDS } from '../configuration/schema/widgets.ts'
import { formatCountryForEmail } from '../messages/event-mail/person.ts'
import { isFieldSharedWithExhibitors } from '../configuration/sharing.ts'
import type { LeadFieldName, PersonVisibleToExhibitors } from './visibility.ts'

interface ExampleLead extends PersonVisibleToExhibitors {
  leadId: string
  badgeId: string
  source: 'sdk'
  captures: 1
  firstCapturedAt: Date
  lastCapturedAt: Date
}

export interface SampleLead extends ExampleLead {
  isTest: true
}

export interface TestLead extends ExampleLead {
  testEvent: true
}

/** As an activation code, this code selects the built-in test event; as a device token, the built-in test device. */
export const TEST_DEVICE_CODE = '0'

const EXAMPLE_CONTACT = {
  company: 'Example Company',
  website: 'https://example.com',
  workPhone: '+1 202 555 0100',
  mobilePhone: '+1 202 555 0101',
}
const SAMPLE_LEAD_ID = '0'.repeat(24)

const capturedOnce = (now: Date) => ({ source: 'sdk', captures: 1, firstCapturedAt: now, lastCapturedAt: now }) as const

/** The lead that a scanner shows for the sample badge, with default sharing settings. Built without database access. */
export function buildSampleLead(
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>,
  { now, firstDay, locale, baseUrl }: { now: Date; firstDay: string; locale: string; baseUrl: string },
): SampleLead {
  const picture = `${baseUrl}/assets/sample-headshot.png`
  const values: Record<LeadFieldName, string> = {
    firstName: 'Sample',
    lastName: 'Attendee',
    email: 'sample.attendee@example.com',
    jobTitle: 'Head of Events',
    bio: 'This is a sample lead.',
    headshot: picture,
    ...EXAMPLE_CONTACT,
  }
  const sees = (field: string) => isFieldSharedWithExhibitors(config, {}, field)
  return {
    leadId: SAMPLE_LEAD_ID,
    badgeId: '0',
    ...capturedOnce(now),
    fields: Object.fromEntries(LEAD_FIELDS.filter(sees).map((field) => [field, values[field]])),
    customFields: config.customFields
      .filter(({ code, retired }) => !retired && sees(`cf:${code}`))
      .flatMap((field) => {
        const value = sampleAnswer(field, firstDay, locale)
        return value === null ? [] : [{ code: field.code, label: field.name, value }]
      }),
    ...(sees('headshot') ? { photoUrl: picture } : {}),
    isTest: true,
  }
}

/** A lead of the built-in test event for scanner developers. Built without database access. */
export const buildTestLead = (badgeId: string, now: Date): TestLead => ({
  leadId: 'test-lead',
  badgeId,
  ...capturedOnce(now),
  fields: { firstName: 'Test', lastName: 'Attendee', email: 'test.attendee@example.com', jobTitle: 'Event Manager', ...EXAMPLE_CONTACT },
  customFields: [],
  testEvent: true,
})

/** Returns a sample answer to a custom question; null for files, which are never shown. */
function sampleAnswer({ responseType, choices }: CustomField, firstDay: string, locale: string): string | null {
  switch (responseType) {
    case 'choice':
    case 'multiChoice':
      return choices.find(({ retired }) => !retired)?.name ?? null
    case 'number':
      return '42'
    case 'boolean':
      return chooseTranslator(locale).say('yes')
    case 'date':
      return firstDay
    case 'country':
      return formatCountryForEmail('US', locale)
    case 'email':
      return 'sample.attendee@example.com'
    case 'phone':
      return EXAMPLE_CONTACT.workPhone
    case 'url':
      return EXAMPLE_CONTACT.website
    case 'file':
      return null
    default:
      return 'Sample answer'
  }
}
