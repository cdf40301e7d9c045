import { requestBlockAmendment } from '../../../src/domains/block-requests/answer.ts'
import { submitRequest } from '../../../src/domains/block-requests/submit.ts'
import { inEventTransaction } from '../../../test/support/hotels.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, findSummit, SUMMIT_SCOPE } from './example.ts'

const NIGHTS = ['2027-05-10', '2027-05-11', '2027-05-12']
const ROOMS = { hotelId: 'ribeira', roomTypeCode: 'king', nights: NIGHTS, rooms: 3 }

/** A group that has asked for three rooms on three nights. */
async function requested(stage: DemoScenario, name: string): Promise<string> {
  const email = `${name.toLowerCase()}@groups.demo.example`
  const { group } = await stage.call('create_managed_group', { ...SUMMIT_SCOPE, name, kind: 'company', payBy: 'members', flowSlug: 'attendee', admins: [{ email, name: 'Teresa Nunes' }] })
  const row = await inEventTransaction(stage.world, await findSummit(stage), (ctx) =>
    submitRequest(
      ctx,
      { groupId: group.id, name: 'Teresa Nunes', email, isTestData: false },
      { profile: NIGHTS.map((night) => ({ night, rooms: 3 })), roomTypes: [], hotelPreferences: [], keepTogether: true, paymentBy: 'guest' },
    ),
  )
  return row.id
}

async function allocated(stage: DemoScenario, name: string): Promise<string> {
  const requestId = await requested(stage, name)
  await stage.call('allocate_block_request_rooms', { ...SUMMIT_SCOPE, requestId, allocations: [ROOMS] })
  return requestId
}

async function amended(stage: DemoScenario, name: string): Promise<string> {
  const requestId = await allocated(stage, name)
  const changes = [{ night: NIGHTS[0]!, delta: 1 }]
  return (await inEventTransaction(stage.world, await findSummit(stage), (ctx) => requestBlockAmendment(ctx, requestId, { changes, reason: 'One more colleague' }))).id
}

export const BLOCK_REQUESTS_EXAMPLES: Examples = {
  list_block_requests: () => ({ ...SUMMIT_SCOPE, status: ['submitted', 'partiallyAllocated'] }),
  get_block_request: async (stage) => ({ ...SUMMIT_SCOPE, requestId: await requested(stage, 'Arcada') }),
  allocate_block_request_rooms: async (stage) => ({ ...SUMMIT_SCOPE, requestId: await requested(stage, 'Belver'), allocations: [ROOMS] }),
  update_block_request_allocation: async (stage) => ({ ...SUMMIT_SCOPE, requestId: await allocated(stage, 'Cetus'), set: [{ ...ROOMS, rooms: 2 }] }),
  release_block_request_allocation: async (stage) => ({ ...SUMMIT_SCOPE, requestId: await allocated(stage, 'Dornes'), rooms: 1, reason: 'One colleague stays at home' }),
  approve_block_request_amendment: async (stage) => ({ ...SUMMIT_SCOPE, amendmentId: await amended(stage, 'Ericeira'), notify: false }),
  deny_block_request_amendment: async (stage) => ({ ...SUMMIT_SCOPE, amendmentId: await amended(stage, 'Foz'), reason: 'The night is sold out', notify: false }),
  close_block_request: async (stage) => ({ ...SUMMIT_SCOPE, requestId: await allocated(stage, 'Guincho'), reason: 'The group does not come' }),
  reactivate_block_request: async (stage) => {
    const requestId = await allocated(stage, 'Helios')
    await stage.call('close_block_request', { ...SUMMIT_SCOPE, requestId, reason: 'The group does not come' })
    return { ...SUMMIT_SCOPE, requestId }
  },
}
