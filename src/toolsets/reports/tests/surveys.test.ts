import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { type Surveys, createSurveyFixtures } from '../../../../test/support/surveys.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

const QUESTIONS = [
  { code: 'recommend', name: 'Would you recommend us?', type: 'nps' },
  { code: 'food', name: 'How was the food?', type: 'rating' },
  {
    code: 'best',
    name: 'What was best?',
    type: 'choice',
    choices: [
      { code: 'talks', name: 'Talks' },
      { code: 'people', name: 'People' },
    ],
  },
  {
    code: 'again',
    name: 'What would you visit again?',
    type: 'multiChoice',
    choices: [
      { code: 'talks', name: 'Talks' },
      { code: 'expo', name: 'Expo' },
    ],
  },
  { code: 'comment', name: 'Anything else?', type: 'text' },
]

/** 33 promoters, 15 passives and 12 detractors. */
const SIXTY = [
  ...Array.from({ length: 33 }, (_, i) => 9 + (i % 2)),
  ...Array.from({ length: 15 }, (_, i) => 7 + (i % 2)),
  ...Array.from({ length: 12 }, (_, i) => i % 7),
]

let world: World
let home: EventHandle
let surveys: Surveys
let olga: OrganizerHandle
let analyst: OrganizerHandle
const people: string[] = []

const aggregate = (args: object, as = olga) => as.call('get_survey_aggregate_data', { eventCode: home.eventCode, ...args })
const responses = (args: object, as = olga) => as.call('get_survey_responses_data', { eventCode: home.eventCode, ...args })
const refused = (tool: string, args: object, as = olga) => as.refused(tool, { eventCode: home.eventCode, ...args })

beforeAll(async () => {
  world = await newWorld()
  home = await world.event({ startsOn: '2027-03-01', endsOn: '2027-03-02', timezone: 'Europe/Paris', status: 'draft' })
  surveys = createSurveyFixtures(world, home)
  await surveys.publish([
    { code: 'after', name: 'After the event', questions: QUESTIONS },
    { code: 'secret', name: 'Anonymous', anonymous: true, questions: QUESTIONS },
    { code: 'quiet', name: 'Few answers', anonymous: true, questions: QUESTIONS.slice(0, 2) },
    { code: 'empty', name: 'Without answers', questions: QUESTIONS },
    { code: 'one', name: 'One answer', questions: QUESTIONS },
    { code: 'texts', name: 'Only texts', questions: QUESTIONS.slice(4) },
    { code: 'story', name: 'After the show', questions: QUESTIONS.slice(0, 1) },
    { code: 'personal', name: 'Personal question', questions: [{ ...QUESTIONS[0], personal: true }] },
  ])
  olga = await world.organizer({ role: 'registrar', at: home })
  analyst = await world.organizer({ role: 'analyst', at: home })
  const desk = createRegistrationFixtures(world, home)
  for (let n = 0; n < 60; n++)
    people.push(
      await desk.person({ flow_slug: n < 56 ? 'main' : 'vip', tags: n % 2 === 0 ? ['speaker'] : [], country: n < 30 ? 'DE' : 'FR' }),
    )
  for (const code of ['after', 'secret']) {
    const tokens = await surveys.invite(code)
    for (const [n, id] of people.entries())
      await surveys.answer(tokens.get(id)!, {
        recommend: SIXTY[n]!,
        ...(n < 10 ? { food: (n % 5) + 1 } : {}),
        ...(n < 20 ? { best: n < 15 ? 'talks' : 'people' } : {}),
        ...(n < 8 ? { again: n < 4 ? ['talks', 'expo'] : ['talks'] } : {}),
        ...(n < 6 ? { comment: n < 4 ? 'The coffee machine was great' : 'Great coffee, but a long queue' } : {}),
      })
  }
})
afterAll(() => world.end())

const questionOf = (answer: { questions: { code: string }[] }, code: string): any => answer.questions.find((one) => one.code === code)

