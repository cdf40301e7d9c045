import { beforeAll, describe, expect, it } from 'vitest'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { type ReturnedRoomNight, returnUnbookedRooms, listUnbookedRoomNights } from '../../src/domains/block-requests/give-back.ts'
import { createRequestLink } from '../../src/domains/block-requests/links.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { inEventTransaction, listNightCounts } from '../support/hotels.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createRequestCompany, createRequestHotel, REQUEST_NIGHTS, REQUEST_SECTIONS, signInToRequests } from '../support/room-requests.ts'
import { useSalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, signedInVisitor, type Visitor, visitor } from '../support/visitor.ts'

const scenario = useSalesScenario(REQUEST_SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
let served: Served
const hotels: Record<'a' | 'b', string> = { a: '', b: '' }
let made = 0

beforeAll(async () => {
  served = await serve(scenario.world)
  hotels.a = await createRequestHotel(scenario, { code: 'a', name: 'Hotel A', free: [40, 40, 40, 40] })
  hotels.b = await createRequestHotel(scenario, { code: 'b', name: 'Hotel B', free: [40, 40, 40, 40] })
})

const home = () => `${eventHomePath(scenario.event)}/housing/request`
const rooms = (count: string) => Object.fromEntries(REQUEST_NIGHTS.map((night) => [`night-${night}`, count]))
const query = async (text: string, ...values: unknown[]) => (await scenario.world.database.pool.query<any>(text, values)).rows

/** A company with a signed-in admin. */
async function newRequester(): Promise<{ companyId: string; email: string; who: Visitor }> {
  const email = `admin.${++made}@linden.example`
  const companyId = await createRequestCompany(scenario, email, `Linden ${made}`)
  return { companyId, email, who: await signInToRequests(scenario, served, email) }
}

/** A sent request with a link as emails contain it. */
async function sentRequest() {
  const { companyId, email, who } = await newRequester()
  await who.post(home(), { ...rooms('2'), do: 'check' })
  const { location } = await who.post(home(), { do: 'send' })
  const [row] = await query('select * from block_requests where company_id = $1', companyId)
  const link = new URL(await inEventTransaction(scenario.world, scenario.event, (ctx) => createRequestLink(ctx, row))).pathname
  return { companyId, email, who, row, link, path: location!.split('?')[0]! }
}

describe('draft of a room request', () => {
  it('keeps rooms, sequence of hotels, payment and note of a draft room request until the next visit', async () => {
    const { who, companyId } = await newRequester()
    const form = { ...rooms('3'), hotel: [hotels.b, hotels.a], pays: 'master', note: 'Near the lift', together: 'on' }
    const saved = await who.post(home(), { ...form, do: 'save' })
    expect([saved.status, saved.location]).toEqual([303, `${home()}?for=c-${companyId}&done=saved`])
    const { html, text } = await who.get(home())
    expect(readFieldValue(html, `night-${REQUEST_NIGHTS[0]}`)).toBe('3')
    expect(text.indexOf('Hotel B')).toBeLessThan(text.indexOf('Hotel A'))
    expect(html).toMatch(/value="master" checked/)
    expect(readFieldValue(html, 'note')).toBe('Near the lift')
    expect(await query('select status, number from block_requests where company_id = $1', companyId)).toEqual([
      { status: 'draft', number: null },
    ])
    await who.post(home(), { ...form, note: 'Near the stairs', do: 'save' })
    expect(await query('select note from block_requests where company_id = $1', companyId)).toEqual([{ note: 'Near the stairs' }])
  })

  it('shares the draft of a room request among all admins of the company, and hides it from others', async () => {
    const { who, companyId } = await newRequester()
    await who.post(home(), { ...rooms('4'), do: 'save' })
    const people = [{ firstName: 'Ida', lastName: 'Lund', email: 'ida@linden.example', role: 'admin' }]
    await scenario.call('manage_exhibitors', { action: 'add', companyId, people })
    const colleague = await signInToRequests(scenario, served, 'ida@linden.example')
    expect(readFieldValue((await colleague.get(home())).html, `night-${REQUEST_NIGHTS[1]}`)).toBe('4')
    const { who: stranger } = await newRequester()
    expect(readFieldValue((await stranger.get(home())).html, `night-${REQUEST_NIGHTS[1]}`)).toBe('0')
    expect(readFieldValue((await stranger.get(`${home()}?for=c-${companyId}`)).html, `night-${REQUEST_NIGHTS[1]}`)).toBe('0')
  })

  it('saves the draft of a room request without rooms, but refuses to send it', async () => {
    const { who, companyId } = await newRequester()
    expect((await who.post(home(), { ...rooms('0'), do: 'save' })).status).toBe(303)
    const refused = await who.post(home(), { ...rooms('0'), note: 'Later', do: 'check' })
    expect([refused.status, refused.text.includes('Enter at least one room on one night.')]).toEqual([400, true])
    expect(readFieldValue(refused.html, 'note')).toBe('Later')
    expect((await who.post(home(), { do: 'send' })).location).toBe(`${home()}?for=c-${companyId}`)
    expect(await query('select status from block_requests where company_id = $1', companyId)).toEqual([{ status: 'draft' }])
  })

  it('omits unknown hotels and room types from a draft room request, and shows invalid numbers as typed', async () => {
    const { who, companyId } = await newRequester()
    const wrong = await who.post(home(), {
      ...rooms('2'),
      [`night-${REQUEST_NIGHTS[0]}`]: '2.5',
      hotel: ['f'.repeat(24), hotels.a],
      type: 'castle',
      do: 'check',
    })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Mon 31 Aug: Enter a whole number from 0 to 500')
    expect(readFieldValue(wrong.html, `night-${REQUEST_NIGHTS[0]}`)).toBe('2.5')
    const [row] = await query('select profile, hotel_preferences, room_types from block_requests where company_id = $1', companyId)
    expect([row.profile.length, row.hotel_preferences, row.room_types]).toEqual([3, [hotels.a], []])
  })

  it('adds nights before and after the event to a room request, within limits', async () => {
    const { who } = await newRequester()
    let path = home()
    for (let added = 0; added < 15; added++) {
      const { html } = await who.get(path)
      const span = { from: readFieldValue(html, 'from')!, until: readFieldValue(html, 'until')! }
      path = (await who.post(home(), { ...rooms('1'), ...span, do: 'before' }, { from: path })).location!.split('#')[0]!
    }
    const { html } = await who.get(path)
    expect([...html.matchAll(/id="night-[\d-]+"/g)]).toHaveLength(16)
    expect(readFieldValue(html, 'from')).toBe('2026-08-20')
  })

  it('ignores a room request form from another website', async () => {
    const { who, companyId } = await newRequester()
    await who.post(home(), { ...rooms('2'), do: 'save' }, { csrf: 'wrong' })
    expect(await query('select id from block_requests where company_id = $1', companyId)).toEqual([])
  })
})

describe('two admins who send a room request at the same time', () => {
  it('creates one room request when two admins send the shared draft concurrently', async () => {
    const { who, companyId, email } = await newRequester()
    await who.post(home(), { ...rooms('2'), do: 'save' })
    const other = await signInToRequests(scenario, served, email)
    await Promise.all([who.post(home(), { do: 'send' }), other.post(home(), { do: 'send' })])
    expect(await query('select status from block_requests where company_id = $1', companyId)).toEqual([{ status: 'submitted' }])
  })
})

describe('housing page of the console', () => {
  it('shows each room request that waits for a decision, and how to decide it', async () => {
    const { row } = await sentRequest()
    const organizer = await signedInVisitor(scenario.world, served, await scenario.world.organizer({ role: 'manager', at: scenario.event }))
    const housing = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/housing`
    const name = `Linden ${made}`
    const shown = await organizer.get(housing)
    expect(shown.text).toContain(
      `${name} asks for 8 room nights Request ${row.number}, submitted on Friday, 10 April 2026: up to 2 rooms per night.`,
    )
    expect(shown.text).toContain(`Show me what room request ${row.number} of ${name} needs and what is free.`)
    await scenario.call('close_block_request', { requestId: row.id })
    expect((await organizer.get(housing)).text).not.toContain(`${name} asks for`)
  })
})

describe('emailed link of a room request', () => {
  const look = async (path: string, who = visitor(served)) => {
    const { status, text } = await who.get(path)
    return [status, text.includes('This link no longer works')]
  }

  it('opens a room request by its link until 30 days after the event, and then returns 404', async () => {
    const { link } = await sentRequest()
    expect(await look(link)).toEqual([200, false])
    expect(await look(`${home()}/br_${'A'.repeat(43)}`)).toEqual([410, true])
    await scenario.world.clock.stopAt('2026-10-03T21:59:00Z')
    expect(await look(link)).toEqual([200, false])
    await scenario.world.clock.stopAt('2026-10-03T22:00:00Z')
    expect(await look(link)).toEqual([410, true])
    expect((await visitor(served).post(link, { do: 'accept' })).status).toBe(410)
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('revokes the link of a room request together with the permissions of its recipient', async () => {
    const { link, companyId, email, path, who } = await sentRequest()
    expect([await look(link), await look(path, who)]).toEqual([
      [200, false],
      [200, false],
    ])
    const people = [{ firstName: 'Ida', lastName: 'Lund', email: 'successor@linden.example', role: 'admin' }]
    await scenario.call('manage_exhibitors', { action: 'add', companyId, people })
    const [{ id: staffId }] = await query('select id from exhibitor_staff where company_id = $1 and email = $2', companyId, email)
    await scenario.callConfirmed('manage_exhibitors', { action: 'remove', staffId })
    expect([await look(link), await look(path, who)]).toEqual([
      [410, true],
      [410, true],
    ])
  })

  it('opens no room request of another company, by number or by link', async () => {
    const [own, other] = [await sentRequest(), await sentRequest()]
    expect(await look(other.path, own.who)).toEqual([410, true])
    expect((await own.who.post(other.path, { do: 'decline' }, { from: own.path })).status).toBe(410)
    const { location } = await visitor(served).get(other.path)
    expect(location).toBe(`${home()}/sign-in?next=${encodeURIComponent(other.path)}`)
  })
})

describe('giving back rooms of an accepted request', () => {
  /** A request with two rooms on each night at Hotel A, accepted on its page. */
  async function acceptedRequest() {
    const request = await sentRequest()
    const allocations = [{ hotelId: hotels.a, roomTypeCode: 'king', nights: REQUEST_NIGHTS, rooms: 2 }]
    const override = { overridePolicy: true, overrideReason: 'The booth is assigned later' }
    await scenario.call('allocate_block_request_rooms', { requestId: request.row.id, allocations, ...override })
    expect((await request.who.get(request.path)).html).not.toContain('/give-back')
    expect((await request.who.get(`${request.path}/give-back`)).location).toBe(request.path)
    await request.who.post(request.path, { do: 'accept' })
    return request
  }
  const guestForm = (email: string, nights: readonly string[] = REQUEST_NIGHTS) => ({
    firstName: 'Gesa',
    lastName: 'Guest',
    email,
    night: nights,
    room: `${hotels.a} king`,
    do: 'guest',
  })
  const field = (night: number) => `${hotels.a}.king.${REQUEST_NIGHTS[night]}`
  const readRequest = async (requestId: string) => (await scenario.call('get_block_request', { requestId })).request
  const freeAtA = async () =>
    (await listNightCounts(scenario.world, hotels.a)).map(([contracted, ...used]) => contracted! - used.reduce((sum, n) => sum + n))
  const at = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(scenario.world, scenario.event, run)
  const mustAddUp = async () => {
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }

  /** The rooms that the form shows, without its CSRF token, so that a test can send another one. */
  const shownIn = (html: string) => Object.fromEntries(Object.entries(hiddenFieldsIn(html)).filter(([name]) => name !== '_csrf'))
  const giveAll = async (who: Visitor, link: string) => who.post(link, { ...shownIn((await who.get(link)).html), do: 'all' })

  it('gives back hotel rooms once if the same form is sent twice, sequentially or concurrently', async () => {
    const { who, path, row } = await acceptedRequest()
    const link = `${path}/give-back`
    const form = { ...shownIn((await who.get(link)).html), do: 'some', [field(0)]: '1' }
    const before = await freeAtA()
    expect((await who.post(link, form)).location).toBe(`${path}?done=gaveBack&count=1`)
    expect((await who.post(link, form)).status).toBe(400)
    expect((await who.post(link, { do: 'some', [field(1)]: '1' })).status).toBe(400)
    const again = { ...shownIn((await who.get(link)).html), do: 'some', [field(2)]: '1' }
    const answers = await Promise.all([who.post(link, again), who.post(link, again)])
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([303, 400]))
    expect(await freeAtA()).toEqual(before.map((free, night) => free + (night === 0 || night === 2 ? 1 : 0)))
    expect(await readRequest(row.id)).toMatchObject({ granted: 6 })
    // Control: the same number of rooms on a form that shows the present state.
    const fresh = { ...shownIn((await who.get(link)).html), do: 'some', [field(0)]: '1' }
    expect((await who.post(link, fresh)).location).toBe(`${path}?done=gaveBack&count=1`)
    await mustAddUp()
  })

  it('lets a company give back rooms from the link on its page, frees them for others, and keeps the rooms with a guest', async () => {
    const { who, path, row, email } = await acceptedRequest()
    expect((await who.post(path, guestForm(`gesa.${email}`))).location).toBe(`${path}?done=guest`)
    const links = [...(await who.get(path)).html.matchAll(/href="([^"]+\/give-back)"/g)].map(([, href]) => href!)
    expect(new Set(links)).toEqual(new Set([`${path}/give-back`]))
    const page = await who.get(links[0]!)
    expect(page.text).toContain('Hotel A, King room')
    expect(page.text.match(/Without a guest: 1/g)).toHaveLength(4)
    const give = (fields: Record<string, string>, more: object = {}) =>
      who.post(links[0]!, { ...shownIn(page.html), do: 'some', ...fields }, more)
    const before = await freeAtA()

    const tooMany = await give({ [field(0)]: '2' })
    expect([tooMany.status, tooMany.text.includes('Hotel A, King room, Mon 31 Aug: Enter a whole number from 0 to 1')]).toEqual([400, true])
    expect(readFieldValue(tooMany.html, field(0))).toBe('2')
    const none = await give({})
    expect([none.status, none.text.includes('Enter at least one room on one night.')]).toEqual([400, true])
    await give({ [field(0)]: '1' }, { csrf: 'wrong' })
    expect(await freeAtA()).toEqual(before)

    const done = await give({ [field(0)]: '1', [field(3)]: '1' })
    expect(done.location).toBe(`${path}?done=gaveBack&count=2`)
    expect((await who.get(done.location!)).text).toContain('2 room nights were given back.')
    expect(await freeAtA()).toEqual(before.map((free, night) => free + (night === 0 || night === 3 ? 1 : 0)))
    expect(await readRequest(row.id)).toMatchObject({ status: 'accepted', granted: 6, pickup: 4, roomNights: 6 })
    expect((await give({ [field(0)]: '1', [field(3)]: '1' })).status).toBe(400)

    expect((await giveAll(who, links[0]!)).location).toBe(`${path}?done=gaveBack&count=2`)
    expect(await freeAtA()).toEqual(before.map((free) => free + 1))
    expect(await readRequest(row.id)).toMatchObject({ status: 'accepted', granted: 4, pickup: 4, roomNights: 4 })
    expect((await who.get(path)).html).not.toContain('/give-back')
    expect((await who.get(links[0]!)).location).toBe(path)
    const [entry] = await query(`select actor_kind, tool from audit_entries where tool = 'give_back_block_rooms' order by id limit 1`)
    expect(entry).toMatchObject({ tool: 'give_back_block_rooms' })
    await mustAddUp()
  })

  it('names the hotel, room type and night without a free room for a guest', async () => {
    const { who, path, email } = await acceptedRequest()
    await who.post(path, guestForm(`gesa.${email}`))
    await who.post(path, guestForm(`ida.${email}`, REQUEST_NIGHTS.slice(0, 1)))
    const { status, text } = await who.post(path, guestForm(`una.${email}`))
    expect(status).toBe(400)
    expect(text).toContain('Hotel A, King room: No such room is free on the night of 31 August 2026')
    expect(text).not.toContain('the night of 1 September 2026')
  })

  it('refuses other companies the page for giving rooms back, and shows an accepted request that has no rooms left', async () => {
    const [own, other] = [await acceptedRequest(), await newRequester()]
    expect((await other.who.get(`${own.path}/give-back`)).status).toBe(410)
    expect((await other.who.post(`${own.path}/give-back`, { do: 'all' }, { from: home() })).status).toBe(410)
    // The emailed link works without signing in.
    const link = `${own.link}/give-back`
    expect((await giveAll(visitor(served), link)).location).toBe(`${own.link}?done=gaveBack&count=8`)
    expect(await readRequest(own.row.id)).toMatchObject({ status: 'accepted', granted: 0, pickup: 0 })
    expect((await own.who.get(own.path)).status).toBe(200)
    await mustAddUp()
  })

  it('refuses to give back rooms that have a guest, rooms of other blocks, and rooms of requests that are not accepted', async () => {
    const { row, who, path, email } = await acceptedRequest()
    await who.post(path, guestForm(`gesa.${email}`, REQUEST_NIGHTS.slice(0, 2)))
    const before = await freeAtA()
    const give = (given: ReturnedRoomNight[], requestId = row.id) => at((ctx) => returnUnbookedRooms(ctx, requestId, given))
    // All or nothing: the third night has two rooms without a guest, the first has one.
    const both = [2, 0].map((night) => ({ key: field(night), rooms: 2, shown: 2 }))
    await expect(give(both)).rejects.toMatchObject({ code: 'precondition_failed', details: { fields: [{ path: field(0) }] } })
    await expect(give([{ key: field(0), rooms: 2, shown: 1 }])).rejects.toMatchObject({ code: 'precondition_failed' })
    await expect(give([{ key: `${hotels.b}.king.${REQUEST_NIGHTS[0]}`, rooms: 1, shown: 1 }])).rejects.toMatchObject({
      code: 'precondition_failed',
    })
    await expect(give([{ key: field(0), rooms: 0, shown: 1 }])).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(give([{ key: field(0), rooms: 1, shown: 1 }], (await sentRequest()).row.id)).rejects.toMatchObject({
      code: 'precondition_failed',
    })
    expect(await freeAtA()).toEqual(before)
    const night = { hotelId: 'h', roomTypeCode: 'king', rooms: 3, booked: 1, held: 1 }
    const nights = ['2026-08-30', '2026-08-31'].map((day) => ({ ...night, night: day }))
    expect(listUnbookedRoomNights(nights, '2026-08-31')).toMatchObject([{ night: '2026-08-31', rooms: 1 }])
  })

  it('never gives back a room that is booked concurrently', async () => {
    const { row, who, path, email } = await acceptedRequest()
    const answers = await Promise.allSettled([
      at((ctx) =>
        returnUnbookedRooms(
          ctx,
          row.id,
          [0, 1, 2, 3].map((night) => ({ key: field(night), rooms: 2, shown: 2 })),
        ),
      ),
      who.post(path, guestForm(`gesa.${email}`)),
    ])
    const { granted, pickup } = await readRequest(row.id)
    expect([granted, pickup]).toEqual(answers[0]!.status === 'fulfilled' ? [0, 0] : [8, 4])
    await mustAddUp()
  })
})
