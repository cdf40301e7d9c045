import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../test/support/door.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let home: EventHandle
let olga: OrganizerHandle
let door: DoorFixtures

const RULES = {
  gates: [
    { code: 'main', name: 'Main' },
    { code: 'vip', name: 'VIP', visibleForTags: { type: 'any', required: ['vip'] } },
    { code: 'dinner', name: 'Dinner', products: ['dinner', 'workshop'] },
    { code: 'timed', name: 'Timed', opensAt: doorTime('09:00'), closesAt: doorTime('18:00') },
    { code: 'small', name: 'Small', capacity: 1 },
  ],
  reentry: false,
  unpaid: 'refuse',
  earlyMinutes: 15,
  lateMinutes: 10,
}
const OVERRIDE = { reason: 'Known to the team' }
/** The people of this test are inserted without sales, so only the counters of gates are compared. */
const violations = async () =>
  (await checkIntegrity(world.database.write, home.tenantId, home.eventId))
    .flatMap(({ samples }) => samples)
    .filter((sample) => !/^inventory (event|product|flow)/.test(sample))

const moveClock = async (at: string) => {
  await world.clock.stopAt(at)
  await world.renewTokens()
}

beforeAll(async () => {
  world = await newWorld()
  home = await world.event(DOOR_EVENT)
  await moveClock(doorTime('10:00'))
  olga = await world.organizer({ role: 'onsite', at: home })
  door = createDoorFixtures(world, home, olga)
  await door.rules(RULES)
})
afterAll(() => world.end())

