import { describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { holdRequestedRoom } from '../hold.ts'
import { releaseHeldRoom } from '../reserve.ts'
import { listHotelWaitlistSpots } from '../waitlist.ts'
import { listReservations, listStays } from '../reservations.ts'
import { createBlockAt, createHotelAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story: scenario, newHotel, king, nights, at, register, refused, stay, sound } = roomsStory()

describe('booking a room with a registration', () => {
  it('books each night, numbers and prices the stay, sends the email, and releases the room when the registration is cancelled', async () => {
    const hotelId = await newHotel()
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04', { '@housing.requests': 'A quiet room' }))
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 0, 1, 0]))
    const booked = await stay(participant.id)
    expect(booked).toMatchObject({
      hotel: 'Grand',
      roomType: 'King room',
      checkIn: '2026-09-01',
      checkOut: '2026-09-04',
      status: 'confirmed',
    })
    expect(booked.ackNumber).toMatch(/^H-\d{6}$/)
    const [row] = await at((ctx) => listReservations(ctx, [participant.id], ['confirmed']))
    expect(row).toMatchObject({
      stay_rooms: 58700,
      stay_fees: 3000,
      stay_tax: 7339,
      stay_total: 69039,
      requests: 'A quiet room',
      guarantee_status: 'notNeeded',
    })
    const { housing } = await scenario.call('get_participant', { participantId: participant.id, include: ['housing'] })
    expect(housing).toEqual([
      {
        reservationId: row!.id,
        hotel: 'Grand',
        roomType: 'King room',
        checkIn: '2026-09-01',
        checkOut: '2026-09-04',
        status: 'confirmed',
        ackNumber: booked.ackNumber,
      },
    ])

    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 0, 0, 0]))
    expect(await stay(participant.id)).toMatchObject({ status: 'cancelled', ackNumber: booked.ackNumber })
    // Restoring the registration restores the same room and number.
    await scenario.call('edit_participant', { participantId: participant.id, status: 'complete' })
    expect(await stay(participant.id)).toMatchObject({ status: 'confirmed', ackNumber: booked.ackNumber })
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 0, 1, 0]))
    await sound()
  })

  it('saves neither the registration nor the room if one night is sold out', async () => {
    const hotelId = await newHotel({ roomTypes: king(2) })
    await scenario.world.database.pool.query(`update room_nights set returned = contracted where hotel_id = $1 and night = '2026-09-02'`, [
      hotelId,
    ])
    const people = await scenario.queryNumber('select count(*)::int as figure from participants')
    const answer = await refused(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))
    expect(answer).toMatchObject({
      code: 'limit_exceeded',
      message: 'Only 0 of 1 rooms free at Grand, king, 2026-09-02',
      fields: [{ path: '@housing.checkIn', message: 'Only 0 of 1 rooms free at Grand, king, 2026-09-02' }],
    })
    expect(await scenario.queryNumber('select count(*)::int as figure from participants')).toBe(people)
    expect(await nights(hotelId)).toEqual([
      [2, 0, 0, 0, 0],
      [2, 2, 0, 0, 0],
      [2, 0, 0, 0, 0],
    ])
    // Nights outside the contract count as full; each is listed.
    const beyond = await refused(buildRoomAnswers(hotelId, '2026-09-03', '2026-09-06'))
    expect(beyond.fields.map(({ message }: { message: string }) => message.slice(-10))).toEqual(['2026-09-04', '2026-09-05'])
  })

  it('rejects room requests with invalid nights, occupants and bed types', async () => {
    const hotelId = await newHotel()
    const says = async (answers: object) =>
      (await refused(answers)).fields.map(({ path, message }: Record<string, string>) => `${path} ${message}`)
    expect(await says(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-02'))).toEqual([
      '@housing.checkOut stay at least 2 nights; you chose 1',
    ])
    expect(await says(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-07'))).toEqual([
      '@housing.checkOut stay at most 5 nights; you chose 6',
    ])
    expect(await says(buildRoomAnswers(hotelId, '2026-09-03', '2026-09-01'))).toEqual([
      '@housing.checkOut must be after the check-in, 2026-09-03',
    ])
    expect(await says(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.occupants': 3 }))).toEqual([
      '@housing.occupants King room takes 1 to 2 people',
    ])
    expect(await says(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.bedType': 'twin' }))).toEqual([
      '@housing.bedType King room has king',
    ])
    expect(await says({ '@housing.hotelId': hotelId, '@housing.checkIn': '2026-09-01' })).toEqual([
      '@housing.roomTypeCode is needed together with @housing.hotelId, @housing.checkIn',
      '@housing.checkOut is needed together with @housing.hotelId, @housing.checkIn',
    ])
    expect((await says(buildRoomAnswers('grnad', '2026-09-01', '2026-09-03')))[0]).toMatch(/^@housing.hotelId no hotel "grnad"/)
    expect((await says(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.roomTypeCode': 'kng' })))[0]).toMatch(
      /did you mean king\?/,
    )
    expect((await says(buildRoomAnswers(hotelId, '2026-09-31', '2026-10-02')))[0]).toMatch(/^@housing.checkIn There is no such day/)
  })

  it('charges the room rate for the number of occupants, or the rate for the next lower number', async () => {
    const hotelId = await newHotel({ roomTypes: king(2) })
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.occupants': 2 }))
    const [row] = await at((ctx) => listReservations(ctx, [participant.id], ['confirmed']))
    expect(row!.stay_rooms).toBe(2 * 21900)
  })

  it('allows one room per participant and night', async () => {
    const hotelId = await newHotel()
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const snapshot = await at((ctx) => loadEventSnapshot(ctx))
    const again = at((ctx) =>
      holdRequestedRoom(ctx, {
        snapshot,
        guest: { id: participant.id, name: 'P', groupId: null, companyId: null, tags: [] },
        answers: buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'),
        source: 'web',
      }),
    )
    await expect(again).rejects.toThrow('One person can book 1 room per night; one is already booked for 2026-09-02')
    // The control: the sweep finds a second room that was stored with another limit.
    const { housing } = snapshot.config
    const second = await at((ctx) =>
      holdRequestedRoom(ctx, {
        snapshot: { ...snapshot, config: { ...snapshot.config, housing: { ...housing, maxRoomsPerPerson: 2 } } },
        guest: { id: participant.id, name: 'P', groupId: null, companyId: null, tags: [] },
        answers: buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'),
        source: 'web',
      }),
    )
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toMatchObject([{ id: 'H5', samples: [`participant ${participant.id} 2026-09-02`] }])
    await at((ctx) => releaseHeldRoom(ctx, second!))
    await sound()
    expect(await nights(hotelId)).toEqual([
      [10, 0, 0, 1, 0],
      [10, 0, 0, 1, 0],
      [10, 0, 0, 0, 0],
    ])
  })

  it('refuses bookings at hotels that are closed, tentative or past their cut-off date', async () => {
    const closed = await newHotel({ sellStatus: 'changes' })
    expect((await refused(buildRoomAnswers(closed, '2026-09-01', '2026-09-03'))).message).toBe('Grand is not open for new bookings')
    const tentative = await newHotel({ contract: { status: 'tentative' } })
    expect((await refused(buildRoomAnswers(tentative, '2026-09-01', '2026-09-03'))).message).toMatch(/its room contract is not signed/)
    const past = await newHotel({ contract: { cutoffOn: '2026-04-09' } })
    expect((await refused(buildRoomAnswers(past, '2026-09-01', '2026-09-03'))).message).toBe(
      'Grand takes no bookings after 2026-04-09. Join its waiting list with @housing.waitlist',
    )
    // The cut-off day itself is still open.
    const today = await newHotel({ contract: { cutoffOn: '2026-04-10' } })
    await register(buildRoomAnswers(today, '2026-09-01', '2026-09-03'))
  })
})

