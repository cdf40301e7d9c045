import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sql } from 'kysely'
import { insertPeople, runProfileBuild, WORKED_PEOPLE } from '../../../../test/support/audience-people.ts'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../test/support/door.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let olga: OrganizerHandle
const moveClock = async (at: string) => {
  await world.clock.stopAt(at)
  await world.renewTokens()
}

beforeAll(async () => {
  world = await newWorld()
  await moveClock(doorTime('12:00'))
})
afterAll(() => world.end())

async function newDoor(onsite: object = {}): Promise<{ home: EventHandle; door: DoorFixtures; summary: (more?: object) => Promise<any> }> {
  const home = await world.event({ ...DOOR_EVENT, at: await world.client() })
  olga = await world.organizer({ role: 'manager', at: home })
  const door = createDoorFixtures(world, home, olga)
  await door.rules(onsite)
  return { home, door, summary: (more = {}) => olga.call('get_attendance_summary', { eventCode: home.eventCode, ...more }) }
}

/** Inserts accepted scans without applying the gate rules. */
const insertScans = (
  door: DoorFixtures,
  home: EventHandle,
  scans: readonly { person: string; direction: 'in' | 'out'; at: string; gate?: string; sessionId?: string }[],
) =>
  door.rows(
    `insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, gate_code, session_id, direction, at, method, result)
     select $1, $2, substr(md5(n || $2), 1, 24), s->>'person', case when s ? 'gate' then 'gate' when s ? 'sessionId' then 'session' else 'event' end, s->>'gate', s->>'sessionId',
       s->>'direction', (s->>'at')::timestamptz, 'import', 'accepted' from jsonb_array_elements($3::jsonb) with ordinality as x (s, n)`,
    home.tenantId,
    home.eventId,
    JSON.stringify(scans),
  )

