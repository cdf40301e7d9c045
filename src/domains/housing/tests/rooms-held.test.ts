import { describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { holdRequestedRoom } from '../hold.ts'
import { cancelStay } from '../release.ts'
import { acceptRoomShare } from '../shares.ts'
import { cleanUpRoomHolds } from '../cleanup.ts'
import { listHotelWaitlistSpots } from '../waitlist.ts'
import { listReservations } from '../reservations.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections, inEventTransaction } from '../../../../test/support/hotels.ts'
import { runGuaranteeTask } from '../../../../test/support/guarantees.ts'
import { useSalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'
import { deposits, roomsStory } from './rooms-scenario.ts'

const { story: scenario, newHotel, king, nights, at, register, refused, stay, sound } = roomsStory()

describe('hotel waiting list', () => {
  it('ranks hotel waiting list entries by the time of joining, and removes the entry when the registration is cancelled', async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))
    const wish = buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04', { '@housing.waitlist': true })
    const waiting = [await register(wish), await register(wish)].map(({ participant }) => participant.id)
    expect(
      (await at((ctx) => listHotelWaitlistSpots(ctx, waiting))).map(({ participantId, rank }) => [waiting.indexOf(participantId), rank]),
    ).toEqual([
      [0, 1],
      [1, 2],
    ])
    await scenario.call('edit_participant', { participantId: waiting[0]!, status: 'cancelled' })
    expect((await at((ctx) => listHotelWaitlistSpots(ctx, waiting))).map(({ rank }) => rank)).toEqual([1])
    await sound()
  })
})