describe('changing a stay', () => {
  it('takes the new nights of a changed stay, releases the old ones, and keeps the rate of nights in both', async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await scenario.world.database.pool.query(`update room_nights set rate_single = 30000 where hotel_id = $1`, [hotelId])
    await scenario.call('edit_participant', {
      participantId: participant.id,
      data: { '@housing.checkIn': '2026-09-02', '@housing.checkOut': '2026-09-04' },
    })
    expect((await nights(hotelId)).map(([, , , booked]) => booked)).toEqual([0, 1, 1])
    const [row] = await at((ctx) => listReservations(ctx, [participant.id], ['confirmed']))
    expect(row!.stay_rooms).toBe(18900 + 30000)
    await sound()
  })

  it('keeps the old stay if the new room is full, and adds the guest to the waiting list for the new room', async () => {
    const [from, to] = [await newHotel({ roomTypes: king(1) }), await newHotel({ roomTypes: king(0) })]
    const { participant } = await register(buildRoomAnswers(from, '2026-09-01', '2026-09-03'))
    const change = { participantId: participant.id, data: { '@housing.hotelId': to } }
    expect((await scenario.refused('edit_participant', change)).code).toBe('limit_exceeded')
    expect((await nights(from)).map(([, , , booked]) => booked)).toEqual([1, 1, 0])
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@housing.hotelId': to, '@housing.waitlist': true } })
    expect((await nights(from)).map(([, , , booked]) => booked)).toEqual([1, 1, 0])
    expect(await at((ctx) => listHotelWaitlistSpots(ctx, [participant.id]))).toMatchObject([{ hotelId: to, rank: 1 }])
    await sound()
  })

  it("cancels the room when the participant's housing answers are cleared", async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const data = Object.fromEntries(Object.keys(buildRoomAnswers('', '', '')).map((binding) => [binding, null]))
    await scenario.call('edit_participant', { participantId: participant.id, data })
    expect((await nights(hotelId)).flat().filter((n, index) => index % 5 === 3 && n > 0)).toEqual([])
    expect((await stay(participant.id)).status).toBe('cancelled')
  })

  it('transfers the room of a replaced participant to the substitute, or cancels it', async () => {
    const hotelId = await newHotel({ roomTypes: king(2) })
    const people = [
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
    ]
    const over = await scenario.call('substitute_participant', { participantId: people[0]!.participant.id, replacement: newAttendee() })
    expect(over.moved.housing).toBe(1)
    expect((await stay(over.to.id)).status).toBe('confirmed')
    expect((await nights(hotelId))[0]).toEqual([2, 0, 0, 2, 0])
    const without = await scenario.call('substitute_participant', {
      participantId: people[1]!.participant.id,
      replacement: newAttendee(),
      transfer: { housing: false },
    })
    expect(without.moved.housing).toBe(0)
    expect((await nights(hotelId))[0]).toEqual([2, 0, 0, 1, 0])
    await sound()
  })

  it('returns a cancelled night to the hotel if its cut-off date has passed', async () => {
    const hotelId = await newHotel({ roomTypes: king(2), contract: { cutoffOn: '2026-04-15' } })
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await scenario.world.clock.stopAt('2026-04-15T23:00:00Z')
    // 01:00 on the 16th in Paris.
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    expect(await nights(hotelId)).toEqual([
      [2, 1, 0, 0, 0],
      [2, 1, 0, 0, 0],
      [2, 0, 0, 0, 0],
    ])
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })
})

