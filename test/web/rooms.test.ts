import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { GRAND_HOTEL, createHotelAt, listNightCounts, buildRoomSections } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openRoomPage, roomFields } from '../support/room-pages.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, plainText, type VisitedPage } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  scenario = await openSalesScenario(buildRoomSections({ minNights: 1, maxNights: 7 }), { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
beforeEach(() => scenario.world.clock.stopAt('2026-04-10T10:00:00Z'))
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const reservationsOf = (email: string) =>
  rows(
    `select s.status, s.ack_number, s.check_in::text, s.check_out::text, s.stay_total, s.occupants from reservations s
     join participants p on p.id = s.participant_id where p.email = $1 order by s.created_at, s.id`,
    [email],
  )
const held = async (hotelId: string) => (await listNightCounts(scenario.world, hotelId)).map(([, , , , count]) => count)
const booked = async (hotelId: string) => (await listNightCounts(scenario.world, hotelId)).map(([, , , count]) => count)
const newGuest = () => openRoomPage(served, scenario.event)
let hotels = 0
const rooms = (count: number) => [
  { ...GRAND_HOTEL.roomTypes[0]!, nights: GRAND_HOTEL.roomTypes[0]!.nights!.map((span) => ({ ...span, rooms: count })) },
]
const newHotel = (count = 10, more: object = {}) =>
  createHotelAt(scenario.world, scenario.event, { code: `grand-${++hotels}`, name: `Grand ${hotels}`, roomTypes: rooms(count), ...more })

