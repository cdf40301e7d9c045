import { createHotelAt } from '../../support/hotels.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const opened = new Map<string, Promise<void>>()

/** Creates three hotels once per event: they belong to the event, not to a participant. */
export function openRooms(stage: Stage): Promise<void> {
  const { eventId } = stage.home
  const opening = opened.get(eventId) ?? open(stage)
  opened.set(eventId, opening)
  return opening
}

async function open(stage: Stage): Promise<void> {
  const details = { contactEmail: 'olga@example.org', venue: { city: 'Paris', latitude: 48.86, longitude: 2.33 } }
  const sections = { housing: { enabled: true, seeAvailability: 'exact' }, details }
  await stage.admin.call('configure_event', { ...event(stage), sections })
  await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
  // Hotels carry the event's word, not the word of the participant who opened them first.
  const { rows } = await stage.world.database.pool.query<{ name: string }>('select name from events where id = $1', [stage.home.eventId])
  for (const [n, rooms] of [5, 1, 0].entries()) {
    await createHotelAt(stage.world, stage.home, {
      code: `house-${n}`,
      name: `House ${n} of ${rows[0]!.name}`,
      contract: {},
      latitude: 48.86 + n / 100,
      longitude: 2.33,
      loyaltyProgram: 'Stars',
      roomTypes: [
        {
          code: 'king',
          name: 'King',
          beds: ['king'],
          maxOccupancy: 2,
          nights: [{ from: '2027-05-09', until: '2027-05-15', rooms, single: 18900 + n }],
        },
      ],
    })
  }
}

/** The id of a hotel of the stage's event: codes are the same at every event. */
export async function hotelIdOf(stage: Stage, code: string): Promise<string> {
  await openRooms(stage)
  const { rows } = await stage.world.database.pool.query<{ id: string }>('select id from event_hotels where event_id = $1 and code = $2', [
    stage.home.eventId,
    code,
  ])
  return rows[0]!.id
}

export const HOUSING_EXAMPLES: Examples = {
  get_hotel_list: [
    async (stage) => {
      await openRooms(stage)
      return {}
    },
    async (stage) => {
      await openRooms(stage)
      return { checkIn: '2027-05-10', checkOut: '2027-05-13', occupants: 2, search: 'house' }
    },
  ],
  recommend_hotel: [
    async (stage) => {
      await openRooms(stage)
      return { participantId: stage.person.participantIds[0] }
    },
    async (stage) => {
      await openRooms(stage)
      const wishes = { bedType: 'king', smoking: false, accessible: false, loyaltyProgram: 'Stars', maxKm: 3 }
      return { checkIn: '2027-05-10', checkOut: '2027-05-13', occupants: 1, maxTotal: { amount: '2000.00', currency: 'EUR' }, wishes }
    },
  ],
}
