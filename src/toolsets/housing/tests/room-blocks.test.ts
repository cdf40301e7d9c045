import { describe, expect, it } from 'vitest'
import { listStayNights } from '../../../domains/housing/stay.ts'
import { deposits, roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { runHotelCutoffs, enforceRoomBlockDeadlines } from '../../../domains/checkout/room-deadlines.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'
import { runGuaranteeTask } from '../../../../test/support/guarantees.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'

const { story, newHotel, king, nights, register, sound } = roomsStory()
const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const NIGHTS = listStayNights(FROM, UNTIL)

let groups = 0
const newGroup = async (more: object = {}) =>
  (
    await story.call('create_managed_group', {
      name: `Delegation ${++groups}`,
      kind: 'delegation',
      payBy: 'members',
      flowSlug: 'attendee',
      admins: [],
      ...more,
    })
  ).group.code as string

/** Adds members with rooms to a group, in the given order. */
async function addMembers(groupCode: string, stays: readonly Record<string, unknown>[]): Promise<string[]> {
  const ids: string[] = []
  for (const stay of stays) {
    const { participant } = await register({ ...newAttendee(), ...stay })
    await story.call('update_managed_group_members', { groupCode, add: [{ participantId: participant.id }] })
    ids.push(participant.id)
  }
  return ids
}

const line = (hotelId: string, rooms: number, more: object = {}) => ({
  hotelId,
  roomTypeCode: 'king',
  from: FROM,
  until: UNTIL,
  rooms,
  ...more,
})
const freeSell = async (hotelId: string) =>
  (await nights(hotelId)).map(([contracted, ...used]) => contracted! - used.reduce((sum, n) => sum + n))
const pickup = async (hotelId: string) => (await story.call('get_housing_summary', { hotelId })).totals.pickup
const detachedBlock = (hotelId: string, rooms: number, code: string) =>
  createBlockAt(story.world, story.event, {
    code,
    name: code,
    owner: { kind: 'none' },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
  })
const blocksOf = async (participantId: string) =>
  (
    await story.world.database.pool.query<{ block_id: string | null }>(
      'select block_id from reservation_nights where participant_id = $1 order by night',
      [participantId],
    )
  ).rows.map(({ block_id }) => block_id)

describe('assign_block_to_group', () => {
  it('moves the rooms of group members into the block, and frees the same number of rooms on free sale', async () => {
    const hotelId = await newHotel({ roomTypes: king(20) })
    const groupCode = await newGroup()
    await addMembers(groupCode, Array(3).fill(buildRoomAnswers(hotelId, FROM, UNTIL)))
    await register(buildRoomAnswers(hotelId, FROM, UNTIL))
    const [before, booked] = [await freeSell(hotelId), await pickup(hotelId)]
    const blockId = await detachedBlock(hotelId, 5, 'five')
    expect(await freeSell(hotelId)).toEqual(before.map((free) => free - 5))
    const { block, moved } = await story.call('assign_block_to_group', { groupCode, blockId })
    expect(moved).toBe(3)
    expect(block).toMatchObject({ id: blockId, owner: { kind: 'group' }, paymentBy: 'guest', status: 'active' })
    expect(block.nights.map((one: any) => [one.night, one.rooms, one.booked, one.blockFree])).toEqual(
      NIGHTS.map((night) => [night, 5, 3, 2]),
    )
    expect(await freeSell(hotelId)).toEqual(before.map((free) => free - 5 + 3))
    expect(await pickup(hotelId)).toBe(booked)
    await sound()
  })

  it('creates a block from free sale rooms, and moves nights of the oldest reservations first while the block has rooms', async () => {
    const hotelId = await newHotel({ roomTypes: king(8) })
    const groupCode = await newGroup()
    const stay = (from: string, until: string) => buildRoomAnswers(hotelId, from, until)
    const members = await addMembers(groupCode, [stay(FROM, '2026-09-03'), stay('2026-09-02', UNTIL), stay(FROM, UNTIL)])
    const rooms = [line(hotelId, 2, { from: FROM, until: '2026-09-03' })]
    const preview = await story.call('assign_block_to_group', { groupCode, rooms, dryRun: true })
    const { block, moved } = await story.call('assign_block_to_group', { groupCode, rooms, name: 'Two rooms' })
    expect(preview).toMatchObject({ moved, dryRun: true })
    expect(block).toMatchObject({ code: groupCode, name: 'Two rooms' })
    // In the block are night 1 of members 1 and 3, and night 2 of members 1 and 2. Night 3 is not in the block.
    expect(moved).toBe(3)
    expect(await Promise.all(members.map(blocksOf))).toEqual([
      [block.id, block.id],
      [block.id, null],
      [block.id, null, null],
    ])
    expect(block.nights.map((one: any) => one.blockFree)).toEqual([0, 0])
    await sound()
  })

  it('takes rooms of new group members from the block first, and keeps existing rooms on free sale without moveReservations', async () => {
    const hotelId = await newHotel({ roomTypes: king(10) })
    const groupCode = await newGroup()
    const [first] = await addMembers(groupCode, [buildRoomAnswers(hotelId, FROM, UNTIL)])
    const { block, moved } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 2)], moveReservations: false })
    expect(moved).toBe(0)
    expect(await blocksOf(first!)).toEqual([null, null, null])
    const { participant } = await register({})
    await story.call('update_managed_group_members', { groupCode, add: [{ participantId: participant.id }] })
    await story.call('edit_participant', { participantId: participant.id, data: buildRoomAnswers(hotelId, FROM, UNTIL) })
    expect(await blocksOf(participant.id)).toEqual(Array(3).fill(block.id))
    await sound()
  })

  it('refuses a second block of a group, a block with an owner, too few rooms, and unknown hotels and room types', async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    const [groupCode, other] = [await newGroup(), await newGroup()]
    const assign = (args: object) => story.refused('assign_block_to_group', { groupCode, ...args })
    expect(await assign({ rooms: [line(hotelId, 5)] })).toMatchObject({
      code: 'limit_exceeded',
      message: 'Only 4 of 5 rooms free at Grand, king, 2026-09-01 (also short: 2026-09-02, 2026-09-03)',
      fields: NIGHTS.map((night) => ({ path: 'rooms', message: `Only 4 of 5 rooms free at Grand, king, ${night}` })),
    })
    expect(await assign({})).toMatchObject({ code: 'invalid_arguments' })
    expect(await assign({ rooms: [line(hotelId, 1)], blockId: 'x' })).toMatchObject({ code: 'invalid_arguments' })
    expect(await assign({ rooms: [line(hotelId, 1), line(hotelId, 1)] })).toMatchObject({ code: 'invalid_arguments' })
    expect(await assign({ rooms: [line('nowhere', 1)] })).toMatchObject({ code: 'not_found' })
    expect(await assign({ rooms: [line(hotelId, 1, { roomTypeCode: 'suite' })] })).toMatchObject({ code: 'not_found' })
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 1)] })
    expect(await assign({ rooms: [line(hotelId, 1)] })).toMatchObject({ code: 'conflict' })
    expect(await story.refused('assign_block_to_group', { groupCode: other, blockId: block.id })).toMatchObject({ code: 'conflict' })
    await sound()
  })

  it('assigns a block to one of two groups that request it concurrently', async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    const blockId = await detachedBlock(hotelId, 2, 'wanted-twice')
    const codes = [await newGroup(), await newGroup()]
    const answers = await Promise.all(
      codes.map((groupCode) => story.olga.answer('assign_block_to_group', { eventCode: story.event.eventCode, groupCode, blockId })),
    )
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1)
    expect(JSON.stringify(answers.find(({ isError }) => isError))).toContain('conflict')
    await sound()
  })
})