describe('room page', () => {
  it('searches rooms by dates and guests, and shows the price per night and of the whole stay', async () => {
    const hotelId = await newHotel()
    const { open, fill } = await newGuest()
    const first = await open('rooms')
    expect(first.text).toContain('Search rooms')
    expect((await fill('rooms', { '@housing.checkIn': '2026-09-01', '@housing.checkOut': '2026-09-04' }, { press: 'update' })).status).toBe(
      303,
    )
    const found = await open('rooms')
    for (const expected of ['€690.39', '€189.00', '€209.00', '€30.00 + €73.39', '10 rooms', 'No room needed', 'pay at the hotel'])
      expect(found.text).toContain(expected)
    expect(found.html).toContain(`value="${hotelId}:king"`)
    // Two guests pay the double price of 219.00, 219.00 and 239.00. Tax is calculated for each night separately.
    await fill(
      'rooms',
      { '@housing.checkIn': '2026-09-01', '@housing.checkOut': '2026-09-04', '@housing.occupants': '2' },
      { press: 'update' },
    )
    expect((await open('rooms')).text).toContain('€791.64')
    await fill('rooms', { '@housing.checkIn': '2026-09-03', '@housing.checkOut': '2026-09-03' }, { press: 'update' })
    expect((await open('rooms')).text).toContain('The check-out date must be after the check-in date')
    await fill('rooms', { '@housing.checkIn': '2026-09-01', '@housing.checkOut': '2026-09-12' }, { press: 'update' })
    expect((await open('rooms')).text).toContain('The maximum stay is 7 nights')
  })

  it('holds rooms after Next, shows them on the summary, and books them with the registration in one transaction', async () => {
    const hotelId = await newHotel()
    const at = await newGuest()
    expect((await at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-04'))).location).toMatch(/\/summary$/)
    expect(await held(hotelId)).toEqual([1, 1, 1])
    const summary = await at.open('summary')
    for (const expected of ['King room', '3 nights', '€690.39', 'Your selection is held for you until 12:15'])
      expect(summary.text).toContain(expected)
    // The room is also an item of the order, which does not change the total.
    const order = plainText(/<aside[^]*?<\/aside>/.exec(summary.html)![0])
    expect(order).toMatch(/Grand \d+, King room 1.{1,3}4 September 2026 · 3 nights · €690\.39, pay at the hotel/)
    expect(summary.text, 'the hotel is paid there').toContain('Total €900.00')
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect([await held(hotelId), await booked(hotelId)]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ])
    const [stay] = await reservationsOf(at.email)
    expect(stay).toMatchObject({ status: 'confirmed', stay_total: 69_039 })
    expect((await at.open('done')).text).toContain(stay.ack_number)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('saves no room after a search without a choice, and does not complete the registration while a search is open', async () => {
    const hotelId = await newHotel()
    const at = await newGuest()
    await at.fill('rooms', { '@housing.checkIn': '2026-09-01', '@housing.checkOut': '2026-09-03', 'housing.room': '' })
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect(await reservationsOf(at.email)).toEqual([])
    const other = await newGuest()
    await other.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    await other.fill(
      'rooms',
      { '@housing.checkIn': '2026-09-02', '@housing.checkOut': '2026-09-04', 'housing.room': '' },
      { press: 'update' },
    )
    expect((await other.open('summary')).location).toMatch(/\/rooms$/)
  })

  it('replaces held rooms by newly chosen ones, and releases them if no room is needed', async () => {
    const hotelId = await newHotel(1)
    const at = await newGuest()
    await at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    // The participant's own hold counts as available for them.
    expect((await at.open('rooms')).text).not.toContain('Sold out on at least one night')
    await at.fill('rooms', roomFields(hotelId, '2026-09-02', '2026-09-04'))
    expect(await held(hotelId)).toEqual([0, 1, 1])
    await at.fill('rooms', { ...roomFields(hotelId, '2026-09-02', '2026-09-04'), 'housing.room': '' })
    expect(await held(hotelId)).toEqual([0, 0, 0])
  })

  it('releases held rooms after the hold expires, informs the late participant and does not oversell', async () => {
    const hotelId = await newHotel(1)
    const [late, quick] = [await newGuest(), await newGuest()]
    await late.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    const beaten = await quick.fill('rooms', roomFields(hotelId, '2026-09-02', '2026-09-04'))
    expect(beaten.status).toBe(400)
    expect(beaten.text).toContain('This room was just booked for one of your nights')
    await scenario.world.clock.stopAt('2026-04-10T10:16:00Z')
    expect((await late.open('summary')).text).toContain('Your selection is no longer held for you')
    expect((await quick.fill('rooms', roomFields(hotelId, '2026-09-02', '2026-09-04'))).location).toMatch(/\/summary$/)
    expect((await quick.finish()).location).toMatch(/\/done$/)
    const gone = await late.finish()
    expect(gone.status).toBe(400)
    expect(gone.text).toContain('This room was just booked')
    expect(await booked(hotelId)).toEqual([0, 1, 1])
  })

  it('adds a participant who chooses a sold-out room to its waiting list, and lets them change the hotels there or leave', async () => {
    const hotelId = await newHotel(1)
    const first = await newGuest()
    await first.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-04'))
    await first.finish()
    const at = await newGuest()
    await at.fill('rooms', { '@housing.checkIn': '2026-09-01', '@housing.checkOut': '2026-09-03' }, { press: 'update' })
    const full = await at.open('rooms')
    for (const expected of ['Sold out on at least one night', 'Waiting list open', 'sold out']) expect(full.text).toContain(expected)
    expect((await at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))).location).toMatch(/\/summary$/)
    expect((await at.open('summary')).text).toContain('On the waiting list')
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect((await at.open('done')).text).toContain('number 1 in line')
    expect(await reservationsOf(at.email)).toEqual([])
    const who = await signInVisitor(scenario.world, served, scenario.event, at.email)
    const housing = `${eventHomePath(scenario.event)}/housing`
    expect((await who.get(housing)).text).toContain('number 1 in line')
    // Other hotels, and any hotel, are chosen on the participant's own page.
    const also = await newHotel()
    const entry = async () => (await rows(`select * from hotel_waitlist_entries where status = 'waiting'`))[0]
    const { id: entryId, position } = await entry()
    for (const expected of ['Other hotels you would also take', `Grand ${hotels}`])
      expect((await who.get(housing)).text).toContain(expected)
    const choose = (fields: FormFields, of = entryId) => who.post(housing, { ...fields, do: `also:${of}` })
    expect((await choose({ also })).location).toContain('done=hotels')
    expect(await entry()).toMatchObject({ hotel_id: hotelId, room_type_code: 'king', alternatives: [{ hotelId: also }] })
    expect((await choose({ any: 'on' })).location).toContain('done=hotels')
    expect(await entry()).toMatchObject({ hotel_id: null, room_type_code: null, alternatives: [] })
    expect((await who.get(housing)).text).toContain('Any hotel, ')
    expect((await choose({})).status).toBe(400)
    expect((await choose({ also: [hotelId, also] })).location).toContain('done=hotels')
    expect(await entry()).toMatchObject({ hotel_id: hotelId, room_type_code: null, alternatives: [{ hotelId: also }], position })
    expect((await choose({ also: 'f'.repeat(24) })).status).toBe(400)
    expect((await choose({ also }, 'f'.repeat(24))).status).toBe(400)
    expect((await who.post(housing, { do: 'leave' })).location).toContain('done=left')
    expect(await rows(`select 1 from hotel_waitlist_entries where status in ('waiting', 'offered')`)).toEqual([])
  })

  it('states before and after the booking period that rooms cannot be booked', async () => {
    await scenario.publish(buildRoomSections({ opensAt: '2026-05-01T08:00:00Z' }))
    expect((await (await newGuest()).open('rooms')).text).toContain('Rooms can be booked from Friday')
    await scenario.publish(buildRoomSections({ closesAt: '2026-04-01T08:00:00Z', opensAt: null }))
    expect((await (await newGuest()).open('rooms')).text).toContain('Rooms could be booked until Wednesday')
    await scenario.publish(buildRoomSections({ opensAt: null, closesAt: null }))
  })

  it('shows the room page in German', async () => {
    await newHotel()
    await rows(`update events set locales = '{en,de}' where id = $1`, [scenario.event.eventId])
    const at = await newGuest()
    const { text } = await at.who.get(`${eventHomePath(scenario.event)}/register/attendee/rooms?lang=de`)
    for (const expected of ['Ihr Hotelzimmer', 'Anreise', 'Zimmer suchen', 'Nacht vom', 'Kein Zimmer benötigt'])
      expect(text).toContain(expected)
  })
})

describe('sharing a room', () => {
  it('emails a request to share a hotel room, which only the holder of the room can accept on their own page', async () => {
    const hotelId = await newHotel()
    const holder = await newGuest()
    await holder.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    await holder.finish()
    const asking = await newGuest()
    const unknownHolder = await asking.fill('rooms', { 'housing.room': 'share', 'housing.sharedBy': 'NOBODY2345' })
    expect([unknownHolder.status, unknownHolder.text.includes('Enter the email address or confirmation number')]).toEqual([400, true])
    expect((await asking.fill('rooms', { 'housing.room': 'share', 'housing.sharedBy': '' })).status).toBe(400)
    await asking.fill('rooms', { 'housing.room': 'share', 'housing.sharedBy': holder.email })
    expect((await asking.open('summary')).text).toContain(`Sharing the room of ${holder.email}`)
    expect((await asking.finish()).location).toMatch(/\/done$/)

    const housing = `${eventHomePath(scenario.event)}/housing`
    const stranger = await signInVisitor(scenario.world, served, scenario.event, asking.email)
    const [{ id }] = await rows(
      `select a.id from room_shares a join participants p on p.id = a.participant_id where p.email = $1 and a.status = 'pending'`,
      [asking.email],
    )
    const refused = await stranger.post(housing, { do: `accept:${id}` }, { from: `${eventHomePath(scenario.event)}/registration` })
    expect([refused.status, refused.location]).toEqual([400, null])
    const host = await signInVisitor(scenario.world, served, scenario.event, holder.email)
    expect((await host.get(housing)).text).toContain('would like to share your room')
    expect((await host.post(housing, { do: `accept:${id}` })).location).toContain('done=shared')
    // Two guests: 219.00 twice, with a fee of 10.00 and 12.5% tax per night.
    expect(await reservationsOf(holder.email)).toMatchObject([{ occupants: 2, stay_total: 2 * (21_900 + 1000 + 2738) }])
    expect((await stranger.get(housing)).text).toContain('You are sharing the room of')
  })
})

describe('room of a registered participant', () => {
  const registered = async (hotelId: string, from = '2026-09-01', until = '2026-09-03') => {
    const at = await newGuest()
    await at.fill('rooms', roomFields(hotelId, from, until))
    await at.finish()
    const who = await signInVisitor(scenario.world, served, scenario.event, at.email)
    const path = `${eventHomePath(scenario.event)}/registration/edit/rooms`
    return {
      ...at,
      who,
      change: async (fields: FormFields) => who.post(path, { ...hiddenFieldsIn((await who.get(path)).html), do: 'save', ...fields }),
      confirm: (asked: VisitedPage) => who.post(path, { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null }),
    }
  }
  it('moves a hotel stay to other dates after showing both stays, and keeps the old stay if the new one is unavailable', async () => {
    const hotelId = await newHotel(1)
    const mine = await registered(hotelId)
    const asked = await mine.change(roomFields(hotelId, '2026-09-02', '2026-09-04'))
    expect(asked.status).toBe(200)
    // The stay before: 2 × 189.00 plus 20.00 fees and 47.26 tax. After: 189.00 + 209.00 plus 20.00 fees and 23.63 + 26.13 tax.
    for (const expected of ['Room before the change', 'Room after the change', '€445.26', '€467.76']) expect(asked.text).toContain(expected)
    expect(await booked(hotelId), 'nothing changes before confirmation').toEqual([1, 1, 0])
    expect((await mine.confirm(asked)).location).toContain('done=saved')
    expect(await booked(hotelId)).toEqual([0, 1, 1])
    await registered(hotelId, '2026-09-01', '2026-09-02')
    const full = await mine.change(roomFields(hotelId, '2026-09-01', '2026-09-03'))
    expect([full.status, full.text.includes('This room was just booked')]).toEqual([400, true])
    expect(await reservationsOf(mine.email)).toMatchObject([{ status: 'confirmed', check_in: '2026-09-02', check_out: '2026-09-04' }])
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('shortens a stay at a hotel that is closed for sale, but neither extends the stay nor moves another stay to that hotel', async () => {
    const hotelId = await newHotel()
    const sell = (sellStatus: string) => scenario.call('amend_contract', { hotelId, sellStatus, reason: 'The hotel asked for it' })
    const [mine, other] = [await registered(hotelId), await registered(await newHotel())]
    const found = async ({ who }: typeof mine) =>
      (await who.get(`${eventHomePath(scenario.event)}/registration/edit/rooms`)).html.includes(`value="${hotelId}:king"`)
    expect([await found(mine), await found(other)]).toEqual([true, true])
    await sell('closed')
    expect([await found(mine), await found(other)]).toEqual([true, false])

    const longer = await mine.change(roomFields(hotelId, '2026-09-01', '2026-09-04'))
    expect([longer.status, longer.text.includes('This room cannot be booked at the moment')]).toEqual([400, true])
    expect(await booked(hotelId)).toEqual([1, 1, 0])
    const shorter = await mine.change(roomFields(hotelId, '2026-09-01', '2026-09-02'))
    expect(shorter.text).toContain('Room after the change')
    expect((await mine.confirm(shorter)).location).toContain('done=saved')
    expect(await booked(hotelId)).toEqual([1, 0, 0])

    // Control: while the hotel allows changes, its guests can have the night back.
    await sell('changes')
    const again = await mine.change(roomFields(hotelId, '2026-09-01', '2026-09-03'))
    expect((await mine.confirm(again)).location).toContain('done=saved')
    expect(await booked(hotelId)).toEqual([1, 1, 0])
    await sell('open')
  })

  it('keeps a booked room when the room page is saved after the booking period or with unavailable dates', async () => {
    const hotelId = await newHotel()
    const mine = await registered(hotelId)
    const nowhere = await mine.change({ '@housing.checkIn': '2026-11-01', '@housing.checkOut': '2026-11-02', '@housing.occupants': '1' })
    expect(nowhere.status).toBe(400)
    await scenario.publish(buildRoomSections({ closesAt: '2026-04-01T08:00:00Z' }))
    expect((await mine.change({})).location).toContain('done=saved')
    await scenario.publish(buildRoomSections({ closesAt: null }))
    expect(await reservationsOf(mine.email)).toMatchObject([{ status: 'confirmed', check_in: '2026-09-01', check_out: '2026-09-03' }])
  })

  it('saves a changed note to the hotel without asking for confirmation', async () => {
    const hotelId = await newHotel()
    const mine = await registered(hotelId)
    const saved = await mine.change(roomFields(hotelId, '2026-09-01', '2026-09-03', { '@housing.requests': 'High floor' }))
    expect(saved.location).toContain('done=saved')
    expect(
      (
        await rows(`select requests from reservations s join participants p on p.id = s.participant_id where p.email = $1`, [mine.email])
      )[0],
    ).toEqual({
      requests: 'High floor',
    })
  })

  it('cancels a room once on the page of the room, and makes the room available to others immediately', async () => {
    const hotelId = await newHotel(1)
    const mine = await registered(hotelId)
    const [{ id }] = await rows(`select s.id from reservations s join participants p on p.id = s.participant_id where p.email = $1`, [
      mine.email,
    ])
    const path = `${eventHomePath(scenario.event)}/housing/${id}/cancel`
    expect((await mine.who.get(path)).text).toContain('You have not paid a deposit')
    expect((await mine.who.post(path, {})).location).toContain('done=roomGone')
    expect(await booked(hotelId)).toEqual([0, 0, 0])
    const other = await registered(hotelId)
    expect((await other.who.get(path)).status, 'of another participant').toBe(404)
    expect((await mine.who.get(`${eventHomePath(scenario.event)}/housing`)).text).toContain('You have not booked a room')
  })
})
