import { beforeAll, describe, expect, it } from 'vitest'
import type { PersonHandle } from '../../../test/support/participants.ts'
import { inEventTransaction } from '../../../test/support/hotels.ts'
import { createSessionAt } from '../../../test/support/programs.ts'
import { updateProfiles, signInByEmail } from '../../../test/support/recommendations.ts'
import { createRegistrationFixtures } from '../../../test/support/registrations.ts'
import { useSalesScenario } from '../../../test/support/sales-scenario.ts'
import { computeInterestRarity } from '../../domains/recommendations/interests.ts'
import { computeMatchScore } from '../../domains/recommendations/participants.ts'
import { enrolInSession, cancelSessionEnrolments } from '../../domains/sessions/enrol.ts'

/** How many of 1,000 participants have each topic, as in the specification's example. */
const HAVING = { ai: 400, robotics: 50, b2b: 300, energy: 100 } as const
const idf = (topic: keyof typeof HAVING) => computeInterestRarity(1000, HAVING[topic])

describe('match score of two participants', () => {
  it.each([
    ['Cy', { interests: 0.7456, text: 0.2, sessions: 0.25, colleagues: false }, 0.4828],
    ['Ana', { interests: 0.4547, text: 0.4, sessions: 0.5, colleagues: false }, 0.4474],
    ['Ben', { interests: idf('ai') / (idf('ai') + idf('robotics') + idf('b2b')), text: 0.5, sessions: 0, colleagues: true }, 0.1293],
    ['a double', { interests: 1, text: 1, sessions: 1, colleagues: false }, 1],
    ['a colleague who is one', { interests: 1, text: 1, sessions: 1, colleagues: true }, 0.5],
    ['a stranger', { interests: 0, text: 0, sessions: 0, colleagues: true }, 0],
  ])('calculates the match score of %s', (_, alike, score) => expect(computeMatchScore(alike)).toBe(score))
})

