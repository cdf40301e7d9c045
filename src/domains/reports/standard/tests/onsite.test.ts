import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../../test/support/door.ts'
import { newId } from '../../../../kernel/ids.ts'
import { plainRow, type ReportRequest, runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../../test/support/world.ts'

let world: World
let home: EventHandle
let door: DoorFixtures
let olga: OrganizerHandle

const run = async (code: string, request: ReportRequest = {}) => {
  const { tables } = await runStandardReport(world, home, code, { timezone: 'UTC', ...request })
  return {
    rows: tables[0]!.rows.map(plainRow),
    totals: tables[0]!.totals,
    failed: tables.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)),
  }
}

/**
 * Creates ten complete participants, of whom seven attended, one of them only a session; one more scan is a duplicate and one is rejected.
 */
beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt(doorTime('12:00'))
  home = await world.event({ ...DOOR_EVENT, at: await world.client() })
  olga = await world.organizer({ role: 'manager', at: home })
  door = createDoorFixtures(world, home, olga)
  await door.rules({ requireEnrolment: false, gates: [{ code: 'main', name: 'Main' }] })
  const people: { id: string; badge: string }[] = []
  for (let n = 0; n < 10; n++) people.push(await door.person({ last_name: `Person ${n}` }))
  const sessionId = await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T10:00', title: 'Pipes', capacity: 4 })
  await door.scan(...people.slice(0, 6).map(({ badge }) => ({ badge, gateCode: 'main', at: doorTime('08:30') })))
  await door.scan({ badge: people[0]!.badge, gateCode: 'main', at: doorTime('08:30:05') }, { badge: 'unknown', gateCode: 'main' })
  await door.scan(...people.slice(5, 7).map(({ badge }, n) => ({ badge, sessionId, at: doorTime(`09:${n}0`) })))
  await door.scan({ badge: people[5]!.badge, sessionId, direction: 'out', at: doorTime('09:15') })
})
afterAll(() => world.end())

describe('standard reports about attendance', () => {
  it('counts first arrivals that add up to the number of attendees', async () => {
    const { rows, totals, failed } = await run('attendance-by-day')
    expect(rows).toMatchObject([
      { day: '2027-03-02', gate: 'main', firstArrivals: 6, present: 6, scans: 6, peak: 6, peakAt: doorTime('08:30') },
      { day: '2027-03-02', gate: 'sessions', firstArrivals: 1, present: 2, scans: 3 },
    ])
    expect(totals).toMatchObject({ firstArrivals: 7 })
    expect(failed).toEqual([])
  })

  it('lists conference sessions with their number of attendees and attended minutes', async () => {
    expect((await run('session-attendance')).rows).toMatchObject([
      { title: 'Pipes', capacity: 4, enrolled: 0, attended: 2, attendedOfEnrolled: 0, walkIns: 2, fill: 50, minutesAverage: 32.5 },
    ])
    const minutes = await run('attendance-minutes', { values: { minPercent: 50 } })
    expect(
      minutes.rows.map(({ name, minutes: seen, assumedMinutes, percent, credit }) => [name, seen, assumedMinutes, percent, credit]),
    ).toEqual([
      [expect.stringContaining('Person 5'), 15, 0, 25, false],
      [expect.stringContaining('Person 6'), 0, 50, 83.3, true],
    ])
  })

  it('averages the ratings of a session, without answers to questions that ask for personal data', async () => {
    const { tenantId, eventId } = home
    const query = async (text: string, ...more: unknown[]) =>
      (await world.database.pool.query<any>(text, [tenantId, eventId, ...more])).rows
    const rating = async () => (await run('session-attendance')).rows[0]!['rating']
    const [{ person, session }] = await query(`select (select id from sessions where tenant_id = $1 and event_id = $2) as session,
      (select min(id) from participants where tenant_id = $1 and event_id = $2) as person`)
    const [inviteId, responseId] = [newId(), newId()]
    await query(
      `insert into survey_invites (tenant_id, event_id, id, survey_code, participant_id, session_id, token_hash)
       values ($1, $2, $3, 'talk', $4, $5, sha256(convert_to($3, 'UTF8')))`,
      inviteId,
      person,
      session,
    )
    await query(
      `insert into survey_responses (tenant_id, event_id, id, survey_code, session_id, is_anonymous, participant_id, invite_id, status, started_at,
         completed_at, locale, created_at, updated_at)
       select $1, $2, $3, 'talk', $4, false, $5, $6, 'complete', t, t, 'en', t, t from (select lanyard_now() as t) now`,
      responseId,
      session,
      person,
      inviteId,
    )
    const answer = (code: string, isPersonal: boolean, value: number) =>
      query(
        `insert into survey_answers (tenant_id, event_id, response_id, question_code, type, is_personal, rating) values ($1, $2, $3, $4, 'rating', $5, $6)`,
        responseId,
        code,
        isPersonal,
        value,
      )
    await answer('boss', true, 1)
    expect(await rating()).toBeNull()
    await answer('talk', false, 4)
    expect(await rating()).toBe(4)
  })

  it('restricts attended minutes to conference sessions on given days and to participants of a flow or with given tags', async () => {
    const count = async (values: ReportRequest['values']) => (await run('attendance-minutes', { values: values! })).rows.length
    expect(await count({})).toBe(2)
    expect(await count({ from: '2027-03-02', until: '2027-03-02' })).toBe(2)
    expect(await count({ from: '2027-03-03' })).toBe(0)
    expect(await count({ until: '2027-03-01' })).toBe(0)
    expect(await count({ flowSlug: 'nobody' })).toBe(0)
    expect(await count({ tags: ['vip'] })).toBe(0)
  })

  it.each([-1, 150])('refuses a minimum attendance percentage outside 0 to 100: %s', async (minPercent) => {
    await expect(run('attendance-minutes', { values: { minPercent } })).rejects.toThrow('must be from 0 to 100')
  })

  it('lists as many no-shows after the event as get_onsite_summary counts', async () => {
    expect((await run('no-shows')).rows).toEqual([])
    await world.clock.stopAt('2027-03-05T00:00:00.000Z')
    await world.renewTokens()
    const { rows, failed } = await run('no-shows')
    expect(rows).toHaveLength(3)
    expect(failed).toEqual([])
    expect(await olga.call('get_onsite_summary', { eventCode: home.eventCode })).toMatchObject({ checkedIn: 7, noShow: 3 })
    expect(await olga.call('get_attendance_summary', { eventCode: home.eventCode })).toMatchObject({ attended: 7, noShow: 3, showRate: 70 })
    const hasNoEntry = {
      relation: 'attendances',
      has: 'none',
      where: {
        all: [
          { field: 'direction', op: 'equals', value: 'in' },
          { field: 'result', op: 'equals', value: 'accepted' },
        ],
      },
    }
    const query = (args: object) => olga.call('query_data', { eventCode: home.eventCode, ...args })
    const filter = { all: [{ field: 'status', op: 'equals', value: 'complete' }, hasNoEntry] }
    expect((await query({ entity: 'participant', filter })).rows).toEqual([{ count: 3 }])
    expect((await query({ metrics: ['attendance.noShow'] })).rows).toEqual([{ 'attendance.noShow': 3 }])
  })
})