describe('get_survey_aggregate_data', () => {
  it('computes the NPS (net promoter score) and its margin of error from 60 answers', async () => {
    const found = await aggregate({ surveyCode: 'after' })
    expect(found).toMatchObject({ invited: 60, delivered: 60, started: 60, complete: 60, declined: 0, responseRate: 100 })
    expect(questionOf(found, 'recommend')).toMatchObject({ shown: 60, answered: 60, skipped: 0, nps: 35, margin: 20 })
    expect(questionOf(found, 'recommend').distribution).toHaveLength(11)
  })

  it('computes rating, single-choice and multiple-choice results from the people who answered', async () => {
    const found = await aggregate({ surveyCode: 'after' })
    expect(questionOf(found, 'food')).toMatchObject({ shown: 60, answered: 10, skipped: 50, mean: 3, sd: 1.49, median: 3, topTwo: 40 })
    expect(questionOf(found, 'food').distribution.map(({ count }: { count: number }) => count)).toEqual([2, 2, 2, 2, 2])
    expect(questionOf(found, 'best').distribution).toEqual([
      { value: 'talks', label: 'Talks', count: 15, percent: 75 },
      { value: 'people', label: 'People', count: 5, percent: 25 },
    ])
    expect(questionOf(found, 'again')).toMatchObject({ answered: 8, overlapping: true })
    expect(questionOf(found, 'again').distribution).toEqual([
      { value: 'talks', label: 'Talks', count: 8, percent: 100, percentOfRespondents: 100 },
      { value: 'expo', label: 'Expo', count: 4, percent: 50, percentOfRespondents: 50 },
    ])
  })

  it('ranks survey terms by number of responses, and shows sample texts only with personal.read', async () => {
    const comment = questionOf(await aggregate({ surveyCode: 'after', questionCodes: ['comment'] }), 'comment')
    expect(comment.terms).toEqual([
      { term: 'coffee', responses: 6 },
      { term: 'great', responses: 6 },
      { term: 'coffee machine', responses: 4 },
      { term: 'machine', responses: 4 },
    ])
    expect(comment.samples).toHaveLength(5)
    const limited = questionOf(await aggregate({ surveyCode: 'after' }, analyst), 'comment')
    expect(limited.terms).toEqual([
      { term: 'coffee', responses: 6 },
      { term: 'great', responses: 6 },
    ])
    expect(limited.samples).toBeUndefined()
  })

  it('shows at most five sample texts, evenly spaced from the first to the last response', async () => {
    const tokens = await surveys.invite('texts')
    let answered = 0
    const samplesAfter = async (count: number) => {
      for (; answered < count; answered++) await surveys.answer(tokens.get(people[answered]!)!, { comment: `Text ${answered}` })
      const { samples } = questionOf(await aggregate({ surveyCode: 'texts' }), 'comment')
      return samples.map((text: string) => Number(text.slice(5)))
    }
    expect(await samplesAfter(4)).toEqual([0, 1, 2, 3])
    expect(await samplesAfter(5)).toEqual([0, 1, 2, 3, 4])
    expect(await samplesAfter(6)).toEqual([0, 1, 3, 4, 5])
    expect(await samplesAfter(7)).toEqual([0, 2, 3, 5, 6])
    expect(await samplesAfter(10)).toEqual([0, 2, 5, 7, 9])
  })

  it('hides both of two segments if one has fewer than five responses, and keeps the total', async () => {
    for (const surveyCode of ['after', 'secret']) {
      const found = await aggregate({ surveyCode, segmentBy: 'flowSlug' })
      expect(found.segments).toEqual([
        { key: 'main', n: 56, suppressed: true },
        { key: 'vip', n: 4, suppressed: true },
      ])
      expect(questionOf(found, 'recommend')).toMatchObject({ nps: 35, margin: 20 })
    }
  })

  it('computes results for large segments by tag and by a field of participants', async () => {
    const byTag = await aggregate({ surveyCode: 'after', segmentBy: 'tags', questionCodes: ['recommend'] })
    expect(byTag.segments.map(({ key, n, suppressed }: any) => [key, n, suppressed])).toEqual([
      [null, 30, false],
      ['speaker', 30, false],
    ])
    const byCountry = await aggregate({ surveyCode: 'after', segmentBy: 'participant.country', questionCodes: ['recommend'] })
    expect(byCountry.segments.map(({ key, questions }: any) => [key, questions[0].nps])).toEqual([
      ['DE', 100],
      ['FR', -30],
    ])
  })

  it('filters survey results by participants, and refuses personal filters and segments of an anonymous survey', async () => {
    const filter = { field: 'country', op: 'equals', value: 'DE' }
    const found = await aggregate({ surveyCode: 'after', filter })
    expect(found).toMatchObject({ invited: 30, complete: 30 })
    expect(questionOf(found, 'recommend').nps).toBe(100)
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'secret', filter })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'secret', segmentBy: 'country' })).toMatchObject({
      code: 'precondition_failed',
    })
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'after', segmentBy: 'lastName' })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'after', filter }, analyst)).toMatchObject({ code: 'forbidden' })
  })

  it('hides figures of an anonymous survey that reveal fewer than five responses, directly or by subtraction', async () => {
    for (const value of ['vip', 'main']) {
      const found = await aggregate({ surveyCode: 'secret', filter: { field: 'flowSlug', op: 'equals', value } })
      expect(found).toMatchObject({ suppressed: true, complete: value === 'vip' ? 4 : 56 })
      expect(questionOf(found, 'recommend')).not.toHaveProperty('nps')
    }
    const tagged = await aggregate({ surveyCode: 'secret', filter: { field: 'tags', op: 'contains', value: 'speaker' } })
    expect(questionOf(tagged, 'recommend').answered).toBe(30)
  })

  it('returns null for survey figures without answers, and a margin of error of 0 for one answer', async () => {
    const none = await aggregate({ surveyCode: 'empty' })
    expect(none).toMatchObject({ invited: 0, delivered: 0, complete: 0, responseRate: null })
    expect(questionOf(none, 'recommend')).toMatchObject({ shown: 0, answered: 0, nps: null, margin: null })
    expect(questionOf(none, 'food')).toMatchObject({ mean: null, sd: null, median: null, topTwo: null })
    const tokens = await surveys.invite('one')
    await surveys.answer(tokens.get(people[0]!)!, { recommend: 10, food: 4 })
    await surveys.answer(tokens.get(people[1]!)!, { recommend: 0, food: 1 }, { partial: true })
    const one = await aggregate({ surveyCode: 'one' })
    expect(one).toMatchObject({ invited: 60, started: 2, complete: 1, responseRate: 1.7 })
    expect(questionOf(one, 'recommend')).toMatchObject({ answered: 1, nps: 100, margin: 0 })
    expect(questionOf(one, 'food')).toMatchObject({ mean: 4, sd: null, median: 4, topTwo: 100 })
    expect(questionOf(await aggregate({ surveyCode: 'one', includePartial: true }), 'recommend')).toMatchObject({
      answered: 2,
      nps: 0,
      margin: 138.6,
    })
  })

  it('returns NPS 16.7 and a response rate of 85.7 for six of seven answers', async () => {
    const tokens = [...(await surveys.invite('story'))]
    await world.database.pool.query(`delete from survey_invites where survey_code = 'story' and participant_id <> all($1)`, [
      tokens.slice(0, 7).map(([id]) => id),
    ])
    for (const [n, recommend] of [10, 9, 9, 8, 6, 3].entries()) await surveys.answer(tokens[n]![1], { recommend })
    const found = await aggregate({ surveyCode: 'story' })
    expect(found).toMatchObject({ invited: 7, delivered: 7, complete: 6, responseRate: 85.7 })
    expect(questionOf(found, 'recommend')).toMatchObject({ nps: 16.7 })
  })

  it('leaves out answers to personal questions without personal.read, just like the metrics', async () => {
    const tokens = [...(await surveys.invite('personal'))].slice(0, 6)
    for (const [n, recommend] of [10, 10, 9, 7, 6, 0].entries()) await surveys.answer(tokens[n]![1], { recommend })
    const metricsOf = async (as: OrganizerHandle, tool = 'query_data') => {
      const filter = { field: 'surveyCode', op: 'equals', value: 'personal' }
      const metrics = ['survey.nps', 'survey.npsAnswers', 'survey.promoters', 'survey.detractors']
      const where = tool === 'query_data' ? { eventCode: home.eventCode } : { eventCodes: [home.eventCode] }
      const { rows } = await as.call(tool, { ...where, metrics, filter })
      return Object.values(rows[0])
    }
    const shown = questionOf(await aggregate({ surveyCode: 'personal' }), 'recommend')
    expect(shown).toMatchObject({ answered: 6, nps: 16.7 })
    expect(await metricsOf(olga)).toEqual([16.7, 6, 3, 2])
    expect(await metricsOf(olga, 'query_across_events')).toEqual([16.7, 6, 3, 2])
    expect(questionOf(await aggregate({ surveyCode: 'personal' }, analyst), 'recommend')).toMatchObject({ withheld: true })
    expect(await metricsOf(analyst)).toEqual([null, 0, 0, 0])
    expect(await metricsOf(analyst, 'query_across_events')).toEqual([null, 0, 0, 0])
    const rows = { entity: 'surveyAnswer', fields: ['anyNps'] }
    expect(await refused('query_data', rows, analyst)).toMatchObject({ code: 'forbidden' })
  })

  it("lists the same number of responses for each survey as the survey's figures, even if it was anonymous before", async () => {
    await world.database.pool.query(
      `insert into survey_responses select (jsonb_populate_record(r, jsonb_build_object('id', repeat('f', 24), 'is_anonymous', true,
         'participant_id', null, 'invite_id', null, 'started_at', d.day, 'completed_at', d.day, 'created_at', d.day, 'updated_at', d.day))).*
       from survey_responses r cross join lateral (select date_trunc('day', r.completed_at) as day) d where r.survey_code = 'personal' limit 1`,
    )
    const { surveys: listed } = await aggregate({})
    for (const { code, complete } of listed) expect([code, complete]).toEqual([code, (await aggregate({ surveyCode: code })).complete])
    expect(listed.find(({ code }: any) => code === 'personal').complete).toBe(6)
  })

  it('compares survey questions of the same code and type with another event of the client', async () => {
    const earlier = await world.event({ at: home, startsOn: '2026-03-01', endsOn: '2026-03-02', status: 'draft' })
    const before = createSurveyFixtures(world, earlier)
    await before.publish([{ code: 'after', name: 'Before', questions: [QUESTIONS[0], { code: 'food', name: 'Food?', type: 'nps' }] }])
    const person = await createRegistrationFixtures(world, earlier).person()
    await before.answer((await before.invite('after')).get(person)!, { recommend: 10, food: 1 })
    const admin = await world.organizer({ role: 'admin', at: home })
    const found = await aggregate({ surveyCode: 'after', compareWith: earlier.eventCode }, admin)
    expect(questionOf(found, 'recommend')).toMatchObject({ nps: 35, previous: { answered: 1, nps: 100, margin: 0 } })
    expect(questionOf(found, 'food')).not.toHaveProperty('previous')
    const args = { surveyCode: 'after', compareWith: 'nowhere' }
    expect(await refused('get_survey_aggregate_data', args, admin)).toMatchObject({ code: 'not_found' })
  })

  it('lists all surveys if no code is given, and refuses unknown codes and other events', async () => {
    const { surveys: listed } = await aggregate({})
    expect(listed.map(({ code, invited, complete }: any) => [code, invited, complete])).toContainEqual(['after', 60, 60])
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'aftr' })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'after', questionCodes: ['nope'] })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await refused('get_survey_aggregate_data', { segmentBy: 'tags' })).toMatchObject({ code: 'invalid_arguments' })
    const stranger = await world.organizer({ role: 'admin' })
    expect(await refused('get_survey_aggregate_data', { surveyCode: 'after' }, stranger)).toMatchObject({ code: 'not_found' })
  })
})

