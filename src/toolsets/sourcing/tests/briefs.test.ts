import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toCanonicalJson } from '../../../kernel/canonical.ts'
import { createHotelAt } from '../../../../test/support/hotels.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import type { EventHandle, OrganizerHandle } from '../../../../test/support/world.ts'

let scenario: SalesScenario

beforeAll(async () => {
  scenario = await openSalesScenario()
})
afterAll(() => scenario.world.end())

const call = (tool: string, args: object) => scenario.call(tool, { ...args })
const refused = (tool: string, args: object) => scenario.refused(tool, { ...args })
const start = async (answers: object = {}, more: object = {}) => call('start_or_advance_brief', { answers, ...more })
const advance = (briefId: string, answers: object, more: object = {}) => call('start_or_advance_brief', { briefId, answers, ...more })
const codesOf = (list: { code: string }[]) => list.map(({ code }) => code)

describe('start_or_advance_brief', () => {
  it('asks the first five questions of a new sourcing brief, and later suggests the event dates', async () => {
    const { briefId, status, accepted, errors, next, progress, readyToLock } = await start()
    expect({ status, accepted, errors, readyToLock }).toEqual({ status: 'open', accepted: [], errors: [], readyToLock: false })
    expect(codesOf(next)).toEqual(['purpose', 'eventType', 'attendees', 'decisionFactors', 'preferredArrival'])
    expect(next[4]).toEqual({
      code: 'preferredArrival',
      section: 'dates',
      text: 'On which day do guests arrive?',
      type: 'day',
      required: true,
      suggestion: '2026-09-01',
    })
    // Four of 25 questions are hidden: those about rooms and space are asked only if they are needed.
    expect(progress).toEqual({ answered: 0, questions: 21, missing: 8 })
    const again = await advance(briefId, {})
    expect(codesOf(again.next)).toEqual(codesOf(next))
  })

  it('calculates room nights and the peak night of a brief from its answers, and changes nothing for equal answers', async () => {
    const first = await start(EXAMPLE_NEED)
    expect(first.derived).toEqual({ roomNights: 250, peak: 100, covers: 400, area: 0 })
    expect(first.accepted).toEqual(expect.arrayContaining(['attendees', 'roomsByNight', 'meals']))
    expect(first.accepted).toHaveLength(Object.keys(EXAMPLE_NEED).length)
    expect(first.readyToLock).toBe(true)
    const second = await advance(first.briefId, EXAMPLE_NEED)
    expect(second.accepted).toEqual([])
    expect(second.derived).toEqual(first.derived)
  })

  it('counts rooms of every occupancy in a brief, and uses the night with the most rooms as the peak', async () => {
    const roomsByNight = [
      { night: '2027-06-10', single: 10, double: 5, suite: 1, staff: 2 },
      { night: '2027-06-11', double: 30 },
      { night: '2027-06-12', staff: 3 },
    ]
    const { derived } = await start({ preferredArrival: '2027-06-10', preferredDeparture: '2027-06-13', needRooms: true, roomsByNight })
    expect(derived).toMatchObject({ roomNights: 51, peak: 30 })
  })

  it('saves valid answers of a brief even if others are invalid', async () => {
    const { briefId, accepted, errors } = await start({ purpose: 'Kick-off', attendees: -3, eventType: 'party', needRooms: 'perhaps' })
    expect(accepted).toEqual(['purpose'])
    expect(codesOf(errors)).toEqual(expect.arrayContaining(['attendees', 'eventType', 'needRooms']))
    expect(errors.find(({ code }: { code: string }) => code === 'eventType').message).toContain('conference')
    expect((await call('get_brief', { briefId })).brief.answers).toEqual({ basics: { purpose: 'Kick-off' } })
  })

  it('reports contradicting answers at the codes of both questions, and saves neither answer', async () => {
    const dates = await start({ preferredArrival: '2027-06-13', preferredDeparture: '2027-06-13', attendees: 10 })
    expect(dates.accepted).toEqual(['attendees'])
    expect(codesOf(dates.errors)).toEqual(['preferredArrival', 'preferredDeparture'])

    const { briefId } = await start({ ...EXAMPLE_NEED, roomsByNight: undefined })
    const early = await advance(briefId, { roomsByNight: [{ night: '2027-06-09', single: 1 }] })
    expect(codesOf(early.errors)).toEqual(['preferredArrival', 'roomsByNight'])
    const late = await advance(briefId, { roomsByNight: [{ night: '2027-06-13', single: 1 }] })
    expect(codesOf(late.errors)).toEqual(['preferredDeparture', 'roomsByNight'])
    const last = await advance(briefId, { roomsByNight: [{ night: '2027-06-12', single: 1 }] })
    expect(last.errors).toEqual([])
    const none = await advance(briefId, { roomsByNight: [{ night: '2027-06-12', single: 0 }] })
    expect(codesOf(none.errors)).toEqual(['roomsByNight'])

    const function_ = (people: number) => [{ name: 'Plenary', day: '2027-06-10', from: '09:00', until: '12:00', people, setup: 'theater' }]
    const crowded = await advance(briefId, { needSpace: true, functions: function_(401) })
    expect(codesOf(crowded.errors)).toEqual(['attendees', 'functions'])
    expect((await advance(briefId, { functions: function_(400) })).errors).toEqual([])
    const fewer = await advance(briefId, { attendees: 199 })
    expect(codesOf(fewer.errors)).toEqual(['attendees', 'functions'])
    expect((await call('get_brief', { briefId })).brief.answers.basics.attendees).toBe(200)

    const mixed = await advance(briefId, { currency: 'EUR', budget: { amount: '1000.00', currency: 'USD' } })
    expect(codesOf(mixed.errors)).toEqual(['budget', 'currency'])
  })

  it('refuses answers to questions that do not apply, and names the question whose answer hides them', async () => {
    const { errors } = await start({ maxRate: { amount: '200.00', currency: 'EUR' } })
    expect(codesOf(errors)).toEqual(['needRooms', 'maxRate'])
  })

  it('calculates the largest meeting area that a brief needs at the same time', async () => {
    const one = (name: string, from: string, until: string, people: number, setup: string) => ({
      name,
      day: '2027-06-10',
      from,
      until,
      people,
      setup,
    })
    const functions = [
      one('Plenary', '09:00', '12:00', 200, 'theater'),
      one('Workshop', '11:00', '13:00', 100, 'classroom'),
      one('Lunch', '12:00', '13:00', 200, 'rounds'),
    ]
    const { derived } = await start({ attendees: 200, needSpace: true, functions, exhibitBooths: 10 })
    // Workshop and lunch overlap: 170 + 260 m², and 10 booths of 18 m².
    expect(derived.area).toBe(610)
  })

  it('suggests the nearest code for an unknown question, and refuses the whole call', async () => {
    const { code, fields } = await refused('start_or_advance_brief', { answers: { atendees: 200, purpose: 'Kick-off' } })
    expect(code).toBe('invalid_arguments')
    expect(fields).toEqual([expect.objectContaining({ path: 'answers.atendees', allowed: ['attendees'] })])
  })

  it('stops asking skipped questions of a brief, but not required ones', async () => {
    const { briefId, next, errors } = await start({}, { skip: ['decisionFactors', 'purpose'] })
    expect(codesOf(errors)).toEqual(['purpose'])
    expect(codesOf(next)).toEqual(['purpose', 'eventType', 'attendees', 'preferredArrival', 'preferredDeparture'])
    const answered = await advance(briefId, { decisionFactors: ['price'] })
    expect(answered.accepted).toEqual(['decisionFactors'])
  })

  it('requires the budget in a brief only if the client has an approval limit', async () => {
    const { clientCode } = scenario.event
    const { briefId } = await start(EXAMPLE_NEED)
    await scenario.olga.call('update_client', { clientCode, sourcing: { approvalLimit: { amount: '50000.00', currency: 'EUR' } } })
    const { readyToLock, progress } = await advance(briefId, {})
    expect({ readyToLock, missing: progress.missing }).toEqual({ readyToLock: false, missing: 1 })
    expect((await refused('lock_brief', { briefId })).message).toContain('budget')
    await scenario.olga.call('update_client', { clientCode, clear: ['sourcing'] })
    expect((await advance(briefId, {})).readyToLock).toBe(true)
  })

  it('changes no brief for a repeated idempotency key', async () => {
    const first = await call('start_or_advance_brief', { title: 'Once', idempotencyKey: 'brief-1' })
    const second = await call('start_or_advance_brief', { title: 'Once', idempotencyKey: 'brief-1' })
    expect(second.briefId).toBe(first.briefId)
  })
})

