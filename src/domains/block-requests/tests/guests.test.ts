import { describe, expect, it } from 'vitest'
import { addDays } from '../../../kernel/time.ts'
import { acceptAllocatedRooms } from '../answer.ts'
import {
  listBlockGuests,
  MAX_LISTED_GUESTS,
  type BlockGuestInput,
  assignBlockRoomToGuest,
  assignBlockRoomsToGuests,
  removeBlockGuest,
} from '../guests.ts'
import { getBlockRequestRow } from '../requests.ts'
import { setUpRequestsScenario } from './requests-scenario.ts'

const { story, at, newNights, newHotel, newCompany, newGroup, submit, profileOf, counts, mails, sound } = setUpRequestsScenario()

let made = 0
const BY = 'greta@example.org'

interface Accepted {
  requestId: string
  hotelId: string
  nights: string[]
  guest: (more?: Partial<BlockGuestInput>) => BlockGuestInput
}

/** Creates an accepted request with this many rooms on three nights. */
async function accepted(who: { companyId: string } | { groupId: string }, rooms = 3, by = BY): Promise<Accepted> {
  const nights = newNights(3)
  const hotelId = await newHotel(nights, [10, 10, 10])
  const { id: requestId } = await submit(who, { profile: profileOf(nights, [rooms]) }, by)
  await story.call('allocate_block_request_rooms', { requestId, allocations: [{ hotelId, roomTypeCode: 'king', nights, rooms }] })
  await at((ctx) => acceptAllocatedRooms(ctx, requestId))
  const guest = (more: Partial<BlockGuestInput> = {}): BlockGuestInput => ({
    firstName: 'Gesa',
    lastName: `Guest ${++made}`,
    email: `gesa.${made}@guests.example`,
    hotelId,
    roomTypeCode: 'king',
    checkIn: nights[0]!,
    checkOut: addDays(nights[2]!, 1),
    occupants: 1,
    ...more,
  })
  return { requestId, hotelId, nights, guest }
}

const name = (requestId: string, guest: BlockGuestInput, by = BY) => at((ctx) => assignBlockRoomToGuest(ctx, requestId, guest, by))
const listGuests = (requestId: string) => at(async (ctx) => listBlockGuests(ctx, await getBlockRequestRow(ctx, { requestId })))
/** Returns the key of the message that explains why a guest was rejected. */
const refusal = async (run: Promise<unknown>) => {
  const error: any = await run.then(
    () => null,
    (reason: unknown) => reason,
  )
  return [error?.code, error?.details?.fields?.[0]?.reason?.key]
}
const query = async <T extends object>(text: string, ...values: unknown[]) => (await story.world.database.pool.query<T>(text, values)).rows

describe('nameGuest for a company', () => {
  it('registers a guest as booth staff with a free pass and a room of the block', async () => {
    const companyId = await newCompany()
    const { requestId, hotelId, guest } = await accepted({ companyId })
    const given = guest()
    await name(requestId, given)
    const [row] = await query<any>('select id, company_id, flow_slug, status from participants where email = $1', given.email)
    expect(row).toMatchObject({ company_id: companyId, flow_slug: 'exhibitor', status: 'complete' })
    expect(await query('select role, pass, status from exhibitor_staff where participant_id = $1', row.id)).toEqual([
      { role: 'staff', pass: 'free', status: 'registered' },
    ])
    expect(await query('select booked, held from block_nights where hotel_id = $1', hotelId)).toEqual(Array(3).fill({ booked: 1, held: 0 }))
    expect((await counts(hotelId)).map(([, , allocated, booked]) => [allocated, booked])).toEqual(Array(3).fill([3, 0]))
    expect((await mails(given.email)).map(({ code }) => code)).toEqual(['housing.confirmed'])
    await sound()
  })

  it('books a room for as many people as the guest states, up to the maximum of the room type', async () => {
    const { requestId, guest } = await accepted({ companyId: await newCompany() })
    expect(await refusal(name(requestId, guest({ occupants: 3 })))).toEqual(['invalid_arguments', 'error.occupants'])
    expect(await refusal(name(requestId, guest({ occupants: Number('two') })))).toEqual(['invalid_arguments', 'error.occupants'])
    await name(requestId, guest({ occupants: 2 }))
    expect((await listGuests(requestId)).map(({ occupants }) => occupants)).toEqual([2])
  })

  it('accepts guests who are registered without a company, and rejects guests of another company', async () => {
    const [companyId, otherId] = [await newCompany(), await newCompany()]
    const { requestId, guest } = await accepted({ companyId })
    const { participant: free } = await story.register({ pass: 1 })
    const { participant: taken } = await story.register({ pass: 1 })
    await query('update participants set company_id = $1 where id = $2', otherId, taken.id)
    await name(requestId, guest({ email: free.email }))
    expect(await query('select company_id from participants where id = $1', free.id)).toEqual([{ company_id: companyId }])
    expect(await refusal(name(requestId, guest({ email: taken.email })))).toEqual(['invalid_arguments', 'error.guestElsewhere'])
    expect(await query('select company_id from participants where id = $1', taken.id)).toEqual([{ company_id: otherId }])
    expect(await listGuests(requestId)).toHaveLength(1)
  })

  it('buys no pass for a guest: without a free pass, the guest must first be added in the portal', async () => {
    const companyId = await newCompany()
    const { requestId, guest } = await accepted({ companyId })
    const [first, second, third] = [guest(), guest(), guest()]
    await name(requestId, first)
    await name(requestId, second)
    const lines = `select count(*)::int as figure from order_lines`
    const before = await story.queryNumber(lines)
    expect(await refusal(name(requestId, third))).toEqual(['invalid_arguments', 'error.guestPass'])
    expect(await story.queryNumber(lines)).toBe(before)
    expect(await query('select id from participants where email = $1', third.email)).toEqual([])
    // Control: with one more free pass the same guest gets a room.
    await story.call('manage_exhibitors', { action: 'set_allotment', companyId, extra: 1, reason: 'One more colleague' })
    await name(requestId, third)
    expect(await listGuests(requestId)).toHaveLength(3)
  })
})