describe('get_survey_responses_data', () => {
  async function all(args: object, as = olga): Promise<any[]> {
    const found: any[] = []
    let cursor: string | undefined
    do {
      const page = await responses({ ...args, limit: 25, ...(cursor ? { cursor } : {}) }, as)
      found.push(...page.responses)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    return found
  }

  it('lists every complete survey response once, with answers that give the same NPS as the figures', async () => {
    const rows = await all({ surveyCode: 'after' })
    expect(new Set(rows.map(({ id }) => id)).size).toBe(60)
    expect((await responses({ surveyCode: 'after' })).total).toBe(60)
    const given: number[] = rows.map(({ answers }) => answers.recommend)
    const nps = (100 * (given.filter((n) => n >= 9).length - given.filter((n) => n <= 6).length)) / given.length
    expect(nps).toBe(35)
    expect(rows[0]).toMatchObject({ status: 'complete', participant: { id: expect.any(String), email: expect.any(String) } })
  })

  it('sorts survey responses by lowest rating, and filters them by rating, text and person', async () => {
    const byRating = await all({ surveyCode: 'after', sort: 'rating' })
    expect(byRating.slice(0, 3).map(({ answers }) => answers.food)).toEqual([1, 1, 2])
    expect((await responses({ surveyCode: 'after', minRating: 4 })).total).toBe(4)
    expect((await responses({ surveyCode: 'after', search: 'QUEUE' })).responses.map(({ labels }: any) => labels.comment)).toEqual([
      'Great coffee, but a long queue',
      'Great coffee, but a long queue',
    ])
    expect((await responses({ surveyCode: 'after', filter: { field: 'country', op: 'equals', value: 'FR' } })).total).toBe(30)
  })

  it('shows no person, time of day or id of an anonymous response that other tools could look up', async () => {
    const rows = await all({ surveyCode: 'secret' })
    expect(rows).toHaveLength(60)
    const ids = new Set(JSON.stringify(rows).match(/[0-9a-f]{24}/g))
    expect(ids.size).toBe(60)
    for (const table of ['participants', 'survey_invites', 'sessions', 'orders', 'audit_entries', 'contacts'])
      expect(await surveys.rows(`select id from ${table} where id = any($1)`, [...ids])).toEqual([])
    for (const row of rows) {
      expect(row).not.toHaveProperty('participant')
      expect(row.completedAt).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    }
    const order = rows.map(({ id }) => id)
    expect(order).not.toEqual(order.toSorted((a, b) => (a < b ? -1 : 1)))
  })

  it('shows queries no anonymous answers before five people completed the survey, and never whose answers belong together', async () => {
    const queried = (args: object) => analyst.call('query_data', { eventCode: home.eventCode, ...args })
    const ofSurvey = { field: 'surveyCode', op: 'equals', value: 'quiet' }
    const scores = { entity: 'surveyAnswer', fields: ['nps', 'responseId', 'createdAt'], filter: ofSurvey }
    const tokens = await surveys.invite('quiet')
    for (const [n, id] of people.slice(0, 5).entries()) {
      expect((await queried(scores)).rows).toEqual([])
      expect((await queried({ metrics: ['survey.nps'], filter: ofSurvey })).rows).toEqual([{ 'survey.nps': null }])
      await surveys.answer(tokens.get(id)!, { recommend: n === 0 ? 2 : 10, food: 1 })
    }
    const { rows } = await queried({ ...scores, orderBy: ['nps'] })
    expect(rows.filter(({ nps }: any) => nps !== null).map(({ nps }: any) => nps)).toEqual([2, 10, 10, 10, 10])
    expect(rows.every((row: any) => row.responseId === null && row.createdAt === null)).toBe(true)
    const { rows: metric } = await queried({ metrics: ['survey.nps'], filter: ofSurvey })
    expect(metric[0]['survey.nps']).toBe(questionOf(await aggregate({ surveyCode: 'quiet' }), 'recommend').nps)
    const shown = (await all({ surveyCode: 'quiet' }, analyst)).map(({ id }) => id)
    const { rows: listed } = await queried({ entity: 'surveyResponse', fields: ['status'], filter: ofSurvey })
    for (const value of [...shown, ...listed.map(({ id }: any) => id)])
      for (const filter of [
        { field: 'responseId', op: 'equals', value },
        { field: 'response.id', op: 'equals', value },
      ])
        expect((await queried({ entity: 'surveyAnswer', fields: ['rating'], filter })).rows).toEqual([])
    expect(
      await surveys.rows('select id from survey_responses where id = any($1)', [[...shown, ...listed.map(({ id }: any) => id)]]),
    ).toEqual([])
  })

  it('hides rare flows and tags of anonymous responses, and hides lists of fewer than five matches', async () => {
    const rows = await all({ surveyCode: 'secret' })
    expect(new Set(rows.map(({ flowSlug }) => flowSlug))).toEqual(new Set(['main', undefined]))
    expect(await responses({ surveyCode: 'secret', search: 'queue' })).toMatchObject({ responses: [], suppressed: true })
    expect(await refused('get_survey_responses_data', { surveyCode: 'secret', filter: { field: 'email', op: 'isSet' } })).toMatchObject({
      code: 'precondition_failed',
    })
  })

  it('requires personal.read for responses with names and for texts', async () => {
    expect(await refused('get_survey_responses_data', { surveyCode: 'after' }, analyst)).toMatchObject({ code: 'forbidden' })
    expect(await refused('get_survey_responses_data', { surveyCode: 'secret', search: 'queue' }, analyst)).toMatchObject({
      code: 'forbidden',
    })
    const found = await responses({ surveyCode: 'secret' }, analyst)
    expect(found).toMatchObject({ total: 60, withheld: ['comment'] })
    expect(JSON.stringify(found)).not.toContain('coffee')
  })
})
