import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { insertOrders } from '../../../../test/support/inserted-orders.ts'
import { createSessionAt, createSpeakerAt, type PlannedSession } from '../../../../test/support/programs.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let olga: OrganizerHandle
let eventCode: string
let made = 0

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client()
  olga = await world.organizer({ at: acme })
})
afterAll(() => world.end())

beforeEach(async () => {
  eventCode = `spring-${++made}`
  const event = { name: 'Spring', code: eventCode, startsOn: '2026-05-12', endsOn: '2026-05-14', timezone: 'Europe/Paris' }
  await olga.call('create_event', { clientCode: acme.clientCode, ...event })
  await olga.call('configure_event', {
    eventCode,
    sections: {
      products: [
        {
          code: 'admission',
          prices: [
            { amount: '300.00', until: '2026-03-31' },
            { amount: '450.00', from: '2026-04-01' },
          ],
        },
      ],
      taxes: [{ code: 'vat', name: 'VAT', rate: '20', validUntil: '2026-12-31' }],
      flows: [{ slug: 'attendee', opensAt: '2026-03-25T09:00:00+01:00' }],
    },
  })
})

const update = (more: object) => olga.call('update_event', { eventCode, ...more })
const refused = (more: object) => olga.refused('update_event', { eventCode, ...more })
const publish = () => olga.call('publish_event', { eventCode })
const configAt = async (path: string, source = 'draft') => {
  const { valueJson } = await olga.call('config_explore', { eventCode, path, depth: 0, source })
  return valueJson === undefined ? undefined : JSON.parse(valueJson)
}
const register = (count: number, test = false) =>
  world.database.pool.query(
    `insert into participants (tenant_id, event_id, id, status, is_test_data, completed_at, confirmation_number)
     select tenant_id, id, lpad(to_hex(i), 24, '0'), 'complete', $2, lanyard_now(), i from events, generate_series(1, $3::int) i where code = $1`,
    [eventCode, test, count],
  )
const place = async () => {
  const { rows } = await world.database.pool.query<{ id: string }>('select id from events where code = $1', [eventCode])
  return { ...acme, eventId: rows[0]!.id, eventCode }
}
const PROGRAM = {
  tracks: [{ code: 'build', name: 'Building' }],
  formats: [{ code: 'talk', name: 'Talk', minutes: 40 }],
  rooms: [{ code: 'hall', name: 'Great hall' }],
}
/** The sessions of the event, in the local time of its time zone. */
const program = async () => {
  const { rows } = await world.database.pool.query<{ at: string }>(
    `select to_char(s.starts_at at time zone e.timezone, 'MM-DD HH24:MI') || ' to ' || to_char(s.ends_at at time zone e.timezone, 'HH24:MI') as at
     from sessions s join events e on e.id = s.event_id and e.tenant_id = s.tenant_id where e.code = $1 order by s.starts_at`,
    [eventCode],
  )
  return rows.map(({ at }) => at)
}
const plan = async (...sessions: PlannedSession[]) => {
  await olga.call('configure_event', { eventCode, sections: { sessions: PROGRAM } })
  const speakerId = await createSpeakerAt(world, await place())
  for (const session of sessions) await createSessionAt(world, await place(), { roomCode: 'hall', speakers: [{ speakerId }], ...session })
}

