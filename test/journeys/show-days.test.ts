import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOOR_EVENT, createDoorFixtures, doorTime } from '../support/door.ts'
import { createSurveyFixtures } from '../support/surveys.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const SURVEY = { code: 'after', name: 'After the show', questions: [{ code: 'recommend', name: 'Would you recommend us?', type: 'nps' }] }
const ANSWERS = [10, 9, 9, 8, 6, 3]
/** A day after the event. */
const LATER = '2027-03-06T09:00:00.000Z'

let world: World
let home: EventHandle
let olga: OrganizerHandle
const people: { id: string; badge: string }[] = []
const call = (tool: string, args: object = {}) => olga.call(tool, { eventCode: home.eventCode, ...args })
const own = async () => (await olga.call('get_my_events_stats', {})).events.find(({ eventCode }: any) => eventCode === home.eventCode)

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt(doorTime('12:00'))
  home = await world.event({ ...DOOR_EVENT, at: await world.client() })
  olga = await world.organizer({ role: 'admin', at: home })
  const door = createDoorFixtures(world, home, olga)
  await createSurveyFixtures(world, home).publish([SURVEY], {
    onsite: { requireEnrolment: false, gates: [{ code: 'main', name: 'Main' }] },
  } as never)
  await world.database.pool.query(`update events set status = 'published', test_mode = false where id = $1`, [home.eventId])
  for (let n = 0; n < 10; n++) people.push(await door.person({ last_name: `Person ${n}`, completed_at: new Date('2027-01-05T10:00:00Z') }))
})
afterAll(() => world.end())

describe('days of a show, and the survey after the show', () => {
  it('imports badge scans of seven people, of which two scans are duplicates and one is refused', async () => {
    const row = ({ badge }: { badge: string }, n: number, at = doorTime('08:30')) => ({
      badge,
      at,
      direction: 'in',
      gateCode: 'main',
      deviceName: 'Handheld',
      nonce: `scan-${n}`,
    })
    const rows = [
      ...people.slice(0, 7).map((person, n) => row(person, n)),
      // The same person within seconds, at another handheld.
      row(people[0]!, 20, doorTime('08:30:03')),
      row(people[1]!, 21, doorTime('08:30:04')),
      { ...row(people[7]!, 22), decidedOffline: 'refused' },
    ]
    expect(await call('import_attendance', { rows })).toMatchObject({ rows: 10, imported: 8, duplicates: 2, unmatched: [], invalid: [] })
    // The import keeps a scan that is repeated within seconds once.
    expect(await call('get_attendance_summary')).toMatchObject({ expected: 10, attended: 7, scans: 7, refused: 1 })
    expect(await call('get_onsite_summary')).toMatchObject({ expected: 10, checkedIn: 7 })
  })

  it('counts three no-shows in every tool after the end of the event, but none before', async () => {
    expect(await call('get_attendance_summary')).toMatchObject({ notYet: 3 })
    expect((await call('run_report', { report: 'no-shows' })).rows).toEqual([])
    await world.clock.stopAt(LATER)
    await world.renewTokens()
    expect(await call('get_attendance_summary')).toMatchObject({ attended: 7, noShow: 3, showRate: 70 })
    expect(await call('get_onsite_summary')).toMatchObject({ checkedIn: 7, noShow: 3 })
    expect((await call('run_report', { report: 'no-shows' })).rows.map(({ name }: any) => name.split(' ').at(-1)).toSorted()).toEqual([
      '7',
      '8',
      '9',
    ])
    const stats = await olga.call('get_my_events_stats', {})
    expect(await own()).toMatchObject({ complete: 10, attended: 7, showRate: 70 })
    expect(stats.totals).toMatchObject({ attended: 7, showRate: 70 })
    const metrics = ['attendance.attended', 'attendance.noShow', 'attendance.showRate']
    expect((await call('query_data', { metrics })).rows).toEqual([
      { 'attendance.attended': 7, 'attendance.noShow': 3, 'attendance.showRate': 70 },
    ])
  })

  it('counts the survey answers of six of the seven people, and draws them as a donut chart', async () => {
    const surveys = createSurveyFixtures(world, home)
    const tokens = await surveys.invite('after')
    await world.database.pool.query(`delete from survey_invites where participant_id <> all($1)`, [people.slice(0, 7).map(({ id }) => id)])
    for (const [n, recommend] of ANSWERS.entries()) await surveys.answer(tokens.get(people[n]!.id)!, { recommend })
    const found = await call('get_survey_aggregate_data', { surveyCode: 'after' })
    expect(found).toMatchObject({ delivered: 7, complete: 6, responseRate: 85.7, questions: [{ code: 'recommend', nps: 16.7 }] })
    const { rows } = await call('query_data', { metrics: ['survey.nps', 'survey.responseRate', 'survey.promoters', 'survey.detractors'] })
    expect(rows).toEqual([{ 'survey.nps': 16.7, 'survey.responseRate': 85.7, 'survey.promoters': 3, 'survey.detractors': 2 }])
    const donut = {
      chart: 'donut',
      entity: 'surveyAnswer',
      groupBy: ['npsGroup'],
      filter: { field: 'surveyCode', op: 'equals', value: 'after' },
    }
    const drawn = await call('plot_data', { ...donut, orderBy: ['-count'] })
    expect(drawn.rows).toEqual([
      { npsGroup: 'promoter', count: 3 },
      { npsGroup: 'detractor', count: 2 },
      { npsGroup: 'passive', count: 1 },
    ])
    const answer = (await olga.answer('plot_data', { eventCode: home.eventCode, ...donut, format: 'svg' })) as any
    const svg: string = answer.content[1].resource.text
    for (const [group, percent] of Object.entries({ promoter: '50.0', passive: '16.7', detractor: '33.3' }))
      expect(svg).toMatch(new RegExp(`${group}[^<>]*${percent}`))
  })
})