describe('record_attendance', () => {
  it('accepts a scan by badge, participant or confirmation number, and returns the person and the number of people inside', async () => {
    const [one, two] = [await door.person({ company: 'Borealis' }), await door.person({ confirmation_number: 'QK2M7' })]
    const answer = await door.scan(
      { badge: ` ${one.badge.toUpperCase()}|Ada|Borealis\r`, gateCode: 'main', deviceName: 'A' },
      { participantId: two.id, gateCode: 'main' },
      { confirmationNumber: 'qk2m7', gateCode: 'main', direction: 'out' },
    )
    expect(answer).toMatchObject({ accepted: 3, refused: 0, duplicates: 0 })
    expect(answer.results).toMatchObject([
      { result: 'accepted', message: 'Accepted.', participant: { id: one.id, company: 'Borealis' }, inside: 1, warnings: [] },
      { result: 'accepted', participant: { id: two.id }, inside: 2 },
      { result: 'accepted', inside: 1 },
    ])
    expect(answer.results[0].reason).toBeUndefined()
  })

  it('returns the first result for a scan with a repeated device and nonce, and stores nothing', async () => {
    const { badge } = await door.person()
    const one = { badge, deviceName: 'B', nonce: 'n1' }
    const first = await door.scan(one)
    const again = await door.scan(one)
    expect(again).toMatchObject({
      accepted: 0,
      duplicates: 1,
      results: [{ result: 'accepted', duplicate: true, scanId: first.results[0].scanId }],
    })
    expect(
      await door.scan({ badge: 'nothing', deviceName: 'B', nonce: 'n2' }, { badge: 'nothing', deviceName: 'B', nonce: 'n2' }),
    ).toMatchObject({
      results: [
        { result: 'refused', reason: 'unknown_badge' },
        { duplicate: true, reason: 'unknown_badge' },
      ],
      refused: 1,
      duplicates: 1,
    })
    expect(await door.rows('select 1 from attendance_scans where device_name = $1', 'B')).toHaveLength(2)
    // The same nonce from another device is another scan.
    expect(await door.decide({ ...one, deviceName: 'C', direction: 'out' })).toBe('accepted')
  })

  it('reports a repeated scan as a duplicate for less than duplicateSeconds, and as a new scan from then on', async () => {
    const { badge } = await door.person()
    const first = await door.scan({ badge, at: doorTime('09:00:00') })
    expect(await door.decide({ badge, at: doorTime('09:00:29') })).toBe('duplicate duplicate')
    expect(await door.decide({ badge, at: doorTime('09:00:30') })).toBe('refused already_in')
    const [row] = await door.rows<{ duplicate_of: string }>(
      `select duplicate_of from attendance_scans where result = 'duplicate' and at = $1`,
      doorTime('09:00:29'),
    )
    expect(row!.duplicate_of).toBe(first.results[0].scanId)
  })

  it('refuses unknown, revoked and ambiguous badges, and people who are not registered, with or without override', async () => {
    const testing = await door.person({ is_test_data: true })
    const cancelled = await door.person({ status: 'cancelled' })
    const incomplete = await door.person({ status: 'incomplete' })
    const waitlisted = await door.person({ status: 'waitlisted' })
    for (const [badge, reason] of [
      ['no-such-badge', 'unknown_badge'],
      ['x'.repeat(513), 'unknown_badge'],
      [testing.badge, 'test_data'],
      [cancelled.badge, 'cancelled'],
      [incomplete.badge, 'incomplete'],
      [waitlisted.badge, 'waitlisted'],
    ] as const)
      for (const override of [undefined, OVERRIDE]) expect(await door.decide({ badge, override })).toBe(`refused ${reason}`)
    const substituted = await door.person({ status: 'cancelled', substituted_by_id: (await door.person()).id })
    const { results } = await door.scan({ badge: substituted.badge })
    expect(results).toMatchObject([{ result: 'refused', reason: 'revoked' }])
    expect(results[0].participant).toBeUndefined()
  })

  it('applies the rules of each gate, and lets an override admit people only where the specification allows it', async () => {
    const unpaid = await door.person()
    await door.desk.buys(unpaid.id, [{ product: 'dinner', net: 100 }])
    const visitor = await door.person()
    const vip = await door.person({ tags: ['vip'] })
    const diner = await door.person()
    await door.desk.buys(diner.id, [
      { product: 'dinner', net: 0 },
      { product: 'workshop', net: 0 },
    ])
    await door.desk.returns(diner.id, 'workshop')
    expect(await door.decide({ badge: unpaid.badge, gateCode: 'main' })).toBe('refused unpaid')
    expect(await door.decide({ badge: visitor.badge, gateCode: 'vip' })).toBe('refused not_allowed')
    expect(await door.decide({ badge: vip.badge, gateCode: 'vip' })).toBe('accepted')
    expect(await door.decide({ badge: visitor.badge, gateCode: 'dinner' })).toBe('refused product_missing')
    expect(await door.decide({ badge: diner.badge, gateCode: 'dinner' })).toBe('accepted')
    await door.desk.returns(diner.id, 'dinner')
    expect(await door.decide({ badge: diner.badge, gateCode: 'dinner', direction: 'out' })).toBe('accepted')
    expect(await door.decide({ badge: diner.badge, gateCode: 'dinner', at: doorTime('10:01') })).toBe('refused product_missing')
    for (const [badge, gateCode, reason] of [
      [unpaid.badge, 'main', 'unpaid'],
      [visitor.badge, 'vip', 'not_allowed'],
      [visitor.badge, 'dinner', 'product_missing'],
    ] as const)
      expect(await door.decide({ badge, gateCode, override: OVERRIDE })).toBe(`accepted ${reason}`)
    const [row] = await door.rows<{ override: object }>(
      `select override from attendance_scans where reason = 'unpaid' and result = 'accepted'`,
    )
    expect(row!.override).toEqual({ by: expect.any(String), reason: OVERRIDE.reason })
  })

  it.each([
    ['08:44:59', 'refused too_early'],
    ['08:45:00', 'accepted'],
    ['18:10:00', 'accepted'],
    ['18:10:01', 'refused too_late'],
  ])('opens the gate 15 minutes early and closes it 10 minutes late: a scan at %s is %s', async (time, decision) => {
    await moveClock(doorTime('18:30'))
    const { badge } = await door.person()
    expect(await door.decide({ badge, gateCode: 'timed', at: doorTime(time) })).toBe(decision)
    if (decision !== 'accepted')
      expect(await door.decide({ badge, gateCode: 'timed', at: doorTime(time), override: OVERRIDE })).toBe(
        decision.replace('refused', 'accepted'),
      )
    await moveClock(doorTime('10:00'))
  })

  it.each([
    [doorTime('10:05:00'), 'accepted'],
    [doorTime('10:05:01'), 'refused invalid_time'],
    ['2027-02-16T00:00:00.000Z', 'accepted'],
    ['2027-02-15T23:59:59.999Z', 'refused invalid_time'],
  ])('refuses a scan whose time is wrong, but no other scan of the call: %s is %s', async (at, decision) => {
    const [one, other] = [await door.person(), await door.person()]
    const { results } = await door.scan({ badge: one.badge, at }, { badge: other.badge })
    expect([results[0].result, results[0].reason].filter(Boolean).join(' ')).toBe(decision)
    expect(results[1].result).toBe('accepted')
  })

  it('refuses a second entry and an exit of a person who is not inside, and flags them if overridden', async () => {
    const { badge } = await door.person()
    expect(await door.decide({ badge, gateCode: 'main', direction: 'out', at: doorTime('08:00') })).toBe('refused not_in')
    expect(await door.decide({ badge, gateCode: 'main', at: doorTime('08:01') })).toBe('accepted')
    expect(await door.decide({ badge, gateCode: 'main', at: doorTime('08:02') })).toBe('refused already_in')
    expect(await door.decide({ badge, gateCode: 'main', at: doorTime('08:03'), override: OVERRIDE })).toBe('accepted already_in')
    expect(await door.decide({ badge, gateCode: 'main', direction: 'out', at: doorTime('08:04') })).toBe('accepted')
    expect(await door.decide({ badge, gateCode: 'main', direction: 'out', at: doorTime('08:05'), override: OVERRIDE })).toBe(
      'accepted not_in',
    )
    // A scan at another gate is no duplicate.
    expect(await door.decide({ badge, at: doorTime('08:06') })).toBe('accepted')
    expect(await violations()).toEqual([])
  })

  it("decides a scan that arrives late by the person's presence at the time of the scan", async () => {
    const { badge } = await door.person()
    for (const [direction, time] of [
      ['in', '08:00'],
      ['out', '09:00'],
    ] as const)
      expect(await door.decide({ badge, gateCode: 'main', direction, at: doorTime(time) })).toBe('accepted')
    expect(await door.decide({ badge, gateCode: 'main', at: doorTime('08:30') })).toBe('refused already_in')
    expect(await door.decide({ badge, gateCode: 'main', direction: 'out', at: doorTime('08:30') })).toBe('accepted')
    expect(await door.decide({ badge, gateCode: 'main', at: doorTime('09:30') })).toBe('accepted')
    expect(await violations()).toEqual([])
  })

  it('reports a late scan that repeats an earlier entry or exit as a duplicate, although the person has left and entered since', async () => {
    const { badge } = await door.person()
    const scan = (direction: string, time: string) => ({ badge, gateCode: 'main', direction, at: doorTime(time) })
    const { results } = await door.scan(scan('in', '08:00:00'), scan('out', '08:30:00'), scan('in', '09:00:00'))
    expect(results.map(({ result }: { result: string }) => result)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(await door.decide(scan('in', '08:00:10'))).toBe('duplicate duplicate')
    expect(await door.decide(scan('in', '07:59:31'))).toBe('duplicate duplicate')
    expect(await door.decide(scan('in', '08:00:30'))).toBe('refused already_in')
    expect(await door.decide(scan('out', '08:30:29'))).toBe('duplicate duplicate')
    expect(await door.decide(scan('out', '08:30:30'))).toBe('refused not_in')
    expect(
      await door.rows(
        `select distinct duplicate_of from attendance_scans where result = 'duplicate' and at < $1 and at > $2`,
        doorTime('08:00:15'),
        doorTime('07:59:30'),
      ),
    ).toEqual([{ duplicate_of: results[0].scanId }])
    expect(await violations()).toEqual([])
  })

  it('lets one person through a gate with capacity 1, the next when the first leaves, and one more with an override', async () => {
    const [one, two, three] = [await door.person(), await door.person(), await door.person()]
    const at = (badge: string, more = {}) => door.scan({ badge, gateCode: 'small', ...more })
    expect((await at(one.badge)).results).toMatchObject([{ result: 'accepted', inside: 1, capacity: 1 }])
    expect((await at(two.badge)).results).toMatchObject([{ result: 'refused', reason: 'full', inside: 1, capacity: 1 }])
    await at(one.badge, { direction: 'out' })
    expect((await at(two.badge)).results).toMatchObject([{ result: 'accepted', inside: 1 }])
    expect((await at(three.badge, { override: OVERRIDE })).results).toMatchObject([{ result: 'accepted', reason: 'full', inside: 2 }])
    expect(await violations()).toEqual([])
  })

  it("checks a person in to a conference session, which ends the person's presence in an earlier one", async () => {
    const [first, second] = [
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' }),
      await door.session({ from: '2027-03-02T09:30', until: '2027-03-02T10:30' }),
    ]
    const { id, badge } = await door.person()
    expect(await door.decide({ badge, sessionId: first, at: doorTime('08:44') })).toBe('refused too_early')
    expect(await door.decide({ badge, sessionId: first, at: doorTime('09:02') })).toBe('accepted')
    expect(await door.decide({ badge, sessionId: first, at: doorTime('09:10') })).toBe('refused already_in')
    expect(await door.decide({ badge, sessionId: second, at: doorTime('09:40') })).toBe('accepted')
    expect(
      await door.rows(
        'select session_id, direction, assumed, at from attendance_scans where participant_id = $1 and result = $2 order by at, direction',
        id,
        'accepted',
      ),
    ).toEqual([
      { session_id: first, direction: 'in', assumed: false, at: new Date(doorTime('09:02')) },
      { session_id: second, direction: 'in', assumed: false, at: new Date(doorTime('09:40')) },
      { session_id: first, direction: 'out', assumed: true, at: new Date(doorTime('09:40')) },
    ])
    const [person] = await door.rows<{ checked_in_at: Date }>('select checked_in_at from attendance_people where participant_id = $1', id)
    expect(person!.checked_in_at).toEqual(new Date(doorTime('09:02')))
    // The session has checked the person in to the event, so the main entrance accepts the exit.
    expect(await door.decide({ badge, direction: 'out', at: doorTime('09:50') })).toBe('accepted')
    expect(await violations()).toEqual([])
  })

  it('ends a late entry at a conference session with the next entry at another one, and the entry at another one before it', async () => {
    const [first, second, third] = [
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00', capacity: 1 }),
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' }),
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' }),
    ]
    const [ada, bob, eva] = [await door.person(), await door.person(), await door.person()]
    const read = async (sessionId: string, { id }: { id: string }) => {
      const list = (presence: string) =>
        olga.call('list_attendance', { eventCode: home.eventCode, scope: 'session', sessionId, participantId: id, presence })
      const [{ people: inside }, { people: left }] = [await list('inside'), await list('left')]
      const [{ minutes, assumedMinutes }] = [...inside, ...left]
      return [inside.length, minutes, assumedMinutes]
    }
    for (const [sessionId, time] of [
      [first, '09:00'],
      [third, '09:50'],
      [second, '09:20'],
    ] as const)
      expect(await door.decide({ badge: bob.badge, sessionId, at: doorTime(time) })).toBe('accepted')
    expect(await door.decide({ badge: ada.badge, sessionId: second, at: doorTime('09:40') })).toBe('accepted')
    expect(await door.decide({ badge: eva.badge, sessionId: first, at: doorTime('09:45') })).toBe('accepted')
    const { results } = await door.scan({ badge: ada.badge, sessionId: first, at: doorTime('09:10') })
    expect(results).toMatchObject([{ result: 'accepted', inside: 1 }])
    expect(await read(first, ada)).toEqual([0, 0, 30])
    expect(await read(second, ada)).toEqual([1, 0, 80])
    expect([await read(first, bob), await read(second, bob), await read(third, bob)]).toEqual([
      [0, 0, 20],
      [0, 0, 30],
      [1, 0, 70],
    ])
    const { bySession } = await olga.call('get_onsite_summary', { eventCode: home.eventCode })
    expect([first, second, third].map((id) => bySession.find((one: { id: string }) => one.id === id).inside)).toEqual([1, 1, 1])
    expect(await violations()).toEqual([])
  })

  it('refuses all scans of a call with an unknown gate or conference session, or with both a gate and a session', async () => {
    const { badge } = await door.person()
    const session = await door.session({ from: '2027-03-03T09:00' })
    for (const [scan, text] of [
      [{ badge, gateCode: 'mian' }, 'main'],
      [{ badge, sessionId: 'a'.repeat(24) }, 'No session'],
      [{ badge, gateCode: 'main', sessionId: session }, 'not both'],
      [{ badge, scope: 'gate' }, 'is required for scope gate'],
      [{ badge, participantId: 'a'.repeat(24) }, 'give one of'],
    ] as const)
      expect((await olga.refused('record_attendance', { eventCode: home.eventCode, scans: [{ badge }, scan] })).message).toContain(text)
    expect(
      await door.rows(`select 1 from attendance_scans s join participants p on p.id = s.participant_id where p.badge_id = $1`, badge),
    ).toEqual([])
  })

  it('accepts only one of many concurrent entries with one badge if re-entry is not allowed', async () => {
    const { badge } = await door.person()
    const scans = Array.from({ length: 300 }, (_, n) => ({ badge, deviceName: `D${n % 7}`, nonce: `p${n}` }))
    const answers = await Promise.all(scans.map((scan) => door.scan(scan)))
    expect(answers.filter(({ accepted }) => accepted === 1)).toHaveLength(1)
    expect(await violations()).toEqual([])
  })

  it('lets 50 of 60 concurrent people into a room for 50, and one more when one leaves', async () => {
    const sessionId = await door.session({ from: '2027-03-02T10:00', capacity: 50 })
    const people = await Promise.all(Array.from({ length: 60 }, () => door.person()))
    const decisions = await Promise.all(people.map(({ badge }) => door.decide({ badge, sessionId })))
    expect(decisions.filter((one) => one === 'accepted')).toHaveLength(50)
    expect(decisions.filter((one) => one === 'refused full')).toHaveLength(10)
    const [inside, outside] = [people[decisions.indexOf('accepted')]!, people[decisions.indexOf('refused full')]!]
    expect(await door.decide({ badge: inside.badge, sessionId, direction: 'out' })).toBe('accepted')
    expect(await door.decide({ badge: outside.badge, sessionId })).toBe('accepted')
    expect(await door.decide({ badge: inside.badge, sessionId, at: doorTime('10:01') })).toBe('refused full')
    expect(await violations()).toEqual([])
  })

  it('accepts people who switch between two conference sessions in both directions concurrently', async () => {
    const rooms = [await door.session({ from: '2027-03-02T10:00' }), await door.session({ from: '2027-03-02T10:00' })]
    const people = await Promise.all(Array.from({ length: 20 }, () => door.person()))
    const enter = (swap: boolean) =>
      Promise.all(people.map(({ badge }, n) => door.decide({ badge, sessionId: rooms[(n + Number(swap)) % 2] })))
    expect(new Set(await enter(false))).toEqual(new Set(['accepted']))
    expect(new Set(await enter(true))).toEqual(new Set(['accepted']))
    expect(await violations()).toEqual([])
  })

  it('stores two concurrent batches of scans that list the same people in opposite order, without a deadlock', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => door.person()))
    const gates = ['main', 'vip']
    const batch = (from: typeof people) => from.map(({ badge }, n) => ({ badge, gateCode: gates[n % 2], override: OVERRIDE }))
    await Promise.all([door.scan(...batch(people)), door.scan(...batch(people.toReversed()))])
    expect(await violations()).toEqual([])
  })
})

