import { newId } from '../../../src/kernel/ids.ts'
import { createHotelAt } from '../../support/hotels.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { createGroup } from './groups.ts'
import { openRooms } from './housing.ts'
import { storeSheetFile } from './imports.ts'
import { event, registerNewParticipant } from './registration.ts'

const NIGHTS = ['2027-05-10', '2027-05-11']
let made = 0

/** A hotel with rooms of two types that no other example books. */
async function newHotel(stage: Stage): Promise<string> {
  await openRooms(stage)
  const nights = [{ from: '2027-05-10', until: '2027-05-12', rooms: 9, single: 15000 }]
  const types = ['king', 'twin'].map((code) => ({ code, name: code, maxOccupancy: 2, nights }))
  return createHotelAt(stage.world, stage.home, { code: `inn-${++made}`, name: stage.text(), contract: {}, roomTypes: types })
}

const line = (hotelId: string, rooms: number) => ({ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms })

async function newBlock(stage: Stage): Promise<{ hotelId: string; groupCode: string; blockId: string }> {
  const [{ code: groupCode }, hotelId] = [await createGroup(stage), await newHotel(stage)]
  const { block } = await stage.admin.call('assign_block_to_group', { ...event(stage), groupCode, rooms: [line(hotelId, 2)] })
  return { hotelId, groupCode, blockId: block.id }
}

/** Books a room and returns the id of its reservation. */
async function bookRoom(stage: Stage, hotelId: string): Promise<string> {
  const room = {
    '@housing.hotelId': hotelId,
    '@housing.roomTypeCode': 'king',
    '@housing.checkIn': '2027-05-10',
    '@housing.checkOut': '2027-05-12',
  }
  const { participant } = await registerNewParticipant(stage, { data: room })
  const { rows } = await stage.world.database.pool.query<{ id: string }>('select id from reservations where participant_id = $1', [
    participant.id,
  ])
  return rows[0]!.id
}

/** A job that moves reservations, before its first step. */
async function addMoveJob(stage: Stage): Promise<string> {
  const [jobId, to] = [newId(), await newHotel(stage)]
  const { write } = stage.world.database
  const at = { tenant_id: stage.home.tenantId, event_id: stage.home.eventId }
  await write
    .insertInto('jobs')
    .values({ ...at, id: jobId, name: 'move_hotel_reservations', input: '{}', created_by: 'olga', created_by_name: 'Olga' })
    .execute()
  const terms = { to: { hotelId: to }, order: 'newest', rate: 'keep', reason: stage.text(), named: true, missing: [] }
  await write
    .insertInto('hotel_moves')
    .values({ ...at, id: newId(), terms: JSON.stringify(terms), notify: false, job_id: jobId })
    .execute()
  return jobId
}

export const ROOM_BLOCKS_EXAMPLES: Examples = {
  assign_block_to_group: [
    async (stage) => {
      const [{ code: groupCode }, hotelId] = [await createGroup(stage, 1), await newHotel(stage)]
      const dates = { releaseOn: '2027-05-01', nameDeadlineOn: '2027-04-20' }
      return { ...event(stage), groupCode, rooms: [line(hotelId, 2)], name: stage.text(), paymentBy: 'master', ...dates }
    },
    async (stage) => {
      const { blockId, groupCode } = await newBlock(stage)
      await stage.admin.call('update_group_block', { ...event(stage), groupCode, detach: true })
      const { code } = await createGroup(stage)
      return { ...event(stage), groupCode: code, blockId, moveReservations: false }
    },
  ],
  update_group_block: [
    async (stage) => {
      const { hotelId, blockId } = await newBlock(stage)
      const set = [{ ...line(hotelId, 3), rate: { amount: '120.00', currency: 'EUR' } }]
      return { ...event(stage), blockId, name: stage.text(), note: stage.text(), sellStatus: 'changes', set, clear: ['releaseOn'] }
    },
    async (stage) => ({ ...event(stage), groupCode: (await newBlock(stage)).groupCode, detach: true }),
  ],
  move_hotel_reservations: [
    async (stage) => {
      const [from, to] = [await newHotel(stage), await newHotel(stage)]
      for (let guest = 0; guest < 3; guest++) await bookRoom(stage, from)
      return { ...event(stage), from: { hotelId: from }, to: { hotelId: to, roomTypeCode: 'twin' }, count: 2, reason: stage.text() }
    },
    async (stage) => {
      const { hotelId, blockId } = await newBlock(stage)
      const reservationIds = [await bookRoom(stage, hotelId)]
      return {
        ...event(stage),
        reservationIds,
        to: { hotelId, blockId },
        rate: 'new',
        order: 'oldest',
        reason: stage.text(),
        notify: false,
      }
    },
    async (stage) => {
      const [{ hotelId, blockId }, to] = [await newBlock(stage), await newHotel(stage)]
      const reservationIds = [await bookRoom(stage, hotelId)]
      await stage.admin.call('move_hotel_reservations', { ...event(stage), reservationIds, to: { hotelId, blockId }, reason: stage.text() })
      return { ...event(stage), from: { hotelId, blockId }, to: { hotelId: to }, typeMap: { king: 'twin' }, reason: stage.text() }
    },
    async (stage) => ({ ...event(stage), jobId: await addMoveJob(stage) }),
  ],
  move_hotel_inventory: [
    async (stage) => {
      const [from, to] = [await newHotel(stage), await newHotel(stage)]
      const places = { fromHotel: { hotelId: from, roomTypeCode: 'king' }, toHotel: { hotelId: to, roomTypeCode: 'twin' } }
      const fileId = await storeSheetFile(stage, stage.text())
      return { ...event(stage), ...places, nights: NIGHTS, rooms: 2, reason: stage.text(), fileId }
    },
    async (stage) => {
      const { hotelId, blockId } = await newBlock(stage)
      const places = { fromHotel: { hotelId, roomTypeCode: 'king', blockId }, toHotel: { hotelId, roomTypeCode: 'king' } }
      return { ...event(stage), ...places, nights: NIGHTS, rooms: 1, reason: stage.text() }
    },
    async (stage) => {
      const { hotelId, blockId } = await newBlock(stage)
      const places = { fromHotel: { hotelId, roomTypeCode: 'king' }, toHotel: { hotelId, roomTypeCode: 'king', blockId } }
      return { ...event(stage), ...places, nights: NIGHTS, rooms: 1, reason: stage.text() }
    },
  ],
}
