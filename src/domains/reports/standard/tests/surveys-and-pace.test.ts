import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../../test/support/registrations.ts'
import { runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { createSurveyFixtures } from '../../../../../test/support/surveys.ts'
import { type EventHandle, newWorld, type World } from '../../../../../test/support/world.ts'

let world: World
let home: EventHandle

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-02-01T12:00:00.000Z')
  home = await world.event({
    startsOn: '2027-03-01',
    endsOn: '2027-03-02',
    timezone: 'Europe/Paris',
    status: 'draft',
    at: await world.client(),
  })
})
afterAll(() => world.end())

describe('survey-summary', () => {
  it('shows the NPS and the distribution of survey answers', async () => {
    const surveys = createSurveyFixtures(world, home)
    const questions = [
      { code: 'recommend', name: 'Would you recommend us?', type: 'nps' },
      {
        code: 'best',
        name: 'What was best?',
        type: 'choice',
        choices: [
          { code: 'talks', name: 'Talks' },
          { code: 'people', name: 'People' },
        ],
      },
    ]
    await surveys.publish([{ code: 'after', name: 'After the event', questions }])
    const desk = createRegistrationFixtures(world, home)
    const people: string[] = []
    for (let n = 0; n < 7; n++) people.push(await desk.person({ last_name: `Guest ${n}`, completed_at: new Date('2027-01-01T10:00:00Z') }))
    const tokens = await surveys.invite('after')
    for (const [n, recommend] of [10, 9, 9, 8, 6, 3].entries())
      await surveys.answer(tokens.get(people[n]!)!, { recommend, best: n < 4 ? 'talks' : 'people' })
    const { tables } = await runStandardReport(world, home, 'survey-summary', { values: { surveyCode: 'after' } })
    expect(tables[0]!.rows).toMatchObject([
      { question: 'recommend', type: 'nps', answers: 6, nps: 16.7 },
      { question: 'best', type: 'choice', answers: 6, nps: null, distribution: ['Talks: 4', 'People: 2'] },
    ])
    await expect(runStandardReport(world, home, 'survey-summary', { values: { surveyCode: 'none' } })).rejects.toThrow('none')
  })
})

describe('registration-pace', () => {
  it('compares registrations at the same number of days before two events, and projects the final number', async () => {
    const [now, before] = [
      await world.event({ at: home, startsOn: '2027-03-01', endsOn: '2027-03-02', timezone: 'Europe/Paris' }),
      await world.event({ at: home, startsOn: '2026-03-01', endsOn: '2026-03-02', timezone: 'Europe/Paris' }),
    ]
    const register = async (at: EventHandle, day: string, people: number, columns: object = {}) => {
      for (let n = 0; n < people; n++)
        await createRegistrationFixtures(world, at).person({ completed_at: new Date(`${day}T10:00:00Z`), ...columns })
    }
    await register(now, '2027-01-30', 6)
    await register(now, '2027-02-01', 4)
    await register(now, '2027-01-30', 3, { is_test_data: true })
    await register(before, '2026-01-30', 20)
    await register(before, '2026-02-10', 5)
    const { tables } = await runStandardReport(world, now, 'registration-pace', { values: { compareWith: before.eventCode } })
    const rows = new Map(tables[0]!.rows.map((row) => [row['daysBefore'], row]))
    expect(rows.get(30)).toEqual({ daysBefore: 30, this: 6, other: 20, difference: -14, projected: 8 })
    expect(rows.get(28)).toEqual({ daysBefore: 28, this: 10, other: 20, difference: -10, projected: 13 })
    expect(rows.get(19)).toEqual({ daysBefore: 19, this: null, other: 25, difference: null, projected: null })
    expect([...rows.keys()]).toEqual(Array.from({ length: 12 }, (_, n) => 30 - n))
    await expect(runStandardReport(world, now, 'registration-pace', { values: { compareWith: 'unknown' } })).rejects.toThrow('unknown')
  })
})