describe('record_attendance with gate rules that only warn', () => {
  it('warns of an unpaid balance, and accepts a second entry as a sign of a missed exit', async () => {
    await door.rules({ gates: RULES.gates, requireEnrolment: true })
    const unpaid = await door.person()
    await door.desk.buys(unpaid.id, [{ product: 'pass', net: 100 }])
    expect((await door.scan({ badge: unpaid.badge, gateCode: 'main', at: doorTime('09:00') })).results).toMatchObject([
      { result: 'accepted', warnings: ['unpaid'], message: 'Accepted. The registration has an unpaid balance.' },
    ])
    const again = await door.scan({ badge: unpaid.badge, gateCode: 'main', at: doorTime('09:05') })
    expect(again.results).toMatchObject([{ result: 'accepted', warnings: ['unpaid', 'missed_out'], inside: expect.any(Number) }])
    // A null lateMinutes never closes a gate.
    const late = await door.person()
    await moveClock(doorTime('23:00'))
    expect(await door.decide({ badge: late.badge, gateCode: 'timed' })).toBe('accepted')
    await moveClock(doorTime('10:00'))
    expect(await violations()).toEqual([])
  })

  it('refuses scans of people who are not enrolled in the conference session', async () => {
    const sessionId = await door.session({ from: '2027-03-02T10:00' })
    const [enrolled, waiting] = [await door.person(), await door.person()]
    for (const [id, status, position] of [
      [enrolled.id, 'enrolled', null],
      [waiting.id, 'waitlisted', 1],
    ] as const)
      await world.database.write
        .insertInto('session_enrolments')
        .values({
          tenant_id: home.tenantId,
          event_id: home.eventId,
          session_id: sessionId,
          participant_id: id,
          is_test_data: false,
          status,
          position,
        })
        .execute()
    expect(await door.decide({ badge: waiting.badge, sessionId })).toBe('refused not_enrolled')
    expect(await door.decide({ badge: enrolled.badge, sessionId })).toBe('accepted')
    expect(await door.decide({ badge: waiting.badge, sessionId, override: OVERRIDE })).toBe('accepted not_enrolled')
    await door.rows(`update sessions set status = 'cancelled' where id = $1`, sessionId)
    expect(await door.decide({ badge: waiting.badge, sessionId, direction: 'out' })).toBe('accepted')
    expect(await door.decide({ badge: (await door.person()).badge, sessionId })).toBe('refused not_enrolled')
    expect(await violations()).toEqual([])
  })
})