describe('assignBlockRoomToGuest', () => {
  it('rejects guests with an incomplete name, an invalid address, invalid dates or another room', async () => {
    const { requestId, nights, guest } = await accepted({ groupId: (await newGroup()).id })
    const by = (await query<{ email: string }>('select email from group_admins order by created_at desc limit 1'))[0]!.email
    const given = guest()
    await name(requestId, given, by)
    const cases: [Partial<BlockGuestInput>, string][] = [
      [{ firstName: '' }, 'error.guestName'],
      [{ email: 'nowhere' }, 'error.email'],
      [{ checkIn: '' }, 'error.roomDays'],
      [{ checkOut: nights[0]! }, 'error.departure'],
      [{ email: given.email }, 'error.guestHasRoom'],
    ]
    for (const [wrong, key] of cases) expect(await refusal(name(requestId, guest(wrong), by))).toEqual(['invalid_arguments', key])
    expect(await listGuests(requestId)).toHaveLength(1)
  })

  it('gives a guest only a room of the block, even if the hotel has other free rooms', async () => {
    const { requestId, hotelId, nights, guest } = await accepted({ companyId: await newCompany() }, 1)
    await name(requestId, guest())
    const late = guest({ checkIn: nights[2]!, checkOut: addDays(nights[2]!, 1) })
    expect(await refusal(name(requestId, late))).toEqual(['limit_exceeded', 'error.nightFull'])
    expect(await query('select id from participants where email = $1', late.email)).toEqual([])
    expect((await counts(hotelId)).map(([, , , booked]) => booked)).toEqual([0, 0, 0])
    await sound()
  })

  it('rejects guests of a block request that is not accepted', async () => {
    const { requestId, guest } = await accepted({ companyId: await newCompany() })
    await story.call('close_block_request', { requestId })
    expect(await refusal(name(requestId, guest()))).toEqual(['precondition_failed', undefined])
  })
})

describe('assignBlockRoomsToGuests', () => {
  it('gives rooms to all guests of a guest list or to none, and reports every invalid row', async () => {
    const { requestId, guest } = await accepted({ companyId: await newCompany() })
    const list = [guest(), guest({ email: 'nowhere' }), guest({ lastName: '' })]
    const error: any = await at((ctx) => assignBlockRoomsToGuests(ctx, requestId, list, BY)).catch((reason: unknown) => reason)
    expect(error.details.fields.map(({ path, reason }: any) => [path, reason.key])).toEqual([
      ['1/email', 'error.email'],
      ['2/lastName', 'error.guestName'],
    ])
    expect(await listGuests(requestId)).toEqual([])
    expect(await query('select id from participants where email = $1', list[0]!.email)).toEqual([])
    await at((ctx) => assignBlockRoomsToGuests(ctx, requestId, [list[0]!, guest()], BY))
    expect(await listGuests(requestId)).toHaveLength(2)
    await sound()
  })

  it('counts the rooms that earlier rows of the guest list take', async () => {
    const { requestId, guest, nights } = await accepted({ companyId: await newCompany() }, 1)
    const error: any = await at((ctx) => assignBlockRoomsToGuests(ctx, requestId, [guest(), guest()], BY)).catch(
      (reason: unknown) => reason,
    )
    expect(error.details.fields.map(({ path, reason }: any) => [path, reason.key])).toEqual(
      nights.map(() => ['1/checkIn', 'error.nightFull']),
    )
    expect(await listGuests(requestId)).toEqual([])
  })

  it('rejects a guest list of more than 500 guests', async () => {
    const { requestId, guest } = await accepted({ companyId: await newCompany() })
    const list = Array.from({ length: MAX_LISTED_GUESTS + 1 }, () => guest())
    expect(await refusal(at((ctx) => assignBlockRoomsToGuests(ctx, requestId, list, BY)))).toEqual(['invalid_arguments', 'error.guestList'])
  })
})

describe('removeBlockGuest', () => {
  it('returns the room of a removed guest to the block, and rejects guests of other blocks', async () => {
    const [own, other] = [await accepted({ companyId: await newCompany() }, 1), await accepted({ companyId: await newCompany() }, 1)]
    const given = own.guest()
    await name(own.requestId, given)
    const { reservationId } = (await listGuests(own.requestId))[0]!
    await expect(at((ctx) => removeBlockGuest(ctx, other.requestId, reservationId))).rejects.toMatchObject({ code: 'not_found' })
    await at((ctx) => removeBlockGuest(ctx, own.requestId, reservationId))
    expect(await listGuests(own.requestId)).toEqual([])
    expect(await query('select rooms, booked from block_nights where hotel_id = $1', own.hotelId)).toEqual(
      Array(3).fill({ rooms: 1, booked: 0 }),
    )
    expect((await mails(given.email)).map(({ code }) => code)).toEqual(['housing.confirmed', 'housing.cancelled'])
    await name(own.requestId, own.guest({ email: given.email, firstName: given.firstName, lastName: given.lastName }))
    expect(await listGuests(own.requestId)).toHaveLength(1)
    await sound()
  })
})
