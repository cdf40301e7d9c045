import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHotelCutoffs } from '../../src/domains/checkout/room-deadlines.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createSmtpMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { listNightCounts } from '../support/hotels.ts'
import { OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { createRequestCompany, createRequestHotel, REQUEST_NIGHTS, REQUEST_SECTIONS } from '../support/room-requests.ts'
import { ORGANIZER_PATH } from '../support/rpc.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { findLatestSignInCode, type SmtpSink, startSmtpSink, readEmailText } from '../support/smtp-sink.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

const CONTRACT = { cutoffOn: '2026-08-01', attrition: { method: 'cumulative', commitPercent: 80 } }
const [, SECOND_NIGHT] = REQUEST_NIGHTS
const CHECK_OUT = '2026-09-04'

const KINDS = {
  company: (scenario: SalesScenario, email: string) => createRequestCompany(scenario, email, 'Linden Waterworks'),
  group: async (scenario: SalesScenario, email: string) => {
    const { group } = await scenario.call('create_managed_group', {
      name: 'Linden Waterworks',
      code: 'linden',
      kind: 'other',
      payBy: 'members',
      flowSlug: 'attendee',
      admins: [{ email, name: 'Greta' }],
    })
    return group.id as string
  },
}

describe.each(Object.entries(KINDS))('a room block request by the admin of a %s', (kind, createRequester) => {
  const email = `greta@${kind}.example`
  let scenario: SalesScenario
  let served: Served
  let sink: SmtpSink
  const hotels = { a: '', b: '' }

  beforeAll(async () => {
    sink = await startSmtpSink()
    scenario = await openSalesScenario(REQUEST_SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(scenario.world)
    hotels.a = await createRequestHotel(scenario, { code: 'a', name: 'Hotel A', free: [10, 15, 15, 15], contract: CONTRACT })
    hotels.b = await createRequestHotel(scenario, { code: 'b', name: 'Hotel B', free: [30, 30, 30, 30], contract: CONTRACT })
    await createRequester(scenario, email)
  })
  afterAll(async () => {
    await scenario.world.end()
    await sink.stop()
  })

  const sendEmails = () => {
    const { database, log } = scenario.world.services
    return sendEmailBatch({
      pool: database.pool,
      mailer: createSmtpMailer(new Secret(sink.url)),
      log,
      from: 'events@example.org',
      batch: 50,
    })
  }
  /** Sends the queued emails, and returns those to this address with this word in the subject, oldest first. */
  const readEmails = async (to: string, subject: RegExp) => {
    await sendEmails()
    return sink.receivedEmails.filter((one) => one.to.includes(to) && subject.test(one.raw))
  }
  const listLinks = (text: string) =>
    [...text.matchAll(/https?:\/\/[^\s<>"')]+/g)].map(([url]) => url).filter((url) => url.startsWith(served.baseUrl))
  const pathOf = (url: string) => url.slice(served.baseUrl.length)
  /** The path of the request in the latest email of this kind. */
  const readRequestLink = async (subject: RegExp) =>
    pathOf(listLinks(readEmailText((await readEmails(email, subject)).at(-1)!)).find((url) => url.includes('/housing/request/br_'))!)

  async function signIn(): Promise<Visitor> {
    const who = visitor(served)
    const path = `${eventHomePath(scenario.event)}/housing/request/sign-in`
    expect((await who.get(`${eventHomePath(scenario.event)}/housing/request`)).location).toBe(path)
    await who.post(path, { email })
    await sendEmails()
    const code = findLatestSignInCode(sink, email)
    for (const link of listLinks(readEmailText(sink.receivedEmails.at(-1)!)))
      expect((await visitor(served).get(pathOf(link))).status).toBe(200)
    const entered = await who.post(`${path}/code`, { email, code }, { from: `${path}/code?email=${encodeURIComponent(email)}` })
    expect(entered.location).toBe(`${eventHomePath(scenario.event)}/housing/request`)
    return who
  }

  /** An organizer's assistant, over HTTP. */
  async function connectOrganizer() {
    const client = await OFFICIAL_CLIENTS[0]!.connect(`${served.baseUrl}${ORGANIZER_PATH}`, scenario.olga.token)
    await client.listTools()
    return async (name: string, args: object = {}): Promise<any> => {
      const result = await client.callTool({ name, arguments: { eventCode: scenario.event.eventCode, ...args } })
      if (result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result.content)}`)
      return result.structuredContent
    }
  }

  const query = async <T extends object>(text: string, values: unknown[] = []) =>
    (await scenario.world.database.pool.query<T>(text, values)).rows
  const readBases = () => query('select hotel_id, night, original, base from room_nights order by hotel_id, night')

  it('leads a room block request from the emailed code to the cut-off date, with the figures of the specification', async () => {
    const request = `${eventHomePath(scenario.event)}/housing/request`
    const bases = await readBases()
    const who = await signIn()
    const nights = Object.fromEntries(REQUEST_NIGHTS.map((night, index) => [`night-${night}`, String([10, 20, 20, 10][index])]))
    const checked = await who.post(request, { ...nights, hotel: [hotels.a, hotels.b], pays: 'guest', do: 'check' })
    expect(checked.location).toContain('step=check')
    const sent = await who.post(request, { do: 'send' }, { from: checked.location! })
    expect(sent.location).toMatch(/\/BR-000001\?done=sent$/)
    expect((await who.get(sent.location!)).text).toContain('0 of 20 offered')
    const received = await visitor(served).get(await readRequestLink(/Room request BR-000001 received/))
    expect([received.status, received.text.includes('The housing team reviews your request')]).toEqual([200, true])

    const call = await connectOrganizer()
    const { requests } = await call('list_block_requests', { status: ['submitted'] })
    const requestId: string = requests[0].id
    const override = kind === 'company' ? { overridePolicy: true, overrideReason: 'The booth is assigned later' } : {}
    const { results } = await call('allocate_block_request_rooms', { auto: true, requestIds: [requestId], notify: true, ...override })
    expect(Object.fromEntries(results[0].hotels.map((one: any) => [one.hotelId, one.roomNights]))).toEqual({
      [hotels.a]: 50,
      [hotels.b]: 10,
    })

    // The link of the email works in another browser, without signing in.
    const guestBrowser = visitor(served)
    const link = await readRequestLink(/Rooms for Linden Waterworks/)
    expect((await guestBrowser.get(link)).text).toContain('Accept or decline by Monday, 20 April 2026')
    expect((await guestBrowser.post(link, { do: 'accept' })).location).toBe(`${link}?done=accepted`)
    expect((await guestBrowser.get(link)).text).toContain('60 room nights have no guest yet.')

    const room = `${hotels.a} king`
    const first = {
      firstName: 'Gesa',
      lastName: 'Guest 0',
      email: `gesa.0@${kind}.example`,
      night: REQUEST_NIGHTS,
      room,
      occupants: '2',
      do: 'guest',
    }
    expect((await guestBrowser.post(link, first)).location).toBe(`${link}?done=guest`)
    const rows = [1, 2, 3, 4, 5].map(
      (n) => `Gesa,Guest ${n},gesa.${n}@${kind}.example,Hotel A,King room,${REQUEST_NIGHTS[0]},${CHECK_OUT},${n === 1 ? 2 : ''}`,
    )
    const list = new File(
      [['First name,Last name,Email,Hotel,Room type,Check-in,Check-out,Number of guests', ...rows].join('\n')],
      'guests.csv',
      {
        type: 'text/csv',
      },
    )
    const named = await guestBrowser.post(`${link}/guests`, {}, { files: { file: list } })
    expect([named.status, named.location]).toEqual([303, `${link}?done=guests&count=5`])
    expect((await call('get_block_request', { requestId })).request).toMatchObject({ status: 'accepted', granted: 60, pickup: 24 })
    const guests = (await guestBrowser.get(`${link}/guests.csv`)).html.trim().split('\n')
    expect(guests.slice(1).map((line) => line.trim().split(',').at(-1))).toEqual(['2', '2', '1', '1', '1', '1'])

    await remindGuests(guestBrowser, link)
    const asked = await guestBrowser.post(link, {
      ...nights,
      [`night-${SECOND_NIGHT}`]: '25',
      reason: 'Five more colleagues',
      do: 'change',
    })
    expect(asked.location).toBe(`${link}?done=change`)
    const { amendments } = await call('get_block_request', { requestId })
    const { applied } = await call('approve_block_request_amendment', { amendmentId: amendments[0].id })
    expect(applied).toEqual([{ hotelId: hotels.b, roomTypeCode: 'king', night: SECOND_NIGHT, delta: 5 }])
    expect((await visitor(served).get(await readRequestLink(/Change to room request/))).text).toContain(
      '65 room nights: Hotel A and Hotel B',
    )

    expect(await call('close_block_request', { requestId, notify: true })).toMatchObject({ released: 41, keptReservations: 6 })
    expect((await guestBrowser.get(link)).text).toContain('Closed')
    expect(await call('reactivate_block_request', { requestId, notify: true })).toMatchObject({ restored: 41, request: { granted: 65 } })

    await scenario.world.clock.stopAt('2026-08-01T22:30:00Z')
    await runRecurringTask(scenario.world, runHotelCutoffs)
    const afterCutoff = await listAll()
    await runRecurringTask(scenario.world, runHotelCutoffs)
    expect(await listAll()).toEqual(afterCutoff)
    expect(await query('select sum(rooms)::int as rooms, sum(booked)::int as booked from block_nights')).toEqual([
      { rooms: 24, booked: 24 },
    ])
    for (const [contracted, returned, allocated, booked, held] of [...afterCutoff.a, ...afterCutoff.b])
      expect(contracted! - returned! - allocated! - booked! - held!).toBe(0)
    expect(afterCutoff.a.map(([, returned]) => returned)).toEqual([4, 9, 9, 9])
    expect(afterCutoff.b.map(([, returned]) => returned)).toEqual([30, 30, 30, 30])
    expect(await query(`select count(*)::int as alive from reservations where status = 'confirmed'`)).toEqual([{ alive: 6 }])
    expect(await readBases()).toEqual(bases)
    const { tenantId, eventId } = scenario.event
    expect((await checkIntegrity(scenario.world.database.read, tenantId, eventId)).filter(({ ok }) => !ok)).toEqual([])

    await followAllLinks()
  })

  /** Two guests have not guaranteed their rooms: each is reminded once a day, and the others never. */
  async function remindGuests(who: Visitor, link: string) {
    expect((await who.get(link)).text).not.toContain('Remind guests without a guarantee')
    const due = `update reservations set guarantee_kind = $1, guarantee_status = $2, guarantee_due_at = $3
      where participant_id in (select id from participants where email = any($4))`
    const late = [1, 2].map((n) => `gesa.${n}@${kind}.example`)
    await query(due, ['card', 'pending', '2026-07-01', late])
    expect((await who.get(link)).text).toContain('Remind guests without a guarantee')
    expect((await who.post(link, { do: 'remind' })).location).toBe(`${link}?done=reminded&count=2`)
    expect((await who.get(`${link}?done=reminded&count=2`)).text).toContain('2 guests were reminded by email.')
    expect((await who.post(link, { do: 'remind' })).location).toBe(`${link}?done=remindedToday`)
    const reminders = await query(`select to_address from messages where email_code = 'housing.guaranteeDue' order by to_address`)
    expect(reminders.map((one: any) => one.to_address)).toEqual(late)
    await query(due, ['none', 'notNeeded', null, late])
  }

  const listAll = async () => ({
    a: await listNightCounts(scenario.world, hotels.a),
    b: await listNightCounts(scenario.world, hotels.b),
  })

  /** Every link of every email about rooms opens a page. */
  async function followAllLinks() {
    await sendEmails()
    const aboutRooms = sink.receivedEmails.filter((one) => !/^Subject:.*code/im.test(one.raw))
    const recipients = new Set(aboutRooms.flatMap(({ to }) => to))
    expect([...recipients].filter((to) => to.startsWith('gesa.'))).toHaveLength(6)
    const links = [...new Set(aboutRooms.flatMap((one) => listLinks(readEmailText(one))))]
    // The links are of the emails received, offered, amended, released and offered again, of the guests' own registration, and of the page
    // to guarantee a room.
    expect(links).toHaveLength(7)
    const statuses: [string, number][] = []
    for (const url of links) {
      const { status, location } = await visitor(served).get(pathOf(url))
      if (status !== 200) statuses.push([location ?? url, status])
    }
    // Guests sign in first.
    expect(statuses.filter(([to, status]) => status !== 303 || !to.includes('/sign-in'))).toEqual([])
  }
})
