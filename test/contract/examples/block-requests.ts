import { requestBlockAmendment } from '../../../src/domains/block-requests/answer.ts'
import { submitRequest } from '../../../src/domains/block-requests/submit.ts'
import { inEventTransaction } from '../../support/hotels.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { hotelIdOf, openRooms } from './housing.ts'
import { createGroup } from './groups.ts'
import { event } from './registration.ts'

const NIGHTS = ['2027-05-11', '2027-05-12']
let made = 0

/** Creates a group whose request for one room was submitted. */
async function newRequest(stage: Stage): Promise<string> {
  await openRooms(stage)
  await stage.admin.call('configure_event', {
    ...event(stage),
    sections: { housing: { enabled: true, seeAvailability: 'exact', requests: { enabled: true } } },
  })
  await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
  const email = `rooms-${++made}@example.org`
  const group = await createGroup(stage, 0, { admins: [{ email, name: 'Greta' }] })
  const { id } = await inEventTransaction(stage.world, stage.home, (ctx) =>
    submitRequest(
      ctx,
      { groupId: group.id, name: 'Greta', email, isTestData: false },
      {
        profile: NIGHTS.map((night) => ({ night, rooms: 1 })),
        roomTypes: [],
        hotelPreferences: [],
        keepTogether: true,
        paymentBy: 'guest',
      },
    ),
  )
  return id
}

const lineAt = async (stage: Stage) => ({ hotelId: await hotelIdOf(stage, 'house-0'), roomTypeCode: 'king', nights: NIGHTS, rooms: 1 })

async function allocated(stage: Stage): Promise<string> {
  const requestId = await newRequest(stage)
  // Earlier examples may have used up the rooms.
  await stage.admin.call('amend_contract', {
    ...event(stage),
    hotelId: await hotelIdOf(stage, 'house-0'),
    nights: [{ roomTypeCode: 'king', nights: NIGHTS, delta: 2 }],
    reason: 'More rooms for the examples',
  })
  await stage.admin.call('allocate_block_request_rooms', { ...event(stage), requestId, allocations: [await lineAt(stage)] })
  return requestId
}

async function amended(stage: Stage): Promise<string> {
  const requestId = await allocated(stage)
  const changes = [{ night: NIGHTS[0]!, delta: 1 }]
  return (await inEventTransaction(stage.world, stage.home, (ctx) => requestBlockAmendment(ctx, requestId, { changes }))).id
}

export const BLOCK_REQUESTS_EXAMPLES: Examples = {
  list_block_requests: [
    async (stage) => {
      for (let request = 0; request < 3; request++) await newRequest(stage)
      return event(stage)
    },
    async (stage) => {
      for (let request = 0; request < 3; request++) await allocated(stage)
      return { ...event(stage), hotelId: await hotelIdOf(stage, 'house-0'), status: ['allocated'], sort: 'number' }
    },
  ],
  get_block_request: [async (stage) => ({ ...event(stage), requestId: await allocated(stage) })],
  allocate_block_request_rooms: [
    async (stage) => ({ ...event(stage), requestId: await newRequest(stage), allocations: [await lineAt(stage)], notify: true }),
    async (stage) => ({
      ...event(stage),
      auto: true,
      requestIds: [await newRequest(stage)],
      hotelIds: [await hotelIdOf(stage, 'house-0')],
    }),
  ],
  update_block_request_allocation: [
    async (stage) => ({ ...event(stage), requestId: await allocated(stage), set: [{ ...(await lineAt(stage)), rooms: 0 }], notify: true }),
  ],
  release_block_request_allocation: [
    async (stage) => ({ ...event(stage), requestId: await allocated(stage), reason: 'not needed' }),
    async (stage) => ({
      ...event(stage),
      requestId: await allocated(stage),
      hotelId: await hotelIdOf(stage, 'house-0'),
      reason: 'not needed',
    }),
  ],
  approve_block_request_amendment: [
    async (stage) => ({ ...event(stage), amendmentId: await amended(stage), partial: true }),
    async (stage) => ({
      ...event(stage),
      amendmentId: await amended(stage),
      allocations: [{ ...(await lineAt(stage)), nights: [NIGHTS[0]!] }],
      partial: true,
    }),
  ],
  deny_block_request_amendment: [async (stage) => ({ ...event(stage), amendmentId: await amended(stage), reason: 'No rooms left' })],
  close_block_request: [async (stage) => ({ ...event(stage), requestId: await allocated(stage), reason: 'Cancelled', notify: true })],
  reactivate_block_request: [
    async (stage) => {
      const requestId = await allocated(stage)
      await stage.admin.call('close_block_request', { ...event(stage), requestId })
      return { ...event(stage), requestId, partial: true }
    },
  ],
}
