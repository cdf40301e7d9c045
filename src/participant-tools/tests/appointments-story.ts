import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type AccountHandle, createApiAccountAt, type PersonHandle, signInParticipantAt } from '../../../test/support/participants.ts'
import { createRegistrationFixtures } from '../../../test/support/registrations.ts'
import { type Exhibitors, createExhibitorFixtures } from '../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../test/support/world.ts'

export const EXHIBITORS = {
  exhibitorConfig: {
    meetingHours: [
      { day: '2027-05-11', from: '10:00', until: '12:00' },
      { day: '2027-05-11', from: '13:00', until: '14:10' },
    ],
  },
  customFields: [
    {
      code: 'topics',
      name: 'Topics',
      responseType: 'multiChoice' as const,
      choices: [
        { code: 'ai', name: 'Artificial intelligence' },
        { code: 'b2b', name: 'B2B' },
      ],
    },
    { code: 'diet', name: 'Diet', responseType: 'text' as const, sensitive: true },
  ],
}

interface AppointmentsStory {
  world: World
  event: EventHandle
  exhibitors: Exhibitors
  olga: OrganizerHandle
  account: AccountHandle
  /** A registered participant with a session. */
  createParticipant: (columns?: Record<string, unknown>) => Promise<PersonHandle & { id: string }>
  signedIn: (id: string) => Promise<PersonHandle & { id: string }>
}

/** A new event with exhibitors that take appointments, for every test. */
export function appointmentsStory(): AppointmentsStory {
  const scenario = {} as AppointmentsStory
  scenario.signedIn = (id) => signInParticipantAt(scenario.world, scenario.event, scenario.account, id)
  scenario.createParticipant = async (columns = {}) =>
    scenario.signedIn(await createRegistrationFixtures(scenario.world, scenario.event).person(columns))
  beforeAll(async () => void (scenario.world = await newWorld()))
  afterAll(() => scenario.world.end())
  beforeEach(async () => {
    const { world } = scenario
    await world.clock.stopAt('2027-05-01T08:00:00Z')
    const event = await world.event({ startsOn: '2027-05-11', endsOn: '2027-05-12', timezone: 'Europe/Berlin' })
    await world.database.pool.query('update events set test_mode = false where id = $1', [event.eventId])
    const exhibitors = createExhibitorFixtures(world, event)
    Object.assign(scenario, { event, exhibitors, olga: await world.organizer({ at: event }) })
    await exhibitors.publish(EXHIBITORS)
    scenario.account = await createApiAccountAt(world, event)
  })
  return scenario
}
