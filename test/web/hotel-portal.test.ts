import excel from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findHotel } from '../../src/domains/housing/find-hotel.ts'
import { sendHotelAccessLinks } from '../../src/domains/housing/rooming/lists.ts'
import { sendDueRoomingLists } from '../../src/domains/housing/rooming/task.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { createHotelAt, inEventTransaction, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { newAttendee, openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

describe('hotel pages', () => {
  let sales: SalesScenario
  let served: Served
  let hotelId: string
  beforeAll(async () => {
    sales = await openSalesScenario(buildRoomSections(), { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    hotelId = await createHotelAt(sales.world, sales.event)
    await sales.world.database.pool.query(
      `update event_hotels set contacts = '[{"name": "Eva Lindner", "email": "eva@grand.example"}]' where id = $1`,
      [hotelId],
    )
    await sales.world.database.pool.query(`update housing_contracts set rooming_list_due_on = '2026-08-25' where hotel_id = $1`, [hotelId])
  })
  afterAll(() => sales.world.end())

  const book = async (firstName: string, until = '2026-09-04') => {
    const answers = {
      ...newAttendee(),
      '@participant.firstName': firstName,
      '@product.pass': 1,
      ...buildRoomAnswers(hotelId, '2026-09-01', until),
    }
    return (await sales.call('add_participant', { flowSlug: 'attendee', data: answers })).participant.id as string
  }
  const runTask = () => sendDueRoomingLists.run(createRecurringTaskContext(sales.world.services, sendDueRoomingLists.name, new Date()))
  const moveTo = async (instant: string) => {
    await sales.world.clock.stopAt(instant)
    await sales.world.renewTokens()
  }
  const countLists = async () =>
    (await sales.world.database.pool.query<{ n: number }>('select count(*)::int as n from rooming_lists where hotel_id = $1', [hotelId]))
      .rows[0]!.n
  const latestLink = async () => {
    const { rows } = await sales.world.database.pool.query<{ text: string }>(
      `select text_body as text from messages where to_address = 'eva@grand.example' order by id desc limit 1`,
    )
    return new URL(/https?:\/\/\S+\/hotel\/\S+/.exec(rows[0]!.text)![0]).pathname
  }

  it('emails a hotel its rooming list at six on the due day and after changes, and saves each confirmation number separately', async () => {
    await book('Amara')
    const lukas = await book('Lukas', '2026-09-03')
    await moveTo('2026-08-25T03:59:00Z')
    await runTask()
    expect(await countLists()).toBe(0)
    await moveTo('2026-08-25T04:01:00Z')
    await runTask()
    await runTask()
    expect(await countLists()).toBe(1)
    await moveTo('2026-08-26T04:01:00Z')
    await runTask()
    expect(await countLists()).toBe(1)
    const home = await latestLink()
    const browser = visitor(served)
    const page = await browser.get(home)
    expect(page.status).toBe(200)
    for (const text of ['Rooming list, version 1', 'Amara', 'Lukas', 'Room nights: 5', '0 of 2', 'No guarantee needed'])
      expect(page.text).toContain(text)
    const ids = [...page.html.matchAll(/name="n-([0-9a-f]{24})"/g)].map(([, id]) => id!)
    const wrong = await browser.post(home, { [`n-${ids[0]}`]: 'K8842107', [`n-${ids[1]}`]: '<script>' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Confirmation numbers not saved: 1')
    expect(wrong.text).toContain('All others are saved.')
    expect(wrong.html).toMatch(new RegExp(`id="n-${ids[1]}"[^>]*value="&lt;script&gt;"`))
    expect((await browser.get(home)).text).toContain('1 of 2')
    const twice = await browser.post(home, { [`n-${ids[1]}`]: 'K8842107' })
    expect(twice.text).toContain('This number belongs to another guest')
    // A number that another person saved meanwhile stays. Entering the same number is no conflict.
    const rival = await browser.post(home, { [`n-${ids[0]}`]: 'K1', [`was-${ids[0]}`]: '', [`n-${ids[1]}`]: 'K99' })
    expect(rival.status).toBe(400)
    expect(rival.text).toContain('Another person changed this number meanwhile')
    expect((await browser.post(home, { [`n-${ids[0]}`]: 'K8842107', [`was-${ids[0]}`]: '' })).location).toContain('count=0')
    await sales.world.database.pool.query(`update room_nights set returned = 3 where hotel_id = $1 and night = '2026-09-02'`, [hotelId])
    await sales.call('edit_participant', { participantId: lukas, status: 'cancelled' })
    await moveTo('2026-08-27T04:01:00Z')
    await runTask()
    expect(await countLists()).toBe(2)
    const second = await browser.get(await latestLink())
    expect(second.text).toContain('Cancelled since version 1')
    expect(second.text).toContain('0 new, 0 changed')
    // The two nights that were cancelled after the cut-off went back to the hotel, too.
    for (const text of ['Confirmation no. K99', 'Room nights returned: 5', 'From Friday, 4 September 2026'])
      expect(second.text).toContain(text)
    const csv = await browser.get(`${home}/rooming-list.csv`)
    expect(csv.html.split('\n')[1]).toMatch(/^H-\d{6},Amara .*,2026-09-01,2026-09-04,3,King room,.*K8842107$/)
    const file = await fetch(served.url(`${home}/rooming-list.xlsx`))
    const book2 = new excel.Workbook()
    await book2.xlsx.load(await file.arrayBuffer())
    expect(book2.worksheets[0]!.getRow(2).getCell(12).value).toBe('K8842107')
  })

  it('accepts no-show reports of a hotel from arrival on, and the final pickup once after the last night', async () => {
    const home = await latestLink()
    const browser = visitor(served)
    expect((await browser.get(`${home}/pickup`)).text).toContain('You can report the pickup after the last night')
    await moveTo('2026-09-05T10:00:00Z')
    const page = await browser.get(`${home}/pickup`)
    const [, id] = /name="gone-([0-9a-f]{24})"/.exec(page.html)!
    expect((await browser.post(`${home}/no-shows`, { [`gone-${id}`]: 'on' }, { from: `${home}/pickup` })).status).toBe(303)
    const { rows } = await sales.world.database.pool.query(
      `select s.status, array_agg(distinct n.status) as nights from reservations s join reservation_nights n on n.reservation_id = s.id where s.id = $1 group by 1`,
      [id],
    )
    expect(rows).toEqual([{ status: 'noShow', nights: ['noShow'] }])
    const nights = ['2026-09-01', '2026-09-02', '2026-09-03']
    const figures = Object.fromEntries(
      nights.flatMap((night) => [
        [`occupied-${night}`, '1'],
        [`resold-${night}`, '0'],
      ]),
    )
    const from = `${home}/pickup`
    const lower = { ...figures, 'occupied-2026-09-02': '0' }
    expect((await browser.post(from, { ...lower, do: 'send', final: 'on' }, { from })).text).toContain(
      'Give a reason where a number differs',
    )
    expect((await browser.post(from, { ...figures, do: 'send' }, { from })).text).toContain('Tick the box')
    expect((await browser.post(from, { ...lower, do: 'draft' }, { from })).location).toContain('done=draft')
    expect((await browser.post(from, { ...figures, do: 'send', final: 'on' }, { from })).location).toContain('done=final')
    expect((await browser.get(from)).text).toContain('Final pickup sent')
    const counted = await sales.world.database.pool.query('select pickup from housing_final_pickups where hotel_id = $1 order by night', [
      hotelId,
    ])
    expect(counted.rows.map(({ pickup }) => pickup)).toEqual([1, 1, 1])
  })

  it('offers a hotel a new link when its link was revoked, and returns 404 for an unknown link', async () => {
    const home = await latestLink()
    await sales.world.database.pool.query('update hotel_links set revoked_at = lanyard_now() where hotel_id = $1', [hotelId])
    const browser = visitor(served)
    const ended = await browser.get(home)
    expect([ended.status, ended.text.includes('This link no longer works')]).toEqual([410, true])
    expect((await browser.get(`${home}/rooming-list.csv`)).status).toBe(410)
    await browser.post(`${home}/link`, {}, { from: home })
    const fresh = await latestLink()
    expect(fresh).not.toBe(home)
    expect((await browser.get(fresh)).status).toBe(200)
    expect((await browser.get('/hotel/hotel_unknown')).status).toBe(404)
  })
  it('opens the hotel pages while the event is a draft that was never published', async () => {
    const draft = await sales.world.event({ at: sales.event, name: 'Unpublished Days', status: 'draft' })
    const draftHotel = await createHotelAt(sales.world, draft)
    const contact = { name: 'Eva Lindner', email: 'eva@grand.example' }
    await inEventTransaction(sales.world, draft, async (ctx) => {
      const { hotel } = await findHotel(ctx, draftHotel)
      await sendHotelAccessLinks(ctx, hotel, [contact])
    })
    const page = await visitor(served).get(await latestLink())
    expect([page.status, page.text.includes('Unpublished Days')]).toEqual([200, true])
  })
})