describe('suggestions from the last event', () => {
  it('suggests room nights scaled from the last event to the new attendance, rounded up, and fills them in with fromEvent', async () => {
    const { world, event } = scenario
    const last = await world.event({ at: event, startsOn: '2025-09-02', endsOn: '2025-09-04', name: 'Last year' })
    await world.event({ at: event, startsOn: '2024-09-02', endsOn: '2024-09-04' })
    const hotelId = await createHotelAt(world, last, {
      contract: {},
      roomTypes: [
        {
          code: 'king',
          name: 'King',
          beds: ['king'],
          maxOccupancy: 2,
          nights: [{ from: '2025-09-02', until: '2025-09-04', rooms: 50, single: 10000 }],
        },
      ],
    })
    // Only the counters matter here, so the rows behind them are omitted and the checks of the counters are disabled.
    await world.database.transact(async (db) => {
      await sql`set local session_replication_role = replica`.execute(db)
      await sql`update housing_contracts set status = 'definite' where hotel_id = ${hotelId}`.execute(db)
      await sql`update room_nights set booked = case night when '2025-09-02' then 30 else 7 end where hotel_id = ${hotelId}`.execute(db)
      await sql`insert into participants (tenant_id, event_id, id, status, flow_slug, first_name, last_name, completed_at, confirmation_number)
        select ${last.tenantId}, ${last.eventId}, lpad(to_hex(n + 1000), 24, '0'), 'complete', 'attendee', 'P', n::text, lanyard_now(), 'C' || n
        from generate_series(1, 90) n`.execute(db)
    })
    const asked = await start(
      { purpose: 'x', eventType: 'meeting', attendees: 100, needRooms: true, cities: ['Paris'] },
      { skip: ['decisionFactors', 'alternates', 'flexible', 'radiusKm'] },
    )
    const suggestions = Object.fromEntries(
      asked.next.map(({ code, suggestion }: { code: string; suggestion: unknown }) => [code, suggestion]),
    )
    // The suggestion is 30 × 100 / 90 = 33.3 and 7 × 100 / 90 = 7.8, rounded up and moved to the days of this event.
    expect(suggestions['roomsByNight']).toEqual([{ night: '2026-09-01', single: 34 }])
    const filled = await start({ attendees: 180 }, { fromEvent: true })
    expect(filled.accepted).toEqual(
      expect.arrayContaining([
        'attendees',
        'preferredArrival',
        'preferredDeparture',
        'needRooms',
        'roomsByNight',
        'currency',
        'pastPickup',
      ]),
    )
    const { brief } = await call('get_brief', { briefId: filled.briefId })
    expect(brief.answers.rooms.roomsByNight[0]).toEqual({ night: '2026-09-01', single: 60 })
    expect(brief.answers.history.pastPickup).toEqual([{ event: 'Last year', contracted: 100, pickup: 37 }])
    expect((await start({ attendees: 180 }, { fromEvent: true, briefId: filled.briefId })).accepted).toEqual([])
  })
})