describe('get_attendance_summary', () => {
  it('reads all attendance statistics in one database snapshot with the database role of reports', async () => {
    const { home, summary } = await newDoor()
    const who: unknown[] = []
    const real = world.database.snapshot
    const opened = vi.spyOn(world.database, 'snapshot').mockImplementation((scope, run) =>
      real(scope, async (db) => {
        who.push(...(await sql`select current_user as who, current_setting('statement_timeout') as timeout`.execute(db)).rows)
        return run(db)
      }),
    )
    try {
      for (const by of ['event', 'hour', 'session', 'track', 'flow', 'tag']) await summary({ by, includeOccupancy: true })
      expect(opened).toHaveBeenCalledTimes(6)
      expect(opened.mock.calls[0]![0]).toMatchObject({ tenantId: home.tenantId, eventId: home.eventId })
      expect(who).toEqual(Array(6).fill({ who: 'lanyard_reports', timeout: '10s' }))
    } finally {
      opened.mockRestore()
    }
  })

  it("reports attended minutes, peak and exits without an entry of the specification's example session", async () => {
    const { home, door, summary } = await newDoor({ requireEnrolment: false })
    const sessionId = await door.session({ from: '2027-03-02T10:00', until: '2027-03-02T11:00', title: 'Pipes' })
    const [a, b, c] = [await door.person(), await door.person(), await door.person()]
    const scans: [{ badge: string }, 'in' | 'out', string][] = [
      [a, 'in', '09:55'],
      [b, 'in', '10:05'],
      [c, 'out', '10:10'],
      [c, 'in', '10:20'],
      [a, 'out', '10:40'],
      [a, 'in', '10:50'],
      [c, 'out', '10:50'],
    ]
    for (const [{ badge }, direction, time] of scans)
      await door.scan({ badge, sessionId, direction, at: doorTime(time), override: { reason: 'Seen at the door' } })
    const result = await summary({ by: 'session', sessionIds: [sessionId], includeOccupancy: true })
    expect(result).toMatchObject({ expected: 3, attended: 3, notYet: 0, showRate: 100, scans: 7, orphans: 1, repeats: 0 })
    const figures = ['session.minutes', 'session.minutesTotal', 'session.peak', 'session.attended']
    const queried = await olga.call('query_data', { eventCode: home.eventCode, metrics: figures })
    expect(queried.rows).toEqual([{ 'session.minutes': 45, 'session.minutesTotal': 135, 'session.peak': 3, 'session.attended': 3 }])
    expect(result.groups).toEqual([
      {
        key: sessionId,
        label: 'Pipes',
        attended: 3,
        enrolled: 0,
        attendedOfEnrolled: 0,
        walkIns: 3,
        minutesAverage: 45,
        assumedMinutes: 65,
        peak: 3,
        peakAt: doorTime('10:20'),
      },
    ])
    const at = Object.fromEntries(result.occupancy.map((step: { at: string; count: number }) => [step.at.slice(11, 16), step.count]))
    expect(at).toEqual({
      '09:55': 1,
      '10:00': 1,
      '10:05': 2,
      '10:10': 2,
      '10:15': 2,
      '10:20': 3,
      '10:25': 3,
      '10:30': 3,
      '10:35': 3,
      '10:40': 2,
      '10:45': 2,
      '10:50': 2,
      '10:55': 2,
    })
    const inside = await olga.call('list_attendance', { eventCode: home.eventCode, sessionId, presence: 'inside' })
    expect(inside.people).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ minutes: 40, assumedMinutes: 10 }),
        expect.objectContaining({ minutes: 0, assumedMinutes: 55 }),
      ]),
    )
  })

  it('counts 10 complete participants of whom 7 checked in and one of these cancelled, like get_onsite_summary', async () => {
    const { home, door, summary } = await newDoor({ gates: [{ code: 'main', name: 'Main door' }] })
    const people: { id: string; badge: string }[] = []
    for (let n = 0; n < 10; n++) people.push(await door.person({ flow_slug: 'visitors', tags: n < 2 ? ['vip', 'press'] : [] }))
    const testing = await door.person({ is_test_data: true })
    await door.scan(...[...people.slice(0, 7), testing].map(({ badge }, n) => ({ badge, gateCode: 'main', at: doorTime(`09:0${n}`) })))
    await door.scan({ badge: people[0]!.badge, gateCode: 'main', at: doorTime('09:00:05') }, { badge: 'unknown', gateCode: 'main' })
    await door.rows(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where id = $1`, people[6]!.id)
    const figures = { expected: 9, attended: 6, enteredNotComplete: 1, showRate: 66.7 }
    const result = await summary()
    expect(result).toMatchObject({
      ...figures,
      notYet: 3,
      scans: 7,
      refused: 1,
      duplicates: 1,
      orphans: 0,
      repeats: 0,
      firstArrival: doorTime('09:00'),
      lastArrival: doorTime('09:06'),
      groups: [{ key: 'event', attended: 6, firstArrivals: 7, expected: 9, showRate: 66.7, peak: 7, peakAt: doorTime('09:06') }],
    })
    expect(result.noShow).toBeUndefined()
    expect(await olga.call('get_onsite_summary', { eventCode: home.eventCode })).toMatchObject({
      expected: result.expected,
      checkedIn: result.attended,
      enteredNotComplete: result.enteredNotComplete,
      notYet: result.notYet,
      duplicates: result.duplicates,
    })
    const groupsBy = async (by: string) => (await summary({ by })).groups
    expect(await groupsBy('gate')).toMatchObject([{ key: 'main', label: 'Main door', attended: 6, firstArrivals: 7, scans: 7, peak: 7 }])
    expect(await groupsBy('day')).toMatchObject([{ key: '2027-03-02', attended: 6, firstArrivals: 7 }])
    expect(await groupsBy('hour')).toEqual([
      {
        key: '2027-03-02T09:00+00:00',
        label: '2027-03-02T09:00+00:00',
        attended: 6,
        firstArrivals: 7,
        scans: 7,
        peak: 7,
        peakAt: doorTime('09:06'),
      },
    ])
    expect(await groupsBy('flow')).toEqual([{ key: 'visitors', label: 'visitors', expected: 9, attended: 6, showRate: 66.7 }])
    expect(await summary({ by: 'tag' })).toMatchObject({
      overlapping: true,
      groups: [
        { key: null, label: 'None', expected: 7, attended: 4 },
        { key: 'press', expected: 2, attended: 2, showRate: 100 },
        { key: 'vip', label: 'VIP', expected: 2, attended: 2, showRate: 100 },
      ],
    })
    await moveClock('2027-03-05T00:00:00.000Z')
    const after = await summary()
    expect(after).toMatchObject({ ...figures, noShow: 3 })
    expect(after.notYet).toBeUndefined()
    await moveClock(doorTime('12:00'))
  })

  it('counts a person once per day of the event, and as a first arrival only on the first day', async () => {
    const { home, door, summary } = await newDoor({
      gates: [
        { code: 'main', name: 'Main' },
        { code: 'side', name: 'Side' },
      ],
    })
    const [a, b] = [await door.person(), await door.person()]
    const sessionId = await door.session({ from: '2027-03-03T10:00', until: '2027-03-03T11:00' })
    await insertScans(door, home, [
      { person: a.id, direction: 'in', at: '2027-03-02T09:00Z', gate: 'main' },
      { person: a.id, direction: 'in', at: '2027-03-02T13:00Z', gate: 'side' },
      { person: a.id, direction: 'in', at: '2027-03-03T09:00Z', gate: 'main' },
      { person: a.id, direction: 'out', at: '2027-03-03T10:30Z', gate: 'main' },
      { person: b.id, direction: 'in', at: '2027-03-03T10:10Z', sessionId },
    ])
    await door.rows(
      `insert into attendance_people (tenant_id, event_id, participant_id, checked_in_at, on_site) values ($1, $2, $3, '2027-03-02T09:00Z', true), ($1, $2, $4, '2027-03-03T10:10Z', true)`,
      home.tenantId,
      home.eventId,
      a.id,
      b.id,
    )
    expect((await summary({ by: 'day' })).groups).toMatchObject([
      { key: '2027-03-02', attended: 1, firstArrivals: 1, minutesAverage: 900, assumedMinutes: 900, peak: 1 },
      {
        key: '2027-03-03',
        attended: 2,
        firstArrivals: 1,
        minutesAverage: 90,
        assumedMinutes: 0,
        peak: 1,
        peakAt: '2027-03-03T09:00:00.000Z',
      },
    ])
    const byGate = (await summary({ by: 'gate' })).groups
    expect(byGate).toMatchObject([
      { key: 'main', attended: 1, firstArrivals: 1, scans: 3 },
      { key: 'sessions', label: 'Sessions', attended: 1, firstArrivals: 1, scans: 1 },
      { key: 'side', attended: 1, firstArrivals: 0, scans: 1 },
    ])
    expect(await summary({ from: '2027-03-03', until: '2027-03-03' })).toMatchObject({ expected: 2, attended: 2, scans: 3 })
    expect(await summary({ until: '2027-03-02' })).toMatchObject({ attended: 1, showRate: 50 })
    expect(await summary({ scope: 'session' })).toMatchObject({
      attended: 1,
      scans: 1,
      groups: [{ minutesAverage: 50, assumedMinutes: 50 }],
    })
    expect((await summary({ by: 'hour', from: '2027-03-03' })).groups).toMatchObject([
      { key: '2027-03-03T09:00+00:00', peak: 1 },
      { key: '2027-03-03T10:00+00:00', peak: 1, peakAt: '2027-03-03T10:00:00.000Z' },
    ])
  })

  it('shows enrolled people and walk-ins for conference sessions and tracks', async () => {
    const { home, door, summary } = await newDoor({ requireEnrolment: false })
    const [one, two] = [
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T10:00', title: 'One' }),
      await door.session({ from: '2027-03-02T11:00', until: '2027-03-02T12:00', title: 'Two' }),
    ]
    const people = [await door.person(), await door.person(), await door.person()]
    for (const person of people.slice(0, 2))
      await door.rows(
        `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`,
        home.tenantId,
        home.eventId,
        one,
        person.id,
      )
    await door.scan(
      { badge: people[0]!.badge, sessionId: one, at: doorTime('09:15') },
      { badge: people[2]!.badge, sessionId: one, at: doorTime('09:30') },
    )
    await door.scan({ badge: people[0]!.badge, sessionId: two, at: doorTime('11:15') })
    expect((await summary({ by: 'session' })).groups).toMatchObject([
      {
        key: one,
        label: 'One',
        enrolled: 2,
        attended: 2,
        attendedOfEnrolled: 1,
        walkIns: 1,
        minutesAverage: 37.5,
        assumedMinutes: 75,
        peak: 2,
      },
      { key: two, label: 'Two', enrolled: 0, attended: 1, attendedOfEnrolled: 0, walkIns: 1, minutesAverage: 45, assumedMinutes: 45 },
    ])
    expect((await summary({ by: 'track' })).groups).toMatchObject([
      {
        enrolled: 2,
        attended: 2,
        attendedOfEnrolled: 1,
        walkIns: 1,
        minutesAverage: 40,
        assumedMinutes: 120,
        peak: 2,
        peakAt: doorTime('09:30'),
      },
    ])
    expect((await summary({ by: 'session', sessionIds: [two] })).groups).toHaveLength(1)
  })

  it('groups attendance by the audience profiles of the latest build', async () => {
    const home = await world.event({ ...DOOR_EVENT, startsOn: '2026-09-01', endsOn: '2026-09-02', at: await world.client() })
    olga = await world.organizer({ role: 'manager', at: home })
    await insertPeople(world, home, WORKED_PEOPLE)
    const { jobId } = await olga.call('rebuild_audience_profiles', { eventCode: home.eventCode })
    await runProfileBuild(world, home, jobId)
    const { expected, groups } = await olga.call('get_attendance_summary', { eventCode: home.eventCode, by: 'profile' })
    const sizes = groups.map((group: { key: string; expected: number }) => [group.key, group.expected])
    expect([expected, sizes]).toEqual([
      50,
      [
        ['p1', 20],
        ['p2', 17],
        ['p3', 13],
      ],
    ])
    expect(groups[0]).toMatchObject({ label: 'High spend, returning', attended: 0, showRate: 0 })
  })

  it('refuses conference sessions of other events, periods that end before they start, and profiles that were never built', async () => {
    const foreign = await (await newDoor()).door.session()
    const { home } = await newDoor()
    const refusal = (more: object) => olga.refused('get_attendance_summary', { eventCode: home.eventCode, ...more })
    expect(await refusal({ sessionIds: [foreign] })).toMatchObject({ code: 'not_found' })
    expect(await refusal({ from: '2027-03-04', until: '2027-03-03' })).toMatchObject({ code: 'invalid_arguments' })
    const profile = await refusal({ by: 'profile' })
    expect(profile).toMatchObject({ code: 'precondition_failed' })
    expect(profile.message).toContain('run rebuild_audience_profiles')
  })
})
