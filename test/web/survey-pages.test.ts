import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistrationFixtures, type Registrations } from '../support/registrations.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type Surveys, createSurveyFixtures, readSurveyToken } from '../support/surveys.ts'
import { signedInVisitor, visitor } from '../support/visitor.ts'
import { createSessionAt, programSections } from '../support/programs.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

const CHOICES = [
  { code: 'talks', name: 'Talks' },
  { code: 'expo', name: 'Expo' },
]
const QUESTIONS = [
  { code: 'recommend', name: 'Would you recommend us?', type: 'nps', required: true },
  { code: 'food', name: 'How was the food?', type: 'rating', scaleMax: 7 },
  { code: 'best', name: 'What was best?', type: 'choice', choices: CHOICES },
  { code: 'again', name: 'What would you visit again?', type: 'multiChoice', choices: CHOICES },
  { code: 'comment', name: 'Anything else?', type: 'text' },
]
const LONG = Array.from({ length: 12 }, (_, n) => ({ code: `q${n}`, name: `Question ${n}`, type: 'rating', required: n === 0 || n === 11 }))

describe('survey pages', () => {
  let world: World
  let place: EventHandle
  let served: Served
  let surveys: Surveys
  let desk: Registrations
  let sessionId: string
  const tokens = new Map<string, string[]>()

  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    place = await world.event({ startsOn: '2026-09-01', endsOn: '2026-09-03', timezone: 'Europe/Paris', status: 'draft' })
    surveys = createSurveyFixtures(world, place)
    desk = createRegistrationFixtures(world, place)
    await surveys.publish(
      [
        { code: 'after', name: 'After the event', questions: QUESTIONS },
        { code: 'secret', name: 'Anonymous', anonymous: true, questions: QUESTIONS },
        { code: 'long', name: 'Two pages', questions: LONG },
        { code: 'early', name: 'Later', opensAt: '2099-01-01T10:00:00.000Z', questions: QUESTIONS },
        { code: 'talk', name: 'This talk', perSession: true, questions: QUESTIONS },
        { code: 'closing', name: 'Closing', questions: QUESTIONS },
      ],
      programSections() as never,
    )
    sessionId = await createSessionAt(world, place, { title: 'Printing in space' })
    for (let n = 0; n < 4; n++) {
      const id = await desk.person()
      if (n === 0)
        await world.database.pool.query(
          `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`,
          [place.tenantId, place.eventId, sessionId, id],
        )
    }
    for (const code of ['after', 'secret', 'long', 'early', 'talk', 'closing'])
      tokens.set(code, (await surveys.list(code)).map(readSurveyToken))
    served = await serve(world)
  })
  afterAll(() => world.end())

  const link = (survey: string, person = 0) => `/s/${tokens.get(survey)![person]!}`
  const statusOf = async (token: string) =>
    (
      await surveys.rows<{ status: string; responded_at: Date | null }>(
        `select status, responded_at from survey_invites where token_hash = sha256($1::text::bytea)`,
        token.slice(3),
      )
    )[0]!

  it('changes nothing when a survey link is opened, and sends its token to no other site', async () => {
    const page = await visitor(served).get(link('after'))
    expect(page.status).toBe(200)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.text).toContain('Would you recommend us?')
    expect(page.text).toContain('Your answers are stored with your registration.')
    expect(await statusOf(link('after'))).toMatchObject({ status: 'delivered' })
    expect((await visitor(served).get('/s/survey_unknown')).status).toBe(404)
  })

  it('keeps survey answers when a required one is missing, then saves them once and shows them again', async () => {
    const anna = visitor(served)
    const refused = await anna.post(link('after'), {
      page: '1',
      do: 'next',
      'a-food': '6',
      'a-again': ['talks', 'expo'],
      'a-comment': 'Nice <b>',
    })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Answer the question: Would you recommend us?')
    expect(await statusOf(link('after'))).toMatchObject({ status: 'started' })
    const resumed = await visitor(served).get(link('after'))
    expect(resumed.html).toContain('value="6" checked')
    expect(resumed.text).toContain('Nice <b>')
    const sent = await anna.post(link('after'), { page: '1', do: 'next', 'a-recommend': '9', 'a-food': '7', 'a-again': 'expo' })
    expect(sent).toMatchObject({ status: 303, location: `${link('after')}?sent=1` })
    expect((await anna.get(sent.location!)).text).toContain('Thank you')
    const again = await anna.get(link('after'))
    expect(again.text).toContain('You have already answered this survey')
    expect(again.text).toContain('How was the food? 7')
    expect((await anna.post(link('after'), { 'a-recommend': '0' }, { csrf: null })).status).toBe(404)
    expect(await statusOf(link('after'))).toMatchObject({ status: 'completed', responded_at: expect.any(Date) })
    const stored = await surveys.rows(`select question_code, rating, nps, choices, text from survey_answers order by question_code`)
    expect(stored).toEqual([
      { question_code: 'again', rating: null, nps: null, choices: ['expo'], text: null },
      { question_code: 'food', rating: 7, nps: null, choices: null, text: null },
      { question_code: 'recommend', rating: null, nps: 9, choices: null, text: null },
    ])
  })

  it('refuses answers that the survey question does not offer, and texts that are too long', async () => {
    const page = await visitor(served).post(link('after', 1), {
      page: '1',
      'a-recommend': '11',
      'a-food': '8',
      'a-best': 'nothing',
      'a-comment': 'x'.repeat(2001),
    })
    expect(page.status).toBe(400)
    expect(page.text).toContain('Choose one of the options: Would you recommend us?')
    expect(page.text).toContain('Choose one of the options: How was the food?')
    expect(page.text).toContain('Use at most 2,000 characters: Anything else?')
  })

  it('stores anonymous survey answers without person, time and audit entry', async () => {
    const before = await surveys.rows('select id from audit_entries')
    const anna = visitor(served)
    expect((await anna.get(link('secret'))).text).toContain('Your answers are anonymous.')
    await anna.post(link('secret'), { page: '1', 'a-food': '3' })
    const partial = await anna.get(link('secret'))
    expect(partial.html).toContain('value="3" checked')
    const sent = await anna.post(link('secret'), { page: '1', 'a-recommend': '2', 'a-food': '3' })
    expect(sent.location).toBe(`${link('secret')}?sent=1`)
    const done = await anna.get(link('secret'))
    expect(done.text).toContain('Anonymous answers cannot be shown again or changed.')
    expect(done.text).not.toContain('How was the food?')
    const [row] = await surveys.rows<Record<string, unknown>>(
      `select r.*, xmin::text from survey_responses r where is_anonymous and survey_code = 'secret'`,
    )
    expect(row).toMatchObject({ participant_id: null, invite_id: null, resume_hash: null, status: 'complete' })
    for (const column of ['started_at', 'completed_at', 'created_at', 'updated_at'])
      expect(new Date(row![column] as string).toLocaleTimeString('en-GB', { timeZone: 'Europe/Paris' })).toBe('00:00:00')
    expect(await statusOf(link('secret'))).toMatchObject({ status: 'completed', responded_at: null })
    const invites = await surveys.rows<{ xmin: string }>(`select xmin::text from survey_invites where survey_code = 'secret'`)
    expect(invites.map(({ xmin }) => xmin)).not.toContain(row!['xmin'])
    expect(await surveys.rows('select id from audit_entries')).toEqual(before)
    await anna.post(link('secret'), { page: '1', 'a-recommend': '10' }, { from: link('secret', 1) })
    expect(await surveys.rows(`select id from survey_responses where survey_code = 'secret'`)).toHaveLength(1)
  })

  it('splits twelve survey questions into two pages, saves each page, and returns to a page with a missing answer', async () => {
    const anna = visitor(served)
    expect((await anna.get(link('long'))).text).toContain('Page 1 of 2')
    const answers = Object.fromEntries(LONG.slice(0, 10).map(({ code }) => [`a-${code}`, '4']))
    const next = await anna.post(link('long'), { page: '1', do: 'next', ...answers })
    expect(next.location).toBe(`${link('long')}?page=2`)
    expect((await anna.get(link('long'))).text).toContain('Page 2 of 2')
    const back = await anna.post(link('long'), { page: '2', do: 'back', 'a-q10': '5' }, { from: `${link('long')}?page=2` })
    expect(back.location).toBe(`${link('long')}?page=1`)
    expect((await anna.get(`${link('long')}?page=2`)).html).toContain('value="5" checked')
    const sent = await anna.post(link('long'), { page: '2', 'a-q11': '1' }, { from: `${link('long')}?page=2` })
    expect(sent.location).toBe(`${link('long')}?sent=1`)
    const other = visitor(served)
    const missing = await other.post(link('long', 1), { page: '2', 'a-q11': '1' })
    expect(missing.status).toBe(400)
    expect(missing.text).toContain('Answer the question: Question 0')
  })

  it('names the session of a survey, and shows when a survey opens, has closed or was declined', async () => {
    expect((await visitor(served).get(link('talk'))).text).toContain('About the session “Printing in space”')
    expect(tokens.get('talk')).toHaveLength(1)
    const early = await visitor(served).get(link('early'))
    expect(early.text).toContain('This survey is not open yet')
    expect(early.text).toContain('1 January 2099')
    const anna = visitor(served)
    await anna.post(`${link('closing')}/decline`, {}, { from: link('closing') })
    expect((await anna.get(link('closing'))).text).toContain('You chose not to take part')
    expect(await statusOf(link('closing'))).toMatchObject({ status: 'declined' })
    expect((await anna.get(`${link('closing')}?again=1`)).text).toContain('Would you recommend us?')
    await anna.post(link('closing'), { page: '1', 'a-recommend': '8' }, { from: `${link('closing')}?again=1` })
    expect(await statusOf(link('closing'))).toMatchObject({ status: 'completed' })
    await world.database.pool.query(`update events set status = 'archived' where id = $1`, [place.eventId])
    const closed = await visitor(served).get(link('after', 2))
    expect([closed.status, closed.text]).toEqual([410, expect.stringContaining('This survey is closed')])
    await world.database.pool.query(`update events set status = 'published' where id = $1`, [place.eventId])
  })

  it('shows a survey in the language of the visitor', async () => {
    await world.database.pool.query(`update events set locales = '{en,de}' where id = $1`, [place.eventId])
    const { text } = await visitor(served, { 'accept-language': 'de' }).get(link('after', 3))
    expect(text).toContain('0 bedeutet überhaupt nicht wahrscheinlich, 10 bedeutet äußerst wahrscheinlich.')
    expect(text).toContain('Antworten senden')
  })

  it('stores one response when a survey link is used in several windows concurrently', async () => {
    const countResponses = async () => (await surveys.rows(`select id from survey_responses where survey_code = 'secret'`)).length
    const before = await countResponses()
    const windows = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const window = visitor(served)
        await window.get(link('secret', 2))
        return window
      }),
    )
    await Promise.all(windows.map((window, n) => window.post(link('secret', 2), { page: '1', 'a-recommend': String(n) })))
    expect(await countResponses()).toBe(before + 1)
  })

  it('replaces survey links of people who have not answered, but not of those who started an anonymous response', async () => {
    await visitor(served).post(link('secret', 1), { page: '1', 'a-food': '3' })
    const fresh = await surveys.invite('secret', 'again')
    expect(fresh.size).toBe(1)
    expect((await visitor(served).get(link('secret', 3))).status).toBe(404)
    expect((await visitor(served).get(`/s/${[...fresh.values()][0]!}`)).status).toBe(200)
    expect((await visitor(served).get(link('secret', 1))).html).toContain('value="3" checked')
    expect(await surveys.invite('secret')).toEqual(new Map())
  })

  it('lets an organizer download survey links once, with the permission to send emails', async () => {
    const olga = await world.organizer({ role: 'marketer', at: place })
    await desk.person({ first_name: '=Nora', last_name: 'New', email: 'nora@example.org' })
    const marketer = await signedInVisitor(world, served, olga)
    const base = `/console/events/${place.clientCode}/${place.eventCode}/surveys`
    expect((await marketer.get(base)).text).toContain('After the event')
    const page = await marketer.get(`${base}/after`)
    expect(page.text).toContain('People without a link (1)')
    const file = await marketer.post(`${base}/after/links`, { who: 'new' }, { from: `${base}/after` })
    expect(file.headers.get('content-type')).toContain('text/csv')
    const [head, row, ...rest] = file.html.trim().split('\n')
    expect([head, rest]).toEqual(['name,email,session,link', []])
    expect(row).toMatch(/^'=Nora New,nora@example.org,,http.*\/s\/survey_/)
    expect((await visitor(served).get(new URL(row!.split(',')[3]!).pathname)).status).toBe(200)
    const analyst = await signedInVisitor(world, served, await world.organizer({ role: 'analyst', at: place }))
    expect((await analyst.get(`${base}/after`)).text).not.toContain('Download links')
    expect((await analyst.post(`${base}/after/links`, { who: 'new' }, { from: `${base}/after` })).status).toBe(403)
  })
})
