import { wordsIn } from '../../kernel/language/words.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { LEAD_FIELDS } from '../configuration/schema/widgets.ts'
import { countryName } from '../messages/event-mail/person.ts'
import { isShared } from '../configuration/sharing.ts'
import type { LeadFieldName, VisiblePerson } from './visibility.ts'

interface Sampled extends VisiblePerson {
  leadId: string
  badgeId: string
  source: 'sdk'
  captures: 1
  firstCapturedAt: Date
  lastCapturedAt: Date
}

export interface SampleLead extends Sampled {
  isTest: true
}

export interface TestLead extends Sampled {
  testEvent: true
}

/** As an activation code it opens the event that always exists, and as a device's token the device that is always there. */
export const TEST_CODE = '0'

const CONTACT = {
  company: 'Example Company',
  website: 'https://example.com',
  workPhone: '+1 202 555 0100',
  mobilePhone: '+1 202 555 0101',
}
const NOBODY = '0'.repeat(24)

const scannedOnce = (now: Date) => ({ source: 'sdk', captures: 1, firstCapturedAt: now, lastCapturedAt: now }) as const

/** What a scanner would show of somebody who leaves everything as the organizer set it. Nobody is looked up, nothing is kept. */
export function sampleLead(
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
    ...CONTACT,
  }
  const sees = (field: string) => isShared(config, {}, field)
  return {
    leadId: NOBODY,
    badgeId: '0',
    ...scannedOnce(now),
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

/** An event that always exists, for whoever builds a scanner. The time is that of whoever answers: no database is asked. */
export const testLead = (badgeId: string, now: Date): TestLead => ({
  leadId: 'test-lead',
  badgeId,
  ...scannedOnce(now),
  fields: { firstName: 'Test', lastName: 'Attendee', email: 'test.attendee@example.com', jobTitle: 'Event Manager', ...CONTACT },
  customFields: [],
  testEvent: true,
})

/** Of a file nothing is shown. */
function sampleAnswer({ responseType, choices }: CustomField, firstDay: string, locale: string): string | null {
  switch (responseType) {
    case 'choice':
    case 'multiChoice':
      return choices.find(({ retired }) => !retired)?.name ?? null
    case 'number':
      return '42'
    case 'boolean':
      return wordsIn(locale).say('yes')
    case 'date':
      return firstDay
    case 'country':
      return countryName('US', locale)
    case 'email':
      return 'sample.attendee@example.com'
    case 'phone':
      return CONTACT.workPhone
    case 'url':
      return CONTACT.website
    case 'file':
      return null
    default:
      return 'Sample answer'
  }
}