describe('update_group_block', () => {
  it('sets rooms and rates of a block per night, never below the booked rooms, and applies a new rate only to new nights', async () => {
    const hotelId = await newHotel({ roomTypes: king(10) })
    const groupCode = await newGroup()
    const [member] = await addMembers(groupCode, [buildRoomAnswers(hotelId, FROM, UNTIL)])
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 3)] })
    const rate = { amount: '150.00', currency: 'EUR' }
    const {
      block: after,
      changed,
      rooms,
    } = await story.call('update_group_block', {
      groupCode,
      set: [line(hotelId, 2, { rate })],
      ifRevision: block.revision,
    })
    expect(changed).toEqual(['nights'])
    expect(rooms.map((one: any) => [one.night, one.before, one.after])).toEqual(NIGHTS.map((night) => [night, 3, 2]))
    expect(after.revision).toBeGreaterThan(block.revision)
    expect(await story.refused('update_group_block', { groupCode, set: [line(hotelId, 1)], ifRevision: block.revision })).toMatchObject({
      code: 'conflict',
    })
    const refusal = await story.refused('update_group_block', { groupCode, set: [line(hotelId, 0)] })
    expect(refusal.code).toBe('precondition_failed')
    expect(refusal.message).toContain('1 booked, cannot set 0 — move_hotel_reservations first')
    expect(await story.refused('update_group_block', { groupCode, set: [line(hotelId, 11)] })).toMatchObject({ code: 'limit_exceeded' })
    const total = (id: string) => story.queryNumber(`select stay_rooms::int as figure from reservations where participant_id = '${id}'`)
    expect(await total(member!)).toBe(3 * 18900)
    const { participant } = await register({})
    await story.call('update_managed_group_members', { groupCode, add: [{ participantId: participant.id }] })
    await story.call('edit_participant', { participantId: participant.id, data: buildRoomAnswers(hotelId, FROM, UNTIL) })
    expect(await total(participant.id)).toBe(3 * 15000)
    await sound()
  })

  it('detaches a room block with its rooms, closes it when it is empty, and only then allows deleting the group', async () => {
    const hotelId = await newHotel({ roomTypes: king(6) })
    const groupCode = await newGroup()
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 2)] })
    const refusal = await story.refused('delete_managed_group', { groupCode, dryRun: true })
    expect(refusal).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining(`Release block ${block.id} first`) })
    const detached = await story.call('update_group_block', { blockId: block.code, detach: true })
    expect(detached).toMatchObject({ changed: ['owner'], block: { status: 'active', owner: { kind: 'none' } } })
    expect(detached.block.nights.map((one: any) => one.rooms)).toEqual([2, 2, 2])
    expect(await story.refused('update_group_block', { blockId: block.id, detach: true })).toMatchObject({ code: 'precondition_failed' })
    await story.callConfirmed('delete_managed_group', { groupCode })
    const emptied = await story.call('update_group_block', { blockId: block.id, set: [line(hotelId, 0)] })
    expect(emptied.block.status).toBe('closed')
    expect(await freeSell(hotelId)).toEqual([6, 6, 6])
    expect(await story.refused('update_group_block', { blockId: block.id, set: [line(hotelId, 1)] })).toMatchObject({
      code: 'precondition_failed',
    })
    expect(await story.refused('assign_block_to_group', { groupCode: await newGroup(), blockId: block.id })).toMatchObject({
      code: 'precondition_failed',
    })
    await sound()
  })

  it('releases the rooms of a block that have no guest on its release date, and keeps the booked ones', async () => {
    const hotelId = await newHotel({ roomTypes: king(6) })
    const groupCode = await newGroup()
    await addMembers(groupCode, Array(2).fill(buildRoomAnswers(hotelId, FROM, UNTIL)))
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 4)] })
    const { changed } = await story.call('update_group_block', { groupCode, releaseOn: '2026-07-31' })
    expect(changed).toEqual(['releaseOn'])
    const rooms = async () =>
      (
        await story.world.database.pool.query<{ rooms: number; booked: number }>(
          'select rooms, booked from block_nights where block_id = $1 order by night',
          [block.id],
        )
      ).rows
    const before = await freeSell(hotelId)
    await story.world.clock.stopAt('2026-07-31T21:59:00Z')
    await runRecurringTask(story.world, enforceRoomBlockDeadlines)
    expect(await rooms()).toEqual(NIGHTS.map(() => ({ rooms: 4, booked: 2 })))
    await story.world.clock.stopAt('2026-07-31T22:00:00Z')
    for (let run = 0; run < 2; run++) await runRecurringTask(story.world, enforceRoomBlockDeadlines)
    expect(await rooms()).toEqual(NIGHTS.map(() => ({ rooms: 2, booked: 2 })))
    expect(await freeSell(hotelId)).toEqual(before.map((free) => free + 2))
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })

  it('marks pending guarantees as covered when the owner of the block pays, and credits deposits that are still unpaid', async () => {
    await story.publish({ ...(await housing(deposits)) })
    const hotelId = await newHotel({ roomTypes: king(6) })
    const groupCode = await newGroup()
    const [waiting] = await addMembers(groupCode, [buildRoomAnswers(hotelId, FROM, UNTIL)])
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 2)] })
    const guarantee = async () =>
      (
        await story.world.database.pool.query(
          `select guarantee_kind as kind, guarantee_status as status, guarantee_due_at as due from reservations where participant_id = $1`,
          [waiting],
        )
      ).rows[0]
    expect(await guarantee()).toMatchObject({ kind: 'deposit', status: 'pending' })
    const owed = () => story.queryNumber(`select balance::int as figure from orders where participant_id = '${waiting}'`)
    const before = await owed()
    const edits = { paymentBy: 'master', releaseOn: '2026-08-01', note: 'paid by the ministry', minNights: 2 }
    const { changed } = await story.call('update_group_block', { groupCode, ...edits })
    expect(changed).toEqual(['minNights', 'releaseOn', 'paymentBy', 'note'])
    expect(await guarantee()).toEqual({ kind: 'master', status: 'notNeeded', due: null })
    // The credited deposit is the first night of 189.00, a fee of 10.00 and 12.5% tax of 23.63.
    expect(before - (await owed())).toBe(22263)
    const cleared = await story.call('update_group_block', { blockId: block.id, clear: ['releaseOn', 'minNights'] })
    expect(cleared.block).toMatchObject({ minNights: null, paymentBy: 'master' })
    expect(cleared.block).not.toHaveProperty('releaseOn')
    expect((await story.call('update_group_block', { blockId: block.id, paymentBy: 'master' })).changed).toEqual([])
    await story.publish({ ...(await housing({ guarantee: 'none', deposit: null, depositRefund: [] })) })
    await sound()
  })
})