describe('room blocks', () => {
  it('uses a room block first for its own members and never for other participants', async () => {
    const hotelId = await newHotel({ roomTypes: king(3) })
    await createBlockAt(scenario.world, scenario.event, {
      code: 'vips',
      name: 'VIPs',
      owner: { kind: 'tag', ref: 'vip' },
      rooms: [{ hotelId, roomTypeCode: 'king', nights: ['2026-09-01', '2026-09-02'], rooms: 2, rate: 15000 }],
    })
    expect((await nights(hotelId))[0]).toEqual([3, 0, 2, 0, 0])
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'), { tags: ['vip'] })
    const [row] = await at((ctx) => listReservations(ctx, [participant.id], ['confirmed']))
    // Two nights at the block's rate, the third from general inventory.
    expect(row!.stay_rooms).toBe(15000 * 2 + 18900)
    expect(await nights(hotelId)).toEqual([
      [3, 0, 2, 0, 0],
      [3, 0, 2, 0, 0],
      [3, 0, 0, 1, 0],
    ])
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    expect((await refused(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))).code).toBe('limit_exceeded')
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { tags: ['vip'] })
    expect((await refused(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { tags: ['vip'] })).code).toBe('limit_exceeded')
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    expect(await scenario.queryNumber(`select min(rooms - booked)::int as figure from block_nights where hotel_id = '${hotelId}'`)).toBe(1)
    await sound()
  })

  it('offers members of a group only the rooms of its block if the block allows no overflow', async () => {
    const hotelId = await newHotel({ roomTypes: king(5) })
    const { group } = await scenario.call('create_managed_group', {
      code: 'acme-rooms',
      name: 'Acme',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    await createBlockAt(scenario.world, scenario.event, {
      code: 'acme',
      name: 'Acme',
      owner: { kind: 'group', ref: group.id },
      overflow: false,
      rooms: [{ hotelId, roomTypeCode: 'king', nights: ['2026-09-01', '2026-09-02'], rooms: 1 }],
    })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { groupCode: 'acme-rooms' })
    expect((await refused(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { groupCode: 'acme-rooms' })).code).toBe('limit_exceeded')
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await sound()
  })
})