describe('update_brief', () => {
  it('hides answers of a brief that no longer apply, and restores them when they apply again', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    const off = await call('update_brief', { briefId, answers: { needRooms: false } })
    expect(off).toMatchObject({ changed: ['needRooms'], nowHidden: ['roomsByNight'], brief: { hidden: ['roomsByNight'] } })
    expect(off.brief.derived).toMatchObject({ roomNights: 0, peak: 0 })
    const on = await call('update_brief', { briefId, answers: { needRooms: true } })
    expect(on).toMatchObject({ changed: ['needRooms'], nowHidden: [], brief: { hidden: [], derived: { roomNights: 250, peak: 100 } } })
  })

  it('changes all given answers of a brief or none, and clears an answer with null', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    const { code, fields } = await refused('update_brief', { briefId, answers: { attendees: 300, cities: [] } })
    expect({ code, paths: fields.map(({ path }: { path: string }) => path) }).toEqual({
      code: 'invalid_arguments',
      paths: ['answers.cities'],
    })
    expect((await call('get_brief', { briefId })).brief.answers.basics.attendees).toBe(200)
    const cleared = await call('update_brief', { briefId, answers: { radiusKm: null, meals: null }, title: 'New title' })
    expect(cleared.changed).toEqual(['title', 'radiusKm', 'meals'])
    expect(cleared.brief).toMatchObject({ title: 'New title', answers: { place: { cities: ['Porto'] } }, derived: { covers: 0 } })
    expect((await call('update_brief', { briefId, answers: { radiusKm: null } })).changed).toEqual([])
  })

  it('refuses an edit of a brief with an outdated revision', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    const { brief } = await call('update_brief', { briefId, answers: { attendees: 210 } })
    expect((await refused('update_brief', { briefId, answers: { attendees: 220 }, ifRevision: brief.revision - 1 })).code).toBe('conflict')
    await call('update_brief', { briefId, answers: { attendees: 220 }, ifRevision: brief.revision })
  })
})