describe('guests who enter or leave a block whose owner pays', () => {
  it('credits the deposit of a guest who enters the block, and asks a guest who leaves it for a deposit in time', async () => {
    await story.publish({ ...(await housing(deposits)) })
    const [inside, outside] = [await newHotel({ roomTypes: king(6) }), await newHotel({ roomTypes: king(6) })]
    const groupCode = await newGroup()
    await story.call('assign_block_to_group', { groupCode, rooms: [line(inside, 2)], paymentBy: 'master' })
    const book = async (hotelId: string) => (await register(buildRoomAnswers(hotelId, FROM, UNTIL), { groupCode })).participant.id as string
    const [entering, leaving, staying] = [await book(outside), await book(inside), await book(outside)]
    const state = async (id: string) =>
      (
        await story.world.database.pool.query(
          `select s.guarantee_kind as kind, s.guarantee_status as status, s.guarantee_due_at as due, o.balance from reservations s
           join orders o on o.participant_id = s.participant_id where s.participant_id = $1`,
          [id],
        )
      ).rows[0]
    const unpaid = { kind: 'deposit', status: 'pending', due: new Date('2026-04-13T10:00:00Z'), balance: 112_263 }
    const covered = { kind: 'master', status: 'notNeeded', due: null, balance: 90_000 }
    expect([await state(entering), await state(leaving)]).toEqual([unpaid, covered])
    const change = async (participantId: string, data: object) => (await story.call('edit_participant', { participantId, data })).money
    expect(await change(entering, { '@housing.hotelId': inside })).toMatchObject({ creditNote: { total: { amount: '222.63' } } })
    expect(await change(leaving, { '@housing.hotelId': outside })).toMatchObject({ invoice: { total: { amount: '222.63' } } })
    // The nights of this stay come from no block before and after the change.
    expect(await change(staying, { '@housing.checkOut': '2026-09-03' })).not.toHaveProperty('invoice')
    expect([await state(entering), await state(leaving), await state(staying)]).toEqual([covered, unpaid, unpaid])
    await story.world.clock.stopAt('2026-04-13T10:00:00Z')
    await runGuaranteeTask(story.world)
    const statuses = await story.world.database.pool.query(
      'select participant_id, status from reservations where participant_id = any($1)',
      [[entering, leaving]],
    )
    expect(new Map(statuses.rows.map(({ participant_id, status }) => [participant_id, status]))).toEqual(
      new Map([
        [entering, 'confirmed'],
        [leaving, 'cancelled'],
      ]),
    )
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await story.publish({ ...(await housing({ guarantee: 'none', deposit: null, depositRefund: [] })) })
    await sound()
  })
})

