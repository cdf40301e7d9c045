import { afterAll, beforeAll } from 'vitest'
import { issueParticipantSession } from '../../domains/access/participant-sessions.ts'
import { type AccountHandle, createApiAccountAt, personHandle, type PersonHandle } from '../../../test/support/participants.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../../test/support/sales-scenario.ts'

const end = { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] }
const you = [
  { id: 'name', type: 'name' },
  { id: 'email', type: 'field', binding: '@participant.email', required: true },
]
const form = (more: object[] = []) => [{ code: 'you', title: 'You', widgets: [...you, ...more] }, end]

/** An event with questions of every type and flows of every kind. */
export const CONGRESS = {
  ...WORKED_EXAMPLE,
  customFields: [
    {
      code: 'diet',
      name: 'Diet',
      responseType: 'choice',
      choices: [
        { code: 'none', name: 'No wishes' },
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
        { code: 'kosher', name: 'Kosher', retired: true },
      ],
    },
    {
      code: 'topics',
      name: 'Topics',
      responseType: 'multiChoice',
      maxChoices: 2,
      choices: ['ai', 'law', 'art'].map((code) => ({ code, name: code.toUpperCase() })),
    },
    { code: 'allergies', name: 'Allergies', responseType: 'longText', sensitive: true },
    { code: 'arrival', name: 'Arrival', responseType: 'date', min: '2026-08-25', max: '2026-09-02' },
    { code: 'pass-copy', name: 'Copy of the pass', responseType: 'file', accept: ['application/pdf'] },
    { code: 'origin', name: 'Country of origin', responseType: 'country' },
    { code: 'years', name: 'Years in the field', responseType: 'number', integer: true, min: 0, max: 60 },
    { code: 'first-time', name: 'First time here', responseType: 'boolean' },
    { code: 'hotline', name: 'Phone on site', responseType: 'phone' },
    { code: 'rating', name: 'What we think of them', responseType: 'text' },
    { code: 'talk', name: 'Title of the talk', responseType: 'text' },
    { code: 'fax', name: 'Fax', responseType: 'phone', retired: true },
  ],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        {
          code: 'contact',
          title: 'You',
          widgets: [
            ...you,
            { id: 'company', type: 'field', binding: '@participant.company', label: 'Employer' },
            {
              id: 'title',
              type: 'field',
              binding: '@participant.jobTitle',
              required: true,
              showWhen: { all: [{ binding: '@participant.company', op: 'isSet' }] },
            },
            { id: 'address', type: 'address', countries: ['FR', 'DE', 'PT'] },
            { id: 'mobile', type: 'field', binding: '@participant.mobilePhone' },
            { id: 'language', type: 'field', binding: '@participant.language' },
            { id: 'photo', type: 'headshot' },
          ],
        },
        {
          code: 'more',
          title: 'More',
          widgets: [
            { id: 'diet', type: 'field', binding: '@custom.diet', label: 'What do you eat?', required: true, choices: ['vegan', 'none'] },
            { id: 'topics', type: 'field', binding: '@custom.topics' },
            { id: 'allergies', type: 'field', binding: '@custom.allergies' },
            { id: 'arrival', type: 'field', binding: '@custom.arrival' },
            { id: 'copy', type: 'field', binding: '@custom.pass-copy' },
            { id: 'origin', type: 'field', binding: '@custom.origin' },
            { id: 'years', type: 'field', binding: '@custom.years' },
            { id: 'first', type: 'field', binding: '@custom.first-time' },
            {
              id: 'hotline',
              type: 'field',
              binding: '@custom.hotline',
              required: true,
              visibleForTags: { type: 'all', required: ['vip'] },
            },
          ],
        },
        ...WORKED_EXAMPLE.flows[0]!.pages.slice(1),
      ],
    },
    { slug: 'members', name: 'Members', visibleForTags: { type: 'all', required: ['member'] }, pages: form() },
    { slug: 'press', name: 'Press', inviteOnly: true, pages: form() },
    { slug: 'speakers', name: 'Speakers', kind: 'speaker', pages: form([{ id: 'talk', type: 'field', binding: '@custom.talk' }]) },
    { slug: 'early', name: 'Early birds', closesAt: '2026-03-31T22:00:00Z', pages: form() },
    { slug: 'late', name: 'Last minute', opensAt: '2026-08-01T00:00:00Z', pages: form() },
    { slug: 'old', name: 'Of last year', retired: true, pages: form() },
    { slug: 'companions', name: 'Companions', kind: 'guest', pages: form() },
    { slug: 'delegations', name: 'Delegations', kind: 'group', pages: form() },
    { slug: 'crew', name: 'Crew', kind: 'staff', pages: form() },
  ],
}

export interface Congress extends SalesScenario {
  account: AccountHandle
  /** A person who has just verified this email address. */
  signIn: (email: string) => Promise<PersonHandle>
}

let people = 0
export const newEmail = () => `visitor-${++people}@example.org`

/** Creates the CONGRESS event in Paris with an assistant that may register people for it, shared by all tests of a file. */
export function congressStory(sections: object = CONGRESS): Congress {
  const scenario = {} as Congress
  beforeAll(async () => {
    const selling = await openSalesScenario(sections)
    const { world, event } = selling
    const account = await createApiAccountAt(world, event)
    Object.assign(scenario, selling, {
      account,
      signIn: async (email: string): Promise<PersonHandle> => {
        const at = { tenantId: event.tenantId, accountId: account.accountId, eventId: event.eventId, email }
        const { token } = await issueParticipantSession(world.database.write, at)
        return personHandle(world, { ...account, email, participantIds: [], session: token.reveal() })
      },
    })
  })
  afterAll(() => scenario.world.end())
  return scenario
}