it("refuses to change the event's currency once hotels have rates", async () => {
  await newHotel()
  const { message } = await scenario.refused('update_event', { currency: 'USD' })
  // Existing orders are named first; without orders, hotels with rates lock the currency.
  expect(message).toMatch(/can no longer change/)
  const quiet = await scenario.world.event({ at: scenario.event, code: 'quiet', status: 'draft' })
  await createHotelAt(scenario.world, quiet)
  const refusal = await scenario.olga.refused('update_event', { eventCode: 'quiet', currency: 'USD' })
  expect(refusal.message).toBe('1 hotel has rates in EUR: the currency can no longer change')
})

describe('rooms of group members', () => {
  it('books rooms for all group members or none: from the block, then general inventory, then the waiting list', async () => {
    const hotelId = await newHotel({ roomTypes: king(3) })
    const { group } = await scenario.call('create_managed_group', {
      code: 'imported',
      name: 'Imported',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
    })
    await createBlockAt(scenario.world, scenario.event, {
      code: 'imported',
      name: 'Imported',
      owner: { kind: 'group', ref: group.id },
      paymentBy: 'master',
      rooms: [{ hotelId, roomTypeCode: 'king', nights: ['2026-09-01', '2026-09-02'], rooms: 2 }],
    })
    const members = (last: object) =>
      [{}, {}, {}, last].map((more) => ({
        data: { ...newAttendee(), '@product.pass': 1, ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', more) },
      }))
    const answer = await scenario.refused('update_managed_group_members', { groupCode: 'imported', add: members({}) })
    expect(answer.message).toBe('Nothing was saved. add/3: Only 0 of 1 rooms free at Grand, king, 2026-09-01 (also short: 2026-09-02)')
    expect((await nights(hotelId))[0]).toEqual([3, 0, 2, 0, 0])
    const countEmails = () => scenario.queryNumber('select count(*)::int as figure from messages')
    const before = await countEmails()
    const done = await scenario.call('update_managed_group_members', { groupCode: 'imported', add: members({ '@housing.waitlist': true }) })
    expect(done.created).toBe(4)
    expect(await nights(hotelId)).toEqual([
      [3, 0, 2, 1, 0],
      [3, 0, 2, 1, 0],
      [3, 0, 0, 0, 0],
    ])
    expect(await scenario.queryNumber(`select sum(booked)::int as figure from block_nights where hotel_id = '${hotelId}'`)).toBe(4)
    const people = await scenario.world.database.pool.query<{ id: string }>('select id from participants where group_id = $1', [group.id])
    const ids = people.rows.map(({ id }) => id)
    expect((await at((ctx) => listHotelWaitlistSpots(ctx, ids))).map(({ rank }) => rank)).toEqual([1])
    const stays = await at((ctx) => listStays(ctx, ids))
    expect(new Set(stays.map(({ ackNumber }) => ackNumber)).size).toBe(3)
    // No email was sent.
    expect(await countEmails()).toBe(before)
    await sound()
  })
})
