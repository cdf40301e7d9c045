import {
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  type DraftScenario,
  buildFlowEdit,
  buildProductEdit,
  buildTagEdit,
} from '../../../../test/support/draft-scenario.ts'
import { type Registrations, createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { beforeEach } from 'vitest'

const CONTACT_PAGE = {
  code: 'contact',
  title: 'Contact',
  widgets: [
    { id: 'w1', type: 'name' },
    { id: 'w2', type: 'field', binding: '@participant.email', required: true },
  ],
}
const DONE = { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] }

/** A published event with registrations inserted directly, and an administrator who reads them. */
export interface Desk extends DraftScenario, Registrations {}

export function deskScenario(options?: Parameters<typeof useDraftScenario>[0]): Desk {
  const scenario = useDraftScenario(options) as Desk
  beforeEach(async () => {
    await scenario.set([
      CONTACT_EMAIL_EDIT,
      buildTagEdit('member'),
      buildTagEdit('vip'),
      buildProductEdit('pass', { prices: [{ amount: '750.00' }], capacity: 100 }),
      buildProductEdit('dinner', { category: 'meal', prices: [{ amount: '89.00' }], perPerson: 5 }),
      {
        op: 'insert',
        path: '/customFields/shirt',
        value: {
          name: 'Shirt',
          responseType: 'choice',
          choices: [
            { code: 'm', name: 'M' },
            { code: 'l', name: 'L' },
          ],
        },
      },
      {
        op: 'insert',
        path: '/customFields/topics',
        value: {
          name: 'Topics',
          responseType: 'multiChoice',
          choices: [
            { code: 'ai', name: 'AI' },
            { code: 'law', name: 'Law' },
          ],
        },
      },
      { op: 'insert', path: '/customFields/years', value: { name: 'Years', responseType: 'number' } },
      { op: 'insert', path: '/customFields/club', value: { name: 'Club', responseType: 'text' } },
      buildFlowEdit('attendee', [
        CONTACT_PAGE,
        { code: 'choice', title: 'Your choice', widgets: [{ id: 'w3', type: 'products', products: ['pass', 'dinner'] }] },
        { code: 'pay', title: 'Pay', widgets: [{ id: 'w4', type: 'payment', methods: ['bank'] }] },
        DONE,
      ]),
      buildFlowEdit('speaker', [CONTACT_PAGE, DONE], { kind: 'speaker' }),
    ])
    await scenario.call('publish_event')
    Object.assign(scenario, createRegistrationFixtures(scenario.world, scenario.event))
  })
  return scenario
}

export const listParticipantIds = (answer: { participants: { id: string }[] }) => answer.participants.map(({ id }) => id)
export const listParticipantNames = (answer: { participants: { name: string }[] }) => answer.participants.map(({ name }) => name)
