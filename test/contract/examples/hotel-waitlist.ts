import { newId } from '../../../src/kernel/ids.ts'
import { createHotelAt, buildRoomAnswers, contractRoomsPerNight } from '../../support/hotels.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { openRooms } from './housing.ts'
import { event, registerNewParticipant } from './registration.ts'

const NIGHT = { from: '2027-05-10', until: '2027-05-11' }
let made = 0

/** Puts a new participant on the waiting list of a hotel, whose rooms then become free. */
async function addEntry(stage: Stage): Promise<{ hotelId: string; entryId: string }> {
  await openRooms(stage)
  const { pool } = stage.world.database
  const { rows: events } = await pool.query<{ name: string }>('select name from events where id = $1', [stage.home.eventId])
  const hotelId = await createHotelAt(stage.world, stage.home, {
    code: `waited-${++made}`,
    name: `Waited ${made} of ${events[0]!.name}`,
    contract: {},
    roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2, nights: [{ ...NIGHT, rooms: 0, single: 18900 }] }],
  })
  const data = buildRoomAnswers(hotelId, NIGHT.from, NIGHT.until, { '@housing.waitlist': true })
  const { participant } = await registerNewParticipant(stage, { data })
  await contractRoomsPerNight((text, values) => pool.query(text, values), hotelId, 1)
  const { rows } = await pool.query<{ id: string }>('select id from hotel_waitlist_entries where participant_id = $1', [participant.id])
  return { hotelId, entryId: rows[0]!.id }
}

/** A job that fills a waiting list, before its first step. */
async function addJob(stage: Stage): Promise<string> {
  const jobId = newId()
  const { write } = stage.world.database
  const at = { tenant_id: stage.home.tenantId, event_id: stage.home.eventId }
  await write
    .insertInto('jobs')
    .values({ ...at, id: jobId, name: 'fill_hotel_waitlist', input: '{}', created_by: 'olga', created_by_name: 'Olga' })
    .execute()
  await write
    .insertInto('hotel_waitlist_fills')
    .values({ ...at, id: newId(), on_decline: 'offer', use_returned: false, job_id: jobId })
    .execute()
  return jobId
}

export const HOTEL_WAITLIST_EXAMPLES: Examples = {
  fill_hotel_waitlist: [
    async (stage) => {
      const { hotelId } = await addEntry(stage)
      return { ...event(stage), hotelId, roomTypeCode: 'king', count: 1, priorityTags: ['vip'], onDecline: 'skip' }
    },
    async (stage) => ({ ...event(stage), entryIds: [(await addEntry(stage)).entryId], useReturned: true }),
    async (stage) => ({ ...event(stage), jobId: await addJob(stage) }),
  ],
  remove_from_hotel_waitlist: async (stage) => ({
    ...event(stage),
    entryIds: [(await addEntry(stage)).entryId],
    reason: 'Found a room elsewhere',
    notify: true,
  }),
}