describe('lock_brief', () => {
  it('stores the hash of the applicable answers when a brief is locked, and returns the same version if it is locked again', async () => {
    const { briefId } = await start({
      ...EXAMPLE_NEED,
      needSpace: true,
      functions: [{ name: 'Hall', day: '2027-06-10', from: '09:00', until: '10:00', people: 10, setup: 'theater' }],
    })
    await call('update_brief', { briefId, answers: { needSpace: false } })
    const one = await call('lock_brief', { briefId })
    const { meals, ...rest } = EXAMPLE_NEED
    expect(one).toMatchObject({ version: 1, brief: { status: 'locked', missing: [] } })
    expect(one.lockedHash).toBe(
      createHash('sha256')
        .update(toCanonicalJson({ ...rest, meals }))
        .digest('hex'),
    )
    expect(await call('lock_brief', { briefId })).toMatchObject({ version: 1, lockedHash: one.lockedHash })

    await call('lock_brief', { briefId, unlock: true, reason: 'More guests' })
    expect(await call('lock_brief', { briefId })).toMatchObject({ version: 1, lockedHash: one.lockedHash })
    await call('lock_brief', { briefId, unlock: true })
    await call('update_brief', { briefId, answers: { attendees: 240 } })
    const two = await call('lock_brief', { briefId })
    expect(two.version).toBe(2)
    expect(two.lockedHash).not.toBe(one.lockedHash)
    const first = (await call('get_brief', { briefId, version: 1 })).brief
    expect(first).toMatchObject({ version: 1, lockedHash: one.lockedHash, answers: { basics: { attendees: 200 } } })
    expect((await call('get_brief', { briefId })).brief).toMatchObject({ version: 2, answers: { basics: { attendees: 240 } } })
    expect(first.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1])
    expect((await refused('get_brief', { briefId, version: 3 })).code).toBe('not_found')
  })

  it('refuses changes of a locked brief and explains how to unlock it', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    await call('lock_brief', { briefId })
    for (const tool of ['start_or_advance_brief', 'update_brief']) {
      const { code, message, fix } = await refused(tool, { briefId, answers: { attendees: 10 } })
      expect(code).toBe('precondition_failed')
      expect(message).toContain('unlock with lock_brief')
      expect(fix).toMatchObject({ tool: 'lock_brief', arguments: { briefId, unlock: true } })
    }
  })

  it('lists the required answers that a brief lacks', async () => {
    const { briefId } = await start({ purpose: 'Kick-off', needRooms: true })
    const { code, message } = await refused('lock_brief', { briefId })
    expect(code).toBe('precondition_failed')
    expect(message).toContain('eventType, attendees, preferredArrival, preferredDeparture, cities, roomsByNight, needSpace')
  })

  it('refuses to lock a brief if answers that apply again contradict each other', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    await call('update_brief', { briefId, answers: { needRooms: false } })
    await call('update_brief', { briefId, answers: { preferredArrival: '2027-06-11' } })
    const { accepted, errors, readyToLock } = await advance(briefId, { needRooms: true })
    expect(accepted).toEqual(['needRooms'])
    expect(codesOf(errors)).toEqual(['preferredArrival', 'roomsByNight'])
    expect(readyToLock).toBe(false)
    expect((await refused('lock_brief', { briefId })).message).toContain('2027-06-10: before the arrival')
  })

  it('refuses to unlock a brief while an RFP that is a draft or distributed uses it', async () => {
    const { world, event } = scenario
    const at = createSourcingFixtures(world, event)
    const { briefId } = await start(EXAMPLE_NEED)
    await call('lock_brief', { briefId })
    const rfpId = await at.rfp(briefId)
    const { code, message } = await refused('lock_brief', { briefId, unlock: true })
    expect({ code, message }).toEqual({ code: 'precondition_failed', message: expect.stringContaining('RFP-9') })
    expect((await call('get_brief', { briefId })).brief.rfps).toEqual([
      expect.objectContaining({ id: rfpId, status: 'distributed', briefVersion: 1 }),
    ])
    await world.database.pool.query(`update rfps set status = 'cancelled' where id = $1`, [rfpId])
    expect((await call('lock_brief', { briefId, unlock: true })).brief.status).toBe('open')
  })

  it('creates one version of a brief for two concurrent locks', async () => {
    const { briefId } = await start(EXAMPLE_NEED)
    const locks = await Promise.all([call('lock_brief', { briefId }), call('lock_brief', { briefId }), call('lock_brief', { briefId })])
    expect(locks.map(({ version }) => version)).toEqual([1, 1, 1])
    expect((await call('get_brief', { briefId })).brief.versions).toHaveLength(1)
  })
})

