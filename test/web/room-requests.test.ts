import { beforeAll, describe, expect, it } from 'vitest'
import { createRequestLink } from '../../src/domains/block-requests/links.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createRequestCompany, createRequestHotel, REQUEST_NIGHTS, REQUEST_SECTIONS, signInToRequests } from '../support/room-requests.ts'
import { useSalesScenario } from '../support/sales-scenario.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor } from '../support/visitor.ts'

const scenario = useSalesScenario(REQUEST_SECTIONS, { baseUrl: await freeBaseUrl() })
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

describe('the draft of a room request', () => {
  it('keeps rooms, hotels in their order, payment and note of a draft room request until the next visit', async () => {
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

  it('saves a draft room request without rooms, but does not send it', async () => {
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

describe('two admins who send at the same time', () => {
  it('creates one room request when two admins send it concurrently', async () => {
    const { who, companyId, email } = await newRequester()
    await who.post(home(), { ...rooms('2'), do: 'save' })
    const other = await signInToRequests(scenario, served, email)
    await Promise.all([who.post(home(), { do: 'send' }), other.post(home(), { do: 'send' })])
    expect(await query('select status from block_requests where company_id = $1', companyId)).toEqual([{ status: 'submitted' }])
  })
})

describe('the link of a room request', () => {
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