/** Publishes the housing section of the event with the given values. */
async function housing(values: object) {
  return { housing: { enabled: true, seeAvailability: 'exact', minNights: 2, maxNights: 5, ...values } }
}

describe('rooms of a block after the cut-off of its hotel', () => {
  const CUTOFF = '2026-04-09'

  it('books rooms of a block until its release date, although rooms on free sale are no longer available', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), contract: { cutoffOn: CUTOFF } })
    const [kept, given] = [await newGroup(), await newGroup()]
    await story.call('assign_block_to_group', { groupCode: kept, rooms: [line(hotelId, 2)], releaseOn: '2026-04-10' })
    await story.call('assign_block_to_group', { groupCode: given, rooms: [line(hotelId, 2)], releaseOn: CUTOFF })
    const book = (groupCode: string) => register({ ...newAttendee(), ...buildRoomAnswers(hotelId, FROM, UNTIL) }, { groupCode })
    const { participant } = await book(kept)
    expect(await blocksOf(participant.id)).not.toContain(null)
    await expect(book(given)).rejects.toThrow('Grand takes no bookings after 2026-04-09')
    await expect(register({ ...newAttendee(), ...buildRoomAnswers(hotelId, FROM, UNTIL) })).rejects.toThrow('takes no bookings after')
    // The cut-off returns the other rooms, and a cancelled room goes back to the block that is kept.
    await runRecurringTask(story.world, runHotelCutoffs)
    expect((await nights(hotelId))[0]).toEqual([5, 3, 2, 0, 0])
    await book(kept)
    await expect(book(kept)).rejects.toThrow('Only 0 of 1 rooms free')
    await story.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    await book(kept)
    await sound()
  })

  it('refuses to book rooms of a block after its release date', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), contract: { cutoffOn: CUTOFF } })
    const groupCode = await newGroup()
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms: [line(hotelId, 2)], releaseOn: '2026-04-10' })
    await story.world.database.pool.query(`update room_blocks set release_on = '2026-04-09' where id = $1`, [block.id])
    await expect(register({ ...newAttendee(), ...buildRoomAnswers(hotelId, FROM, UNTIL) }, { groupCode })).rejects.toThrow(
      'takes no bookings',
    )
  })
})