describe('get_brief', () => {
  let other: EventHandle
  let stranger: OrganizerHandle

  beforeAll(async () => {
    const client = await scenario.world.client({ tenant: 'elsewhere' })
    other = await scenario.world.event({ at: client })
    stranger = await scenario.world.organizer({ at: client })
  })

  it('lists briefs in pages, newest first', async () => {
    const { briefId } = await start({}, { title: 'Newest' })
    const { briefs, nextCursor } = await call('get_brief', { limit: 1 })
    expect(briefs).toEqual([expect.objectContaining({ id: briefId, title: 'Newest', status: 'open', version: 0 })])
    const rest = await call('get_brief', { limit: 1, cursor: nextCursor })
    expect(rest.briefs[0].id).not.toBe(briefId)
  })

  it('never shows or changes briefs of another event, client or tenant', async () => {
    const { world, event, olga } = scenario
    const { briefId } = await start(EXAMPLE_NEED)
    const sibling = await world.event({ at: event })
    for (const [who, at] of [
      [stranger, other],
      [olga, sibling],
    ] as const) {
      const here = { eventCode: at.eventCode, briefId }
      expect((await who.refused('get_brief', here)).code).toBe('not_found')
      expect((await who.refused('update_brief', { ...here, answers: { attendees: 1 } })).code).toBe('not_found')
      expect((await who.refused('lock_brief', here)).code).toBe('not_found')
      expect((await who.refused('start_or_advance_brief', { ...here, answers: { attendees: 1 } })).code).toBe('not_found')
      expect((await who.call('get_brief', { eventCode: at.eventCode })).briefs).toEqual([])
    }
  })
})