describe('room holds', () => {
  const hold = async (answers: Record<string, unknown>, participantId: string) => {
    const snapshot = await at((ctx) => loadEventSnapshot(ctx))
    return at((ctx) =>
      holdRequestedRoom(ctx, {
        snapshot,
        guest: { id: participantId, name: 'P', groupId: null, companyId: null, tags: [] },
        answers,
        source: 'web',
      }),
    )
  }
  const unfinished = async () =>
    (await scenario.call('add_participant', { flowSlug: 'attendee', status: 'incomplete', data: newAttendee() })).participant

  it('holds a room for 15 minutes, replaces the hold when another room is chosen, and confirms it when the form is submitted', async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    const { id } = await unfinished()
    await hold(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), id)
    expect((await nights(hotelId)).map(([, , , , held]) => held)).toEqual([1, 1, 0])
    await expect(hold(buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'), (await unfinished()).id)).rejects.toThrow(
      'Only 0 of 1 rooms free',
    )
    await hold(buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'), id)
    expect((await nights(hotelId)).map(([, , , , held]) => held)).toEqual([0, 1, 1])
    await scenario.call('edit_participant', {
      participantId: id,
      status: 'complete',
      data: { '@product.pass': 1, ...buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04') },
    })
    expect(await nights(hotelId)).toEqual([
      [1, 0, 0, 0, 0],
      [1, 0, 0, 1, 0],
      [1, 0, 0, 1, 0],
    ])
    await sound()
  })

  it('frees an expired room hold when the next guest books, and also without a new request', async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    const late = await unfinished()
    await hold(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'), late.id)
    await scenario.world.clock.stopAt('2026-04-10T10:16:00Z')
    await register(buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'))
    expect(await nights(hotelId)).toEqual([
      [1, 0, 0, 0, 0],
      [1, 0, 0, 1, 0],
      [1, 0, 0, 1, 0],
    ])
    const other = await newHotel({ roomTypes: king(1) })
    await hold(buildRoomAnswers(other, '2026-09-01', '2026-09-03'), late.id)
    await scenario.world.clock.stopAt('2026-04-10T10:32:00Z')
    const { transact } = scenario.world.database
    await cleanUpRoomHolds.run({ transact } as Parameters<typeof cleanUpRoomHolds.run>[0])
    expect((await nights(other)).flat().filter((_, index) => index % 5 === 4)).toEqual([0, 0, 0])
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })
})

describe('shared rooms', () => {
  it("grants a bed in a shared room when the room's holder accepts or when both guests name each other", async () => {
    const hotelId = await newHotel()
    const holder = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const asking = await register({ '@housing.shareWith': holder.participant.email.toUpperCase() })
    expect(await stay(asking.participant.id)).toBeUndefined()
    const share = await scenario.world.database.pool.query(`select id, status, reservation_id from room_shares where participant_id = $1`, [
      asking.participant.id,
    ])
    expect(share.rows[0]).toMatchObject({ status: 'pending' })
    const shared = await at((ctx) => acceptRoomShare(ctx, share.rows[0]!['id'] as string))
    expect(shared).toMatchObject({ occupants: 2, stay_rooms: 2 * 21900 })
    expect(shared.guests.map(({ participantId }) => participantId)).toEqual([holder.participant.id, asking.participant.id])
    // The room is full for a third guest.
    const third = await register({ '@housing.shareWith': holder.participant.confirmationNumber })
    const { rows } = await scenario.world.database.pool.query(`select id from room_shares where participant_id = $1`, [
      third.participant.id,
    ])
    await expect(at((ctx) => acceptRoomShare(ctx, rows[0]!['id'] as string))).rejects.toThrow(
      'King room takes at most 2 people and is full',
    )

    const first = await register({ '@housing.shareWith': 'later@example.org' })
    const later = await register({
      '@participant.email': 'later@example.org',
      ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.shareWith': first.participant.email }),
    })
    const [row] = await at((ctx) => listReservations(ctx, [later.participant.id], ['confirmed']))
    expect(row!.guests).toHaveLength(2)
    await scenario.call('edit_participant', { participantId: first.participant.id, status: 'cancelled' })
    expect((await at((ctx) => listReservations(ctx, [later.participant.id], ['confirmed'])))[0]!.guests).toHaveLength(1)
    expect((await refused({ '@housing.shareWith': 'NOBODY2345' })).fields[0].path).toBe('@housing.shareWith')
    await sound()
  })
})

describe('rates of shared rooms', () => {
  const [SINGLE, DOUBLE, TRIPLE] = [18900, 21900, 24900]
  const triple = () => {
    const [type] = king(5)
    return newHotel({ roomTypes: [{ ...type!, maxOccupancy: 3, nights: type!.nights.map((night) => ({ ...night, triple: TRIPLE })) }] })
  }
  const room = async (holderId: string) => {
    const [row] = await at((ctx) => listReservations(ctx, [holderId], ['confirmed']))
    const { rows } = await scenario.world.database.pool.query(
      `select array_agg(distinct rate) as rates, sum(rate)::int as sum from reservation_nights where reservation_id = $1`,
      [row!.id],
    )
    // The total of the stay and the nights always agree.
    expect(rows[0]!['sum']).toBe(row!.stay_rooms)
    return { occupants: row!.occupants, rates: (rows[0]!['rates'] as unknown[]).map(Number), guests: row!.guests.length }
  }
  /** Requests a bed in the holder's room, which the holder accepts. */
  const share = async (holder: any) => {
    const { participant } = await register({ '@housing.shareWith': holder.participant.email })
    const { rows } = await scenario.world.database.pool.query(`select id from room_shares where participant_id = $1`, [participant.id])
    await at((ctx) => acceptRoomShare(ctx, rows[0]!['id'] as string))
    return participant.id as string
  }

  it('lowers the rate of a shared room when sharers cancel in any order, down to the number of guests that the holder booked', async () => {
    const hotelId = await triple()
    const holder = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.occupants': 2 }))
    const { id } = holder.participant
    expect(await room(id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 1 })
    const [first, second] = [await share(holder), await share(holder)]
    expect(await room(id)).toEqual({ occupants: 3, rates: [TRIPLE], guests: 3 })
    await scenario.call('edit_participant', { participantId: first, status: 'cancelled' })
    expect(await room(id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 2 })
    await scenario.call('edit_participant', { participantId: second, status: 'cancelled' })
    expect(await room(id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 1 })
    await sound()
  })

  it('lowers the rate of a shared room when a sharer moves to another room, whose rate rises', async () => {
    const hotelId = await triple()
    const [one, two] = [
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
    ]
    const sharer = await share(one)
    expect(await room(one.participant.id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 2 })
    await scenario.call('edit_participant', { participantId: sharer, data: { '@housing.shareWith': two.participant.email } })
    expect(await room(one.participant.id)).toEqual({ occupants: 1, rates: [SINGLE], guests: 1 })
    const { rows } = await scenario.world.database.pool.query(
      `select id from room_shares where participant_id = $1 and status = 'pending'`,
      [sharer],
    )
    await at((ctx) => acceptRoomShare(ctx, rows[0]!['id'] as string))
    expect(await room(two.participant.id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 2 })
    await sound()
  })

  it('keeps the rate for all sharers when the holder changes the nights, and rejects a room that is too small for them', async () => {
    const hotelId = await newHotel({ roomTypes: [...king(5), { ...king(5)[0]!, code: 'single', name: 'Single room', maxOccupancy: 1 }] })
    const holder = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const sharer = await share(holder)
    const change = (more: object) => ({
      participantId: holder.participant.id,
      data: { ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'), ...more },
    })
    await scenario.call('edit_participant', change({}))
    expect(await room(holder.participant.id)).toEqual({ occupants: 2, rates: [DOUBLE], guests: 2 })
    const refusal = await scenario.refused('edit_participant', change({ '@housing.roomTypeCode': 'single' }))
    expect(refusal.fields).toEqual([expect.objectContaining({ path: '@housing.occupants', message: 'Single room takes 1 to 1 people' })])
    await scenario.call('edit_participant', { participantId: sharer, status: 'cancelled' })
    expect(await room(holder.participant.id)).toEqual({ occupants: 1, rates: [SINGLE], guests: 1 })
    await sound()
  })
})

describe('room emails', () => {
  it('sends one email per confirmed, cancelled and waitlisted room', async () => {
    const hotelId = await newHotel({ roomTypes: king(1) })
    const data = { ...newAttendee(), '@product.pass': 1, ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03') }
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data, sendConfirmation: true })
    const late = {
      ...newAttendee(),
      '@product.pass': 1,
      ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.waitlist': true }),
    }
    const waiting = await scenario.call('add_participant', { flowSlug: 'attendee', data: late, sendConfirmation: true })
    const listEmails = async (to: string) => {
      const { rows } = await scenario.world.database.pool.query<{ email_code: string; text_body: string }>(
        `select email_code, text_body from messages where to_address = $1 and source_kind in ('reservation', 'hotelWaitlist') order by queued_at, id`,
        [to],
      )
      return rows
    }
    const [booked] = await listEmails(participant.email)
    expect(booked!.email_code).toBe('housing.confirmed')
    expect(booked!.text_body).toMatch(/room at Grand from .*1 September 2026 to .*3 September 2026\. .*H-\d{6}/)
    expect((await listEmails(waiting.participant.email)).map(({ email_code }) => email_code)).toEqual(['housing.waitlisted'])
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' }, sendEmail: true })
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled', sendEmail: true })
    expect((await listEmails(participant.email)).map(({ email_code }) => email_code)).toEqual(['housing.confirmed', 'housing.cancelled'])
  })
})

describe('housing invariants', () => {
  const alter = (statement: string) =>
    scenario.world.database.pool.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
  const shown = async (statement: string, back: string) => {
    await alter(statement)
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    await alter(back)
    return found.filter(({ ok }) => !ok).map(({ id }) => id)
  }

  it('rejects rows that violate the housing rules, and finds rows that bypass the constraints with the integrity check', async () => {
    const hotelId = await newHotel({ roomTypes: king(2) })
    const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const run = (statement: string) => scenario.world.database.pool.query(statement)
    const of = `where hotel_id = '${hotelId}' and night = '2026-09-01'`
    await expect(run(`update room_nights set booked = booked + 1 ${of}`)).rejects.toThrow('do not add up')
    await expect(run(`update room_nights set booked = 3 ${of}`)).rejects.toThrow('room_nights_not_oversold')
    await expect(run(`delete from reservation_nights where participant_id = '${participant.id}' and night = '2026-09-02'`)).rejects.toThrow(
      'a stay has all of its nights',
    )
    await expect(run(`update reservations set check_out = '2026-09-04' where participant_id = '${participant.id}'`)).rejects.toThrow(
      'all of its nights',
    )
    await expect(run(`update room_nights set allocated = 1 ${of}`)).rejects.toThrow('do not add up')

    expect(await shown(`update room_nights set booked = booked + 1 ${of}`, `update room_nights set booked = booked - 1 ${of}`)).toEqual([
      'H3',
    ])
    expect(await shown(`update room_nights set allocated = 1 ${of}`, `update room_nights set allocated = 0 ${of}`)).toEqual(['H2'])
    const own = `where participant_id = '${participant.id}'`
    expect(
      await shown(`update reservations set check_out = '2026-09-04' ${own}`, `update reservations set check_out = '2026-09-03' ${own}`),
    ).toEqual(['H4'])
    await sound()
  })
})

describe('test data in housing', () => {
  it('takes no room for test participants, and rejects them when no room is free', async () => {
    const [free, full] = [await newHotel({ roomTypes: king(1) }), await newHotel({ roomTypes: king(0) })]
    await scenario.call('update_event', { testMode: true })
    const { participant } = await register(buildRoomAnswers(free, '2026-09-01', '2026-09-03'))
    expect((await stay(participant.id)).ackNumber).toMatch(/^T-H-/)
    await register(buildRoomAnswers(free, '2026-09-01', '2026-09-03'))
    expect((await refused(buildRoomAnswers(full, '2026-09-01', '2026-09-03'))).code).toBe('limit_exceeded')
    expect((await nights(free)).flat().filter((n, index) => index % 5 > 0 && n > 0)).toEqual([])
    await scenario.call('update_event', { testMode: false })
    await sound()
  })

  it('reports by integrity rule H10 a test stay that takes a room, but no test stay that takes none', async () => {
    const hotelId = await newHotel({ roomTypes: king(3) })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await scenario.call('update_event', { testMode: true })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await scenario.call('update_event', { testMode: false })
    await sound()
    const count = (by: number) =>
      scenario.world.database.pool.query(
        `begin; set local session_replication_role = replica; update room_nights set booked = booked + ${by}
         where hotel_id = '${hotelId}' and night = '2026-09-01'; commit`,
      )
    await count(1)
    const { integrity: invariants } = await scenario.call('audit_event', { check: true })
    const broken = invariants.filter(({ ok }: { ok: boolean }) => !ok)
    await count(-1)
    expect(broken.map(({ id }: { id: string }) => id)).toEqual(['H3', 'H10'])
    expect(broken[1].samples).toEqual([`night ${hotelId} king 2026-09-01`])
    await sound()
  })
})

describe('room deposit', () => {
  const paid = useSalesScenario(buildRoomSections(deposits))
  it("invoices the room deposit on the guest's own order and refunds it by days before arrival", async () => {
    const hotelId = await createHotelAt(paid.world, paid.event)
    const { participant, order, invoice } = await paid.register({}, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04') })
    expect([order.total.amount, invoice.total.amount]).toEqual(['222.63', '222.63'])
    const line = await paid.world.database.pool.query(`select kind, total, tax, reservation_id is not null as of_room from order_lines`)
    expect(line.rows).toEqual([{ kind: 'deposit', total: 22263, tax: 0, of_room: true }])
    const inside = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(paid.world, paid.event, run)
    const [row] = await inside((ctx) => listReservations(ctx, [participant.id], ['confirmed']))
    expect(row).toMatchObject({ guarantee_kind: 'deposit', guarantee_status: 'pending' })
    expect(row!.guarantee_due_at!.toISOString()).toBe('2026-04-13T10:00:00.000Z')
    // Ten days before arrival, half is refunded.
    await paid.world.clock.stopAt('2026-08-22T10:00:00Z')
    const note = await inside(async (ctx) => cancelStay(ctx, await loadEventSnapshot(ctx), row!.id, 'other plans'))
    expect(note).toMatchObject({ total: 11132 })
    const found = await checkIntegrity(paid.world.database.read, paid.event.tenantId, paid.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  })

  it('keeps a restored room unsecured until its new deposit is paid, although the credited deposit has no balance', async () => {
    const at = (instant: string) => paid.world.clock.stopAt(instant)
    await at('2026-04-10T10:00:00Z')
    const hotelId = await createHotelAt(paid.world, paid.event, { code: 'restored' })
    const answers = buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04')
    const guests = [await paid.register({ pass: 1 }, { data: answers }), await paid.register({ pass: 1 }, { data: answers })]
    const open: string[] = []
    for (const { participant } of guests) {
      for (const status of ['cancelled', 'complete']) await paid.call('edit_participant', { participantId: participant.id, status })
      const { rows } = await paid.world.database.pool.query(
        `select i.number, i.balance from invoices i join orders o on o.id = i.order_id where o.participant_id = $1 and i.balance > 0`,
        [participant.id],
      )
      expect(rows).toMatchObject([{ balance: 112_263 }])
      open.push(rows[0]!['number'] as string)
    }
    const states = async () => {
      const sorted = `select status || ' ' || guarantee_status as state from reservations where participant_id = any($1) order by created_at, id`
      const { rows } = await paid.world.database.pool.query(sorted, [guests.map(({ participant }) => participant.id)])
      return rows.map(({ state }) => state)
    }
    // The task reminds both guests halfway to the deadline.
    await at('2026-04-12T00:00:00Z')
    await runGuaranteeTask(paid.world)
    expect(await states()).toEqual(['confirmed pending', 'confirmed pending'])
    await paid.callConfirmed('record_manual_payment', {
      kind: 'payment',
      amount: { amount: '1122.63', currency: 'EUR' },
      invoiceNumbers: [open[1]],
      method: 'bank',
      reference: 'Restored',
      receivedAt: '2026-04-12T00:00:00Z',
    })
    await at('2026-04-13T10:00:00Z')
    await runGuaranteeTask(paid.world)
    expect(await states()).toEqual(['cancelled notNeeded', 'confirmed secured'])
  })

  it('does not book a room again that was cancelled for its missing deposit, unless the guest asks for it again', async () => {
    await paid.world.clock.stopAt('2026-04-10T10:00:00Z')
    const hotelId = await createHotelAt(paid.world, paid.event, { code: 'unpaid' })
    const answers = buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04')
    const { id: participantId } = (await paid.register({ pass: 1 }, { data: answers })).participant
    const state = async () => {
      const { rows } = await paid.world.database.pool.query(
        `select s.status, o.balance from reservations s join orders o on o.participant_id = s.participant_id where s.participant_id = $1`,
        [participantId],
      )
      return rows
    }
    await paid.world.clock.stopAt('2026-04-13T10:00:00Z')
    await runGuaranteeTask(paid.world)
    for (const status of ['cancelled', 'complete']) await paid.call('edit_participant', { participantId, status })
    expect(await state()).toEqual([{ status: 'cancelled', balance: 90_000 }])
    await paid.call('edit_participant', { participantId, data: answers })
    expect(await state()).toEqual([{ status: 'confirmed', balance: 112_263 }])
  })
})
