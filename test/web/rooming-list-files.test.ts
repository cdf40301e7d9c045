import excel from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeRoomingListFiles } from '../../src/domains/housing/rooming/files.ts'
import { sendDueRoomingLists } from '../../src/domains/housing/rooming/task.ts'
import { createHotelAccessLink } from '../../src/domains/housing/rooming/links.ts'
import { enqueueJob } from '../../src/kernel/jobs.ts'
import { ConsoleBrowser } from '../console/console-browser.ts'
import { createHotelAt, inEventTransaction, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { storeRoomingLists } from '../support/rooming-lists.ts'
import { newAttendee, openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const CONTACT = { name: 'Eva Lindner', email: 'eva@grand.example' }
/** What is stored about a card. None of it may be in a list. */
const CARD = { customer: 'cus_of_amara', method: 'pm_of_amara', brand: 'visa', last4: '4242' }

describe('files of a rooming list', () => {
  let sales: SalesScenario
  let served: Served
  let hotelId: string
  let home: string
  beforeAll(async () => {
    sales = await openSalesScenario(buildRoomSections(), { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    hotelId = await createHotelAt(sales.world, sales.event)
    await rows(`update housing_contracts set rooming_list_due_on = '2026-08-25' where hotel_id = $1`, [hotelId])
    home = await newLink(hotelId)
  })
  afterAll(() => sales.world.end())

  const rows = async (text: string, values: unknown[] = []) => (await sales.world.database.pool.query<any>(text, values)).rows
  const newLink = (hotel: string) =>
    inEventTransaction(sales.world, sales.event, async (ctx) => `/hotel/${(await createHotelAccessLink(ctx, hotel, CONTACT)).reveal()}`)
  const book = async (firstName: string): Promise<string> => {
    const data = {
      ...newAttendee(),
      '@participant.firstName': firstName,
      '@product.pass': 1,
      ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'),
    }
    return (await sales.call('add_participant', { flowSlug: 'attendee', data })).participant.id
  }
  /** Runs the task of a morning, and then the jobs that it queued. Returns the number of new versions. */
  const morningOf = async (day: string) => {
    await sales.world.clock.stopAt(`${day}T04:01:00Z`)
    await sales.world.renewTokens()
    await runRecurringTask(sales.world, sendDueRoomingLists)
    return storeRoomingLists(sales.world)
  }
  const listVersions = () =>
    rows('select version, xlsx_file_id as xlsx, csv_file_id as csv from rooming_lists where hotel_id = $1 order by version', [hotelId])
  const storeAgain = async (version: number) => {
    await inEventTransaction(sales.world, sales.event, (ctx) =>
      enqueueJob(ctx, storeRoomingListFiles, { hotelId, version }, { eventId: ctx.event.id }),
    )
    await storeRoomingLists(sales.world)
  }
  const readCsv = async (version: number) => (await visitor(served).get(`${home}/lists/${version}.csv`)).html
  const readCells = async (version: number): Promise<string> => {
    const workbook = new excel.Workbook()
    await workbook.xlsx.load(await (await fetch(served.url(`${home}/lists/${version}.xlsx`))).arrayBuffer())
    const cells: string[] = []
    workbook.worksheets[0]!.eachRow((row) => cells.push((row.values as unknown[]).slice(1).join(',')))
    return cells.join('\n')
  }

  it('stores the files of a rooming list once per version, with the guests of that version', async () => {
    const amara = await book('Amara')
    const lukas = await book('Lukas')
    await rows(
      `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, brand, last4, consent_at)
       values ($1, $2, $3, $3, false, 'stripe', $4, $5, $6, $7, lanyard_now())`,
      [sales.event.tenantId, sales.event.eventId, amara, CARD.customer, CARD.method, CARD.brand, CARD.last4],
    )
    await rows(`update reservations set guarantee_kind = 'card', guarantee_status = 'secured' where participant_id = $1`, [amara])
    await rows(`update reservations set hotel_confirmation_number = 'K-17' where participant_id = $1`, [lukas])
    expect(await morningOf('2026-08-24')).toBe(0)
    expect(await morningOf('2026-08-25')).toBe(1)
    const [first] = await listVersions()
    expect(await morningOf('2026-08-25')).toBe(0)
    expect(await morningOf('2026-08-26')).toBe(0)
    await storeAgain(1)
    expect(await listVersions()).toEqual([{ version: 1, xlsx: expect.any(String), csv: expect.any(String) }])
    expect((await listVersions())[0]).toEqual(first)

    await sales.call('edit_participant', { participantId: lukas, status: 'cancelled' })
    expect(await morningOf('2026-08-27')).toBe(1)
    const [same, second] = await listVersions()
    expect(same).toEqual(first)
    expect(new Set([first.xlsx, first.csv, second.xlsx, second.csv]).size).toBe(4)
    expect((await readCsv(1)).trim().split('\n')).toHaveLength(3)
    expect(await readCsv(1)).toMatch(/Lukas .*,2026-09-01,2026-09-04,3,King room,.*,K-17/)
    expect((await readCsv(2)).trim().split('\n')).toHaveLength(2)
    expect([await readCells(1), await readCells(2)].map((cells) => cells.includes('Lukas'))).toEqual([true, false])
    expect(await rows(`select name, purpose, owner_kind from files where id = any($1) order by name`, [[second.xlsx, second.csv]])).toEqual(
      [
        { name: 'rooming-list-grand-2.csv', purpose: 'export', owner_kind: 'hotel' },
        { name: 'rooming-list-grand-2.xlsx', purpose: 'export', owner_kind: 'hotel' },
      ],
    )
    const stored = await rows(`select count(*)::int as n from files where owner_kind = 'hotel' and owner_id = $1`, [hotelId])
    expect(stored).toEqual([{ n: 4 }])

    // The control: without the check for stored files, the job stores them again.
    await rows('update rooming_lists set xlsx_file_id = null, csv_file_id = null where version = 1 and hotel_id = $1', [hotelId])
    await storeAgain(1)
    const [again] = await listVersions()
    expect([again.xlsx === first.xlsx, again.csv === first.csv]).toEqual([false, false])
  })

  it('writes no card data into rooming lists, only whether the hotel may receive the card', async () => {
    const expectNoCard = async (version: number, guarantee: string) => {
      for (const content of [await readCsv(version), await readCells(version)]) {
        expect(content).toContain(guarantee)
        for (const secret of Object.values(CARD)) expect(content).not.toContain(secret)
      }
    }
    await expectNoCard(2, 'Guest presents card at check-in')
    const reason = 'The hotel renews its attestation this week.'
    const grant = { hotelId, action: 'grant', reason, until: '2026-09-10' }
    await sales.call('override_hotel_pci_aoc', grant)
    const second = await sales.world.organizer({ at: sales.event })
    await second.call('override_hotel_pci_aoc', { eventCode: sales.event.eventCode, ...grant })
    expect(await morningOf('2026-08-28')).toBe(1)
    await expectNoCard(3, 'Card saved with the organizer')
    // The list of the day before still shows what the hotel was sent then.
    await expectNoCard(2, 'Guest presents card at check-in')
  })

  it('links rooming lists on the hotel’s page, and serves them to no other hotel and through no revoked link', async () => {
    const page = await visitor(served).get(home)
    for (const file of ['3.xlsx', '3.csv', '1.xlsx']) expect(page.html).toContain(`${home}/lists/${file}`)
    const answer = await fetch(served.url(`${home}/lists/3.csv`))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(answer.headers.get('content-disposition')).toContain('rooming-list-grand-3.csv')
    for (const file of ['4.csv', '0.csv', '3.pdf', '3', 'x.csv'])
      expect((await visitor(served).get(`${home}/lists/${file}`)).status).toBe(404)
    const other = await newLink(await createHotelAt(sales.world, sales.event, { code: 'other' }))
    expect((await visitor(served).get(`${other}/lists/1.csv`)).status).toBe(404)
    await rows('update hotel_links set revoked_at = lanyard_now() where hotel_id = $1', [hotelId])
    expect((await visitor(served).get(`${home}/lists/3.csv`)).status).toBe(410)
  })

  it('offers rooming lists in the console to roles that may see guests, and hides them from other clients and tenants', async () => {
    const { world, event } = sales
    const path = `/console/events/${event.clientCode}/${event.eventCode}/housing/grand`
    const open = async (organizer: { userId: string }) => new ConsoleBrowser(served).enter(world, organizer)
    const olga = await open(sales.olga)
    expect((await olga.get(path)).html).toContain(`${path}/lists/3.xlsx`)
    const file = await olga.get(`${path}/lists/3.csv`)
    expect([file.status, file.html.includes('Amara')]).toEqual([200, true])
    const analyst = await open(await world.organizer({ at: event, role: 'analyst' }))
    const seen = await analyst.get(path)
    expect([seen.status, seen.html.includes('/lists/'), seen.text.includes('Version 3')]).toEqual([200, false, true])
    expect((await analyst.get(`${path}/lists/3.csv`)).status).toBe(403)
    for (const at of [await world.client({ code: 'rival' }), await world.client({ tenant: 'elsewhere', code: 'foreign' })]) {
      const place = await world.event({ at })
      const stranger = await open(await world.organizer({ at: place, role: 'admin' }))
      expect((await stranger.get(`${path}/lists/3.csv`)).status).toBe(404)
      const own = `/console/events/${place.clientCode}/${place.eventCode}/housing`
      await createHotelAt(world, place, { code: 'grand' })
      expect((await stranger.get(`${own}/grand/lists/3.csv`)).status).toBe(404)
      expect((await stranger.get(`${own}/${hotelId}/lists/3.csv`)).status).toBe(404)
    }
  })
})
