import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHotelAt, GRAND_HOTEL, buildRoomSections } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { openRoomPage, roomFields } from '../support/room-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const [FROM, UNTIL] = ['2026-09-01', '2026-09-03']
const QUESTION = 'Other hotels you would also take'

let scenario: SalesScenario
let served: Served
/** Hotels A to G; only A is sold out. */
const hotels: string[] = []
const [SOLD_OUT, B, C] = [0, 1, 2]

beforeAll(async () => {
  scenario = await openSalesScenario(buildRoomSections({ minNights: 1, maxNights: 7 }), { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  for (const [index, name] of [...'ABCDEFG'].entries()) {
    const nights = [{ from: FROM, until: '2026-09-05', rooms: index === SOLD_OUT ? 0 : 3, single: 18900 }]
    const roomTypes = [{ ...GRAND_HOTEL.roomTypes[0]!, nights }]
    hotels.push(await createHotelAt(scenario.world, scenario.event, { code: name.toLowerCase(), name: `Hotel ${name}`, roomTypes }))
  }
})
afterAll(() => scenario.world.end())

const dates = { '@housing.checkIn': FROM, '@housing.checkOut': UNTIL }
const soldOut = (others: readonly number[]) =>
  roomFields(hotels[SOLD_OUT]!, FROM, UNTIL, { 'housing.otherHotels': others.map((index) => hotels[index]!) })
const entryOf = async (email: string) =>
  (
    await scenario.world.database.pool.query<any>(
      `select w.hotel_id, w.alternatives from hotel_waitlist_entries w join participants p on p.id = w.participant_id
       where p.email = $1 and w.status = 'waiting'`,
      [email],
    )
  ).rows[0]
const searched = async () => {
  const at = await openRoomPage(served, scenario.event)
  await at.fill('rooms', dates, { press: 'update' })
  return at
}

describe('other hotels that a participant accepts for a sold-out room', () => {
  it('saves the alternative hotels of a waiting list entry, and shows them on the summary and the reopened page', async () => {
    const at = await searched()
    expect((await at.open('rooms')).text).toContain(QUESTION)
    // The chosen hotel itself is no other hotel, and each is saved once.
    expect((await at.fill('rooms', soldOut([B, SOLD_OUT, C, B]))).location).toMatch(/\/summary$/)
    const summary = (await at.open('summary')).text
    expect([summary.includes(QUESTION), summary.includes('Hotel B and Hotel C')]).toEqual([true, true])
    const { html } = await at.open('rooms')
    const checked = [...html.matchAll(/<input id="also-(\w+)"[^>]* checked/g)].map(([, id]) => hotels.indexOf(id!))
    expect(checked).toEqual([B, C])
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect(await entryOf(at.email)).toEqual({
      hotel_id: hotels[SOLD_OUT],
      alternatives: [{ hotelId: hotels[B] }, { hotelId: hotels[C] }],
    })
  })

  it('discards the accepted alternative hotels if the participant chooses a free room instead', async () => {
    const at = await searched()
    await at.fill('rooms', soldOut([B]))
    await at.fill('rooms', roomFields(hotels[C]!, FROM, UNTIL, { 'housing.otherHotels': [hotels[B]!] }))
    expect((await at.open('summary')).text).not.toContain(QUESTION)
    await at.finish()
    expect(await entryOf(at.email)).toBeUndefined()
  })

  it('rejects more than five alternative hotels, and leaves out hotels that were closed meanwhile', async () => {
    const at = await searched()
    const tooMany = await at.fill('rooms', soldOut([1, 2, 3, 4, 5, 6]))
    expect([tooMany.status, tooMany.text.includes('Choose at most 5')]).toEqual([400, true])
    await at.fill('rooms', soldOut([B, C]))
    const sell = (status: string) =>
      scenario.world.database.pool.query('update event_hotels set sell_status = $1 where id = $2', [status, hotels[B]])
    await sell('closed')
    await at.finish()
    await sell('open')
    expect((await entryOf(at.email)).alternatives).toEqual([{ hotelId: hotels[C] }])
  })

  it('asks for alternative hotels only if a room of the search is sold out', async () => {
    const { pool } = scenario.world.database
    await pool.query(`update event_hotels set sell_status = 'closed' where id = $1`, [hotels[SOLD_OUT]])
    const at = await searched()
    expect((await at.open('rooms')).text).not.toContain(QUESTION)
    await pool.query(`update event_hotels set sell_status = 'open' where id = $1`, [hotels[SOLD_OUT]])
  })

  it('saves the accepted alternative hotels when a registered participant changes to a sold-out room', async () => {
    const at = await openRoomPage(served, scenario.event)
    await at.fill('rooms', roomFields(hotels[B]!, FROM, UNTIL))
    await at.finish()
    const who = await signInVisitor(scenario.world, served, scenario.event, at.email)
    const path = `${eventHomePath(scenario.event)}/registration/edit/rooms`
    const asked = await who.post(path, { ...hiddenFieldsIn((await who.get(path)).html), do: 'save', ...soldOut([C]) })
    expect(asked.status).toBe(200)
    const saved = await who.post(path, { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null })
    expect(saved.location).toContain('done=saved')
    expect(await entryOf(at.email)).toEqual({ hotel_id: hotels[SOLD_OUT], alternatives: [{ hotelId: hotels[C] }] })
  })
})