describe('sales status of a room block', () => {
  it('lets guests of a room block change stay and room type only as far as the status of the block allows', async () => {
    const types = [...king(4), ...king(4).map((type) => ({ ...type, code: 'twin', name: 'Twin room' }))]
    const hotelId = await newHotel({ roomTypes: types })
    const groupCode = await newGroup()
    const rooms = [line(hotelId, 4), line(hotelId, 4, { roomTypeCode: 'twin' })]
    const { block } = await story.call('assign_block_to_group', { groupCode, rooms })
    const setStatus = (sellStatus: string) => story.call('update_group_block', { blockId: block.id, sellStatus })
    const join = () => register({ ...newAttendee(), ...buildRoomAnswers(hotelId, FROM, '2026-09-03') }, { groupCode })
    const { participant: guest } = await join()
    const change = (more: object) => story.call('edit_participant', { participantId: guest.id, data: more })
    const extended = { '@housing.checkOut': UNTIL }
    const shortened = { '@housing.checkOut': '2026-09-03' }

    for (const sellStatus of ['changes', 'changesSameType']) {
      await setStatus(sellStatus)
      await expect(join()).rejects.toThrow('Only 0 of 1 rooms free')
      await change(extended)
      expect(await blocksOf(guest.id)).toEqual(Array(3).fill(block.id))
      await change(shortened)
    }
    const toTwin = { '@housing.roomTypeCode': 'twin' }
    await expect(change(toTwin)).rejects.toThrow('Only 0 of 1 rooms free')
    await setStatus('changes')
    await change(toTwin)
    expect(await blocksOf(guest.id)).toEqual(Array(2).fill(block.id))
    await setStatus('closed')
    await expect(change(extended)).rejects.toThrow('Only 0 of 1 rooms free')
    await sound()
  })
})