const choices = (...codes: string[]) => codes.map((code) => ({ code, name: `Topic ${code}` }))
const SECTIONS = {
  details: { contactEmail: 'olga@example.org' },
  customFields: [
    { code: 'topics', name: 'Topics', responseType: 'multiChoice', choices: choices('ai', 'robotics', 'b2b', 'energy', 'other') },
    { code: 'faith', name: 'Faith', responseType: 'choice', sensitive: true, choices: choices('one', 'two') },
    { code: 'shirt', name: 'Shirt', responseType: 'text' },
  ],
  products: [
    { code: 'pass', name: 'Pass', category: 'admission', prices: [{ amount: '0.00' }] },
    { code: 'lab', name: 'Lab', category: 'session', prices: [{ amount: '0.00' }] },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      guests: { max: 2 },
      pages: [
        {
          code: 'contact',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'topics', type: 'field', binding: '@custom.topics' },
            { id: 'sale', type: 'products', products: ['pass', 'lab'] },
          ],
        },
        { code: 'done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}

describe('recommend_participants', () => {
  const scenario = useSalesScenario(SECTIONS)
  let me: PersonHandle
  let at: ReturnType<typeof createRegistrationFixtures>
  const seen: Record<string, unknown> = { visible_to_participants: true }
  const topics = (...list: string[]) => ({ custom_field_responses: JSON.stringify({ topics: list }) })
  const query = (text: string, values: unknown[] = []) => scenario.world.database.pool.query(text, values)
  const recommended = async (who = me, limit = 10): Promise<any[]> => (await who.call('recommend_participants', { limit })).recommendations
  const namesOf = async (who = me) => (await recommended(who)).map(({ name }) => name)

  beforeAll(async () => {
    at = createRegistrationFixtures(scenario.world, scenario.event)
    const people: [string, object][] = [
      ['Me', { email: 'me@example.org', company: 'Acme  GmbH', ...topics('ai', 'robotics'), ...seen }],
      [
        'Cy',
        {
          email: 'cy@example.org',
          ...topics('ai', 'robotics', 'b2b'),
          ...seen,
          job_title: 'CTO',
          company: 'Cyber',
          mobile_phone: '+4912345678',
        },
      ],
      ['Ana', { email: 'ana@example.org', ...topics('robotics', 'energy'), ...seen }],
      ['Ben', { email: 'ben@example.org', company: 'ACME GmbH', ...topics('ai', 'b2b'), ...seen }],
      ['Hidden', { email: 'hidden@example.org', ...topics('ai', 'robotics') }],
      ['Waiting', { email: 'waiting@example.org', status: 'waitlisted', ...topics('ai', 'robotics'), ...seen }],
      ['Tester', { email: 'tester@example.org', is_test_data: true, ...topics('ai', 'robotics'), ...seen }],
    ]
    for (const [name, columns] of people) await at.person({ first_name: name, last_name: 'X', ...columns })
    // Fills up the number of participants per topic to that of the example.
    const left: Record<string, number> = { ai: 400 - 4, robotics: 50 - 4, b2b: 300 - 2, energy: 100 - 1 }
    await query(
      `insert into participants (tenant_id, event_id, id, status, completed_at, confirmation_number, first_name, last_name, email, custom_field_responses)
       select $1, $2, lpad(to_hex(n), 24, '0'), 'complete', lanyard_now(), 'N' || n, 'Crowd', n::text, n || '@crowd.example',
         jsonb_build_object('topics', to_jsonb(array_remove(array[
           case when n <= $3::int then 'ai' end, case when n > $3::int and n <= $3::int + $4::int then 'robotics' end,
           case when n > $3 + $4 and n <= $3 + $4 + $5 then 'b2b' end, case when n > $3 + $4 + $5 and n <= $3 + $4 + $5 + $6 then 'energy' end, case when n > $3 + $4 + $5 + $6 then 'other' end], null)))
       from generate_series(1, 995) n`,
      [scenario.event.tenantId, scenario.event.eventId, left['ai'], left['robotics'], left['b2b'], left['energy']],
    )
    await updateProfiles(scenario)
    me = await signInByEmail(scenario, 'me@example.org')
  })

  it('ranks similar participants first, weights rare interests more, and ranks colleagues last', async () => {
    const list = await recommended()
    expect(list.map(({ name }) => name)).toEqual(['Cy X', 'Ana X', 'Ben X'])
    const { rows } = await query(`select key, people from recommendation_counts where key like 'i:%' or key like 'n:%' order by key`)
    expect(rows).toEqual([
      { key: 'i:topics=ai', people: 400 },
      { key: 'i:topics=b2b', people: 300 },
      { key: 'i:topics=energy', people: 100 },
      { key: 'i:topics=other', people: 156 },
      { key: 'i:topics=robotics', people: 50 },
      { key: 'n:interested', people: 1000 },
      { key: 'n:texts', people: 1000 },
    ])
    // Profile texts: "Topic x" for each choice. "topic" occurs in every text, each code in as many as chose it.
    const textOf = (codes: (keyof typeof HAVING)[], own: [string, number][] = []) =>
      new Map([
        ['topic', codes.length * computeInterestRarity(1000, 1000)],
        ...codes.map((code) => [code, idf(code)] as [string, number]),
        ...own,
      ] as [string, number][])
    const length = (vector: Map<string, number>) => Math.hypot(...vector.values())
    const cosine = (a: Map<string, number>, b: Map<string, number>) =>
      [...a].reduce((sum, [term, value]) => sum + value * (b.get(term) ?? 0), 0) / length(a) / length(b)
    const mine = textOf(['ai', 'robotics'])
    const score = (interests: number, text: number, colleagues = false) => computeMatchScore({ interests, text, sessions: 0, colleagues })
    const scores = list.map((one) => one.score)
    // The interest scores are those of the specification to four decimals; one person alone is a CTO.
    expect(scores[0]).toBeCloseTo(
      score(0.7456, cosine(mine, textOf(['ai', 'robotics', 'b2b'], [['cto', computeInterestRarity(1000, 1)]]))),
      4,
    )
    expect(scores[1]).toBeCloseTo(score(0.4547, cosine(mine, textOf(['robotics', 'energy']))), 4)
    expect(scores[2]).toBeCloseTo(score(0.2174, cosine(mine, textOf(['ai', 'b2b'])), true), 4)
  })

  it('returns name, job and company of recommended people, but no contact details or other answers', async () => {
    const answer = await me.answer('recommend_participants', { limit: 10 })
    expect(answer.structuredContent.recommendations[0]).toEqual({
      participantId: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Cy X',
      jobTitle: 'CTO',
      company: 'Cyber',
      sharedInterests: ['Topic robotics', 'Topic ai'],
      score: expect.any(Number),
    })
    expect(JSON.stringify(answer)).not.toMatch(/@example|49123|Topic b2b|Topic energy/)
    expect(answer._meta!['lanyard/untrusted']).toEqual(expect.arrayContaining(['/recommendations/0/name', '/recommendations/0/jobTitle']))
  })

  it('refuses to recommend other participants to a person who does not want to be found', async () => {
    const hidden = await signInByEmail(scenario, 'hidden@example.org')
    const refused = await hidden.refused('recommend_participants')
    expect(refused).toMatchObject({ code: 'precondition_failed', message: "Turn on 'let other participants find me' first" })
    expect(refused.text).toContain(`/event/${scenario.event.eventCode}/registration/sign-in`)
    expect((await (await signInByEmail(scenario, 'absent@example.org')).refused('recommend_participants')).message).toBe(
      'No participant identity available',
    )
  })

  it('updates recommendations immediately when a person opts out, cancels, or restricts an answer', async () => {
    await query(`update participants set visible_to_participants = false where first_name = 'Ana'`)
    expect(await namesOf()).toEqual(['Cy X', 'Ben X'])
    await query(`update participants set visible_to_participants = true where first_name = 'Ana'`)
    await query(`update participants set sharing = '{"jobTitle": "restrict", "company": "restrict"}' where first_name = 'Cy'`)
    const [cy] = await recommended()
    expect(Object.keys(cy)).toEqual(['participantId', 'name', 'sharedInterests', 'score'])
    await query(`update participants set sharing = '{"cf:topics": "restrict"}' where first_name = 'Cy'`)
    await updateProfiles(scenario)
    expect(await recommended()).toContainEqual(expect.objectContaining({ name: 'Cy X', sharedInterests: [], score: 0 }))
    await query(`update participants set sharing = '{}' where first_name = 'Cy'`)
    await updateProfiles(scenario)
  })

  it("does not recommend the person's own group members", async () => {
    const { rows } = await query(`select id from participants where email = 'me@example.org'`)
    await query(`update participants set host_id = $1 where first_name = 'Cy'`, [rows[0]!['id']])
    expect(await namesOf()).toEqual(['Ana X', 'Ben X'])
    const cy = await signInByEmail(scenario, 'cy@example.org')
    expect(await namesOf(cy)).toEqual(['Ben X', 'Ana X'])
    await query(`update participants set host_id = null where first_name = 'Cy'`)
  })

  it('raises the match score for conference sessions that both people attend', async () => {
    const scoreOfAna = async () => (await recommended()).find(({ name }) => name === 'Ana X').score as number
    const before = await scoreOfAna()
    const { rows } = await query(`select id from participants where email in ('me@example.org', 'ana@example.org')`)
    for (const { id } of rows) await at.buys(id as string, [{ product: 'lab', net: 0 }])
    await updateProfiles(scenario)
    // Both attend only the lab, and their profile texts mention it too.
    expect((await scoreOfAna()) - before).toBeGreaterThan(0.2)
  })

  it('raises the match score for shared conference sessions and lists their titles, but not for waitlisted ones', async () => {
    await scenario.publish({
      sessions: { tracks: [{ code: 'main', name: 'Main' }], formats: [{ code: 'talk', name: 'Talk', minutes: 40 }] },
    })
    const scoreOf = async (wanted: string) => (await recommended()).find(({ name }) => name === wanted).score as number
    const before = [await scoreOf('Ana X'), await scoreOf('Ben X')]
    const session = await createSessionAt(scenario.world, scenario.event, { title: 'Turbines underwater', trackCode: 'main', capacity: 2 })
    const { rows } = await query(
      `select id, email from participants where email in ('me@example.org', 'ana@example.org', 'ben@example.org')`,
    )
    const idOf = (name: string) => rows.find(({ email }) => email === `${name}@example.org`)!['id'] as string
    for (const name of ['me', 'ana', 'ben'])
      await inEventTransaction(scenario.world, scenario.event, (ctx) =>
        enrolInSession(ctx, { id: idOf(name), is_test_data: false }, session),
      )
    await updateProfiles(scenario)
    const { rows: kept } = await query(`select sessions, terms from recommendation_profiles where participant_id = $1`, [idOf('ana')])
    expect(kept[0]).toMatchObject({ sessions: expect.arrayContaining([session]), terms: { turbin: 1 } })
    expect((await scoreOf('Ana X')) - before[0]!).toBeGreaterThan(0)
    // Waitlisted only, so Ben gets no common session. Term weights of other participants change slightly.
    expect(Math.abs((await scoreOf('Ben X')) - before[1]!)).toBeLessThan(0.05)
    await inEventTransaction(scenario.world, scenario.event, (ctx) => cancelSessionEnrolments(ctx, { id: idOf('ana') }, [session]))
    await updateProfiles(scenario)
    const { rows: after } = await query(`select participant_id as id from recommendation_profiles where $1 = any(sessions) order by 1`, [
      session,
    ])
    expect(after.map(({ id }) => id)).toEqual([idOf('me'), idOf('ben')].sort())
    await query('delete from session_enrolments')
    await query('delete from sessions')
    await updateProfiles(scenario)
  })

  it('uses current answers of the person, and answers of other participants as of the last index update', async () => {
    await query(`update participants set custom_field_responses = '{"topics": ["b2b"]}' where email = 'me@example.org'`)
    const shared = async () => Object.fromEntries((await recommended()).map(({ name, sharedInterests }) => [name, sharedInterests]))
    expect(await shared()).toEqual({ 'Cy X': ['Topic b2b'], 'Ana X': [], 'Ben X': ['Topic b2b'] })
    await query(`update participants set custom_field_responses = '{"topics": ["b2b"]}' where email = 'ana@example.org'`)
    await updateProfiles(scenario)
    expect(await shared()).toEqual({ 'Cy X': ['Topic b2b'], 'Ana X': ['Topic b2b'], 'Ben X': ['Topic b2b'] })
    await query(`update participants set custom_field_responses = '{"topics": ["ai", "robotics"]}' where email = 'me@example.org'`)
  })

  it('never uses sensitive answers as interests', async () => {
    for (const email of ['me@example.org', 'ana@example.org'])
      await query(`update participants set custom_field_responses = custom_field_responses || '{"faith": "one"}' where email = $1`, [email])
    await updateProfiles(scenario)
    const { rows } = await query(`select count(*)::int as n from recommendation_counts where key like '%faith%'`)
    expect(rows).toEqual([{ n: 0 }])
    expect(JSON.stringify(await recommended())).not.toContain('Topic one')
  })
})
