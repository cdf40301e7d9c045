import { createExhibitorFixtures } from './companies.ts'
import { createHotelAt, buildRoomSections } from './hotels.ts'
import { readLatestCode } from './sign-in-codes.ts'
import { eventHomePath } from './own-pages.ts'
import type { SalesScenario } from './sales-scenario.ts'
import type { Served } from './server.ts'
import { type Visitor, visitor } from './visitor.ts'

/** The nights of the requests in these tests. The event is from 1 to 3 September 2026. */
export const REQUEST_NIGHTS = ['2026-08-31', '2026-09-01', '2026-09-02', '2026-09-03']

const rooms = buildRoomSections({
  minNights: 1,
  maxNights: 10,
  requests: { enabled: true, deadlineOn: '2026-06-30', amendUntil: '2026-07-20', acceptDays: 10, roomsPer10Sqm: 5 },
})

/** An event with rooms and room requests, and a flow for exhibitors, who may have ten free staff passes. */
export const REQUEST_SECTIONS = {
  ...rooms,
  details: {
    ...rooms.details,
    startsOn: '2026-09-01',
    endsOn: '2026-09-03',
    venue: { ...rooms.details.venue, latitude: 48.8566, longitude: 2.3522 },
  },
  exhibitorConfig: { staffAllotment: { base: 10 } },
  flows: [
    ...rooms.flows,
    {
      ...rooms.flows[0]!,
      slug: 'exhibitor',
      name: 'Exhibitors',
      kind: 'exhibitor',
      pages: [rooms.flows[0]!.pages[0]!, rooms.flows[0]!.pages.at(-1)!],
    },
  ],
}

/** Adds a hotel with this many king rooms on each of the four nights. */
export const createRequestHotel = (
  { world, event }: SalesScenario,
  { code, name, free, ...more }: { code: string; name: string; free: readonly number[]; [column: string]: unknown },
): Promise<string> =>
  createHotelAt(world, event, {
    code,
    name,
    contract: { cutoffOn: '2026-08-01', nameDeadlineOn: '2026-07-25', attrition: { method: 'cumulative', commitPercent: 80 } },
    roomTypes: [
      {
        code: 'king',
        name: 'King room',
        beds: ['king'],
        maxOccupancy: 2,
        nights: REQUEST_NIGHTS.map((night, index) => ({
          from: night,
          until: REQUEST_NIGHTS[index + 1] ?? '2026-09-04',
          rooms: free[index]!,
          single: 14800,
          double: 16800,
        })),
      },
    ],
    ...more,
  })

/** Creates a company and makes the given address its admin, as an organizer does. */
export async function createRequestCompany(scenario: SalesScenario, email: string, name: string): Promise<string> {
  const { id } = await createExhibitorFixtures(scenario.world, scenario.event).company({ name })
  await scenario.call('manage_exhibitors', {
    action: 'add',
    companyId: id,
    people: [{ firstName: 'Greta', lastName: 'Sommer', email, role: 'admin' }],
  })
  return id
}

/** Signs in to the pages of room requests with the code from the email. */
export async function signInToRequests(scenario: SalesScenario, served: Served, email: string): Promise<Visitor> {
  const who = visitor(served)
  const signIn = `${eventHomePath(scenario.event)}/housing/request/sign-in`
  await who.post(signIn, { email })
  const code = await readLatestCode(scenario.world, email)
  await who.post(`${signIn}/code`, { email, code }, { from: `${signIn}/code?email=${encodeURIComponent(email)}` })
  return who
}
