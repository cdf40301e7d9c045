import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHotelAt, GRAND_HOTEL, listNightCounts, buildRoomSections } from '../support/hotels.ts'
import { buildLimitedProduct } from '../support/limited-product.ts'
import { eventHomePath, verifyMailbox } from '../support/own-pages.ts'
import { openFormAs, type Registrant } from '../support/registration-form.ts'
import { roomFields } from '../support/room-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import type { EventHandle } from '../support/world.ts'

let scenario: SalesScenario
let served: Served
let hotelId: string

const START = '2026-04-10T10:00:00Z'
/** More attempts than the limit of ten. The original report used 62. */
const ATTEMPTS = 14

beforeAll(async () => {
  const sections = buildRoomSections({ minNights: 1, maxNights: 7 })
  const products = [...sections.products, buildLimitedProduct(60)]
  const flows = sections.flows.slice(0, 1).flatMap((flow) => {
    const choices = flow.pages.map((page) =>
      page.code === 'choices' ? { ...page, widgets: [{ id: 'seats', type: 'products', products: ['seat'] }, ...page.widgets] } : page,
    )
    return [
      { ...flow, pages: choices },
      { ...flow, slug: 'press', name: 'Press', pages: choices },
    ]
  })
  scenario = await openSalesScenario({ ...sections, products, flows }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world, { env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  const [king] = GRAND_HOTEL.roomTypes
  const roomTypes = [{ ...king!, nights: king!.nights!.map((span) => ({ ...span, rooms: 60 })) }]
  hotelId = await createHotelAt(scenario.world, scenario.event, { roomTypes })
})
beforeEach(async () => {
  // Holds of earlier tests have expired.
  await rows(`update registration_progress set network = null`)
  await rows(`update holds set expires_at = '2026-04-01T00:00:00Z' where status = 'active'`)
  await rows(`update reservations set held_until = '2026-04-01T00:00:00Z' where status = 'held'`)
  await rows(`delete from rate_windows`)
  await scenario.world.clock.stopAt(START)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const liveHolds = async () =>
  (await rows(`select count(distinct participant_id)::int as n from holds where status = 'active' and expires_at > lanyard_now()`))[0].n
const liveRooms = async () =>
  (await rows(`select count(*)::int as n from reservations where status = 'held' and held_until > lanyard_now()`))[0].n

let made = 0
const newAddress = () => `limit-${++made}@example.org`
const SEAT = { '@product.pass': '1', '@product.seat': '1', _method: 'bank' }
const STAY = () => roomFields(hotelId, '2026-09-01', '2026-09-04')

async function begin(email = newAddress(), { network = '198.51.100.7', flow = 'attendee' } = {}): Promise<Registrant & { email: string }> {
  const form = openFormAs(visitor(served, { 'x-forwarded-for': network }), scenario.event, flow)
  await form.begin(email)
  await form.fill('contact', { '@participant.firstName': 'Lia', '@participant.lastName': `Limit ${++made}` })
  return { ...form, email }
}

/** Fills in all pages up to the summary. */
async function toCheckout(form: Registrant) {
  await form.fill('choices', SEAT)
  return form.fill('rooms', STAY())
}

describe('seat holds of unverified registrations', () => {
  it('holds seats for unverified registrations from the checkout on, for at most ten of one network', async () => {
    const forms = []
    for (let one = 0; one < ATTEMPTS; one++) forms.push(await begin(undefined, { flow: one % 2 === 0 ? 'attendee' : 'press' }))
    for (const form of forms) expect((await form.fill('choices', SEAT)).location).toMatch(/\/rooms$/)
    expect([await liveHolds(), await liveRooms()]).toEqual([0, 0])
    const answers = await Promise.all(forms.map((form) => form.fill('rooms', STAY())))
    expect(answers.every(({ location }) => location?.endsWith('/summary'))).toBe(true)
    expect([await liveHolds(), await liveRooms()]).toEqual([10, 10])
    expect((await listNightCounts(scenario.world, hotelId)).map(([, , , , count]) => count)).toEqual([10, 10, 10])
    // Another network has a limit of its own, also in another notation of the same address block.
    for (const network of ['198.51.100.8', '2001:db8:1::1', '2001:db8:2::1']) await toCheckout(await begin(undefined, { network }))
    expect(await liveHolds()).toBe(13)
    // Without a hold, a registration with a room needs a verified address. With it, the registration holds and finishes.
    const [{ email }] = await rows(
      `select email from participants p where email = any($1) and not exists (select from holds h where h.participant_id = p.id)`,
      [forms.map((form) => form.email)],
    )
    const late = forms.find((form) => form.email === email)!
    const refused = await late.fill('summary', {}, { press: 'finish' })
    expect([refused.status, refused.text.includes('Confirm your email address first.')]).toEqual([400, true])
    await verifyMailbox(scenario.world, late.who, scenario.event, late.email)
    expect(await liveHolds()).toBe(14)
    expect((await late.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  })

  it('control: holds seats for all unverified registrations of one network if their network is not stored', async () => {
    for (let one = 0; one < 12; one++) {
      const form = await begin()
      await rows(`update registration_progress set network = null`)
      await toCheckout(form)
    }
    expect(await liveHolds()).toBe(12)
  })

  it("holds seats as soon as the mailbox is verified, without counting these seats towards the network's limit", async () => {
    const form = await begin()
    await form.fill('choices', SEAT)
    expect((await form.open('rooms')).text).toContain('Your selection is not held for you yet.')
    expect(await liveHolds()).toBe(0)
    await verifyMailbox(scenario.world, form.who, scenario.event, form.email)
    expect(await liveHolds()).toBe(1)
    expect((await form.open('rooms')).text).toContain('Your selection is held for you until 12:15')
    const verified = []
    for (let one = 0; one < 11; one++) {
      const other = await begin()
      await verifyMailbox(scenario.world, other.who, scenario.event, other.email)
      verified.push((await other.fill('choices', SEAT)).status)
      await rows(`delete from rate_windows`)
    }
    expect([verified.every((status) => status === 303), await liveHolds()]).toEqual([true, 12])
  })

  it('finishes a registration without a room that is paid by bank transfer, even if its network can hold no more seats', async () => {
    for (let one = 0; one < 10; one++) await toCheckout(await begin())
    const eleventh = await begin()
    await eleventh.fill('choices', SEAT)
    await eleventh.fill('rooms', { 'housing.room': 'none' })
    expect(await liveHolds()).toBe(10)
    expect((await eleventh.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  })
})

describe('seat holds of one mailbox', () => {
  it.each([false, true])('limits one mailbox to three unfinished registrations that hold seats, verified: %s', async (isVerified) => {
    const email = newAddress()
    for (let one = 0; one < 5; one++) {
      // Each attempt comes from another network.
      const form = await begin(one % 2 === 0 ? email : email.toUpperCase(), { network: `203.0.113.${++made % 250}` })
      if (isVerified) await verifyMailbox(scenario.world, form.who, scenario.event, email)
      await rows(`delete from rate_windows`)
      await rows(`delete from one_time_codes`)
      await toCheckout(form)
    }
    expect([await liveHolds(), await liveRooms()]).toEqual([3, 3])
    const other = await begin()
    await toCheckout(other)
    expect(await liveHolds()).toBe(4)
  })
})

describe('renewal of a seat hold', () => {
  it('ends a renewed seat hold 45 minutes after the first hold, whether a page or the button for more time renewed it', async () => {
    const form = await begin()
    await verifyMailbox(scenario.world, form.who, scenario.event, form.email)
    const until = async () =>
      (
        await rows(
          `select max(expires_at) as until from holds h join participants p on p.id = h.participant_id where p.email = $1 and h.status = 'active'`,
          [form.email],
        )
      )[0].until?.toISOString()
    await form.fill('choices', SEAT)
    expect(await until()).toBe('2026-04-10T10:15:00.000Z')
    for (const [now, expected] of [
      ['2026-04-10T10:14:00Z', '2026-04-10T10:29:00.000Z'],
      ['2026-04-10T10:28:00Z', '2026-04-10T10:43:00.000Z'],
      ['2026-04-10T10:40:00Z', '2026-04-10T10:45:00.000Z'],
    ] as const) {
      await scenario.world.clock.stopAt(now)
      await form.fill('choices', SEAT)
      expect(await until()).toBe(expected)
    }
    await form.fill('choices', {}, { press: 'longer' })
    expect(await until()).toBe('2026-04-10T10:45:00.000Z')
    await scenario.world.clock.stopAt('2026-04-10T10:50:00Z')
    await form.fill('choices', SEAT)
    expect([await liveHolds(), (await form.open('rooms')).text.includes('no longer held')]).toEqual([0, true])
    // The registration can still be finished.
    await form.fill('rooms', { 'housing.room': 'none' })
    expect((await form.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  })
})

describe('registration page submitted with errors', () => {
  it('holds no new seats when a page with errors is submitted, and keeps existing holds', async () => {
    const form = await begin()
    await verifyMailbox(scenario.world, form.who, scenario.event, form.email)
    expect((await form.fill('choices', { ...SEAT, '@product.pass': '99' })).status).toBe(400)
    expect((await form.fill('choices', { ...SEAT, '@discount.code': 'nothing' })).status).toBe(400)
    expect(await liveHolds()).toBe(0)
    expect((await form.fill('choices', SEAT)).status).toBe(303)
    expect(await liveHolds()).toBe(1)
    expect((await form.fill('rooms', roomFields(hotelId, '2026-09-04', '2026-09-01'))).status).toBe(400)
    expect([await liveHolds(), await liveRooms()]).toEqual([1, 0])
  })
})

describe('emails to an address that strangers enter', () => {
  const emailsTo = async (email: string, code: string) =>
    (await rows(`select 1 from messages where lower(to_address) = lower($1) and email_code = $2`, [email, code])).length

  it('limits emails about an existing registration to three an hour per mailbox, across all events and tenants', async () => {
    const email = newAddress()
    const events: EventHandle[] = [scenario.event]
    const data = { '@participant.firstName': 'Vera', '@participant.lastName': 'Victim', '@participant.email': email }
    await scenario.call('add_participant', { flowSlug: 'attendee', data })
    for (let one = 0; one < 4; one++) events.push(await copyEvent(`other-${one}`, data))
    for (let round = 0; round < 3; round++) {
      for (const event of events) {
        const address = round === 1 ? email.toUpperCase() : email
        const begun = await openFormAs(visitor(served, { 'x-forwarded-for': `192.0.2.${++made % 250}` }), event).begin(address)
        expect(begun.status).toBe(303)
      }
    }
    expect(await emailsTo(email, 'registration-known')).toBe(3)
    await scenario.world.clock.stopAt('2026-04-10T11:00:01Z')
    for (const event of events) await openFormAs(visitor(served), event).begin(email)
    expect(await emailsTo(email, 'registration-known')).toBe(6)
    // An unknown address receives nothing, however often it is entered.
    const unknown = newAddress()
    for (let one = 0; one < 12; one++) await openFormAs(visitor(served), scenario.event).begin(unknown)
    expect(await rows(`select 1 from messages where to_address = $1`, [unknown])).toEqual([])
  })

  it('limits emails with sign-in codes to six an hour per mailbox, and shows the same page beyond the limit', async () => {
    const events = [scenario.event, await copyEvent('code-1'), await copyEvent('code-2')]
    const requestCodes = async (email: string, between = async () => {}) => {
      for (const event of events) {
        for (let one = 0; one < 3; one++) {
          const path = `${eventHomePath(event)}/registration/sign-in`
          const sent = await visitor(served, { 'x-forwarded-for': `192.0.2.${++made % 250}` }).post(path, { email })
          expect([sent.status, sent.location?.startsWith(`${path}/code?`)]).toEqual([303, true])
          await between()
        }
      }
      return emailsTo(email, 'signin.code')
    }
    expect(await requestCodes(newAddress())).toBe(6)
    // Control: all nine emails are sent if the mailbox is not counted.
    expect(await requestCodes(newAddress(), async () => void (await rows(`delete from rate_windows where key like 'mailbox:%'`)))).toBe(9)
  })

  it('limits emails about finished registrations to six an hour per mailbox, unless the mailbox is verified', async () => {
    const email = newAddress()
    const finish = async (verified = false) => {
      const form = await begin(email, { network: `192.0.2.${++made % 250}` })
      if (verified) await verifyMailbox(scenario.world, form.who, scenario.event, email)
      await form.fill('choices', { '@product.pass': '1', _method: 'bank' })
      await form.fill('rooms', { 'housing.room': 'none' })
      expect((await form.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    }
    for (let one = 0; one < 8; one++) await finish()
    const sent = () => rows(`select 1 from messages where lower(to_address) = lower($1) and source_kind = 'registration'`, [email])
    expect(await sent()).toHaveLength(6)
    await finish(true)
    expect(await sent()).toHaveLength(7)
  })

  it('refuses a web address as a name, so that no email contains that address', async () => {
    for (const [field, name] of [
      ['firstName', 'http://evil.example'],
      ['lastName', 'Win at www.evil.test'],
      ['lastName', 'evil.com'],
    ] as const) {
      const form = await begin()
      const refused = await form.fill('contact', {
        '@participant.firstName': 'Ada',
        '@participant.lastName': 'Ok',
        [`@participant.${field}`]: name,
      })
      expect([name, refused.status, refused.text.includes('Enter a name without a web address')]).toEqual([name, 400, true])
    }
    // A company may be named like its website.
    const form = await begin()
    const fields = { '@participant.firstName': 'Ada', '@participant.lastName': 'Ok', '@participant.company': 'Example.com' }
    expect((await form.fill('contact', fields)).status).toBe(303)
  })

  /** An event of another tenant with the same form, and a registration at it. */
  async function copyEvent(code: string, data?: object): Promise<EventHandle> {
    const client = await scenario.world.client({ tenant: `tenant-${code}` })
    const event = await scenario.world.event({ at: client, code, status: 'draft', timezone: 'Europe/Paris', startsOn: '2026-09-01' })
    const olga = await scenario.world.organizer({ at: client })
    const { flows, products, ...sections } = buildRoomSections()
    const here = { eventCode: code }
    await olga.call('configure_event', { ...here, sections: { ...sections, products, flows } })
    await olga.call('publish_event', { ...here, acceptWarnings: true })
    await olga.call('update_event', { ...here, testMode: false })
    if (data) await olga.call('add_participant', { ...here, flowSlug: 'attendee', data })
    return event
  }
})