describe('update_event', () => {
  it('moves all dates of the draft when the event start moves: a price until 2026-03-31 then ends on 2026-04-07', async () => {
    const { event, changed, effects } = await update({ startsOn: '2026-05-19', moveDates: true })
    expect(event).toMatchObject({ startsOn: '2026-05-19', endsOn: '2026-05-21' })
    expect(changed).toEqual(['startsOn', 'endsOn'])
    expect(effects).toEqual([{ what: 'dates of the draft moved', count: 3 }])
    expect(await configAt('/products/admission/prices')).toEqual([
      { amount: '300.00', until: '2026-04-07' },
      { amount: '450.00', from: '2026-04-08' },
    ])
    // 9 o'clock stays 9 o'clock, in winter and in summer.
    expect(await configAt('/flows/attendee/opensAt')).toBe('2026-04-01T07:00:00.000Z')
    expect(await configAt('/taxes/vat/validUntil')).toBe('2026-12-31')
    expect((await refused({ moveDates: true })).fields?.[0]?.path).toBe('startsOn')
  })

  it('renames and reschedules a never published event at once, and a published one with its next publication', async () => {
    expect((await update({ name: 'Spring Days' })).event.name).toBe('Spring Days')
    await publish()
    const renamed = await update({ name: 'Summer Days', endsOn: '2026-05-15' })
    expect(renamed).toMatchObject({
      event: { name: 'Spring Days', endsOn: '2026-05-14' },
      changed: ['name', 'endsOn'],
      effects: [{ what: 'changes that go live with publish_event', count: 2 }],
    })
    await publish()
    expect((await update({})).event).toMatchObject({ name: 'Summer Days', endsOn: '2026-05-15' })
    expect(await configAt('/products/admission/prices/0/until')).toBe('2026-03-31')
  })

  it('changes time zone, languages, currency and test mode in one call, with one audit row and one new revision', async () => {
    const before = (await update({})).event
    const { event, changed } = await update({
      locales: ['en', 'de'],
      testMode: false,
      timezone: 'Europe/Berlin',
      ifRevision: before.revision,
    })
    expect(changed.toSorted()).toEqual(['locales', 'testMode', 'timezone'])
    expect(event).toMatchObject({ locales: ['en', 'de'], testMode: false, timezone: 'Europe/Berlin', revision: before.revision + 1 })
    expect(await update({ locales: ['en', 'de'], testMode: false })).toMatchObject({
      changed: [],
      effects: [],
      event: { revision: event.revision },
    })
    expect(await refused({ testMode: true, ifRevision: before.revision })).toMatchObject({ code: 'conflict' })
    const { rows } = await world.database.pool.query(
      `select count(*)::int as rows from audit_entries a join events e on e.id = a.event_id where e.code = $1 and a.tool = 'update_event'`,
      [eventCode],
    )
    expect(rows[0]).toEqual({ rows: 1 })
  })

  it('rejects a list of languages that lacks the language of the source texts', async () => {
    expect((await refused({ locale: 'fr' })).fields?.[0]).toMatchObject({ path: 'locale' })
    expect((await refused({ locales: ['de'] })).fields?.[0]).toMatchObject({ path: 'locales' })
    expect((await refused({ locales: ['en', 'Deutsch!'] })).fields?.[0]).toMatchObject({ path: 'locales/1' })
    expect((await update({ locale: 'fr', locales: ['fr', 'en'] })).event).toMatchObject({ locale: 'fr', locales: ['fr', 'en'] })
  })

  it('rejects another currency once an order exists, and one with fewer decimals unless the dropped digits are zeros', async () => {
    expect(await update({ currency: 'jpy' })).toMatchObject({
      event: { currency: 'JPY' },
      effects: [{ what: 'amounts that are now in JPY', count: 2 }],
    })
    expect(await configAt('/products/admission/prices/0/amount')).toBe('300')
    await update({ currency: 'EUR' })
    await olga.call('configure_event', { eventCode, sections: { products: [{ code: 'admission', prices: [{ amount: '99.50' }] }] } })
    expect(await refused({ currency: 'JPY' })).toMatchObject({
      code: 'precondition_failed',
      message: 'The draft has 1 amounts with more decimals than JPY allows (0)',
    })
    await register(2, true)
    expect((await update({ currency: 'USD' })).event.currency).toBe('USD')
    const { rows } = await world.database.pool.query<{ id: string }>('select id from events where code = $1', [eventCode])
    await insertOrders(world.database.pool, { ...acme, eventId: rows[0]!.id, eventCode }, [{ lines: [] }])
    expect(await refused({ currency: 'EUR' })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('1 order exists'),
    })
    // Orders are append-only, except for a tenant that is removed.
    await world.database.pool.query(`begin; select set_config('lanyard.removed_tenant', (select min(tenant_id)::text from orders), true);
      delete from orders; delete from participants; commit`)
  })

  it('requires confirmation before a new time zone moves price boundaries of an event that has registrations', async () => {
    await publish()
    await register(3)
    const asked = await refused({ timezone: 'America/New_York' })
    expect(asked).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('Sales have started (3 registrations), and 2 price and discount boundaries would move'),
    })
    expect(await update({ timezone: 'America/New_York', confirmTimezone: true })).toMatchObject({
      event: { timezone: 'America/New_York' },
      effects: [
        { what: 'price and discount boundaries moved', count: 2 },
        { what: 'times of the configuration that keep their moment, such as opening times', count: 1 },
      ],
    })
    await world.database.pool.query('delete from participants')
  })

  it('keeps the local time of conference sessions in a new time zone, but the UTC time of sessions that have begun', async () => {
    // Back to back in one room with one speaker, so that a session moved alone would overlap with the next.
    await plan({ from: '2027-05-12T09:00' }, { from: '2027-05-12T09:40' }, { from: '2027-05-12T23:30' }, { from: '2020-05-12T09:00' })
    const local = ['05-12 09:00 to 09:40', '05-12 09:40 to 10:20', '05-12 23:30 to 00:10']
    const moved = await update({ timezone: 'America/New_York', dryRun: true })
    expect(moved.effects).toEqual([
      { what: 'price and discount boundaries moved', count: 2 },
      { what: 'sessions that keep their local time and now start at another moment', count: 3 },
      { what: 'sessions that have begun and keep their moment, so their local time changes', count: 1 },
      { what: 'times of the configuration that keep their moment, such as opening times', count: 1 },
    ])
    expect(await program()).toEqual(['05-12 09:00 to 09:40', ...local])
    expect((await update({ timezone: 'America/New_York' })).effects).toEqual(moved.effects)
    expect(await program()).toEqual(['05-12 03:00 to 03:40', ...local])
    // Asia/Kolkata and Asia/Kathmandu differ by 15 minutes, so each session moves into the time of its neighbour, which moves too.
    for (const timezone of ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Kolkata']) await update({ timezone })
    expect((await update({ timezone: 'Asia/Kolkata' })).effects).toEqual([])
    expect(await program()).toEqual(['05-12 12:30 to 13:10', ...local])
  })

  it('does not report conference sessions as moved if both time zones have the same local time', async () => {
    await plan({ from: '2027-05-12T09:00' })
    expect((await update({ timezone: 'Europe/Berlin' })).effects.map(({ what }: { what: string }) => what)).not.toContain(
      'sessions that keep their local time and now start at another moment',
    )
    expect(await program()).toEqual(['05-12 09:00 to 09:40'])
  })

  it('names the conference sessions that a new time zone would move before it asks for confirmation', async () => {
    await plan({ from: '2027-05-12T09:00' })
    await publish()
    await register(1)
    expect((await refused({ timezone: 'Asia/Tokyo' })).message).toContain('1 session would keep its local time and start at another moment')
    await world.database.pool.query('delete from participants')
  })

  it('refuses a currency with another number of decimals while test orders exist, and accepts it once they are removed', async () => {
    await olga.call('create_test_registrations', {
      eventCode,
      count: 2,
      mix: { complete: 100, incomplete: 0, waitlisted: 0, cancelled: 0 },
    })
    for (const currency of ['KWD', 'JPY', 'BHD'])
      expect(await refused({ currency })).toMatchObject({
        code: 'precondition_failed',
        message: expect.stringContaining('2 test orders have amounts in EUR'),
        fix: { tool: 'create_test_registrations', arguments: { clear: true } },
      })
    expect((await update({ currency: 'USD' })).event.currency).toBe('USD')
    await olga.call('create_test_registrations', { eventCode, clear: true })
    expect((await update({ currency: 'KWD' })).event.currency).toBe('KWD')
    await olga.call('configure_event', { eventCode, sections: { products: [{ code: 'admission', prices: [{ amount: '99.125' }] }] } })
    expect(await refused({ currency: 'EUR' })).toMatchObject({
      code: 'precondition_failed',
      fields: [{ path: '/products/admission/prices/0/amount' }],
    })
    await olga.call('configure_event', { eventCode, sections: { products: [{ code: 'admission', prices: [{ amount: '99.500' }] }] } })
    await update({ currency: 'EUR' })
    expect(await configAt('/products/admission/prices/0/amount')).toBe('99.50')
  })

  it('refuses any other currency while prices of booths, sponsorships, offers or open payments are stored in minor units', async () => {
    const query = (text: string, values: unknown[]) => world.database.pool.query<{ id: string }>(text, values)
    const exhibitors = createExhibitorFixtures(world, await place())
    const company = await exhibitors.company()
    await exhibitors.plan({}, [{ number: '101', polygon: buildRectangle(6, 6, 3, 3) }])
    await register(1, true)
    // Currencies with no, three and two decimals: also with equal decimals, 500 euros are another value than 500 dollars.
    const expectRefusals = async (message: string) => {
      for (const currency of ['JPY', 'KWD', 'USD'])
        expect(await refused({ currency })).toMatchObject({ code: 'precondition_failed', message })
      expect((await update({ currency: 'EUR' })).changed).toEqual([])
    }
    const event = `event_id = (select id from events where code = '${eventCode}')`
    const { rows } = await query(`update booths set price_override = 50000 where ${event} returning id`, [])
    await expectRefusals('1 booth has its own price in EUR: clear it with manage_booths first')
    await olga.call('manage_booths', { eventCode, action: 'update', boothId: rows[0]!.id, clear: ['priceOverride'] })

    const others = [await exhibitors.company(), await exhibitors.company({ isTestData: true })]
    await query(`update companies set sponsor_amount = 1 where id = any($1)`, [[company.id, ...others.map(({ id }) => id)]])
    await expectRefusals('3 companies have a sponsorship in EUR: set sponsorAmount to 0 with manage_company first')
    for (const { id } of [company, ...others])
      await olga.call('manage_company', {
        eventCode,
        action: 'update',
        companyId: id,
        fields: { sponsorAmount: { amount: '0', currency: 'EUR' } },
      })

    await query(
      `insert into charges (tenant_id, event_id, id, participant_id, is_test_data, purpose, amount, currency, provider)
       select tenant_id, event_id, 'open', id, is_test_data, 'registration', 100, 'EUR', 'x' from participants where ${event}`,
      [],
    )
    await expectRefusals('1 card payment in EUR is open: wait until it is paid or has expired')
    await query(`update charges set status = 'failed' where ${event}`, [])

    await query(
      `insert into booth_applications (tenant_id, event_id, id, company_id, is_test_data, offer_amount)
       select tenant_id, event_id, id, id, is_test_data, 120000 from companies where id = $1`,
      [company.id],
    )
    await expectRefusals('1 booth application has an offer in EUR: the currency can no longer change')
    await query(`update booth_applications set offer_amount = null where company_id = $1`, [company.id])
    for (const currency of ['JPY', 'KWD', 'USD']) expect((await update({ currency })).event.currency).toBe(currency)
    await query(`delete from charges where ${event}`, [])
  })

  it('counts the appointments that keep their UTC time when the event gets another time zone', async () => {
    const exhibitors = createExhibitorFixtures(world, await place())
    const company = await exhibitors.company()
    await register(1)
    const appoint = async (startsAt: string, status: string) => {
      const offering = await exhibitors.offerSlot({ companyId: company.id }, { startsAt, endsAt: startsAt.replace(':00Z', ':30Z') })
      await world.database.pool.query(
        `insert into appointments (tenant_id, event_id, id, offering_id, seat, kind, participant_id, company_id, is_test_data, starts_at, ends_at, status, booked_by, cancelled_at)
         select o.tenant_id, o.event_id, o.id, o.id, 1, 'exhibitor', p.id, o.company_id, false, o.starts_at, o.ends_at, $2::text, 'test',
           case when $2 = 'cancelled' then lanyard_now() end
         from offerings o join participants p on p.event_id = o.event_id where o.id = $1`,
        [offering, status],
      )
      return offering
    }
    for (const [day, status] of ['booked', 'pending', 'cancelled', 'declined'].entries())
      await appoint(`2027-03-0${day + 1}T10:00:00Z`, status)
    await appoint('2020-03-02T10:00:00Z', 'booked')
    const appointments = async (timezone: string) =>
      (await update({ timezone, confirmTimezone: true })).effects.find(({ what }: { what: string }) => what.startsWith('appointments'))
    expect(await appointments('Europe/Berlin')).toBeUndefined()
    expect(await appointments('Asia/Kathmandu')).toEqual({
      what: 'appointments that keep their moment, so their local time changes',
      count: 2,
    })
    expect(await appointments('Asia/Kathmandu')).toBeUndefined()
    const { rows } = await world.database.pool.query(
      `select starts_at from appointments where status = 'booked' and starts_at > '2027-01-01'`,
    )
    expect(rows).toEqual([{ starts_at: new Date('2027-03-01T10:00:00Z') }])
    for (const table of ['appointments', 'participants']) await world.database.pool.query(`delete from ${table}`)
  })

  it('removes the texts of a language that the event no longer has, so that the event can be published', async () => {
    await update({ locales: ['en', 'de', 'fr'] })
    const translations = {
      de: { '/details/name': 'Frühling', '/flows/attendee/name': 'Teilnahme' },
      fr: { '/details/name': 'Printemps' },
    }
    await olga.call('configure_event', { eventCode, sections: { translations } })
    await publish()
    const dropped = await update({ locales: ['en', 'fr'] })
    expect(dropped).toMatchObject({
      changed: ['locales'],
      effects: [
        { what: 'translations of the draft removed with their language', count: 2 },
        { what: 'changes that go live with publish_event', count: 1 },
      ],
    })
    expect(Object.keys(await configAt('/translations'))).toEqual(['fr'])
    await publish()
    expect((await update({ locales: ['en', 'fr'] })).effects).toEqual([])
    // A language without texts removes nothing, and a language that comes back starts empty.
    expect((await update({ locales: ['en', 'fr', 'de'] })).effects).toEqual([])
    expect((await update({ locales: ['en', 'fr'] })).effects).toEqual([])
    await publish()
  })

  it('saves no event settings in a dry run, and rejects invalid days and changes to an archived event', async () => {
    const dry = await update({ startsOn: '2026-05-19', moveDates: true, testMode: false, dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, changed: ['startsOn', 'endsOn', 'testMode'] })
    expect((await update({})).event).toMatchObject({ startsOn: '2026-05-12', testMode: true })
    expect((await refused({ startsOn: '2026-05-20' })).fields).toEqual([
      { path: '/details/endsOn', message: 'must not be before startsOn' },
    ])
    await world.database.pool.query(`update events set status = 'archived' where code = $1`, [eventCode])
    expect(await refused({ name: 'x' })).toMatchObject({
      code: 'precondition_failed',
      message: 'Spring is archived and can no longer be changed',
    })
  })
})
