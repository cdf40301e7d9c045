import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../test/support/door.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let olga: OrganizerHandle
const call = (event: EventHandle, tool: string, more: object = {}) => olga.call(tool, { eventCode: event.eventCode, ...more })
const moveClock = async (at: string) => {
  await world.clock.stopAt(at)
  await world.renewTokens()
}

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt(doorTime('12:00'))
  olga = await world.organizer({ role: 'onsite', at: await world.client() })
})
afterAll(() => world.end())

async function newDoor(onsite: object = {}): Promise<{ home: EventHandle; door: DoorFixtures }> {
  const home = await world.event({ ...DOOR_EVENT, at: await world.client() })
  olga = await world.organizer({ role: 'manager', at: home })
  const door = createDoorFixtures(world, home, olga)
  await door.rules(onsite)
  return { home, door }
}

describe('get_onsite_summary', () => {
  it('counts 100 registered people of whom 60 checked in and 10 left again, and 5 refused scans', async () => {
    const { home, door } = await newDoor({
      gates: [
        { code: 'main', name: 'Main', capacity: 200 },
        { code: 'side', name: 'Side' },
      ],
    })
    const people: { badge: string }[] = []
    for (let n = 0; n < 100; n++) people.push(await door.person(n < 40 ? { tags: ['vip'] } : {}))
    const scans = (from: number, until: number, more: object) =>
      people.slice(from, until).map(({ badge }) => ({ badge, deviceName: 'Desk', ...more }))
    await door.scan(...scans(0, 30, { gateCode: 'main', at: doorTime('09:02') }))
    await door.scan(...scans(30, 60, { at: doorTime('09:20') }))
    await door.scan(...scans(0, 10, { gateCode: 'main', direction: 'out', at: doorTime('11:00') }))
    await door.scan(...Array.from({ length: 5 }, (_, n) => ({ badge: `wrong-${n}`, gateCode: 'side' })))
    await door.scan(...scans(0, 1, { gateCode: 'main', direction: 'out', at: doorTime('11:00:10') }))
    const summary = await call(home, 'get_onsite_summary')
    expect(summary).toMatchObject({
      expected: 100,
      checkedIn: 60,
      notYet: 40,
      insideNow: 50,
      checkedOut: 10,
      noShow: 0,
      enteredNotComplete: 0,
      refusals: { unknown_badge: 5 },
      duplicates: 1,
      overrides: 0,
      byGate: [
        { code: 'event', in: 30, out: 0, inside: 30, refused: 0 },
        { code: 'main', in: 30, out: 10, inside: 20, capacity: 200, refused: 0 },
        { code: 'side', in: 0, out: 0, inside: 0, refused: 5 },
      ],
      byTag: [{ tag: 'vip', expected: 40, checkedIn: 40 }],
      curve: [
        { from: doorTime('09:00'), in: 30, out: 0 },
        { from: doorTime('09:15'), in: 30, out: 0 },
        { from: doorTime('11:00'), in: 0, out: 10 },
      ],
      devices: [{ name: 'Desk', lastScanAt: doorTime('11:00:10') }],
    })
    expect(await call(home, 'get_onsite_summary', { scope: 'gate', bucketMinutes: 60 })).toMatchObject({
      checkedIn: 30,
      insideNow: 20,
      checkedOut: 10,
      curve: [
        { from: doorTime('09:00'), in: 30 },
        { from: doorTime('11:00'), out: 10 },
      ],
    })
    expect(await call(home, 'get_onsite_summary', { day: '2027-03-03' })).toMatchObject({
      expected: 100,
      checkedIn: 0,
      notYet: 100,
      curve: [],
      refusals: {},
    })
    await door.rows(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where badge_id = $1`, people[59]!.badge)
    await moveClock('2027-03-05T00:00:00.000Z')
    expect(await call(home, 'get_onsite_summary')).toMatchObject({
      expected: 99,
      checkedIn: 59,
      insideNow: 49,
      checkedOut: 10,
      notYet: 0,
      noShow: 40,
      enteredNotComplete: 1,
    })
    await moveClock(doorTime('12:00'))
  })

  it('shows enrolment, attendance and current occupancy of each conference session, without test data', async () => {
    const { home, door } = await newDoor({ requireEnrolment: false })
    const sessionId = await door.session({ from: '2027-03-02T11:00', until: '2027-03-02T13:00', capacity: 4, title: 'Pipes' })
    const [one, two, testing] = [await door.person(), await door.person(), await door.person({ is_test_data: true })]
    await door.scan(...[one, two, testing].map(({ badge }) => ({ badge, sessionId, at: doorTime('11:05') })))
    await door.scan({ badge: one.badge, sessionId, direction: 'out', at: doorTime('11:30') })
    expect(await call(home, 'get_onsite_summary')).toMatchObject({
      expected: 2,
      checkedIn: 2,
      insideNow: 2,
      refusals: {},
      bySession: [{ id: sessionId, title: 'Pipes', enrolled: 0, attended: 2, inside: 1, capacity: 4, fill: 25 }],
    })
  })
})

describe('list_attendance', () => {
  it('sums the minutes of a person in a conference session, including entries without a scanned exit', async () => {
    const { home, door } = await newDoor()
    const sessionId = await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' })
    const [ada, early] = [await door.person({ last_name: 'Ada' }), await door.person({ last_name: 'Early' })]
    for (const [direction, time] of [
      ['in', '09:02'],
      ['out', '10:15'],
      ['in', '10:30'],
    ] as const)
      await door.scan({ badge: ada.badge, sessionId, direction, at: doorTime(time) })
    for (const [direction, time] of [
      ['in', '08:50'],
      ['out', '11:20'],
    ] as const)
      await door.scan({ badge: early.badge, sessionId, direction, at: doorTime(time) })
    expect(await call(home, 'list_attendance', { sessionId, presence: 'inside' })).toMatchObject({
      people: [{ participant: { id: ada.id }, firstIn: doorTime('09:02'), lastOut: doorTime('10:15'), minutes: 73, assumedMinutes: 30 }],
      total: 1,
    })
    expect(await call(home, 'list_attendance', { sessionId, presence: 'left' })).toMatchObject({
      people: [{ participant: { id: early.id }, minutes: 120, assumedMinutes: 0 }],
    })
    const other = await door.session({ from: '2027-03-02T10:40', until: '2027-03-02T12:00' })
    await door.scan({ badge: ada.badge, sessionId: other, at: doorTime('10:50') })
    expect(await call(home, 'list_attendance', { sessionId, presence: 'left', search: 'Ada' })).toMatchObject({
      people: [{ minutes: 73, assumedMinutes: 20 }],
    })
  })

  it('lists scans newest first with their reasons, filtered by person, former badge, gate and time', async () => {
    const { home, door } = await newDoor({ gates: [{ code: 'main', name: 'Main', opensAt: doorTime('09:00') }], reentry: false })
    const [ada, bob] = [await door.person({ last_name: 'Lovelace' }), await door.person()]
    await door.scan({ badge: ada.badge, gateCode: 'main', at: doorTime('08:00'), deviceName: 'Phone 1', override: { reason: 'Speaker' } })
    await door.scan({ badge: bob.badge, gateCode: 'main', at: doorTime('08:30') }, { badge: 'gone' })
    const list = async (more: object) =>
      (await call(home, 'list_attendance', more)).scans.map(
        ({ result, reason }: { result: string; reason?: string }) => `${result} ${reason}`,
      )
    expect(await list({})).toEqual(['refused unknown_badge', 'refused too_early', 'accepted too_early'])
    expect(await list({ result: 'refused', gateCode: 'main' })).toEqual(['refused too_early'])
    expect(await list({ participantId: ada.id })).toEqual(['accepted too_early'])
    expect(await list({ search: 'lovel' })).toEqual(['accepted too_early'])
    expect(await list({ badgeId: bob.badge.toUpperCase() })).toEqual(['refused too_early'])
    expect(await list({ badgeId: 'unknown' })).toEqual([])
    expect(await list({ deviceName: 'Phone 1', reason: 'too_early', direction: 'in' })).toEqual(['accepted too_early'])
    expect(await list({ from: doorTime('08:00'), until: doorTime('08:30') })).toEqual(['accepted too_early'])
    expect(await list({ scope: 'event' })).toEqual(['refused unknown_badge'])
    const { scans, total, nextCursor } = await call(home, 'list_attendance', { limit: 2 })
    expect([scans.length, total]).toEqual([2, 3])
    expect((await call(home, 'list_attendance', { limit: 2, cursor: nextCursor })).scans).toMatchObject([
      { participant: { id: ada.id }, gateCode: 'main', deviceName: 'Phone 1', override: { reason: 'Speaker' } },
    ])
    expect(await call(home, 'list_attendance', { presence: 'never' })).toMatchObject({
      people: [{ participant: { id: bob.id }, minutes: 0 }],
    })
    expect(await call(home, 'list_attendance', { presence: 'inside' })).toMatchObject({
      people: [{ participant: { id: ada.id } }],
      total: 1,
    })
    expect((await olga.refused('list_attendance', { eventCode: home.eventCode, presence: 'inside', result: 'refused' })).message).toContain(
      'result',
    )
    expect((await olga.refused('list_attendance', { eventCode: home.eventCode, gateCode: 'mian' })).message).toContain('main')
  })
})
